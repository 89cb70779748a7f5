// Particles and the copula that are attached to a noun, the longest first. Particles of one syllable in which many nouns
// end only match if the syllable before has the final consonant that they require.
const long =
  /^(.{2,}?)(?:에서는|에게서|으로는|으로서|으로써|이라는|까지는|부터는|에서|에게|한테|으로|까지|부터|처럼|보다|마다|조차|이나|이랑|하고|에는)$/
const afterFinal = /^(.+)[은을과]$/
const afterVowel = /^(.+)[는를와]$/
const short = /^(.{2,})[의에로]$/

/** A Korean noun without its particle; other words unchanged. */
export function withoutParticle(word: string): string {
  const stem = long.exec(word)?.[1] ?? short.exec(word)?.[1]
  if (stem !== undefined) return stem
  const closed = afterFinal.exec(word)?.[1]
  if (closed !== undefined && closed.length > 1 && hasFinal(closed)) return closed
  const open = afterVowel.exec(word)?.[1]
  if (open !== undefined && open.length > 1 && !hasFinal(open)) return open
  return word
}

/** Whether the last syllable ends in a consonant: of the 28 syllables with the same beginning, the first has no final. */
function hasFinal(word: string): boolean {
  const code = word.charCodeAt(word.length - 1) - 0xac00
  return code >= 0 && code < 11_172 && code % 28 !== 0
}

/** A variant of an ending, allowed after a minimum number of letters. */
interface OtherEnding {
  readonly other: string
  readonly letters: number
}

// Endings that are variants in English words, with what may follow them.
const englishEndings = new Map<string, OtherEnding>(
  (
    [
      ['our', 'or', 2, ' s ed ing ful less ite ites'],
      ['or', 'our', 2, ' s ed ing ful less ite ites'],
      ['bre', 'ber', 2, ' s'],
      ['tre', 'ter', 2, ' s'],
      ['ber', 'bre', 2, ' s'],
      ['ter', 'tre', 2, ' s'],
      ['is', 'iz', 3, 'e es ed er ers ing ation'],
      ['iz', 'is', 3, 'e es ed er ers ing ation'],
      ['ogue', 'og', 2, ' s'],
      ['og', 'ogue', 2, ' s'],
      ['ell', 'el', 2, 'ed ing er ers ery'],
      ['el', 'ell', 2, 'ed ing er ers ry'],
      ['ence', 'ense', 3, ' s'],
      ['ense', 'ence', 3, ' s'],
    ] as const
  ).flatMap(([ending, other, letters, behind]) =>
    behind.split(' ').map(suffix => [ending + suffix, { other: other + suffix, letters }] as const),
  ),
)
const SHORTEST_ENDING = 2
const LONGEST_ENDING = Math.max(...[...englishEndings.keys()].map(({ length }) => length))
const lastUnits = new Set([...englishEndings.keys()].map(ending => ending.charCodeAt(ending.length - 1)))

// `-er` and `-or` are variants only where there is a verb.
const agent = /^([a-z]{4,})(er|or)(s?)$/

/** Letter pairs that stand for a letter that cannot be typed, and its plain form: `moebel`, `soeren`, `aarhus`. */
const digraphs: readonly (readonly [string, string])[] = [
  ['oe', 'o'],
  ['ae', 'a'],
  ['ue', 'u'],
  ['aa', 'a'],
]

/**
 * Other possible spellings of a folded word: variants of the language, and spellings without letters that need marks. The
 * catalogue decides which of them exist. `knows`: whether it has a word.
 */
export function otherSpellings(word: string, language: string, knows: (word: string) => boolean): string[] {
  const found: string[] = []
  for (const [two, one] of digraphs) if (word.includes(two)) found.push(word.replaceAll(two, one))
  if (language !== 'english' || word.length < 5) return found
  if (!lastUnits.has(word.charCodeAt(word.length - 1))) return found
  for (let length = SHORTEST_ENDING; length <= LONGEST_ENDING; length++) {
    const ending = englishEndings.get(word.slice(-length))
    const before = word.length - length
    if (ending && areLetters(word, before - ending.letters, before))
      found.push(word.slice(0, before) + ending.other)
  }
  const [, verb, suffix, plural] = word.endsWith('r') || word.endsWith('rs') ? (agent.exec(word) ?? []) : []
  if (verb !== undefined && (knows(verb) || knows(`${verb}e`)))
    found.push(`${verb}${suffix === 'er' ? 'or' : 'er'}${plural}`)
  return found
}

function areLetters(word: string, from: number, to: number): boolean {
  if (from < 0) return false
  for (let at = from; at < to; at++) {
    const unit = word.charCodeAt(at)
    if (unit < 97 || unit > 122) return false
  }
  return true
}

const marked = /[äöüåæøœ]/gi
const written: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' }

/** The text as written where its marked letters cannot be typed; undefined if it has none. */
export function withoutMarkedLetters(text: string): string | undefined {
  if (!marked.test(text)) return undefined
  marked.lastIndex = 0
  return text.replace(marked, letter => written[letter.toLowerCase()] ?? letter)
}

/** Shorter beginnings than this, and numbers, are taken as they are typed: one edit turns them into anything. */
const shortestCorrected = 3

const number = /^\p{N}+$/u

/** How many units of the word were typed: all that was typed where the word begins so, otherwise 0. */
export function typedLength(typed: string, word: string): number {
  return word.startsWith(typed) ? typed.length : 0
}

/**
 * The same for a word of which a beginning is one edit away from what was typed: a letter too many, one too few,
 * another one, or two neighbours swapped. 0 where none is, and where the word begins as typed.
 */
export function correctedLength(typed: string, word: string): number {
  let at = 0
  while (at < typed.length && typed.charCodeAt(at) === word.charCodeAt(at)) at++
  const { length } = typed
  if (at === length) return 0
  if (isSame(typed, at + 1, word, at + 1) && word.length >= length) return length
  const isSwapped =
    at + 1 < length &&
    typed.charCodeAt(at) === word.charCodeAt(at + 1) &&
    typed.charCodeAt(at + 1) === word.charCodeAt(at)
  if (isSwapped && isSame(typed, at + 2, word, at + 2)) return length
  if (isSame(typed, at, word, at + 1)) return length + 1
  return isSame(typed, at + 1, word, at) ? length - 1 : 0
}

/** Whether typing errors in the word are looked for. */
export function isCorrectable(typed: string): boolean {
  return typed.length >= shortestCorrected && !number.test(typed)
}

function isSame(typed: string, from: number, word: string, at: number): boolean {
  return word.startsWith(typed.slice(from), at)
}

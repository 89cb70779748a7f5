/** Shorter prefixes, and numbers, are not corrected: one edit could turn them into anything. */
const shortestCorrected = 3

const number = /^\p{N}+$/u

/** Number of units of the word that were typed: the length of `typed` if the word begins with it, else 0. */
export function typedLength(typed: string, word: string): number {
  return word.startsWith(typed) ? typed.length : 0
}

/**
 * The same for a word with a prefix that is one edit away from what was typed: a letter inserted, missing or replaced, or two
 * adjacent letters swapped. 0 if there is no such prefix, or if the word begins as typed.
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

/** Whether to look for typing errors in the word. */
export function isCorrectable(typed: string): boolean {
  return typed.length >= shortestCorrected && !number.test(typed)
}

function isSame(typed: string, from: number, word: string, at: number): boolean {
  return word.startsWith(typed.slice(from), at)
}

import { fold } from '../../analysis/fold.ts'
import { hashOf } from '../../counting/hash.ts'

const separators = /[^\p{L}\p{N}\p{M}]+/u

/** The words of a document as hashes, regardless of accents and case. */
export function wordHashes(texts: Iterable<string>): number[] {
  const words: number[] = []
  for (const text of texts) {
    if (!addPlainWords(text, words))
      for (const word of fold(text).split(separators)) if (word !== '') words.push(hashOf(word))
  }
  return words
}

const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)

/** Takes the words of an ASCII text, which needs no folding; returns false for any other text. */
function addPlainWords(text: string, words: number[]): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false
  const lower = text.toLowerCase()
  let from = 0
  for (let i = 0; i <= lower.length; i++) {
    if (i < lower.length && isLetter(lower.charCodeAt(i))) continue
    if (i > from) words.push(hashOf(lower.slice(from, i)))
    from = i + 1
  }
  return true
}

/** One number for all words of a document, regardless of their order: the sum of both halves of their hashes. */
export function hashOfWords(words: readonly number[]): number {
  let high = 0
  let low = 0
  for (const word of words) {
    high = (high + Math.floor(word / 2 ** 21)) >>> 0
    low = (low + (word % 2 ** 21)) % 2 ** 21
  }
  return high * 2 ** 21 + low
}

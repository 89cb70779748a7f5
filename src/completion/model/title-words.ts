import { fold } from '../../analysis/fold.ts'
import { ScanBuffer, scanRanges, scanTokens } from '../../analysis/tokenizer.ts'
import { termOfWord } from '../../analysis/words-in-text.ts'

/** Number of UTF-16 units of a title, and of the typed text, that count. */
const LONGEST_TEXT = 200

/** Number of typed words that count. */
export const MOST_TYPED_WORDS = 16

/** A part of a text, as `text.slice(start, end)`. */
export interface TextRange {
  start: number
  end: number
}

interface PlacedWord extends TextRange {
  word: string
}

/** The part of a text that counts; surrogate pairs are not split. */
export function counting(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  const isPair = (text.charCodeAt(LONGEST_TEXT) & 0xfc00) === 0xdc00
  const cutsPair = isPair && (text.charCodeAt(LONGEST_TEXT - 1) & 0xfc00) === 0xd800
  // Copied, since a slice keeps the whole text in memory.
  return Buffer.from(text.slice(0, cutsPair ? LONGEST_TEXT - 1 : LONGEST_TEXT), 'utf16le').toString('utf16le')
}

/** The words of a text as search reads them: folded, Han and kana in pairs. Pass a buffer to read many texts. */
export function wordsOf(text: string, buffer = new ScanBuffer()): string[] {
  const words: string[] = []
  scanTokens(text, buffer, (chars, length) => words.push(wordIn(chars, length)))
  return words
}

/** The typed words that count. */
export function typedWordsOf(text: string): string[] {
  return wordsOf(counting(text)).slice(0, MOST_TYPED_WORDS)
}

/** The words of a text with their positions. */
export function placedWordsOf(text: string): PlacedWord[] {
  const words: PlacedWord[] = []
  scanRanges(text, new ScanBuffer(), (chars, length, start, end) => {
    words.push({ word: wordIn(chars, length), start, end })
  })
  return words
}

/** Where the first `length` units of a placed word end in its text: after a whole letter and its combining marks. */
export function endOfBeginning(text: string, { word, start, end }: PlacedWord, length: number): number {
  if (text.slice(start, end).toLowerCase() === word) return start + length
  let to = start
  let folded = ''
  for (const character of text.slice(start, end)) {
    const next = to + character.length
    const longer = fold(text.slice(start, next))
    // The word has no apostrophes, which do not fold to nothing, as marks do.
    if (termOfWord(folded).length >= length && longer.length > folded.length) break
    to = next
    folded = longer
  }
  return to
}

function wordIn(chars: Uint16Array, length: number): string {
  return String.fromCharCode(...chars.subarray(0, length))
}

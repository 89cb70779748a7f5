import type { Analyzer } from '../../analysis/analyzer.ts'
import { textOf } from '../dictionary/term-table.ts'

/** Words that must stand one behind the other in one field. */
export interface Phrase {
  /** As places in the query's list of words. */
  readonly words: readonly number[]
  /** So many other words may stand between them, all in all. */
  readonly slop: number
}

/** A query as it was typed: its words in their order, those of phrases among them. */
export interface QueryText {
  readonly words: readonly string[]
  readonly phrases: readonly Phrase[]
  /** Whether the last word may go on: neither a blank nor the end of a phrase stands behind it. */
  readonly isOpen: boolean
  /** Whether there is more than is looked at. */
  readonly isCut: boolean
}

/** Words of a query beyond these are not looked at, and nothing of its text beyond so many UTF-16 units. */
export const MAX_QUERY_WORDS = 1024
export const MAX_QUERY_TEXT = 65_536

/** Phrases of a query beyond these are read as words: each costs a look at all documents that have its words. */
export const MAX_PHRASES = 16

const MAX_SLOP = 9

/**
 * Reads text in which double quotes enclose phrases, a number behind the closing quote, as in
 * `~2`, being the slop, 9 at most. A quote
 * opens at the beginning of a word and closes at the end of one: in `27" monitor` it is an inch mark.
 */
export function readQuery(query: string, analyzer: Analyzer): QueryText {
  const text = query.slice(0, MAX_QUERY_TEXT)
  const words: string[] = []
  const phrases: Phrase[] = []
  let isCut = text.length < query.length
  const read = (part: string) => {
    const first = words.length
    analyzer.scan(part, (chars, length) => {
      if (words.length < MAX_QUERY_WORDS) words.push(textOf(chars, 0, length))
      else isCut = true
    })
    return first
  }
  let at = 0
  for (const { open, close, slop, end } of quotations(text)) {
    read(text.slice(at, open))
    const first = read(text.slice(open + 1, close))
    const places = Array.from({ length: words.length - first }, (_, i) => first + i)
    if (places.length > 0 && phrases.length < MAX_PHRASES) phrases.push({ words: places, slop })
    at = end
  }
  read(text.slice(at))
  const isOpen = !isCut && endsInWord(text, at)
  return { words, phrases, isOpen, isCut }
}

/** Whether no blank stands behind the last word of what follows a place. */
function endsInWord(text: string, from: number): boolean {
  for (let at = text.length - 1; at >= from; at--) {
    if (/\s/.test(text[at]!)) return false
    // Half of a pair is a letter more often than not.
    if (/[\p{L}\p{N}\p{M}\p{Cs}]/u.test(text[at]!)) return true
  }
  return false
}

interface Quotation {
  readonly open: number
  readonly close: number
  readonly slop: number
  /** Where the text goes on. */
  readonly end: number
}

function* quotations(text: string): Generator<Quotation> {
  let open = -1
  for (let at = 0; at < text.length; at++) {
    if (!isQuote(text[at]!)) continue
    if (open < 0) {
      if (isBorder(text[at - 1]) && !isBorder(text[at + 1])) open = at
    } else if (isBorder(text[at + 1]) || text[at + 1] === '~') {
      const { slop, end } = text[at + 1] === '~' ? slopAt(text, at + 2) : { slop: 0, end: at + 1 }
      yield { open, close: at, slop, end }
      open = -1
      at = end - 1
    }
  }
}

const isQuote = (char: string): boolean => char === '"' || char === '\u201c' || char === '\u201d'

const isBorder = (char: string | undefined): boolean => char === undefined || /[\s()[\]{},;:.!?]/.test(char)

/** The number that begins here, and where the text goes on behind it. */
function slopAt(text: string, at: number): { slop: number; end: number } {
  let slop = 0
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) break
    slop = Math.min(MAX_SLOP, 10 * slop + digit)
  }
  return { slop, end: at }
}

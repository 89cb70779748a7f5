import type { Analyzer } from '../../analysis/analyzer.ts'
import { withoutMarkedLetters } from '../../analysis/spellings.ts'
import { textOf } from '../dictionary/term-table.ts'

/** Words that must follow each other in one field. */
export interface Phrase {
  /** As places in the query's list of words. */
  readonly words: readonly number[]
  /** Number of other words that may be between them, in total. */
  readonly slop: number
}

/** A query as it was typed: its words in order, including those of phrases. */
export interface QueryText {
  readonly words: readonly string[]
  readonly phrases: readonly Phrase[]
  /** What is excluded: single words, or several that must not follow each other. */
  readonly excluded: readonly (readonly string[])[]
  /** By word: other spellings that follow from its letters as typed. */
  readonly spellings: ReadonlyMap<string, readonly string[]>
  /** Whether the last word may be unfinished: neither a space nor the end of a phrase follows. */
  readonly isOpen: boolean
  /** Whether some of the text was not read. */
  readonly isCut: boolean
}

/** Maximum number of words of a query, and of UTF-16 units of its text; the rest is ignored. */
export const MAX_QUERY_WORDS = 1024
const MAX_QUERY_TEXT = 65_536

/** Further phrases of a query are read as words: each phrase requires a look at all documents that have its words. */
const MAX_PHRASES = 16

/** Further excluded words and phrases are ignored. */
const MAX_EXCLUDED = 64

const MAX_SLOP = 9

/**
 * Reads text in which double quotes enclose phrases; a number after the closing quote, as in `~2`, is the slop, at most 9.
 * A quote opens at the beginning of a word and closes at the end of one: in `27" monitor` it is an inch mark. A hyphen before
 * a word with a letter, or before a phrase, excludes it, unless `exclusion` is false.
 */
export function readQuery(query: string, analyzer: Analyzer, exclusion = true): QueryText {
  const reader = new QueryReader(analyzer, exclusion)
  const text = query.slice(0, MAX_QUERY_TEXT)
  let at = 0
  for (const { open, close, slop, end } of quotations(text)) {
    reader.readWords(text, at, open)
    const isExcluded = exclusion && text[open - 1] === '-'
    if (isExcluded) reader.exclude(text.slice(open + 1, close))
    else reader.readPhrase(text.slice(open + 1, close), slop)
    at = end
  }
  reader.readWords(text, at, text.length)
  const { words, phrases, excluded, spellings } = reader
  const isCut = reader.isCut || text.length < query.length
  const isOpen = !isCut && endsInWord(text, at) && !reader.endsExcluded
  return { words, phrases, excluded, spellings, isOpen, isCut }
}

const NONE: ReadonlyMap<string, readonly string[]> = new Map()

class QueryReader {
  readonly words: string[] = []
  readonly phrases: Phrase[] = []
  readonly excluded: string[][] = []
  /** Most queries have none. */
  #spellings: Map<string, string[]> | undefined
  isCut = false
  /** Whether what was read last was excluded. */
  endsExcluded = false
  readonly #analyzer: Analyzer
  readonly #exclusion: boolean

  constructor(analyzer: Analyzer, exclusion: boolean) {
    this.#analyzer = analyzer
    this.#exclusion = exclusion
  }

  /** The text between two places, outside of phrases. */
  readWords(text: string, from: number, to: number): void {
    let at = from
    if (this.#exclusion) {
      for (const [start, end] of exclusionsIn(text, from, to)) {
        this.#read(text.slice(at, start))
        this.exclude(text.slice(start + 1, end))
        at = end
      }
    }
    if (/\S/.test(text.slice(at, to))) this.#read(text.slice(at, to))
  }

  readPhrase(text: string, slop: number): void {
    const first = this.words.length
    this.#read(text)
    const places = Array.from({ length: this.words.length - first }, (_, i) => first + i)
    if (places.length > 0 && this.phrases.length < MAX_PHRASES) this.phrases.push({ words: places, slop })
  }

  exclude(text: string): void {
    this.endsExcluded = true
    const words: string[] = []
    this.#analyzer.scan(text, (chars, length) => {
      if (words.length < MAX_EXCLUDED) words.push(textOf(chars, 0, length))
      else this.isCut = true
    })
    if (words.length === 0) return
    if (this.excluded.length < MAX_EXCLUDED) this.excluded.push(words)
    else this.isCut = true
  }

  #read(text: string): void {
    this.endsExcluded = false
    const first = this.words.length
    this.#analyzer.scan(text, (chars, length) => {
      if (this.words.length < MAX_QUERY_WORDS) this.words.push(textOf(chars, 0, length))
      else this.isCut = true
    })
    const other = withoutMarkedLetters(text)
    if (other !== undefined) this.#noteSpellings(first, this.#analyzer.tokens(other))
  }

  get spellings(): ReadonlyMap<string, readonly string[]> {
    return this.#spellings ?? NONE
  }

  #noteSpellings(first: number, others: readonly string[]): void {
    if (others.length !== this.words.length - first) return
    for (const [i, other] of others.entries()) {
      const word = this.words[first + i]!
      if (other === word) continue
      this.#spellings ??= new Map()
      this.#spellings.set(word, [...(this.#spellings.get(word) ?? []), other])
    }
  }
}

/** Where words preceded by a hyphen begin and end. A number with a hyphen is negative, and not excluded. */
function exclusionsIn(text: string, from: number, to: number): [start: number, end: number][] {
  const found: [number, number][] = []
  for (let at = text.indexOf('-', from); at >= 0 && at < to; at = text.indexOf('-', at + 1)) {
    if (at > 0 && !/\s/.test(text[at - 1]!)) continue
    if (!/[\p{L}\p{N}\p{Cs}]/u.test(text[at + 1] ?? '')) continue
    let end = at + 1
    while (end < to && !/\s/.test(text[end]!)) end++
    if (/[\p{L}\p{Cs}]/u.test(text.slice(at + 1, end))) found.push([at, end])
    at = end - 1
  }
  return found
}

/** Whether no space follows the last word after a place. */
function endsInWord(text: string, from: number): boolean {
  for (let at = text.length - 1; at >= from; at--) {
    if (/\s/.test(text[at]!)) return false
    // Half of a surrogate pair is more often a letter than not.
    if (/[\p{L}\p{N}\p{M}\p{Cs}]/u.test(text[at]!)) return true
  }
  return false
}

interface Quotation {
  readonly open: number
  readonly close: number
  readonly slop: number
  /** Where the text continues. */
  readonly end: number
}

function quotations(text: string): Quotation[] {
  const found: Quotation[] = []
  let open = -1
  for (let at = 0; at < text.length; at++) {
    if (!isQuote(text[at]!)) continue
    if (open < 0) {
      if (isOpening(text, at)) open = at
    } else if (isBorder(text[at + 1]) || text[at + 1] === '~') {
      const { slop, end } = text[at + 1] === '~' ? slopAt(text, at + 2) : { slop: 0, end: at + 1 }
      found.push({ open, close: at, slop, end })
      open = -1
      at = end - 1
    }
  }
  return found
}

/** A quote at the beginning of a word, or of signs before one as in `".net`; a hyphen that excludes the phrase may precede it. */
function isOpening(text: string, at: number): boolean {
  let next = at + 1
  while (isBorder(text[next]) && /\S/.test(text[next] ?? ' ')) next++
  if (isBorder(text[next])) return false
  return isBorder(text[at - 1]) || (text[at - 1] === '-' && isBorder(text[at - 2]))
}

const isQuote = (char: string): boolean => /["\u201c-\u201e]/.test(char)

const isBorder = (char: string | undefined): boolean => char === undefined || /[\s()[\]{},;:.!?]/.test(char)

/** The number that begins here, and where the text continues after it. */
function slopAt(text: string, at: number): { slop: number; end: number } {
  let slop = 0
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) break
    slop = Math.min(MAX_SLOP, 10 * slop + digit)
  }
  return { slop, end: at }
}

/** The same query with words cut into several, including those in phrases. */
export function withParts(text: QueryText, parts: ReadonlyMap<string, readonly string[]>): QueryText {
  const words: string[] = []
  const places = text.words.map(word => {
    const cut = parts.get(word) ?? [word]
    const first = words.length
    words.push(...cut)
    return cut.map((_, i) => first + i)
  })
  const phrases = text.phrases.map(phrase => ({ ...phrase, words: phrase.words.flatMap(at => places[at]!) }))
  return { ...text, words, phrases }
}

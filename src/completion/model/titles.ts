import { ScanBuffer } from '../../analysis/tokenizer.ts'
import { grown } from '../../arrays/grow.ts'
import { IntegerLists } from './integer-lists.ts'
import { Lexicon } from './lexicon.ts'
import { wordsOf } from './title-words.ts'

/** Approximate heap bytes of a title besides its letters: a string header, a map entry. */
const BYTES_PER_TITLE = 67

/**
 * Distinct titles, each with a number, its document count and its words, and the titles of each word. A removed title may stay in
 * the lists of its words for some time; until it has left them all, its number is not reused.
 */
export class Titles {
  readonly lexicon = new Lexicon()
  /** By title: numbers of its words, in their order. */
  readonly words = new IntegerLists()
  /** By word: numbers of the titles that have it, each once, and of some removed titles. */
  readonly having = new IntegerLists()
  /** By word: numbers of the titles that begin with it, and of some removed titles. */
  readonly begunBy = new IntegerLists()
  /** By title: the number of documents that have it; 0 once it is removed. */
  counts = new Uint32Array(1 << 10)
  /** By title: its length. */
  lengths = new Uint8Array(1 << 10)
  /** By title: in how many lists of titles by word it is. */
  #listings = new Uint16Array(1 << 10)
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []
  readonly #buffer = new ScanBuffer()
  readonly #free: number[] = []
  #units = 0

  get size(): number {
    return this.#numbers.size
  }

  get bytes(): number {
    const lists = this.lexicon.bytes + this.words.bytes + this.having.bytes + this.begunBy.bytes
    const columns = this.counts.byteLength + this.lengths.byteLength + this.#listings.byteLength
    const places = 8 * (this.#texts.length + this.#free.length)
    return lists + columns + places + this.size * BYTES_PER_TITLE + this.#units
  }

  text(title: number): string {
    return this.#texts[title]!
  }

  /** Adds a document with this title. Returns the number of the title; undefined if it has no word. */
  add(text: string): number | undefined {
    const title = this.#numbers.get(text) ?? this.#create(text)
    if (title !== undefined) this.counts[title]!++
    return title
  }

  /** Removes a document with this title. */
  remove(title: number): void {
    if (--this.counts[title]! > 0) return
    this.begunBy.bury(this.#firstWord(title), this.#unlist)
    for (const word of this.#distinctWords(title)) {
      this.having.bury(word, this.#unlist)
      if (this.having.length(word) === 0) this.lexicon.remove(word)
    }
    this.words.clear(title)
    this.#numbers.delete(this.#texts[title]!)
    this.#units -= this.#texts[title]!.length
    this.#texts[title] = ''
  }

  /** Lets a list drop a title that has been removed. */
  readonly #unlist = (title: number): boolean => {
    if (this.counts[title]! > 0) return false
    if (--this.#listings[title]! === 0) this.#free.push(title)
    return true
  }

  #create(text: string): number | undefined {
    const words = wordsOf(text, this.#buffer)
    if (words.length === 0) return undefined
    const title = this.#free.pop() ?? this.#texts.length
    this.counts = grown(this.counts, title + 1)
    this.lengths = grown(this.lengths, title + 1)
    this.#listings = grown(this.#listings, title + 1)
    this.lengths[title] = text.length
    this.#numbers.set(text, title)
    this.#texts[title] = text
    this.#units += text.length
    for (const word of words) this.words.push(title, this.lexicon.add(word))
    const distinct = this.#distinctWords(title)
    for (const word of distinct) this.having.push(word, title)
    this.begunBy.push(this.#firstWord(title), title)
    this.#listings[title] = distinct.size + 1
    return title
  }

  #firstWord(title: number): number {
    return this.words.items[this.words.start(title)]!
  }

  #distinctWords(title: number): Set<number> {
    const start = this.words.start(title)
    return new Set(this.words.items.subarray(start, start + this.words.length(title)))
  }
}

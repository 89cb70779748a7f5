import { grown } from '../fulltext/grow.ts'
import { IntegerLists } from './integer-lists.ts'
import { Lexicon } from './lexicon.ts'
import { wordsOf } from './title-words.ts'

/** Roughly what the heap holds for a title besides its letters: the head of the string, a map entry, its place. */
const BYTES_PER_TITLE = 75

/** Different titles, each with a number, with how many documents have it, its words, and the titles of each word. */
export class Titles {
  readonly lexicon = new Lexicon()
  /** By title: numbers of its words, in their order. */
  readonly words = new IntegerLists()
  /** By word: numbers of the titles that have it, each once. */
  readonly having = new IntegerLists()
  /** By word: numbers of the titles that begin with it. */
  readonly begunBy = new IntegerLists()
  /** By title: how many documents have it. */
  counts = new Uint32Array(1 << 10)
  /** By title: how long it is. */
  lengths = new Uint8Array(1 << 10)
  readonly #numbers = new Map<string, number>()
  readonly #texts: string[] = []
  readonly #free: number[] = []
  #units = 0

  get size(): number {
    return this.#numbers.size
  }

  get bytes(): number {
    const lists = this.lexicon.bytes + this.words.bytes + this.having.bytes + this.begunBy.bytes
    const columns = this.counts.byteLength + this.lengths.byteLength
    return lists + columns + this.size * BYTES_PER_TITLE + this.#units
  }

  text(title: number): string {
    return this.#texts[title]!
  }

  /** One document more has this title: its number, or undefined where it has no word. */
  add(text: string): number | undefined {
    const title = this.#numbers.get(text) ?? this.#create(text)
    if (title !== undefined) this.counts[title]!++
    return title
  }

  /** One document less has it. */
  remove(title: number): void {
    if (--this.counts[title]! > 0) return
    this.begunBy.remove(this.#firstWord(title), title)
    for (const word of this.#distinctWords(title)) {
      this.having.remove(word, title)
      if (this.having.length(word) === 0) this.lexicon.remove(word)
    }
    this.words.clear(title)
    this.#numbers.delete(this.#texts[title]!)
    this.#units -= this.#texts[title]!.length
    this.#texts[title] = ''
    this.#free.push(title)
  }

  #create(text: string): number | undefined {
    const words = wordsOf(text)
    if (words.length === 0) return undefined
    const title = this.#free.pop() ?? this.#texts.length
    this.counts = grown(this.counts, title + 1)
    this.lengths = grown(this.lengths, title + 1)
    this.lengths[title] = text.length
    this.#numbers.set(text, title)
    this.#texts[title] = text
    this.#units += text.length
    for (const word of words) this.words.push(title, this.lexicon.add(word))
    for (const word of this.#distinctWords(title)) this.having.push(word, title)
    this.begunBy.push(this.#firstWord(title), title)
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

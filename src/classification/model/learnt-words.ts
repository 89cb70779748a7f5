import type { FeatureTable } from '../../fulltext/dictionary/feature-table.ts'
import { type TermTable as Terms, TermTable, textOf } from '../../fulltext/dictionary/term-table.ts'
import { TypoIndex } from '../../fulltext/dictionary/typo-index.ts'
import type { Mending } from './feature-scanner.ts'
import { DOCUMENTS_AT_ONCE, type FeatureSet } from './feature-set.ts'

/** Shorter words are similar to too many others. */
const LEAST_LENGTH = 3
/** Number of words of a text that are looked up among similarly spelt ones: a longer text has enough known words. */
const MOST_LOOKED_FOR = 2_000
const ZERO = 48
const NINE = 57

/** The words that were learnt; a word within one typo of one of them is treated as that word. */
export class LearntWords {
  readonly terms: Terms = new TermTable()
  readonly #typos: TypoIndex
  readonly #table: FeatureTable
  readonly #documents: Uint32Array
  #best = -1

  private constructor({ documents }: FeatureSet, table: FeatureTable) {
    this.#typos = new TypoIndex(this.terms)
    this.#table = table
    this.#documents = documents
  }

  /** Piece by piece. */
  static *of(features: FeatureSet, table: FeatureTable): Generator<void, LearntWords> {
    const { wordUnits, wordEnds } = features
    const words = new LearntWords(features, table)
    words.terms.reserve(wordEnds.length, wordUnits.length)
    for (let first = 0; first < wordEnds.length; first += DOCUMENTS_AT_ONCE) {
      const start = first === 0 ? 0 : wordEnds[first - 1]!
      const ends = wordEnds.subarray(first, first + DOCUMENTS_AT_ONCE)
      const lengths = Uint16Array.from(ends, (end, i) => end - (i === 0 ? start : ends[i - 1]!))
      words.terms.restore(wordUnits, start, lengths)
      yield
    }
    while (words.#typos.build()) yield
    return words
  }

  get bytes(): number {
    return this.terms.bytes + this.#typos.bytes
  }

  has(hash: number): boolean {
    const id = this.#table.find(hash)
    return id >= 0 && id < this.terms.size
  }

  /** The most frequent word within one typo, the first learnt of equally frequent ones; -1 where there is none. */
  near(word: string): number {
    this.#best = -1
    this.#typos.near(word, 1, this.#choose)
    return this.#best
  }

  readonly #choose = (term: number): void => {
    const best = this.#best
    const [ours, theirs] = [this.#documents[term]!, best < 0 ? -1 : this.#documents[best]!]
    if (ours > theirs || (ours === theirs && term < best)) this.#best = term
  }
}

/** Maps the words of one text to known words. */
export class WordsOfText implements Mending {
  readonly terms: Terms
  /** Number of words that are known or treated as known ones. */
  known = 0
  #left = MOST_LOOKED_FOR
  readonly #words: LearntWords

  constructor(words: LearntWords) {
    this.terms = words.terms
    this.#words = words
  }

  meant(chars: Uint16Array, length: number, hash: number): number {
    if (this.#words.has(hash)) {
      this.known++
      return -1
    }
    if (length < LEAST_LENGTH || this.#left === 0 || isNumber(chars, length)) return -1
    this.#left--
    const near = this.#words.near(textOf(chars, 0, length))
    if (near >= 0) this.known++
    return near
  }
}

function isNumber(chars: Uint16Array, length: number): boolean {
  for (let i = 0; i < length; i++) if (chars[i]! < ZERO || chars[i]! > NINE) return false
  return true
}

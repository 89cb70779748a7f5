import type { Analyzer } from '../../analysis/analyzer.ts'
import { grown } from '../../arrays/grow.ts'
import { FNV_PRIME, hashUnits, mixed, type TermTable, textOf } from '../../fulltext/dictionary/term-table.ts'
import { atOnce } from '../../scheduling/at-once.ts'

/** A feature of n neighbouring words is of kind n. */
export const LONGEST_N_GRAM = 6
/** The first and the third of three words. */
export const SKIP = 7
/** A feature of n characters of a word is of kind CHARACTERS + n. */
const CHARACTERS = 6
export const KINDS = 11

const LEAST_CHARACTERS = 2
const MOST_CHARACTERS = 4
/** Parts of words are taken from this many leading units of a text: they capture spelling, of which that is enough. */
const CHARACTERS_OF = 400
/** Differs from the seed of word hashes, so that a part of a word is not taken for the word with the same spelling. */
const PART_BASIS = 0x9747b28c
const SPACE = 32
/** Characters per piece, few because each word of it may be looked up among similarly spelt ones. */
const PIECE = 512
/** Number of words per piece when neighbours are added. */
const AT_ONCE = 4_096

/** Replaces unknown words with known ones. */
export interface Mending {
  readonly terms: TermTable
  /** The intended term, or -1 if the word stays as it is. */
  meant(chars: Uint16Array, length: number, hash: number): number
}

/** Which features a scanner extracts. */
export interface ScannerOptions {
  readonly analyzer: Analyzer
  /** Sizes of word n-grams, 1 to 6; with 2, also pairs of words with one word between them. */
  readonly nGrams: readonly number[]
  /** Whether parts of words, two to four characters, are features. */
  readonly characters: boolean
}

/** Turns texts into features, identified by 32-bit hashes, in arrays that are reused for the next text. */
export class FeatureScanner {
  /** The features are those from 0 to here; the words come first. */
  count = 0
  hashes = new Int32Array(1 << 10)
  kinds = new Uint8Array(1 << 10)
  /** For words, the number of the first one; for parts of words, where they begin in `units`. */
  places = new Uint32Array(1 << 10)
  /** The words, a space before and after each. */
  units = new Uint16Array(1 << 10)
  starts = new Uint32Array(1 << 8)
  ends = new Uint32Array(1 << 8)
  words = 0
  #end = 1
  #mending: Mending | undefined
  readonly #analyzer: Analyzer
  readonly #sizes: boolean[]
  readonly #longest: number
  readonly #characters: boolean

  constructor({ analyzer, nGrams, characters }: ScannerOptions) {
    this.#analyzer = analyzer
    this.#sizes = Array.from({ length: LONGEST_N_GRAM + 1 }, (_, size) => nGrams.includes(size))
    this.#longest = Math.max(...nGrams, 1)
    this.#characters = characters
    this.units[0] = SPACE
  }

  /** Words of different texts are not neighbours. */
  scan(texts: readonly string[], mending?: Mending): void {
    this.#begin(mending)
    const borders = texts.map(text => {
      this.#analyzer.scan(text, this.#take)
      return this.words
    })
    atOnce(this.#adding(borders))
  }

  /** The same for one text, piece by piece; until the last piece, the scanner must not be used for anything else. */
  *scanning(text: string, mending?: Mending): Generator<void> {
    this.#begin(mending)
    yield* this.#analyzer.scanInPieces(text, this.#take, PIECE)
    yield* this.#adding([this.words])
  }

  #begin(mending: Mending | undefined): void {
    this.#mending = mending
    this.count = 0
    this.words = 0
    this.#end = 1
  }

  /** @param borders for each text: the number of words up to its end */
  *#adding(borders: readonly number[]): Generator<void> {
    let first = 0
    for (const last of borders) {
      for (; first < last; first += AT_ONCE) {
        this.#addNeighbours(first, Math.min(last, first + AT_ONCE), last)
        yield
      }
      first = last
    }
    if (!this.#characters) return
    for (let word = 0; word < this.words && this.starts[word]! < CHARACTERS_OF; word++) this.#addParts(word)
  }

  /** The text in which the feature was found. */
  text(feature: number): string {
    const kind = this.kinds[feature]!
    const place = this.places[feature]!
    if (kind > SKIP) return textOf(this.units, place, place + kind - CHARACTERS)
    if (kind === SKIP) return `${this.#word(place)} … ${this.#word(place + 2)}`
    return textOf(this.units, this.starts[place]!, this.ends[place + kind - 1]!)
  }

  #word(word: number): string {
    return textOf(this.units, this.starts[word]!, this.ends[word]!)
  }

  readonly #take = (chars: Uint16Array, length: number): void => {
    let hash = hashUnits(chars, 0, length, 0)
    const meant = this.#mending ? this.#mending.meant(chars, length, hash) : -1
    this.starts = grown(this.starts, this.words + 1)
    this.ends = grown(this.ends, this.words + 1)
    this.units = grown(this.units, this.#end + 2 * length + 4)
    const { units } = this
    const start = this.#end
    let end = start
    if (meant < 0) {
      for (let i = 0; i < length; i++) units[end++] = chars[i]!
    } else {
      const { terms } = this.#mending!
      for (let i = terms.starts[meant]!; i < terms.starts[meant + 1]!; i++) units[end++] = terms.units[i]!
      hash = hashUnits(units, start, end - start, 0)
    }
    units[end] = SPACE
    this.starts[this.words] = start
    this.ends[this.words] = end
    this.#end = end + 1
    this.#add(hash, 1, this.words++)
  }

  /** @param last number after that of the text's last word */
  #addNeighbours(first: number, stop: number, last: number): void {
    const longest = this.#longest
    if (longest < 2) return
    for (let word = first; word < stop; word++) {
      let hash = this.hashes[word]!
      const most = Math.min(longest, last - word)
      for (let size = 2; size <= most; size++) {
        hash = mixed(Math.imul(hash, 0x9e3779b1) ^ this.hashes[word + size - 1]! ^ size)
        if (this.#sizes[size]) this.#add(hash, size, word)
      }
      if (this.#sizes[2] && word + 2 < last) {
        this.#add(
          mixed(Math.imul(this.hashes[word]!, 0x5bd1e995) ^ this.hashes[word + 2]! ^ SKIP),
          SKIP,
          word,
        )
      }
    }
  }

  #addParts(word: number): void {
    const { units } = this
    const stop = this.ends[word]! + 1
    for (let from = this.starts[word]! - 1; from < stop; from++) {
      const end = Math.min(stop, from + MOST_CHARACTERS)
      let hash = PART_BASIS
      for (let at = from; at < end; at++) {
        hash = Math.imul(hash ^ units[at]!, FNV_PRIME)
        const length = at - from + 1
        if (length >= LEAST_CHARACTERS) this.#add(mixed(hash), CHARACTERS + length, from)
      }
    }
  }

  #add(hash: number, kind: number, place: number): void {
    const at = this.count++
    if (at === this.hashes.length) {
      this.hashes = grown(this.hashes, at + 1)
      this.kinds = grown(this.kinds, this.hashes.length)
      this.places = grown(this.places, this.hashes.length)
    }
    this.hashes[at] = hash
    this.kinds[at] = kind
    this.places[at] = place
  }
}

import { wordsIn } from '../analysis/plain-words.ts'
import { grown } from '../arrays/grow.ts'
import { FindlingError } from '../errors.ts'
import { TermTable } from '../fulltext/dictionary/term-table.ts'

/** Of all documents. */
const MOST_CORPUS_WORDS = 100_000_000

/** Stands after each text in place of a word: nothing reaches over it. */
export const BORDER = 0

/** Documents as numbers of their words, in sequence. */
export interface WordCorpus {
  /** Numbers of words from 1, and borders. In shared memory. */
  readonly tokens: Uint32Array
  /** The units of word `w` are `units[wordStarts[w - 1]..wordStarts[w])`. */
  readonly units: Uint16Array<ArrayBuffer>
  readonly wordStarts: Uint32Array<ArrayBuffer>
  /** The documents of tag `t` are `ranges[2 * i]` to `ranges[2 * i + 1]` among the tokens, `i` from `tagStarts[t]` on. */
  readonly ranges: Uint32Array<ArrayBuffer>
  readonly tagStarts: Uint32Array<ArrayBuffer>
}

/** Takes documents in. */
export class WordCorpusBuilder {
  readonly #words = new TermTable()
  #tokens = new Uint32Array(1 << 12)
  #length = 0
  /** By tag, where its documents begin and end. */
  readonly #ranges: number[][]
  #units = new Uint16Array(64)

  constructor(tags: number) {
    this.#ranges = Array.from({ length: tags }, () => [])
  }

  /** @throws FindlingError TOO_LARGE */
  add(texts: readonly string[], tags: Iterable<number>): void {
    const start = this.#length
    for (const text of texts) this.#addText(text)
    for (const tag of tags) this.#ranges[tag]!.push(start, this.#length)
  }

  finish(): WordCorpus {
    const tokens = new Uint32Array(new SharedArrayBuffer(4 * this.#length))
    tokens.set(this.#tokens.subarray(0, this.#length))
    const tagStarts = new Uint32Array(this.#ranges.length + 1)
    this.#ranges.forEach((ranges, tag) => {
      tagStarts[tag + 1] = tagStarts[tag]! + ranges.length / 2
    })
    const ranges = new Uint32Array(2 * tagStarts.at(-1)!)
    this.#ranges.forEach((own, tag) => {
      ranges.set(own, 2 * tagStarts[tag]!)
    })
    const { units, starts, size } = this.#words
    return {
      tokens,
      units: units.slice(0, starts[size]!),
      wordStarts: starts.slice(0, size + 1),
      ranges,
      tagStarts,
    }
  }

  #addText(text: string): void {
    const words = wordsIn(text)
    const end = this.#length + words.length + 1
    if (end > MOST_CORPUS_WORDS) throw tooManyWords()
    this.#tokens = grown(this.#tokens, end)
    for (const word of words) this.#tokens[this.#length++] = this.#numberOf(word)
    this.#tokens[this.#length++] = BORDER
  }

  #numberOf(word: string): number {
    this.#units = grown(this.#units, word.length)
    for (let i = 0; i < word.length; i++) this.#units[i] = word.charCodeAt(i)
    return this.#words.intern(this.#units, word.length) + 1
  }
}

const tooManyWords = (): FindlingError =>
  new FindlingError(
    'TOO_LARGE',
    `The documents have more than ${MOST_CORPUS_WORDS} words, too many to count.`,
  )

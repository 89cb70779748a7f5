import { grown } from '../../arrays/grow.ts'
import { FeatureTable } from '../../fulltext/dictionary/feature-table.ts'
import { FeatureScanner, KINDS, LONGEST_N_GRAM, type ScannerOptions } from './feature-scanner.ts'
import { MOST_COUNTED } from './vectors.ts'

/** A document to learn from: the texts of its fields, and its tags by number. */
export interface Example {
  readonly texts: readonly string[]
  readonly tags: readonly number[]
}

/** Documents as counted features. Which features are worth learning is decided once all documents are there. */
export class Corpus {
  /** Document `d` has the features `ids[starts[d]..starts[d + 1])`, each as often as `counts` says. */
  starts = new Uint32Array(1 << 10)
  ids = new Uint32Array(1 << 14)
  counts = new Uint8Array(1 << 14)
  /** Its tags are `tags[tagStarts[d]..tagStarts[d + 1])`. */
  tagStarts = new Uint32Array(1 << 10)
  tags = new Uint32Array(1 << 10)
  documents = 0
  /** By feature. */
  kinds = new Uint8Array(1 << 12)
  /** The hashes of features. */
  keys = new Int32Array(1 << 12)
  /** The UTF-16 units of the single words, in the order of their features, and where each word ends. */
  wordUnits = new Uint16Array(1 << 12)
  wordEnds = new Uint32Array(1 << 10)
  words = 0
  /** By n-gram size: the words (features) of each feature. */
  readonly neighbours = Array.from({ length: LONGEST_N_GRAM + 1 }, () => new Uint32Array(1 << 8))
  readonly #ofKind = new Uint32Array(KINDS)
  readonly #table = new FeatureTable(1 << 12)
  readonly #scanner: FeatureScanner
  /** By feature: the last document with it, + 1, and its position there. */
  #seenIn = new Uint32Array(1 << 12)
  #seenAt = new Uint32Array(1 << 12)

  constructor(
    /** How text becomes features. */
    readonly form: ScannerOptions,
    /** How many tags there are. */
    readonly tagCount: number,
  ) {
    this.#scanner = new FeatureScanner(form)
  }

  get features(): number {
    return this.#table.size
  }

  add({ texts, tags }: Example): void {
    this.#scanner.scan(texts)
    const document = this.documents++
    this.starts = grown(this.starts, document + 2)
    this.tagStarts = grown(this.tagStarts, document + 2)
    this.#addTags(document, tags)
    const scanner = this.#scanner
    let end = this.starts[document]!
    if (end + scanner.count > this.ids.length) {
      this.ids = grown(this.ids, end + scanner.count)
      this.counts = grown(this.counts, this.ids.length)
    }
    for (let i = 0; i < scanner.count; i++) {
      const id = this.#intern(i)
      if (this.#seenIn[id] === document + 1) {
        const at = this.#seenAt[id]!
        if (this.counts[at]! < MOST_COUNTED) this.counts[at]!++
        continue
      }
      this.#seenIn[id] = document + 1
      this.#seenAt[id] = end
      this.ids[end] = id
      this.counts[end++] = 1
    }
    this.starts[document + 1] = end
  }

  #addTags(document: number, tags: readonly number[]): void {
    let end = this.tagStarts[document]!
    this.tags = grown(this.tags, end + tags.length)
    for (const tag of new Set(tags)) this.tags[end++] = tag
    this.tagStarts[document + 1] = end
  }

  #intern(i: number): number {
    const scanner = this.#scanner
    const hash = scanner.hashes[i]!
    const known = this.#table.size
    const id = this.#table.intern(hash)
    if (id === known) this.#name(id, i)
    return id
  }

  #name(id: number, i: number): void {
    if (id >= this.kinds.length) this.#makeRoom(id + 1)
    const scanner = this.#scanner
    const kind = scanner.kinds[i]!
    this.keys[id] = scanner.hashes[i]!
    this.kinds[id] = kind
    const number = this.#ofKind[kind]!++
    if (kind === 1) this.#nameWord(scanner.places[i]!)
    else if (kind <= LONGEST_N_GRAM) this.#nameNeighbours(number, kind, scanner.places[i]!)
  }

  #nameWord(word: number): void {
    const { units, starts, ends } = this.#scanner
    const from = this.words === 0 ? 0 : this.wordEnds[this.words - 1]!
    const length = ends[word]! - starts[word]!
    this.wordUnits = grown(this.wordUnits, from + length)
    this.wordEnds = grown(this.wordEnds, this.words + 1)
    for (let i = 0; i < length; i++) this.wordUnits[from + i] = units[starts[word]! + i]!
    this.wordEnds[this.words++] = from + length
  }

  /** The words of an n-gram come before it among the features of the document. */
  #nameNeighbours(number: number, size: number, first: number): void {
    const { hashes } = this.#scanner
    const list = grown(this.neighbours[size]!, (number + 1) * size)
    this.neighbours[size] = list
    for (let i = 0; i < size; i++) list[number * size + i] = this.#table.find(hashes[first + i]!)
  }

  #makeRoom(features: number): void {
    this.kinds = grown(this.kinds, features)
    this.keys = grown(this.keys, this.kinds.length)
    this.#seenIn = grown(this.#seenIn, this.kinds.length)
    this.#seenAt = grown(this.#seenAt, this.kinds.length)
  }
}

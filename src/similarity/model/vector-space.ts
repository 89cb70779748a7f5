import { grown } from '../../arrays/grow.ts'
import { FeatureTable } from '../../fulltext/dictionary/feature-table.ts'
import { mixed } from '../../fulltext/dictionary/term-table.ts'
import { type Bag, MOST_OCCURRENCES } from './bag.ts'

/** An entry is a feature's number and, in its lowest bits, its number of occurrences minus one. */
export const OCCURRENCE_BITS = 5
const OCCURRENCE_MASK = MOST_OCCURRENCES - 1

/** The factor for a number of occurrences, which grows with the logarithm. */
export const factors = Float64Array.from({ length: MOST_OCCURRENCES }, (_, i) => 1 + Math.log(i + 1))

/** A text of length 1 in the space: the features that the space knows, and their coordinates. */
export interface Vector {
  readonly features: Uint32Array
  readonly values: Float64Array
  /** Its length before normalization. */
  readonly length: number
}

/** Normalized coordinates, and their length before that. */
export interface Coordinates {
  readonly values: Float64Array
  readonly length: number
}

/** The stored form of a space. */
export interface SavedSpace {
  readonly unseen: number
  /** By feature. */
  readonly hashes: Int32Array
  readonly weights: Float32Array
  /** By document: the number of its entries. */
  readonly lengths: Uint32Array
  readonly entries: Uint32Array
}

/** The weight of a feature, from its document frequency and the number of documents. */
export type Weigh = (frequency: number, feature: number) => number

/**
 * Documents, numbered from 0, as vectors of length 1: the coordinate of a feature is the factor of its occurrences times its
 * weight. Weights are those of the last `weigh`; features that were added since weigh `unseen`.
 */
export class VectorSpace {
  readonly table = new FeatureTable()
  /** By feature: its hash, its document frequency, and its weight. */
  hashes = new Int32Array(1 << 8)
  frequencies = new Uint32Array(1 << 8)
  weights = new Float32Array(1 << 8)
  unseen = 1
  /** By document: where its entries begin; has one element more than there are documents. */
  starts = new Uint32Array(1 << 6)
  /** Features with their occurrences. */
  entries = new Uint32Array(1 << 10)
  /** By document: the factor on its coordinates; 0 for a document without features that have a weight. */
  scales = new Float32Array(1 << 6)
  documents = 0
  /** By feature: where its postings begin, which are documents with occurrences; only of documents below `posted`. */
  postingStarts = new Uint32Array(1)
  postings = new Uint32Array(0)
  posted = 0
  /** Coordinates of the vector being compared, each times the weight of its feature; 0 between comparisons. */
  #compared = new Float64Array(1 << 8)

  get features(): number {
    return this.table.size
  }

  get bytes(): number {
    const { hashes, frequencies, weights, starts, entries, scales, postingStarts, postings } = this
    const arrays = [hashes, frequencies, weights, starts, entries, scales, postingStarts, postings]
    return arrays.reduce(
      (sum, { byteLength }) => sum + byteLength,
      this.table.bytes + this.#compared.byteLength,
    )
  }

  append({ hashes, occurrences }: Bag): void {
    let at = this.#begin(hashes.length)
    for (let i = 0; i < hashes.length; i++) {
      const feature = this.#featureOf(hashes[i]!)
      this.frequencies[feature]!++
      this.entries[at++] = (feature << OCCURRENCE_BITS) | (occurrences[i]! - 1)
    }
    this.#finish(at)
  }

  /** Appends a document of another space. `numbers`: by feature there, its number here + 1; 0 while unknown. */
  appendFrom(other: VectorSpace, document: number, numbers: Uint32Array): void {
    const start = other.starts[document]!
    const end = other.starts[document + 1]!
    let at = this.#begin(end - start)
    for (let i = start; i < end; i++) {
      const entry = other.entries[i]!
      const theirs = entry >>> OCCURRENCE_BITS
      if (numbers[theirs] === 0) numbers[theirs] = this.#featureOf(other.hashes[theirs]!) + 1
      const feature = numbers[theirs]! - 1
      this.frequencies[feature]!++
      this.entries[at++] = (feature << OCCURRENCE_BITS) | (entry & OCCURRENCE_MASK)
    }
    this.#finish(at)
  }

  /** Removes a document; its entries stay until it is not copied to another space. */
  forget(document: number): void {
    for (let i = this.starts[document]!; i < this.starts[document + 1]!; i++)
      this.frequencies[this.entries[i]! >>> OCCURRENCE_BITS]!--
  }

  /** Copies the features of another space with their numbers and weights, piece by piece. This space must be empty. */
  *learn({ features, hashes, weights, unseen }: VectorSpace): Generator<void, void> {
    this.unseen = unseen
    for (let feature = 0; feature < features; feature++) {
      this.weights[this.#featureOf(hashes[feature]!)] = weights[feature]!
      if (feature % 65_536 === 65_535) yield
    }
  }

  /** Restores a saved space into an empty one, piece by piece. False if the saved data is inconsistent. */
  *restore({ unseen, hashes, weights, lengths, entries }: SavedSpace): Generator<void, boolean> {
    this.unseen = unseen
    for (const [at, hash] of hashes.entries()) {
      this.#featureOf(hash)
      if (at % 65_536 === 65_535) yield
    }
    if (this.features !== hashes.length) return false
    this.weights.set(weights)
    let at = 0
    for (const length of lengths) {
      const end = at + length
      if (end > entries.length) return false
      this.#begin(length)
      for (; at < end; at++) {
        const feature = entries[at]! >>> OCCURRENCE_BITS
        if (feature >= hashes.length) return false
        this.frequencies[feature]!++
        this.entries[at] = entries[at]!
      }
      this.#finish(end)
      if (this.documents % 2_048 === 0) yield
    }
    return at === entries.length
  }

  /** Sets the weights of features and the lengths of documents, piece by piece. */
  *weigh(weigh: Weigh, unseen: number): Generator<void, void> {
    this.unseen = unseen
    for (let feature = 0; feature < this.features; feature++) {
      this.weights[feature] = weigh(this.frequencies[feature]!, feature)
      if (feature % 65_536 === 65_535) yield
    }
    for (let document = 0; document < this.documents; document++) {
      this.#measure(document)
      if (document % 2_048 === 2_047) yield
    }
  }

  /** Builds the postings of all documents, piece by piece. */
  *post(): Generator<void, void> {
    const { documents, features, starts, entries } = this
    const places = new Uint32Array(features + 1)
    for (let i = 0; i < starts[documents]!; i++) {
      const next = (entries[i]! >>> OCCURRENCE_BITS) + 1
      places[next]!++
      if (i % 1_048_576 === 1_048_575) yield
    }
    for (let feature = 0; feature < features; feature++) places[feature + 1]! += places[feature]!
    const postings = new Uint32Array(places[features]!)
    const postingStarts = places.slice()
    for (let document = 0; document < documents; document++) {
      for (let i = starts[document]!; i < starts[document + 1]!; i++) {
        const entry = entries[i]!
        const feature = entry >>> OCCURRENCE_BITS
        postings[places[feature]!++] = (document << OCCURRENCE_BITS) | (entry & OCCURRENCE_MASK)
      }
      if (document % 1_024 === 1_023) yield
    }
    this.postingStarts = postingStarts
    this.postings = postings
    this.posted = documents
  }

  /** The number of postings of a feature. */
  postingsOf(feature: number): number {
    return feature + 1 < this.postingStarts.length
      ? this.postingStarts[feature + 1]! - this.postingStarts[feature]!
      : 0
  }

  /** The coordinates of a text, by feature; the text need not be stored. All are 0 where no feature has a weight. */
  coordinates({ hashes, occurrences }: Bag): Coordinates {
    const values = new Float64Array(hashes.length)
    let square = 0
    for (let i = 0; i < hashes.length; i++) {
      const feature = this.table.find(hashes[i]!)
      const weight = feature < 0 ? this.unseen : this.weights[feature]!
      const value = factors[occurrences[i]! - 1]! * weight
      values[i] = value
      square += value * value
    }
    const length = Math.sqrt(square)
    return { values: length === 0 ? values : values.map(value => value / length), length }
  }

  /** The vector of a text that need not be stored. Features that the space does not know only add to its length. */
  vectorOf(bag: Bag): Vector | undefined {
    const { values: coordinates, length } = this.coordinates(bag)
    if (length === 0) return undefined
    const features: number[] = []
    const values: number[] = []
    for (const [i, value] of coordinates.entries()) {
      const feature = this.table.find(bag.hashes[i]!)
      if (feature < 0 || value === 0) continue
      features.push(feature)
      values.push(value)
    }
    return { features: Uint32Array.from(features), values: Float64Array.from(values), length }
  }

  /** A hash of a document's features and their occurrences, whatever their weights and numbers. */
  fingerprint(document: number, seed: number): number {
    let print = mixed(seed ^ (this.starts[document + 1]! - this.starts[document]!))
    for (let i = this.starts[document]!; i < this.starts[document + 1]!; i++) {
      const entry = this.entries[i]!
      print = mixed(print ^ this.hashes[entry >>> OCCURRENCE_BITS]!) + (entry & OCCURRENCE_MASK)
    }
    return print | 0
  }

  vectorAt(document: number): Vector | undefined {
    const scale = this.scales[document]!
    if (scale === 0) return undefined
    const start = this.starts[document]!
    const count = this.starts[document + 1]! - start
    const features = new Uint32Array(count)
    const values = new Float64Array(count)
    for (let i = 0; i < count; i++) {
      const entry = this.entries[start + i]!
      const feature = entry >>> OCCURRENCE_BITS
      features[i] = feature
      values[i] = factors[entry & OCCURRENCE_MASK]! * this.weights[feature]! * scale
    }
    return { features, values, length: 1 / scale }
  }

  /** Until `endComparison`, `cosine` compares documents with this vector. */
  beginComparison({ features, values }: Vector): void {
    if (this.#compared.length < this.features) this.#compared = new Float64Array(this.weights.length)
    for (let i = 0; i < features.length; i++)
      this.#compared[features[i]!] = values[i]! * this.weights[features[i]!]!
  }

  endComparison({ features }: Vector): void {
    for (let i = 0; i < features.length; i++) this.#compared[features[i]!] = 0
  }

  cosine(document: number): number {
    const compared = this.#compared
    const { entries } = this
    let sum = 0
    const end = this.starts[document + 1]!
    for (let i = this.starts[document]!; i < end; i++) {
      const entry = entries[i]!
      const value = compared[entry >>> OCCURRENCE_BITS]!
      if (value !== 0) sum += value * factors[entry & OCCURRENCE_MASK]!
    }
    return sum * this.scales[document]!
  }

  #featureOf(hash: number): number {
    const known = this.features
    const feature = this.table.intern(hash)
    if (feature < known) return feature
    this.hashes = grown(this.hashes, feature + 1)
    this.frequencies = grown(this.frequencies, feature + 1)
    this.weights = grown(this.weights, feature + 1)
    this.hashes[feature] = hash
    this.weights[feature] = this.unseen
    return feature
  }

  #begin(entries: number): number {
    const at = this.starts[this.documents]!
    this.entries = grown(this.entries, at + entries)
    this.starts = grown(this.starts, this.documents + 2)
    this.scales = grown(this.scales, this.documents + 1)
    return at
  }

  #finish(end: number): void {
    this.starts[this.documents + 1] = end
    this.#measure(this.documents++)
  }

  #measure(document: number): void {
    let square = 0
    for (let i = this.starts[document]!; i < this.starts[document + 1]!; i++) {
      const entry = this.entries[i]!
      const value = factors[entry & OCCURRENCE_MASK]! * this.weights[entry >>> OCCURRENCE_BITS]!
      square += value * value
    }
    this.scales[document] = square === 0 ? 0 : 1 / Math.sqrt(square)
  }
}

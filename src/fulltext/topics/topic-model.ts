import { grown } from '../../arrays/grow.ts'
import { frequencyFactor, type ImpactParameters } from '../segments/bm25f.ts'
import { SURFACE } from '../segments/forward-list.ts'
import type { ReadableSegment } from '../segments/segment.ts'

/** Number of coordinates per document and term. */
export const DIMENSIONS = 64

/** The contents of a model as plain data. */
export interface TopicBlocks {
  readonly shape: TopicShape
  /** Its length is `topicBytes`. */
  readonly body: Uint8Array
}

export interface TopicShape {
  readonly terms: number
  /** Number of living documents when it was trained. */
  readonly documents: number
  /** Average tokens per field at that time. */
  readonly averages: readonly number[]
}

export const topicBytes = ({ terms }: Pick<TopicShape, 'terms'>): number => terms * (8 + DIMENSIONS)

/** The place of each term in a model. */
export interface TermPlaces {
  /** By number of a surface or family: its place among the terms + 1. */
  current(): Uint32Array
  readonly bytes: number
}

/** A quarter of a byte's range is lost to rounding: enough steps remain for a direction. */
const MOST = 127

/** Terms as directions in a topic space; the direction of a document is the sum of its terms'. */
export class TopicModel {
  readonly shape: TopicShape
  readonly body: Uint8Array
  /** By term: the size of one step of its vector. */
  readonly #steps: Float32Array
  readonly #vectors: Int8Array
  readonly #scoring: ImpactParameters
  readonly #places: TermPlaces
  /** For the current document, by place: the weighted number of occurrences. */
  readonly #frequencies: Float32Array
  #found = new Uint32Array(1 << 8)
  readonly #sum = new Float64Array(DIMENSIONS)

  /**
   * @param scoring the weights of fields
   * @param places where its terms are, if not identified by the numbers at the start of the body
   */
  constructor({ shape, body }: TopicBlocks, scoring: ImpactParameters, places?: TermPlaces) {
    const { buffer, byteOffset } = body
    const { terms } = shape
    this.shape = shape
    this.body = body
    this.#steps = new Float32Array(buffer, byteOffset + 4 * terms, terms)
    this.#vectors = new Int8Array(buffer, byteOffset + 8 * terms, terms * DIMENSIONS)
    this.#scoring = { ...scoring, averages: shape.averages }
    this.#places = places ?? new NumberedPlaces(new Uint32Array(buffer, byteOffset, terms))
    this.#frequencies = new Float32Array(terms)
  }

  /** The blocks of these terms, ascending, with a vector each; vectors are rounded. */
  static blocks(terms: Uint32Array, vectors: Float32Array, shape: TopicShape): TopicBlocks {
    const body = new Uint8Array(new SharedArrayBuffer(topicBytes(shape)))
    const { buffer } = body
    new Uint32Array(buffer, 0, terms.length).set(terms)
    const steps = new Float32Array(buffer, 4 * terms.length, terms.length)
    const rounded = new Int8Array(buffer, 8 * terms.length)
    for (let place = 0; place < terms.length; place++) {
      const from = place * DIMENSIONS
      steps[place] = round(vectors.subarray(from, from + DIMENSIONS), rounded, from)
    }
    return { shape, body }
  }

  get bytes(): number {
    return this.body.byteLength + this.#places.bytes + this.#frequencies.byteLength
  }

  /** Writes the direction of a document to `vectors[at..at + DIMENSIONS)`; zeros if it has none of the terms. */
  fold(segment: ReadableSegment, document: number, links: Uint32Array, vectors: Int8Array, at: number): void {
    const count = this.#gather(segment, document, links)
    const sum = this.#sum.fill(0)
    for (let i = 0; i < count; i++) {
      const place = this.#found[i]!
      const frequency = this.#frequencies[place]!
      this.#frequencies[place] = 0
      const weight = (frequency / (this.#scoring.k1 + frequency)) * this.#steps[place]!
      const from = place * DIMENSIONS
      for (let d = 0; d < DIMENSIONS; d++) sum[d]! += weight * this.#vectors[from + d]!
    }
    round(sum, vectors, at)
  }

  /** Sums the weighted occurrences of each term of the document; returns the number of terms. */
  #gather({ forward, lengths, shape }: ReadableSegment, document: number, links: Uint32Array): number {
    const places = this.#places.current()
    let count = 0
    let at = forward.starts[document]!
    for (let field = 0; field < shape.fields; field++) {
      const length = lengths[document * shape.fields + field]!
      const factor = length > 0 ? frequencyFactor(this.#scoring, field, length) : 0
      for (const end = at + length; at < end; at++) {
        const place = placeOf(forward.tokens[at]! & SURFACE, links, places)
        if (place < 0 || factor === 0) continue
        if (this.#frequencies[place] === 0) {
          this.#found = grown(this.#found, count + 1)
          this.#found[count++] = place
        }
        this.#frequencies[place]! += factor
      }
    }
    return count
  }
}

/** The place of a surface's family, or of the surface itself; -1 for none. A family created since is known by its base. */
function placeOf(surface: number, links: Uint32Array, places: Uint32Array): number {
  const family = links[surface]!
  if (family === 0) return (places[surface] ?? 0) - 1
  const place = places[family - 1] ?? 0
  if (place > 0) return place - 1
  const base = links[family - 1]!
  return base === 0 ? -1 : (places[base - 1] ?? 0) - 1
}

/** Places of families and of surfaces without a family, ascending. */
class NumberedPlaces implements TermPlaces {
  readonly #places: Uint32Array

  constructor(terms: Uint32Array) {
    this.#places = new Uint32Array((terms.at(-1) ?? 0) + 1)
    for (const [place, term] of terms.entries()) this.#places[term] = place + 1
  }

  get bytes(): number {
    return this.#places.byteLength
  }

  current(): Uint32Array {
    return this.#places
  }
}

/** Rounds to whole steps, 127 of which are the largest number; returns the step. */
function round(values: Float32Array | Float64Array, to: Int8Array, at: number): number {
  let most = 0
  for (let d = 0; d < values.length; d++) most = Math.max(most, Math.abs(values[d]!))
  const step = most / MOST
  for (let d = 0; d < values.length; d++) to[at + d] = step > 0 ? Math.round(values[d]! / step) : 0
  return step
}

import type { LiveSegment } from '../segments/live-segment.ts'
import { DIMENSIONS } from '../topics/topic-model.ts'
import type { Directions, Topics } from '../topics/topics.ts'

/** Number of the best hits that define the topic of the query, weighted by score. */
export const TELLING = 10
const SHARPNESS = 6

// Chosen on queries of odd ids, of product search and abstracts.
const PER_WORD = 0.2
const MOST_WEIGHT = 1.5

/** Without it, the optimizer would leave out what is read ahead. */
const prefetched = new Int32Array(1)

/**
 * The factor on a score for how close a document is to the topics of the best hits: relevance feedback (Rocchio, 1971) on
 * directions in a topic space.
 */
export class TopicFeedback {
  readonly most: number
  readonly #topics: Topics
  readonly #segments: readonly LiveSegment[]
  /** By place of the segment, for those used so far. */
  readonly #directions: Directions[] = []
  readonly #weight: number
  readonly #center: Float64Array

  /** `content`: number of content words in the query, two or more. */
  constructor(topics: Topics, segments: readonly LiveSegment[], content: number) {
    this.#topics = topics
    this.#segments = segments
    this.#weight = Math.min(MOST_WEIGHT, PER_WORD * Math.max(0, content - 0.5))
    this.#center = topics.center
    this.most = 1 + this.#weight
  }

  /** Reads the ends of directions ahead of their use, as `TitleBonus.prefetch` reads titles. */
  prefetch(documents: Uint32Array, count: number): void {
    for (let rank = 0; rank < count; rank++) {
      const local = documents[rank]! & 0xffff
      const { squares, vectors } = this.#directionsOf(documents[rank]!)
      prefetched[0] = squares[local]! + vectors[local * DIMENSIONS]! + vectors[(local + 1) * DIMENSIONS - 1]!
    }
  }

  /** Learns from the best hits, given by their scores and document numbers. */
  learn(scores: Float64Array, documents: Uint32Array, count: number): void {
    const center = this.#center.fill(0)
    for (let rank = 0; rank < Math.min(count, TELLING); rank++) {
      const document = documents[rank]!
      const directions = this.#directionsOf(document)
      const at = directions.find(document & 0xffff)
      const square = directions.squares[document & 0xffff]!
      if (square === 0) continue
      const weight = Math.exp(SHARPNESS * (scores[rank]! / scores[0]! - 1)) / Math.sqrt(square)
      addTo(center, weight, directions.vectors, at)
    }
    let square = 0
    for (let d = 0; d < DIMENSIONS; d++) square += center[d]! * center[d]!
    const length = Math.sqrt(square)
    if (length > 0) for (let d = 0; d < DIMENSIONS; d++) center[d]! /= length
  }

  /** @param document its number across all segments */
  of(document: number): number {
    const directions = this.#directionsOf(document)
    const at = directions.find(document & 0xffff)
    const product = dotProduct(this.#center, directions.vectors, at)
    if (product <= 0) return 1
    return 1 + (this.#weight * product) / Math.sqrt(directions.squares[document & 0xffff]!)
  }

  #directionsOf(document: number): Directions {
    const place = document >>> 16
    const known = this.#directions[place]
    if (known) return known
    const found = this.#topics.of(this.#segments[place]!)
    this.#directions[place] = found
    return found
  }
}

function addTo(center: Float64Array, weight: number, vectors: Int8Array, at: number): void {
  for (let d = 0; d < DIMENSIONS; d++) center[d]! += weight * vectors[at + d]!
}

/** Four independent sums, which the processor can compute in parallel. */
function dotProduct(center: Float64Array, vectors: Int8Array, at: number): number {
  let one = 0
  let two = 0
  let three = 0
  let four = 0
  for (let d = 0; d < DIMENSIONS; d += 4) {
    one += center[d]! * vectors[at + d]!
    two += center[d + 1]! * vectors[at + d + 1]!
    three += center[d + 2]! * vectors[at + d + 2]!
    four += center[d + 3]! * vectors[at + d + 3]!
  }
  return one + two + three + four
}

import type { LiveSegment } from '../segments/live-segment.ts'
import { DIMENSIONS } from '../topics/topic-model.ts'
import type { Topics } from '../topics/topics.ts'

/** So many of the best tell what the query is about, the better the more. */
export const TELLING = 10
const SHARPNESS = 6

// Chosen on queries of odd ids, of product search and abstracts.
const PER_WORD = 0.2
const MOST_WEIGHT = 1.5

/**
 * What a score is multiplied with for how near a document is to what the best are about: feedback (Rocchio, 1971) by
 * directions in a space of topics.
 */
export class TopicFeedback {
  readonly most: number
  readonly #topics: Topics
  readonly #segments: readonly LiveSegment[]
  readonly #weight: number
  readonly #center = new Float64Array(DIMENSIONS)

  /** `content`: how many words of the query say something, two or more. */
  constructor(topics: Topics, segments: readonly LiveSegment[], content: number) {
    this.#topics = topics
    this.#segments = segments
    this.#weight = Math.min(MOST_WEIGHT, PER_WORD * Math.max(0, content - 0.5))
    this.most = 1 + this.#weight
  }

  /** Learns from the best, whose scores and numbers these are. */
  learn(scores: Float64Array, documents: Uint32Array, count: number): void {
    const center = this.#center.fill(0)
    for (let rank = 0; rank < Math.min(count, TELLING); rank++) {
      const { vectors, at } = this.#vectorOf(documents[rank]!)
      const length = lengthOf(vectors, at)
      if (length === 0) continue
      const weight = Math.exp(SHARPNESS * (scores[rank]! / scores[0]! - 1)) / length
      for (let d = 0; d < DIMENSIONS; d++) center[d]! += weight * vectors[at + d]!
    }
    const length = lengthOf(center, 0)
    if (length > 0) for (let d = 0; d < DIMENSIONS; d++) center[d]! /= length
  }

  /** By the number of the document among all. */
  of(document: number): number {
    const { vectors, at } = this.#vectorOf(document)
    let product = 0
    for (let d = 0; d < DIMENSIONS; d++) product += this.#center[d]! * vectors[at + d]!
    return product > 0 ? 1 + (this.#weight * product) / lengthOf(vectors, at) : 1
  }

  #vectorOf(document: number): { vectors: Int8Array; at: number } {
    return this.#topics.of(this.#segments[document >>> 16]!, document & 0xffff)
  }
}

function lengthOf(vectors: Int8Array | Float64Array, at: number): number {
  let square = 0
  for (let d = 0; d < DIMENSIONS; d++) square += vectors[at + d]! * vectors[at + d]!
  return Math.sqrt(square)
}

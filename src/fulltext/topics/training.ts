import { isSet } from '../../arrays/set-bits.ts'
import { frequencyFactor, type ImpactParameters, inverseDocumentFrequency } from '../segments/bm25f.ts'
import { ForwardList, SURFACE } from '../segments/forward-list.ts'
import { ReadableSegment, type SegmentBlocks } from '../segments/segment.ts'
import { rightSingularVectors, type SparseMatrix } from './randomized-svd.ts'
import { DIMENSIONS, type TopicBlocks, TopicModel } from './topic-model.ts'

/** The training data of a model: plain data, for any thread. */
export interface TopicTraining {
  /** The index's plan that this belongs to. */
  readonly plan: number
  readonly segments: readonly (Omit<SegmentBlocks, 'columns'> & {
    /** By document: 1 if it was removed. */
    readonly dead: Uint32Array | undefined
  })[]
  /** By surface: its family + 1, 0 for none. */
  readonly links: Uint32Array
  /** By surface and family: number of documents that have it. */
  readonly counts: Uint32Array
  /** Surfaces that say nothing about a document's topics. */
  readonly ignored: Uint32Array
  readonly scoring: ImpactParameters
  /** Number of living documents. */
  readonly documents: number
}

export interface TrainedTopics extends TopicBlocks {
  readonly plan: number
}

/** Number of documents in the sample; fewer if they are long. */
const SAMPLE = 10_000
const MOST_TOKENS = 4_000_000

/** A term in only one document says nothing about others. */
const LEAST_DOCUMENTS = 2

/** Seed of the random start, so that the same documents always give the same model. */
const SEED = 9

/**
 * Finds the topics of an index in a sample of its documents: the directions in which their words differ most (Deerwester and
 * others, "Indexing by latent semantic analysis", 1990).
 */
export function trainTopics(task: TopicTraining): TrainedTopics {
  const { plan, documents, scoring, counts } = task
  const { terms, matrix } = matrixOf(task)
  const { vectors, dimensions } =
    terms.length > 0
      ? rightSingularVectors(matrix, DIMENSIONS, generator(SEED))
      : { vectors: new Float32Array(0), dimensions: 0 }
  const weighted = new Float32Array(terms.length * DIMENSIONS)
  for (let place = 0; place < terms.length; place++) {
    const idf = inverseDocumentFrequency(documents, counts[terms[place]!]!)
    for (let d = 0; d < dimensions; d++)
      weighted[place * DIMENSIONS + d] = idf * vectors[place * dimensions + d]!
  }
  const shape = { terms: terms.length, documents, averages: scoring.averages }
  return { plan, ...TopicModel.blocks(terms, weighted, shape) }
}

/** Numbers from 0 to 1 (a linear congruential generator with the constants of Numerical Recipes). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** One row per sampled document, of length 1; one column per term that several of them have. */
function matrixOf(task: TopicTraining): { terms: Uint32Array; matrix: SparseMatrix } {
  const reader = new RowReader(task)
  const sample = sampleOf(task)
  const inSample = new Uint32Array(task.counts.length)
  for (const { segment, document } of sample)
    reader.read(segment, document, term => {
      inSample[term]!++
    })
  const terms = Uint32Array.from(inSample.keys()).filter(term => inSample[term]! >= LEAST_DOCUMENTS)
  const columns = new Int32Array(inSample.length).fill(-1)
  for (const [column, term] of terms.entries()) columns[term] = column
  const size = terms.reduce((sum, term) => sum + inSample[term]!, 0)
  const matrix = {
    columns: terms.length,
    starts: new Uint32Array(sample.length + 1),
    places: new Uint32Array(size),
    values: new Float32Array(size),
  }
  let at = 0
  for (const [row, { segment, document }] of sample.entries()) {
    reader.read(segment, document, (term, weight) => {
      if (columns[term]! < 0) return
      matrix.places[at] = columns[term]!
      matrix.values[at++] = weight
    })
    normalize(matrix.values.subarray(matrix.starts[row], at))
    matrix.starts[row + 1] = at
  }
  return { terms, matrix }
}

function normalize(values: Float32Array): void {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
  if (length > 0) for (let i = 0; i < values.length; i++) values[i]! /= length
}

interface SampledDocument {
  readonly segment: ReadableSegment
  readonly document: number
}

/** Documents at equal distances. */
function sampleOf({ segments, documents }: TopicTraining): SampledDocument[] {
  const tokens = segments.reduce((sum, { shape }) => sum + shape.tokens, 0)
  const most = Math.min(SAMPLE, Math.ceil((MOST_TOKENS * documents) / Math.max(1, tokens)))
  const stride = Math.max(1, documents / most)
  const sample: SampledDocument[] = []
  let living = 0
  for (const { shape, body, scores, forward, dead } of segments) {
    const segment = new ReadableSegment(shape, body, scores, new ForwardList(forward, shape))
    for (let document = 0; document < shape.documents; document++) {
      if (isSet(dead, document)) continue
      if (living++ >= sample.length * stride) sample.push({ segment, document })
    }
  }
  return sample
}

/** Reads the terms of documents with their weights: saturated frequency times inverse document frequency. */
class RowReader {
  readonly #task: TopicTraining
  readonly #isIgnored: Uint8Array
  readonly #frequencies: Float64Array

  constructor(task: TopicTraining) {
    this.#task = task
    this.#isIgnored = new Uint8Array(task.links.length)
    for (const surface of task.ignored) this.#isIgnored[surface] = 1
    this.#frequencies = new Float64Array(task.counts.length)
  }

  read(
    { forward, lengths, shape }: ReadableSegment,
    document: number,
    visit: (term: number, weight: number) => void,
  ): void {
    const { links, scoring, counts, documents } = this.#task
    const found: number[] = []
    let at = forward.starts[document]!
    for (let field = 0; field < shape.fields; field++) {
      const length = lengths[document * shape.fields + field]!
      const factor = length > 0 ? frequencyFactor(scoring, field, length) : 0
      for (const end = at + length; at < end; at++) {
        const surface = forward.tokens[at]! & SURFACE
        if (factor === 0 || this.#isIgnored[surface] === 1) continue
        const term = links[surface]! === 0 ? surface : links[surface]! - 1
        if (this.#frequencies[term] === 0) found.push(term)
        this.#frequencies[term]! += factor
      }
    }
    for (const term of found) {
      const frequency = this.#frequencies[term]!
      this.#frequencies[term] = 0
      const idf = inverseDocumentFrequency(documents, counts[term]!)
      visit(term, (frequency / (scoring.k1 + frequency)) * idf)
    }
  }
}

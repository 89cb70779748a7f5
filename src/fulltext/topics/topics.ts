import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { ImpactParameters } from '../segments/bm25f.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { ReadableSegment } from '../segments/segment.ts'
import type { SegmentStack } from '../segments/segment-stack.ts'
import { blocksOf, NamedPlaces, type NamedTopics, namedTopics } from './named-topics.ts'
import { DIMENSIONS, type TopicBlocks, TopicModel } from './topic-model.ts'
import type { TopicTraining, TrainedTopics } from './training.ts'

/** With fewer documents, words occur together by chance. */
export const LEAST_DOCUMENTS = 1000

/** In `squares`: not computed yet. */
const UNKNOWN = -1

/** The directions of the documents of one segment. */
export class Directions {
  /** The direction of a document is `vectors[at..at + DIMENSIONS)`, where `find` returns `at`. */
  readonly vectors: Int8Array
  /** By document: the square of the length of its vector. */
  readonly squares: Int32Array
  readonly #segment: ReadableSegment
  readonly #model: TopicModel
  readonly #links: () => Uint32Array

  constructor(segment: ReadableSegment, model: TopicModel, links: () => Uint32Array) {
    const { documents } = segment.shape
    this.vectors = new Int8Array(documents * DIMENSIONS)
    this.squares = new Int32Array(documents).fill(UNKNOWN)
    this.#segment = segment
    this.#model = model
    this.#links = links
  }

  get bytes(): number {
    return this.vectors.byteLength + this.squares.byteLength
  }

  isOf(model: TopicModel): boolean {
    return this.#model === model
  }

  /** The place of a document's direction, which is computed on first use. */
  find(document: number): number {
    const at = document * DIMENSIONS
    if (this.squares[document] === UNKNOWN) {
      this.#model.fold(this.#segment, document, this.#links(), this.vectors, at)
      this.squares[document] = squareOf(this.vectors, at)
    }
    return at
  }
}

/** The topics of an index's documents: their directions are computed from a model on demand. */
export class Topics {
  readonly #vocabulary: Vocabulary
  #model: TopicModel | undefined
  /** The model as it was given, if it was. */
  #given: NamedTopics | undefined
  /** By the body of a segment. */
  readonly #folded = new WeakMap<Uint8Array, Directions>()
  #plans = 0
  /** The topics of the current query's best hits. */
  readonly center = new Float64Array(DIMENSIONS)

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** What has to be stored; nothing for a given model. */
  get blocks(): TopicBlocks | undefined {
    return this.#given ? undefined : this.#model
  }

  /** The current model in the form in which it can be given to another index; made piece by piece. */
  named(): Generator<void, NamedTopics | undefined> {
    return naming(this.#given, this.#model, this.#vocabulary)
  }

  /** The named model of blocks that were trained from this index. */
  naming(blocks: TopicBlocks): Generator<void, NamedTopics> {
    return namedTopics(blocks, this.#vocabulary)
  }

  /** Replaces what was learnt, and what is being trained, by this model, or by none. */
  give(topics: NamedTopics | undefined, scoring: ImpactParameters): void {
    this.forget()
    this.#given = topics
    if (!topics) return
    this.#model = new TopicModel(blocksOf(topics), scoring, new NamedPlaces(topics.terms, this.#vocabulary))
  }

  /** Another object for other topics. */
  get model(): object | undefined {
    return this.#model
  }

  get areThere(): boolean {
    return this.#model !== undefined
  }

  /** Memory in addition to these segments. */
  bytesBeside(segments: readonly LiveSegment[]): number {
    let sum = this.#model?.bytes ?? 0
    for (const { segment } of segments) {
      sum += this.#folded.get(segment.body)?.bytes ?? 0
    }
    return sum
  }

  /** Takes a stored model. */
  restore(blocks: TopicBlocks, scoring: ImpactParameters): void {
    this.#model = new TopicModel(blocks, scoring)
  }

  /** Also discards what is being trained. */
  forget(): void {
    this.#plans++
    this.#model = undefined
    this.#given = undefined
  }

  /** Whether to train: from a minimum number of documents on, and again when their number has doubled or halved. */
  areDue(documents: number): boolean {
    const before = this.#model?.shape.documents ?? 0
    return documents >= LEAST_DOCUMENTS && (documents >= 2 * before || 2 * documents <= before)
  }

  plan(stack: SegmentStack, functionWords: ReadonlySet<string>): TopicTraining {
    return { ...this.trainingOf(stack, functionWords, stack.scoring), plan: ++this.#plans }
  }

  /** Training data with these average lengths, for a model to be adopted elsewhere. */
  trainingOf(
    stack: SegmentStack,
    functionWords: ReadonlySet<string>,
    scoring: ImpactParameters,
  ): TopicTraining {
    const { terms, links } = this.#vocabulary
    return {
      plan: 0,
      segments: stack.segments.map(({ segment, dead }) => {
        const { shape, body, scores, forward } = segment
        return { shape, body, scores, forward: forward.bytes, dead: dead?.slice() }
      }),
      links: links.slice(0, terms.size),
      counts: stack.frequencies.counts.slice(0, terms.size),
      ignored: Uint32Array.from([...functionWords].map(word => terms.find(word)).filter(term => term >= 0)),
      scoring,
      documents: stack.size,
    }
  }

  /** False if it is not from the newest plan. */
  adopt({ plan, ...blocks }: TrainedTopics, scoring: ImpactParameters): boolean {
    if (plan !== this.#plans) return false
    this.restore(blocks, scoring)
    return true
  }

  /** The directions of the documents of a segment. */
  of({ segment }: LiveSegment): Directions {
    const model = this.#model!
    const known = this.#folded.get(segment.body)
    if (known?.isOf(model)) return known
    const made = new Directions(segment, model, () => this.#vocabulary.links)
    this.#folded.set(segment.body, made)
    return made
  }
}

function* naming(
  given: NamedTopics | undefined,
  model: TopicModel | undefined,
  vocabulary: Vocabulary,
): Generator<void, NamedTopics | undefined> {
  return given ?? (model && (yield* namedTopics(model, vocabulary)))
}

function squareOf(vectors: Int8Array, at: number): number {
  let square = 0
  for (let d = 0; d < DIMENSIONS; d++) square += vectors[at + d]! * vectors[at + d]!
  return square
}

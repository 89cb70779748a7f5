import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { Scoring } from '../segments/bm25f.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import type { SegmentStack } from '../segments/segment-stack.ts'
import { DIMENSIONS, type TopicBlocks, TopicModel } from './topic-model.ts'
import type { TopicTraining, TrainedTopics } from './training.ts'

/** With fewer documents words that come together do so by chance. */
const LEAST_DOCUMENTS = 1000

/** The directions of the documents of a segment, as far as they are known. */
interface Folded {
  readonly model: TopicModel
  readonly vectors: Int8Array
  /** By document, 1 when it is there. */
  readonly known: Uint8Array
}

/** What the documents of an index are about: the directions of documents follow from a model, when they are asked for. */
export class Topics {
  readonly #vocabulary: Vocabulary
  #model: TopicModel | undefined
  /** By the body of a segment. */
  readonly #folded = new WeakMap<Uint8Array, Folded>()
  #plans = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** What is to be stored of them. */
  get blocks(): TopicBlocks | undefined {
    return this.#model
  }

  get areThere(): boolean {
    return this.#model !== undefined
  }

  /** Memory that they take beside these segments. */
  bytesBeside(segments: readonly LiveSegment[]): number {
    let sum = this.#model?.bytes ?? 0
    for (const { segment } of segments) {
      const folded = this.#folded.get(segment.body)
      if (folded) sum += folded.vectors.byteLength + folded.known.byteLength
    }
    return sum
  }

  /** Takes a model as it was stored. */
  restore(blocks: TopicBlocks, scoring: Scoring): void {
    this.#model = new TopicModel(blocks, scoring)
  }

  /** Also what is being trained. */
  forget(): void {
    this.#plans++
    this.#model = undefined
  }

  /** Whether they are to be trained: among so many documents, and when there are twice or half as many as then. */
  areDue(documents: number): boolean {
    const before = this.#model?.shape.documents ?? 0
    return documents >= LEAST_DOCUMENTS && (documents >= 2 * before || 2 * documents <= before)
  }

  plan(stack: SegmentStack, functionWords: ReadonlySet<string>): TopicTraining {
    const { terms, links } = this.#vocabulary
    return {
      plan: ++this.#plans,
      segments: stack.segments.map(({ segment, dead }) => {
        const { shape, body, scores, forward } = segment
        return { shape, body, scores, forward: forward.bytes, dead: dead?.slice() }
      }),
      links: links.slice(0, terms.size),
      counts: stack.frequencies.counts.slice(0, terms.size),
      ignored: Uint32Array.from([...functionWords].map(word => terms.find(word)).filter(term => term >= 0)),
      scoring: stack.scoring,
      documents: stack.size,
    }
  }

  /** False when it is not of the newest plan. */
  adopt({ plan, ...blocks }: TrainedTopics, scoring: Scoring): boolean {
    if (plan !== this.#plans) return false
    this.restore(blocks, scoring)
    return true
  }

  /** The direction of a document as `vectors[at..at + DIMENSIONS)`. */
  of({ segment }: LiveSegment, document: number): { vectors: Int8Array; at: number } {
    const model = this.#model!
    let folded = this.#folded.get(segment.body)
    if (folded?.model !== model) {
      const { documents } = segment.shape
      folded = { model, vectors: new Int8Array(documents * DIMENSIONS), known: new Uint8Array(documents) }
      this.#folded.set(segment.body, folded)
    }
    const { vectors, known } = folded
    const at = document * DIMENSIONS
    if (known[document] === 0) {
      model.fold(segment, document, this.#vocabulary.links, vectors, at)
      known[document] = 1
    }
    return { vectors, at }
  }
}

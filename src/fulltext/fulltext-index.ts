import type { Analyzer } from '../analysis/analyzer.ts'
import { FindlingError } from '../errors.ts'
import { type FieldWeight, IMPACT_STEPS, validateFields } from './bm25f.ts'
import { type Checkpoint, Checkpoints, manifestBlobNames } from './checkpoint.ts'
import type { CompactedSegments, CompactionTask } from './compaction.ts'
import { type MatchedWord, resolveQuery, type TypoTolerance } from './query-words.ts'
import { rankAll } from './rank-all.ts'
import { type Accumulators, rankAny } from './rank-any.ts'
import { MAX_SEGMENT_DOCUMENTS, type Segment } from './segment.ts'
import { SegmentStack } from './segment-stack.ts'
import { type Slot, type SlotPostings, slotPostings, type WeighedSlot, weigh } from './slot-postings.ts'
import { type FieldText, Tail } from './tail.ts'
import { TopK } from './top-k.ts'
import { TypoIndex } from './typo-index.ts'
import { Vocabulary } from './vocabulary.ts'

export interface IndexOptions {
  readonly analyzer: Analyzer
  /** What the texts of `add` count, in their order. */
  readonly fields: readonly FieldWeight[]
  /** How soon repetition of a word saturates, 1.2 to 2. Default 1.2. */
  readonly k1?: number
}

export interface SearchOptions {
  /** The most hits. */
  readonly limit: number
  /** Hits to leave out at the start. Default 0. */
  readonly offset?: number
  /** Whether a document must match one word or all. */
  readonly operator: 'or' | 'and'
  /** The most edits a word that occurs nowhere may be away from what it is taken for; 0 for none. */
  readonly typoTolerance: TypoTolerance
}

export interface ScoredId {
  readonly id: string
  readonly score: number
}

export interface SearchResult {
  /** Best first; equal scores by id, in byte order. */
  readonly hits: ScoredId[]
  readonly words: MatchedWord[]
}

const MAX_TAIL_DOCUMENTS = 4096

/**
 * Which documents match a query, and how well: BM25F over several fields, in memory. A search sees every write
 * before it. Scores follow length statistics that are renewed when the index has doubled or halved.
 */
export class FulltextIndex {
  readonly #analyzer: Analyzer
  readonly #settings: { analyzer: { name: string; version: number }; fields: FieldWeight[]; k1: number }
  readonly #vocabulary: Vocabulary
  readonly #typos: TypoIndex
  readonly #tail: Tail
  readonly #stack: SegmentStack
  readonly #checkpoints = new Checkpoints()
  #sums: Accumulators | undefined

  constructor({ analyzer, fields, k1 = 1.2 }: IndexOptions) {
    validateFields(fields, k1)
    const { name, version } = analyzer
    this.#analyzer = analyzer
    this.#settings = {
      analyzer: { name, version },
      fields: fields.map(({ weight, b }) => ({ weight, b })),
      k1,
    }
    this.#vocabulary = new Vocabulary(analyzer)
    this.#typos = new TypoIndex(this.#vocabulary.terms)
    this.#tail = new Tail(analyzer, this.#vocabulary, fields.length)
    this.#stack = new SegmentStack(this.#settings.fields, k1)
  }

  /**
   * The index of a checkpoint, over the memory of its blobs.
   * @throws FindlingError `STORE_CORRUPT` when a part is missing, damaged or made with other options.
   */
  static load(options: IndexOptions, manifest: unknown, blobs: (name: string) => Uint8Array): FulltextIndex {
    const index = new FulltextIndex(options)
    index.#checkpoints.read(index.#settings, index.#parts(), manifest, blobs)
    return index
  }

  /**
   * The blobs that `load` will ask for.
   * @throws FindlingError `STORE_CORRUPT` when the manifest is damaged.
   */
  static blobNames(manifest: unknown): string[] {
    return manifestBlobNames(manifest)
  }

  /** Living documents. */
  get size(): number {
    return this.#stack.size + this.#tail.size
  }

  has(id: string): boolean {
    return this.#tail.has(id) || this.#stack.has(id)
  }

  /** Adds a document, one text per field; it takes the place of a document with the same id. */
  add(id: string, texts: readonly FieldText[]): void {
    const { length } = this.#settings.fields
    if (texts.length !== length) {
      const [received, expected] = [`${texts.length} texts`, `${length} texts, one per field`]
      const message = `texts has ${received}, but must have ${expected}`
      throw new FindlingError('INVALID_ARGUMENT', message, { field: 'texts', received, expected })
    }
    if (this.#tail.taken >= MAX_TAIL_DOCUMENTS) this.#freeze()
    const isInTail = this.#tail.has(id)
    this.#tail.add(id, texts)
    if (!isInTail) this.#stack.remove(id)
  }

  /** False when there was no such document. */
  remove(id: string): boolean {
    return this.#tail.remove(id) || this.#stack.remove(id)
  }

  search(query: string, options: SearchOptions): SearchResult {
    this.#freeze()
    const stack = this.#stack
    const known = {
      vocabulary: this.#vocabulary,
      typos: this.#typos,
      documents: stack.size,
      frequency: (term: number) => stack.frequency(term),
    }
    const { slots, words } = resolveQuery(query, this.#analyzer, known, options.typoTolerance)
    const isHopeless = options.operator === 'and' && slots.length < words.length
    return { hits: isHopeless ? [] : this.#rank(slots, options), words }
  }

  /**
   * Work that keeps searches fast and is too long to be done between two calls, if there is any. Run
   * `compact(task)` on any thread, then `adopt` its result; only the newest task's is taken.
   */
  planCompaction(): CompactionTask | undefined {
    return this.#stack.plan()
  }

  /** Takes over the result of a task. False, and no harm, when it is not of the newest task or its segments are gone. */
  adopt(result: CompactedSegments): boolean {
    return this.#stack.adopt(result)
  }

  /** What must be stored for `load` to restore this moment; blobs are given once. */
  checkpoint(): Checkpoint {
    this.#freeze()
    return this.#checkpoints.write(this.#settings, this.#parts())
  }

  #parts(): { vocabulary: Vocabulary; stack: SegmentStack } {
    return { vocabulary: this.#vocabulary, stack: this.#stack }
  }

  #freeze(): void {
    if (this.#tail.taken > 0) this.#stack.push(this.#tail.freeze())
    this.#stack.settle()
  }

  #rank(slots: readonly Slot[], { limit, offset = 0, operator }: SearchOptions): ScoredId[] {
    const { segments } = this.#stack
    const top = new TopK(Math.min(offset + limit, this.#stack.size), segments)
    if (top.k === 0 || slots.length === 0) return []
    const weighed = weigh(slots)
    for (const [place, live] of segments.entries()) {
      const base = place * MAX_SEGMENT_DOCUMENTS
      const present = presentIn(live.segment, weighed.slots)
      if (operator === 'or') rankAny(live, present, base, this.#accumulators(), top)
      else if (present.length === slots.length) rankAll(live, present, base, top)
    }
    return top
      .ranking()
      .slice(offset)
      .map(({ score, document }) => ({
        id: top.idOf(document),
        score: score / (IMPACT_STEPS * weighed.scale),
      }))
  }

  #accumulators(): Accumulators {
    this.#sums ??= {
      scores: new Int32Array(MAX_SEGMENT_DOCUMENTS),
      ofSlot: new Int32Array(MAX_SEGMENT_DOCUMENTS),
    }
    return this.#sums
  }
}

function presentIn(segment: Segment, slots: readonly WeighedSlot[]): SlotPostings[] {
  const present: SlotPostings[] = []
  for (const slot of slots) {
    const postings = slotPostings(segment, slot)
    if (postings !== undefined) present.push(postings)
  }
  return present
}

import { type BlobRef, checked as checkedBlob, refTo } from '../../arrays/checked-blobs.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { Columns } from '../segments/columns/columns.ts'
import { ForwardList, forwardBytes } from '../segments/forward-list.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import {
  bodyBytes,
  MAX_SEGMENT_DOCUMENTS,
  ReadableSegment,
  Segment,
  scoreBytes,
  WholeSegment,
} from '../segments/segment.ts'
import type { SegmentList, StoredSegments } from '../segments/segment-list.ts'
import type { SegmentStack, WholeSegments } from '../segments/segment-stack.ts'
import { type TopicBlocks, topicBytes } from '../topics/topic-model.ts'
import {
  blobsOf,
  corrupt,
  earlyParts,
  type IndexContents,
  type IndexForm,
  type LatePart,
  parseContents,
  requireForm,
  type SealedContents,
  sealed,
} from './index-contents.ts'
import { chunkBytes, readChunk, writeChunk } from './vocabulary-chunk.ts'

/** What to store so that the current index can be loaded. */
export interface SavedIndex {
  readonly contents: SealedContents
  /** Blobs that earlier saves of this index did not contain; blobs are never changed. */
  readonly blobs: Map<string, Uint8Array>
  /** Names of blobs of the last save that are no longer used. */
  readonly obsolete: string[]
}

type Blobs = (name: string) => Uint8Array | undefined

/** Remembers what is already stored, so that only new parts are saved. */
export class SavedParts {
  #next = 0
  #names = new Set<string>()
  readonly #stored = new WeakMap<Uint8Array, BlobRef>()
  /** By body: the parts stored for it. */
  readonly #late = {
    forward: new WeakMap<Uint8Array, BlobRef>(),
    columns: new WeakMap<Uint8Array, BlobRef>(),
  }
  /** By body: the stored list of removed documents, and their number. */
  readonly #removals = new WeakMap<Uint8Array, { count: number; ref: BlobRef }>()
  #chunks: IndexContents['vocabulary'] = []
  #forms: IndexContents['forms'] = null
  #topics: IndexContents['topics'] = null

  write(
    form: IndexForm,
    vocabulary: Vocabulary,
    stack: SegmentStack,
    topics: TopicBlocks | undefined,
  ): SavedIndex {
    const blobs = new Map<string, Uint8Array>()
    this.#writeVocabulary(vocabulary, blobs)
    this.#writeForms(vocabulary, blobs)
    const segments = stack.segments.map(live => ({
      shape: live.segment.shape,
      body: this.#once(live.segment.body, 'body', blobs),
      scores: this.#once(live.segment.scores, 'scores', blobs),
      forward: this.#lateRef('forward', live, blobs),
      columns: this.#lateRef('columns', live, blobs),
      removed: this.#removalsOf(live, blobs),
    }))
    const { documents, averages } = stack.pin
    this.#topics = topics
      ? {
          shape: { ...topics.shape, averages: [...topics.shape.averages] },
          blob: this.#once(topics.body, 'topics', blobs),
        }
      : null
    const contents = sealed({
      ...form,
      next: this.#next,
      pin: { documents, averages: [...averages] },
      totals: [...stack.totals],
      vocabulary: this.#chunks,
      forms: this.#forms,
      segments,
      topics: this.#topics,
    })
    return { contents, blobs, obsolete: this.#replaceNames(contents) }
  }

  /**
   * Fills an empty dictionary and segments from what was stored, piece by piece, without the parts that can wait. Segments
   * become views of the blobs.
   */
  *read(
    form: IndexForm,
    vocabulary: Vocabulary,
    segments: StoredSegments,
    raw: unknown,
    blobs: Blobs,
  ): Generator<void, void> {
    const contents = parseContents(raw)
    requireForm(contents, form)
    const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)
    vocabulary.reserve(
      sum(contents.vocabulary.map(({ terms }) => terms)),
      sum(contents.vocabulary.map(({ units }) => units)),
    )
    vocabulary.forms.reserve(
      sum(contents.vocabulary.map(({ forms }) => forms)),
      sum(contents.vocabulary.map(({ formUnits }) => formUnits)),
    )
    for (const chunk of contents.vocabulary) {
      const bytes = yield* checked(chunk.blob, chunkBytes(chunk), blobs)
      if (!(yield* readChunk(vocabulary, chunk, bytes)))
        throw corrupt(`${chunk.blob.name} contradicts itself`)
    }
    yield* this.#readForms(vocabulary, contents.forms, blobs)
    for (const segment of contents.segments)
      yield* this.#readSegment(segment, segments, blobs, earlyParts(form))
    segments.pin = { serial: 1, ...contents.pin }
    segments.totals.set(contents.totals)
    this.#chunks = contents.vocabulary
    this.#forms = contents.forms
    this.#next = contents.next
    this.#topics = contents.topics
    this.#replaceNames(contents)
  }

  /** Names of the blobs of a part of segments that were read; those of topics are included in the forward lists. */
  namesOf(part: LatePart, { segments }: SegmentList<Segment>): string[] {
    const names = segments.map(({ segment }) => this.#late[part].get(segment.body)!.name)
    if (part === 'forward' && this.#topics) names.push(this.#topics.blob.name)
    return names
  }

  /** The segments with their forward lists, piece by piece. */
  *readForward(stored: StoredSegments, blobs: Blobs): Generator<void, LiveSegment[]> {
    const segments: LiveSegment[] = []
    for (const live of stored.segments) {
      const { shape, body, scores, columns } = live.segment
      const forward = yield* checked(this.#late.forward.get(body)!, forwardBytes(shape), blobs)
      const list = new ForwardList(forward, shape)
      segments.push(live.withSegment(new ReadableSegment(shape, body, scores, list, columns)))
    }
    return segments
  }

  /** The segments with their columns, piece by piece. */
  *complete(
    stored: StoredSegments,
    readable: readonly LiveSegment[],
    blobs: Blobs,
  ): Generator<void, WholeSegments> {
    const segments: WholeSegments['segments'] = []
    for (const live of readable) {
      const { shape, body, scores, forward } = live.segment
      const columns = live.segment.columns ?? (yield* this.#readColumns(this.#late.columns.get(body)!, blobs))
      segments.push(live.withSegment(new WholeSegment(shape, body, scores, forward, columns)))
    }
    return { stored, segments }
  }

  *readTopics(blobs: Blobs): Generator<void, TopicBlocks | undefined> {
    if (!this.#topics) return undefined
    const { shape, blob } = this.#topics
    const body = yield* checked(blob, topicBytes(shape), blobs)
    this.#stored.set(body, blob)
    return { shape, body }
  }

  *#readColumns(ref: BlobRef, blobs: Blobs): Generator<void, Columns> {
    return new Columns(yield* checked(ref, ref.bytes, blobs))
  }

  // Like a binary counter: a chunk absorbs earlier ones of up to twice its size, so that there are few of them
  // and each term is only rewritten as often as the vocabulary doubles.
  #writeVocabulary(vocabulary: Vocabulary, blobs: Map<string, Uint8Array>): void {
    const { terms, forms } = vocabulary
    let firstTerm = this.#chunks.reduce((sum, chunk) => sum + chunk.terms, 0)
    let firstForm = this.#chunks.reduce((sum, chunk) => sum + chunk.forms, 0)
    if (firstTerm === terms.size && firstForm === forms.size) return
    const kept = [...this.#chunks]
    for (let last = kept.at(-1); last; last = kept.at(-1)) {
      if (last.terms + last.forms > 2 * (terms.size - firstTerm + forms.size - firstForm)) break
      firstTerm -= last.terms
      firstForm -= last.forms
      kept.pop()
    }
    const { shape, bytes } = writeChunk(vocabulary, firstTerm, firstForm)
    this.#chunks = [...kept, { ...shape, blob: this.#name(bytes, 'terms', blobs) }]
  }

  /** The counts of forms change with every document: they take little space, and are rewritten. */
  #writeForms({ forms }: Vocabulary, blobs: Map<string, Uint8Array>): void {
    if (forms.size === 0) return
    const counts = new Uint8Array(forms.documents.slice(0, forms.size).buffer)
    const stored = this.#forms
    if (stored && stored.crc === refTo(stored.name, counts).crc && stored.bytes === counts.byteLength) return
    this.#forms = this.#name(counts, 'forms', blobs)
  }

  *#readForms({ forms }: Vocabulary, ref: BlobRef | null, blobs: Blobs): Generator<void, void> {
    if ((forms.size === 0) !== (ref === null)) throw corrupt('its written forms have no counts')
    if (!ref) return
    const counts = yield* checked(ref, 4 * forms.size, blobs)
    forms.documents.set(new Uint32Array(counts.buffer, counts.byteOffset, forms.size))
  }

  #once(bytes: Uint8Array, kind: string, blobs: Map<string, Uint8Array>): BlobRef {
    const known = this.#stored.get(bytes)
    if (known !== undefined) return known
    const ref = this.#name(bytes, kind, blobs)
    this.#stored.set(bytes, ref)
    return ref
  }

  /** A segment with other scores has the same body, and therefore the same late parts. */
  #lateRef(
    part: LatePart,
    { segment: { body, blocks } }: LiveSegment<WholeSegment>,
    blobs: Map<string, Uint8Array>,
  ): BlobRef {
    let ref = this.#late[part].get(body)
    if (!ref) {
      ref = this.#name(blocks[part], part, blobs)
      this.#late[part].set(body, ref)
    }
    return ref
  }

  #removalsOf(live: LiveSegment, blobs: Map<string, Uint8Array>): BlobRef | null {
    const count = live.removed.length
    if (count === 0) return null
    const known = this.#removals.get(live.segment.body)
    if (known?.count === count) return known.ref
    const ref = this.#name(new Uint8Array(Uint16Array.from(live.removed).buffer), 'removed', blobs)
    this.#removals.set(live.segment.body, { count, ref })
    return ref
  }

  #name(bytes: Uint8Array, kind: string, blobs: Map<string, Uint8Array>): BlobRef {
    const name = `${kind}-${this.#next++}`
    blobs.set(name, bytes)
    return refTo(name, bytes)
  }

  #replaceNames(contents: IndexContents): string[] {
    const names = new Set(blobsOf(contents).map(({ name }) => name))
    const obsolete = [...this.#names].filter(name => !names.has(name))
    this.#names = names
    return obsolete
  }

  *#readSegment(
    { shape, body, scores, forward, columns, removed }: IndexContents['segments'][number],
    segments: StoredSegments,
    blobs: Blobs,
    early: readonly LatePart[],
  ): Generator<void, void> {
    if (shape.documents > MAX_SEGMENT_DOCUMENTS) throw corrupt(`${body.name} holds too many documents`)
    const segment = new Segment(
      shape,
      yield* checked(body, bodyBytes(shape), blobs),
      yield* checked(scores, scoreBytes(shape), blobs),
      early.includes('columns') ? yield* this.#readColumns(columns, blobs) : undefined,
    )
    const gone = removed ? yield* checked(removed, removed.bytes, blobs) : new Uint8Array()
    const live = segments.restore(
      segment,
      new Uint16Array(gone.buffer, gone.byteOffset, gone.byteLength >> 1),
    )
    if (live === undefined) throw corrupt(`${removed?.name} names documents that are not in ${body.name}`)
    this.#stored.set(segment.body, body)
    this.#stored.set(segment.scores, scores)
    this.#late.forward.set(segment.body, forward)
    this.#late.columns.set(segment.body, columns)
    if (removed) this.#removals.set(segment.body, { count: live.removed.length, ref: removed })
  }
}

/** @param size expected from the rest of the contents */
function checked(ref: BlobRef, size: number, blobs: Blobs): Generator<void, Uint8Array> {
  if (ref.bytes !== size) throw corrupt(`${ref.name} has a wrong size`)
  return checkedBlob(ref, blobs(ref.name), corrupt)
}

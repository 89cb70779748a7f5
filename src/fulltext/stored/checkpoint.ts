import { crc32 } from 'node:zlib'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { ForwardList, forwardBytes } from '../segments/forward-list.ts'
import type { LiveSegment } from '../segments/live-segment.ts'
import { bodyBytes, MAX_SEGMENT_DOCUMENTS, Segment, scoreBytes } from '../segments/segment.ts'
import type { SegmentStack } from '../segments/segment-stack.ts'
import {
  type BlobRef,
  blobsOf,
  corrupt,
  type IndexManifest,
  type ManifestBody,
  parseManifest,
  sealed,
} from './index-contents.ts'
import { chunkBytes, readChunk, writeChunk } from './vocabulary-chunk.ts'

/** What to store so that the index can be loaded as it is now. */
export interface Checkpoint {
  readonly manifest: IndexManifest
  /** Blobs that no earlier checkpoint of this index had; they are never changed. */
  readonly blobs: Map<string, Uint8Array>
  /** Names of the last checkpoint's blobs that this one does without. */
  readonly obsolete: string[]
}

type Settings = Pick<ManifestBody, 'analyzer' | 'fields' | 'signals' | 'k1'>

type Blobs = (name: string) => Uint8Array | undefined

interface Indexed {
  readonly vocabulary: Vocabulary
  readonly stack: SegmentStack
}

/** Bytes that are checked in one go. */
const PIECE = 2 ** 22

/** Remembers what is stored already, so that a checkpoint writes only what is new. */
export class Checkpoints {
  #next = 0
  #names = new Set<string>()
  readonly #stored = new WeakMap<Uint8Array, BlobRef>()
  /** By body: the forward list that is stored for it. */
  readonly #forward = new WeakMap<Uint8Array, BlobRef>()
  readonly #removals = new WeakMap<LiveSegment, { count: number; ref: BlobRef }>()
  #chunks: ManifestBody['vocabulary'] = []

  write(settings: Settings, { vocabulary, stack }: Indexed): Checkpoint {
    const blobs = new Map<string, Uint8Array>()
    this.#writeVocabulary(vocabulary, blobs)
    const segments = stack.segments.map(live => ({
      shape: live.segment.shape,
      body: this.#once(live.segment.body, 'body', blobs),
      scores: this.#once(live.segment.scores, 'scores', blobs),
      forward: this.#forwardOf(live, blobs),
      removed: this.#removalsOf(live, blobs),
    }))
    const { documents, averages } = stack.pin
    const manifest = sealed({
      ...settings,
      next: this.#next,
      pin: { documents, averages: [...averages] },
      totals: [...stack.totals],
      vocabulary: this.#chunks,
      segments,
    })
    return { manifest, blobs, obsolete: this.#replaceNames(manifest) }
  }

  /** Fills an empty index, piece by piece, with what was stored. Segments become views of the blobs. */
  *read(
    settings: Settings,
    { vocabulary, stack }: Indexed,
    raw: unknown,
    blobs: Blobs,
  ): Generator<void, void> {
    const manifest = parseManifest(raw)
    requireSettings(manifest, settings)
    const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)
    vocabulary.reserve(
      sum(manifest.vocabulary.map(({ terms }) => terms)),
      sum(manifest.vocabulary.map(({ units }) => units)),
    )
    for (const chunk of manifest.vocabulary) {
      const bytes = yield* checked(chunk.blob, chunkBytes(chunk), blobs)
      if (!(yield* readChunk(vocabulary, chunk, bytes)))
        throw corrupt(`${chunk.blob.name} contradicts itself`)
    }
    for (const segment of manifest.segments) yield* this.#readSegment(segment, stack, blobs)
    stack.pin = { serial: 1, ...manifest.pin }
    stack.totals.set(manifest.totals)
    this.#chunks = manifest.vocabulary
    this.#next = manifest.next
    this.#replaceNames(manifest)
  }

  /** Names of stored forward lists that are not attached. */
  missing({ segments }: SegmentStack): string[] {
    return segments.flatMap(({ segment }) => (segment.forward ? [] : [this.#forward.get(segment.body)!.name]))
  }

  *attach({ segments }: SegmentStack, blobs: ReadonlyMap<string, Uint8Array>): Generator<void, void> {
    for (const { segment } of segments) {
      const ref = segment.forward ? undefined : this.#forward.get(segment.body)
      if (!ref || !blobs.has(ref.name)) continue
      const bytes = yield* checked(ref, forwardBytes(segment.shape), name => blobs.get(name))
      segment.forward = new ForwardList(bytes, segment.shape)
      // As for every new segment, but in pieces.
      segment.titleMarks()
      yield
    }
  }

  // Like a binary counter: a chunk takes in earlier ones up to twice its size, so that there are few of them
  // and each term is written again only as often as the vocabulary doubles.
  #writeVocabulary(vocabulary: Vocabulary, blobs: Map<string, Uint8Array>): void {
    let firstTerm = this.#chunks.reduce((sum, { terms }) => sum + terms, 0)
    if (firstTerm === vocabulary.terms.size) return
    const kept = [...this.#chunks]
    for (
      let last = kept.at(-1);
      last && last.terms <= 2 * (vocabulary.terms.size - firstTerm);
      last = kept.at(-1)
    ) {
      firstTerm -= last.terms
      kept.pop()
    }
    const { shape, bytes } = writeChunk(vocabulary, firstTerm)
    this.#chunks = [...kept, { ...shape, blob: this.#name(bytes, 'terms', blobs) }]
  }

  #once(bytes: Uint8Array, kind: string, blobs: Map<string, Uint8Array>): BlobRef {
    const known = this.#stored.get(bytes)
    if (known !== undefined) return known
    const ref = this.#name(bytes, kind, blobs)
    this.#stored.set(bytes, ref)
    return ref
  }

  #forwardOf({ segment }: LiveSegment, blobs: Map<string, Uint8Array>): BlobRef {
    let ref = this.#forward.get(segment.body)
    if (!ref) {
      ref = this.#name(segment.forward!.bytes, 'forward', blobs)
      this.#forward.set(segment.body, ref)
    }
    return ref
  }

  #removalsOf(live: LiveSegment, blobs: Map<string, Uint8Array>): BlobRef | null {
    const count = live.removed.length
    if (count === 0) return null
    const known = this.#removals.get(live)
    if (known?.count === count) return known.ref
    const ref = this.#name(new Uint8Array(Uint16Array.from(live.removed).buffer), 'removed', blobs)
    this.#removals.set(live, { count, ref })
    return ref
  }

  #name(bytes: Uint8Array, kind: string, blobs: Map<string, Uint8Array>): BlobRef {
    const name = `${kind}-${this.#next++}`
    blobs.set(name, bytes)
    return { name, bytes: bytes.byteLength, crc: crc32(bytes) }
  }

  #replaceNames(manifest: ManifestBody): string[] {
    const names = new Set(blobsOf(manifest).map(({ name }) => name))
    const obsolete = [...this.#names].filter(name => !names.has(name))
    this.#names = names
    return obsolete
  }

  *#readSegment(
    { shape, body, scores, forward, removed }: ManifestBody['segments'][number],
    stack: SegmentStack,
    blobs: Blobs,
  ): Generator<void, void> {
    if (shape.documents > MAX_SEGMENT_DOCUMENTS) throw corrupt(`${body.name} holds too many documents`)
    const list = blobs(forward.name)
    const segment = new Segment(
      shape,
      yield* checked(body, bodyBytes(shape), blobs),
      yield* checked(scores, scoreBytes(shape), blobs),
      list && (yield* checked(forward, forwardBytes(shape), () => list)),
    )
    const gone = removed ? yield* checked(removed, removed.bytes, blobs) : new Uint8Array()
    const live = stack.restore(segment, new Uint16Array(gone.buffer, gone.byteOffset, gone.byteLength >> 1))
    if (live === undefined) throw corrupt(`${removed?.name} names documents that are not in ${body.name}`)
    this.#stored.set(segment.body, body)
    this.#stored.set(segment.scores, scores)
    this.#forward.set(segment.body, forward)
    if (removed) this.#removals.set(live, { count: live.removed.length, ref: removed })
  }
}

/** The names of the blobs that a manifest needs: the forward lists, which can wait, and all others. */
export function manifestBlobs(manifest: unknown): { needed: string[]; forward: string[] } {
  const parsed = parseManifest(manifest)
  const forward = new Set(parsed.segments.map(segment => segment.forward.name))
  const needed = blobsOf(parsed).flatMap(({ name }) => (forward.has(name) ? [] : [name]))
  return { needed, forward: [...forward] }
}

function requireSettings(manifest: ManifestBody, { analyzer, fields, signals, k1 }: Settings): void {
  const stored = JSON.stringify([manifest.analyzer, manifest.fields, manifest.signals, manifest.k1])
  const wanted = JSON.stringify([analyzer, fields, signals, k1])
  if (stored !== wanted) throw corrupt(`it was made with ${stored}, not with ${wanted}`)
  const counts = [manifest.pin.averages.length, manifest.totals.length]
  const fits = manifest.segments.every(
    ({ shape }) => shape.fields === fields.length && shape.signals === signals,
  )
  if (!fits || counts.some(count => count !== fields.length))
    throw corrupt('its parts disagree on the fields')
}

/** The blob, aligned for 64-bit views, once its size and checksum agree. */
function* checked(ref: BlobRef, size: number, blobs: Blobs): Generator<void, Uint8Array> {
  const bytes: unknown = blobs(ref.name)
  if (!(bytes instanceof Uint8Array)) throw corrupt(`${ref.name} is missing`)
  if (bytes.byteLength !== ref.bytes || ref.bytes !== size) throw corrupt(`${ref.name} has a wrong size`)
  let crc = 0
  for (let at = 0; at < bytes.byteLength; at += PIECE) {
    crc = crc32(bytes.subarray(at, at + PIECE), crc)
    yield
  }
  if (crc !== ref.crc) throw corrupt(`${ref.name} fails its checksum`)
  return bytes.byteOffset % 8 === 0 ? bytes : new Uint8Array(bytes)
}

import * as z from 'zod'
import {
  type BlobRef,
  blobRef as blob,
  bytesOf,
  checked,
  nonNegativeInt,
  refTo,
} from '../../arrays/checked-blobs.ts'
import { FindlingError } from '../../errors.ts'
import { SPACES } from './aspects.ts'
import { Holdings } from './holdings.ts'
import { post } from './refresh.ts'

/** Raised whenever the blobs, or the features of a text, change. */
const FORMAT = 3

const schema = z.strictObject({
  format: z.literal(FORMAT),
  /** Since the last refresh. */
  changes: nonNegativeInt,
  names: blob,
  spaces: z
    .array(
      z.strictObject({
        unseen: z.number().nonnegative(),
        features: nonNegativeInt,
        hashes: blob,
        weights: blob,
        lengths: blob,
        entries: blob,
      }),
    )
    .length(SPACES),
})

const anyVersion = z.looseObject({ format: nonNegativeInt })

/** Plain JSON, and bytes by name. */
export interface SavedSimilarity {
  readonly contents: unknown
  readonly blobs: ReadonlyMap<string, Uint8Array>
}

/**
 * The current holdings, copied piece by piece: what is added or removed meanwhile is not included. Removed documents
 * are saved too, without their ids: their numbers stay in use until the next refresh.
 */
export function* saved(holdings: Holdings, changes: number): Generator<void, SavedSimilarity> {
  const blobs = new Map<string, Uint8Array>()
  const keep = (name: string, bytes: Uint8Array): BlobRef => {
    blobs.set(name, bytes)
    return refTo(name, bytes)
  }
  const names = holdings.ids.map((id, document) =>
    holdings.holds(document) ? [id, ...holdings.tags[document]!] : [],
  )
  // Later additions follow after these, even if the arrays have been replaced by longer ones.
  const sizes = holdings.spaces.map(({ features }) => features)
  yield
  const spaces: z.input<typeof schema>['spaces'] = []
  for (const [aspect, space] of holdings.spaces.entries()) {
    const features = sizes[aspect]!
    const { unseen, hashes, weights, starts, entries } = space
    const lengths = Uint32Array.from(names, (_, document) => starts[document + 1]! - starts[document]!)
    spaces.push({
      unseen,
      features,
      hashes: keep(`hashes-${aspect}`, bytesOf(hashes.slice(0, features))),
      weights: keep(`weights-${aspect}`, bytesOf(weights.slice(0, features))),
      lengths: keep(`lengths-${aspect}`, bytesOf(lengths)),
      entries: keep(`entries-${aspect}`, bytesOf(entries.slice(0, starts[names.length]!))),
    })
    yield
  }
  const ids = keep('names', new TextEncoder().encode(JSON.stringify(names)))
  return { contents: { format: FORMAT, changes, names: ids, spaces }, blobs }
}

/** Documents, and the number of changes since they were weighed. */
export interface Restored {
  readonly holdings: Holdings
  readonly changes: number
}

/** The names of the blobs that belong to it. `STORE_CORRUPT`, `FORMAT_UNSUPPORTED` */
export function similarityBlobs(contents: unknown): string[] {
  const { names, spaces } = readTable(contents)
  const refs = spaces.flatMap(({ hashes, weights, lengths, entries }) => [hashes, weights, lengths, entries])
  return [names, ...refs].map(({ name }) => name)
}

function readTable(contents: unknown): z.output<typeof schema> {
  const version = anyVersion.safeParse(contents)
  if (version.success && version.data.format !== FORMAT) throw unsupported()
  const parsed = schema.safeParse(contents)
  if (!parsed.success) throw corrupt(`its table of contents is malformed: ${z.prettifyError(parsed.error)}`)
  return parsed.data
}

/**
 * Reads what was saved, piece by piece.
 * @throws FindlingError `STORE_CORRUPT` when it is damaged, `FORMAT_UNSUPPORTED` when it is of another version.
 */
export function* restored({ contents, blobs }: SavedSimilarity): Generator<void, Restored> {
  const { spaces, changes, names: namesRef } = readTable(contents)
  const read = (ref: BlobRef) => checked(ref, blobs.get(ref.name), corrupt)
  const names = z.array(z.array(z.string())).safeParse(parsedJson(yield* read(namesRef)))
  if (!names.success) throw corrupt('its names are malformed')
  yield
  const holdings = new Holdings()
  for (const [aspect, { unseen, features, ...stored }] of spaces.entries()) {
    const space = holdings.spaces[aspect]!
    const parts = {
      unseen,
      hashes: new Int32Array(aligned(yield* read(stored.hashes))),
      weights: new Float32Array(aligned(yield* read(stored.weights))),
      lengths: new Uint32Array(aligned(yield* read(stored.lengths))),
      entries: new Uint32Array(aligned(yield* read(stored.entries))),
    }
    const fits = parts.hashes.length === features && parts.weights.length === features
    if (!fits || parts.lengths.length !== names.data.length) throw corrupt('its parts disagree')
    if (!(yield* space.restore(parts)))
      throw corrupt(`the features of aspect ${aspect} contradict themselves`)
    yield
  }
  for (const [document, [id, ...tags]] of names.data.entries()) {
    holdings.restore(id, tags)
    if (document % 2_048 === 2_047) yield
  }
  yield* post(holdings)
  return { holdings, changes }
}

/** An unshared copy, aligned for reading 32-bit numbers. */
const aligned = (bytes: Uint8Array): ArrayBuffer => {
  const copy = new ArrayBuffer(bytes.byteLength - (bytes.byteLength % 4))
  new Uint8Array(copy).set(bytes.subarray(0, copy.byteLength))
  return copy
}

function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function unsupported(): FindlingError {
  const message =
    'Another version of Findling has stored these similar documents: prepare their service again.'
  return new FindlingError('FORMAT_UNSUPPORTED', message)
}

function corrupt(reason: string): FindlingError {
  return new FindlingError('STORE_CORRUPT', `The stored similarity index cannot be read: ${reason}`)
}

import { crc32 } from 'node:zlib'
import * as z from 'zod'
import { FindlingError } from '../../errors.ts'

/** Raised whenever blobs or manifest are written differently. */
const FORMAT = 3

const count = z.int().nonnegative()

const blob = z.strictObject({ name: z.string().min(1), bytes: count, crc: count })

const shape = z.strictObject({
  fields: count,
  signals: count,
  documents: count,
  terms: count,
  postings: count,
  tokens: count,
  idUnits: count,
})

const body = z.strictObject({
  format: z.literal(FORMAT),
  analyzer: z.strictObject({ name: z.string(), version: z.number() }),
  fields: z.array(z.strictObject({ weight: z.number(), b: z.number() })),
  /** Numbers per document. */
  signals: count,
  k1: z.number(),
  /** Number of the next blob: names are never used twice. */
  next: count,
  pin: z.strictObject({ documents: count, averages: z.array(z.number().positive()) }),
  totals: z.array(count),
  vocabulary: z.array(z.strictObject({ terms: count, units: count, blob })),
  segments: z.array(
    z.strictObject({ shape, body: blob, scores: blob, forward: blob, removed: blob.nullable() }),
  ),
})

/** What the blobs of an index are and how they belong together; plain JSON, with a checksum of itself. */
export type IndexManifest = z.infer<typeof body> & { checksum: number }
export type ManifestBody = z.infer<typeof body>
/** Where some bytes are stored, and how to tell that they are the same. */
export type BlobRef = z.infer<typeof blob>

export function sealed(manifest: Omit<ManifestBody, 'format'>): IndexManifest {
  const complete = body.parse({ format: FORMAT, ...manifest })
  return { ...complete, checksum: checksumOf(complete) }
}

export function parseManifest(manifest: unknown): ManifestBody {
  const parsed = body.extend({ checksum: count }).safeParse(manifest)
  if (!parsed.success) throw corrupt(`the manifest is malformed: ${z.prettifyError(parsed.error)}`)
  const { checksum, ...rest } = parsed.data
  if (checksum !== checksumOf(rest)) throw corrupt('the manifest fails its checksum')
  return rest
}

export function blobsOf({ vocabulary, segments }: ManifestBody): BlobRef[] {
  const ofSegments = segments.flatMap(({ body, scores, forward, removed }) => [
    body,
    scores,
    forward,
    ...(removed ? [removed] : []),
  ])
  return [...vocabulary.map(({ blob }) => blob), ...ofSegments]
}

export function corrupt(reason: string): FindlingError {
  return new FindlingError('STORE_CORRUPT', `The stored full-text index cannot be read: ${reason}`)
}

// The schema writes members in its own order, so that the same manifest always gives the same text.
function checksumOf(manifest: ManifestBody): number {
  return crc32(JSON.stringify(manifest))
}

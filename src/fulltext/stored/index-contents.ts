import * as z from 'zod'
import {
  type BlobRef,
  blobRef as blob,
  nonNegativeInt,
  readContents,
  type Sealed,
  sealedContents,
} from '../../arrays/checked-blobs.ts'
import { FindlingError } from '../../errors.ts'
import { kindNames } from '../segments/columns/kinds.ts'

/** Raised whenever the format of blobs or contents changes. */
const FORMAT = 7

const shape = z.strictObject({
  fields: nonNegativeInt,
  documents: nonNegativeInt,
  terms: nonNegativeInt,
  postings: nonNegativeInt,
  tokens: nonNegativeInt,
  followers: nonNegativeInt,
  idUnits: nonNegativeInt,
})

const topicShape = z.strictObject({
  terms: nonNegativeInt,
  documents: nonNegativeInt,
  averages: z.array(z.number().positive()),
})

const body = z.strictObject({
  format: z.literal(FORMAT),
  analyzer: z.strictObject({ name: z.string(), version: z.number() }),
  fields: z.array(z.strictObject({ weight: z.number(), b: z.number() })),
  /** Columns that all segments have. */
  columns: z.array(z.strictObject({ name: z.string(), kind: z.enum(kindNames) })),
  k1: z.number(),
  /** Number of the next blob: names are never reused. */
  next: nonNegativeInt,
  pin: z.strictObject({ documents: nonNegativeInt, averages: z.array(z.number().positive()) }),
  totals: z.array(nonNegativeInt),
  vocabulary: z.array(
    z.strictObject({
      terms: nonNegativeInt,
      units: nonNegativeInt,
      forms: nonNegativeInt,
      formUnits: nonNegativeInt,
      blob,
    }),
  ),
  /** The number of documents for each form of the vocabulary. */
  forms: blob.nullable(),
  segments: z.array(
    z.strictObject({
      shape,
      body: blob,
      scores: blob,
      forward: blob,
      columns: blob,
      removed: blob.nullable(),
    }),
  ),
  topics: z.strictObject({ shape: topicShape, blob }).nullable(),
})

/** The blobs of an index, and how they belong together; plain JSON. */
export type IndexContents = z.infer<typeof body>
export type SealedContents = Sealed<IndexContents>
/** What an index is made for: a change of its form requires another index. */
export type IndexForm = Pick<IndexContents, 'analyzer' | 'fields' | 'columns' | 'k1'>

export const sealed = (contents: Omit<IndexContents, 'format'>): SealedContents =>
  sealedContents(body, { format: FORMAT, ...contents })

export const parseContents = (contents: unknown): IndexContents => readContents(body, contents, corrupt)

export function blobsOf({ vocabulary, forms, segments, topics }: IndexContents): BlobRef[] {
  const ofSegments = segments.flatMap(({ body, scores, forward, columns, removed }) => [
    body,
    scores,
    forward,
    columns,
    ...(removed ? [removed] : []),
  ])
  const ofWords = [...vocabulary.map(({ blob }) => blob), ...(forms ? [forms] : [])]
  return [...ofWords, ...ofSegments, ...(topics ? [topics.blob] : [])]
}

/** The parts of segments that can wait. */
const lateParts = ['forward', 'columns'] as const
export type LatePart = (typeof lateParts)[number]

/** The parts that are needed at once: columns if all segments have some, because every search uses them for signals. */
export function earlyParts({ columns }: { readonly columns: readonly unknown[] }): readonly LatePart[] {
  return columns.length > 0 ? ['columns'] : []
}

/**
 * The names of the blobs that some contents refer to: those needed at once, and those of the parts that can wait.
 * @throws FindlingError `STORE_CORRUPT` when the contents are damaged.
 */
export function blobNames(contents: unknown): { needed: string[] } & Record<LatePart, string[]> {
  const parsed = parseContents(contents)
  const early = earlyParts(parsed)
  const namesOf = (part: LatePart) =>
    early.includes(part) ? [] : parsed.segments.map(segment => segment[part].name)
  const columns = namesOf('columns')
  // Topics are only used together with forward lists.
  const forward = [...namesOf('forward'), ...(parsed.topics ? [parsed.topics.blob.name] : [])]
  const late = new Set([...forward, ...columns])
  const needed = blobsOf(parsed).flatMap(({ name }) => (late.has(name) ? [] : [name]))
  return { needed, forward, columns }
}

export function requireForm(contents: IndexContents, { analyzer, fields, columns, k1 }: IndexForm): void {
  const stored = JSON.stringify([contents.analyzer, contents.fields, contents.columns, contents.k1])
  const wanted = JSON.stringify([analyzer, fields, columns, k1])
  if (stored !== wanted) throw corrupt(`it was made with ${stored}, not with ${wanted}`)
  const { pin, totals, topics } = contents
  const counts = [pin.averages.length, totals.length, topics?.shape.averages.length ?? fields.length]
  const fits = contents.segments.every(({ shape }) => shape.fields === fields.length)
  if (!fits || counts.some(count => count !== fields.length))
    throw corrupt('its parts disagree on the fields')
}

export function corrupt(reason: string): FindlingError {
  return new FindlingError('STORE_CORRUPT', `The stored full-text index cannot be read: ${reason}`)
}

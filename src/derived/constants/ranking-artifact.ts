import * as z from 'zod'
import { artifactDamaged } from '../../artifacts/artifact.ts'
import { type NamedTopics, namedTopicBytes } from '../../fulltext/topics/named-topics.ts'
import { documentFormSchema } from './document-form.ts'

/** Raised when the meaning of the constants changes, for example how lengths are counted. */
const VERSION = 1

/** The kind and version that an artifact must have. */
export const RANKING = { kind: 'ranking', version: VERSION } as const

const count = z.int().nonnegative()
const averages = z.array(z.number().positive())

const contentsSchema = z.strictObject({
  dataset: z.string(),
  form: documentFormSchema,
  /** How many documents there were. */
  documents: count,
  averages,
  topics: z.strictObject({ terms: count, documents: count, averages }).nullable(),
  /** In their own stored form; null if nothing was learnt. */
  categories: z.unknown(),
})

/** The constants of a ranking, apart from blobs. */
export type ConstantsContents = z.output<typeof contentsSchema>

export const TERMS_BLOB = 'topic-terms'
export const VECTORS_BLOB = 'topic-vectors'
const CATEGORIES_PREFIX = 'categories-'

export const categoriesBlob = (name: string): string => `${CATEGORIES_PREFIX}${name}`
export const categoryPartOf = (blob: string): string => blob.slice(CATEGORIES_PREFIX.length)

/** ARTIFACT_DAMAGED */
export function readConstants(contents: unknown): ConstantsContents {
  const { data } = contentsSchema.safeParse(contents)
  const fits = (one: readonly number[]) => one.length === data?.form.interpretedFields.length
  if (data && fits(data.averages) && (!data.topics || fits(data.topics.averages))) return data
  throw artifactDamaged('its contents cannot be read')
}

/** The terms of topics as a blob. */
export const termsBlob = (terms: readonly string[]): Uint8Array => Buffer.from(JSON.stringify(terms))

/** ARTIFACT_DAMAGED if the blobs contradict the contents. */
export function readTopics(
  shape: NonNullable<ConstantsContents['topics']>,
  blobs: ReadonlyMap<string, Uint8Array>,
): NamedTopics {
  const [terms, body] = [blobs.get(TERMS_BLOB), blobs.get(VECTORS_BLOB)]
  const { data } = z
    .array(z.string())
    .length(shape.terms)
    .safeParse(terms && parsed(terms))
  if (!data || body?.byteLength !== namedTopicBytes(shape)) throw artifactDamaged('its topics cannot be read')
  return { shape, terms: data, body }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch {
    return undefined
  }
}

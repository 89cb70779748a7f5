import * as z from 'zod'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import { givenId } from '../datasets/schema/search-settings.ts'
import { readDocuments } from '../datasets/stored-documents.ts'
import { vectorIn } from '../datasets/vector-values.ts'
import type { VisibleFields } from '../datasets/visible-fields.ts'
import { type DocumentsContext, notFound } from '../datasets/writes.ts'
import type { FindlingError } from '../errors.ts'
import { invalid, problem } from '../input.ts'
import type { JsonObject } from '../json.ts'
import { didYouMean } from '../nearest-name.ts'
import type { Predicate } from '../query/predicate.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { inStretches } from '../scheduling/stretch.ts'
import type { DocumentVectors, FieldVectors } from '../vectors/dataset/document-vectors.ts'
import { type Direction, directionOf } from '../vectors/model/direction.ts'
import { MOST_DIMENSIONS } from '../vectors/model/kernel.ts'

/** A vector to find documents by: numbers, or those of a document. */
export type VectorOptions = {
  /** The field to compare, one of the setting `vectors`. Default: the only one. */
  field?: string
  /** Maximum number of documents that the vector finds, 1 to 1,000. Default 100. */
  nearest?: number
  /** Minimum similarity (cosine, -1 to 1) of the documents that the vector finds. Default: none. */
  least?: number
  /**
   * With a text: the share of the vector in the score, 0 to 1; the text has the rest. A document without a vector is scored by
   * its text alone. Default .3.
   */
  ratio?: number
} & (
  | {
      /** As many numbers as the field has dimensions, not all 0. Their length does not matter, only their direction. */
      value: readonly number[] | Float32Array | Float64Array
      like?: undefined
    }
  | {
      /** The id of a document, whose vector is taken. That document is not found. With `visible`, it has to be visible. */
      like: string | number
      value?: undefined
    }
)

const mostNearest = 1000

/**
 * Typed arrays as lists, of which no more is read than shows that they are too long; other values as they are, except
 * promises, for which zod would wait, and which it refuses as any other object.
 */
function listed(value: unknown): unknown {
  if (value instanceof Float32Array || value instanceof Float64Array)
    return Array.from(value.subarray(0, MOST_DIMENSIONS + 1))
  return value instanceof Promise ? {} : value
}

export const vectorOptions = z.strictObject({
  field: z.string().optional(),
  value: z.preprocess(listed, z.array(z.number()).min(1).max(MOST_DIMENSIONS).optional()),
  like: givenId.optional(),
  nearest: z.int().min(1).max(mostNearest).default(100),
  least: z.number().min(-1).max(1).default(-1),
  ratio: z.number().min(0).max(1).default(0.3),
})

interface Asked {
  readonly field: string
  readonly dimensions: number
  readonly nearest: number
  readonly least: number
  readonly ratio: number
}

/** A vector to compare with those of a field. */
export interface VectorQuery extends Asked {
  readonly direction: Direction
}

/** A vector as requested: itself, or the document that has it. */
export type VectorRequest = VectorQuery | (Asked & { readonly like: string })

/** @throws FindlingError INVALID_ARGUMENT */
export function readVector(
  { field: given, value, like, nearest, least, ratio }: z.output<typeof vectorOptions>,
  { vectors = {} }: Pick<DatasetSettings, 'vectors'>,
  visible: VisibleFields | undefined,
): VectorRequest {
  const names = Object.keys(vectors).filter(name => !visible || visible.has(name))
  if (names.length === 0)
    throw refused('', value ?? like, 'none: the dataset has no fields with vectors (see its setting vectors)')
  const field = given ?? (names.length === 1 ? names[0]! : undefined)
  if (field === undefined || !names.includes(field))
    throw refused('.field', given, `one of ${names.join(', ')}${didYouMean(given ?? '', names)}`)
  const { dimensions } = vectors[field]!
  const asked = { field, dimensions, nearest, least, ratio }
  if (like !== undefined && value === undefined) return { ...asked, like }
  if (like !== undefined) throw refused('.like', like, 'none with a value')
  if (value?.length !== dimensions)
    throw refused(
      '.value',
      value,
      `a list of ${dimensions} numbers${value ? '' : ', or the id of a document in like'}`,
    )
  const direction = directionOf(value)
  if (!direction)
    throw invalid('INVALID_ARGUMENT', 'options', [
      { field: 'vector.value', received: 'a list of zeros', expected: 'one number other than 0' },
    ])
  return { ...asked, direction }
}

const refused = (member: string, received: unknown, expected: string): FindlingError =>
  invalid('INVALID_ARGUMENT', 'options', [problem(`vector${member}`, received, expected)])

/**
 * With the vector of the document that was named, as it is stored now.
 * @throws FindlingError DOCUMENT_NOT_FOUND; INVALID_ARGUMENT where it has none
 */
export async function vectorOf(
  { like, ...asked }: VectorRequest & { readonly like: string },
  documents: DocumentsContext,
  { visible, deadline }: { readonly visible: Predicate | undefined; readonly deadline: Deadline | undefined },
): Promise<VectorQuery> {
  const [stored] = await readDocuments(documents, [like])
  const isVisible = async (document: JsonObject) =>
    !visible || (await inStretches(visible.deciding(document), deadline, documents.store.turn))
  if (!stored || !(await isVisible(stored))) throw notFound(documents.state, like, 'vector.like')
  const vector = vectorIn(stored, asked.field, asked.dimensions)
  const direction = vector && directionOf(vector)
  if (direction) return { ...asked, direction }
  throw refused('.like', like, `the id of a document that has a vector in ${asked.field}`)
}

/**
 * The vectors to compare, unless the settings have changed since the request was read.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function vectorsFor({ field, dimensions }: VectorQuery, vectors: DocumentVectors): FieldVectors {
  const found = vectors.field(field)
  if (found?.list.dimensions === dimensions) return found
  throw refused('.field', field, `a field with vectors of ${dimensions} dimensions`)
}

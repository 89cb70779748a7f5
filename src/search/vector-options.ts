import * as z from 'zod'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { VisibleFields } from '../datasets/visible-fields.ts'
import { invalid, problem } from '../input.ts'
import { didYouMean } from '../nearest-name.ts'
import type { DocumentVectors, FieldVectors } from '../vectors/dataset/document-vectors.ts'
import { type Direction, directionOf } from '../vectors/model/direction.ts'
import { MOST_DIMENSIONS } from '../vectors/model/kernel.ts'

/** A vector to find documents by. */
export interface VectorOptions {
  /** The field to compare, one of the setting `vectors`. Default: the only one. */
  field?: string
  /** As many numbers as the field has dimensions, not all 0. Their length does not matter, only their direction. */
  value: readonly number[] | Float32Array | Float64Array
  /** Maximum number of documents that the vector finds, 1 to 1,000. Default 100. */
  nearest?: number
  /** The least similarity (cosine, -1 to 1) of documents that the vector finds. Default: none. */
  least?: number
  /**
   * With a text: how much the vector counts in the score, 0 to 1, and the text the rest. A document without a vector is scored by
   * its text alone. Default .3.
   */
  ratio?: number
}

const mostNearest = 1000

/** Typed arrays as lists, of which no more is read than shows that they are too long; other values as they are. */
const listed = (value: unknown): unknown =>
  value instanceof Float32Array || value instanceof Float64Array
    ? Array.from(value.subarray(0, MOST_DIMENSIONS + 1))
    : value

export const vectorOptions = z.strictObject({
  field: z.string().optional(),
  value: z.preprocess(listed, z.array(z.number()).min(1).max(MOST_DIMENSIONS)),
  nearest: z.int().min(1).max(mostNearest).default(100),
  least: z.number().min(-1).max(1).default(-1),
  ratio: z.number().min(0).max(1).default(0.3),
})

/** A vector as requested, of a field of the dataset. */
export interface VectorRequest {
  readonly field: string
  readonly dimensions: number
  readonly direction: Direction
  readonly nearest: number
  readonly least: number
  readonly ratio: number
}

/** @throws FindlingError INVALID_ARGUMENT */
export function readVector(
  { field: given, value, nearest, least, ratio }: z.output<typeof vectorOptions>,
  { vectors = {} }: Pick<DatasetSettings, 'vectors'>,
  visible: VisibleFields | undefined,
): VectorRequest {
  const refuse = (member: string, received: unknown, expected: string) =>
    invalid('INVALID_ARGUMENT', 'options', [problem(`vector${member}`, received, expected)])
  const names = Object.keys(vectors).filter(name => !visible || visible.has(name))
  if (names.length === 0)
    throw refuse('', value, 'none: the dataset has no fields with vectors (see its setting vectors)')
  const field = given ?? (names.length === 1 ? names[0]! : undefined)
  if (field === undefined || !names.includes(field))
    throw refuse('.field', given, `one of ${names.join(', ')}${didYouMean(given ?? '', names)}`)
  const { dimensions } = vectors[field]!
  if (value.length !== dimensions) throw refuse('.value', value, `a list of ${dimensions} numbers`)
  const direction = directionOf(value)
  if (!direction)
    throw invalid('INVALID_ARGUMENT', 'options', [
      { field: 'vector.value', received: 'a list of zeros', expected: 'one number other than 0' },
    ])
  return { field, dimensions, direction, nearest, least, ratio }
}

/**
 * The vectors to compare, unless the settings have changed since the request was read.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function vectorsFor({ field, dimensions }: VectorRequest, vectors: DocumentVectors): FieldVectors {
  const found = vectors.field(field)
  if (found?.list.dimensions === dimensions) return found
  throw invalid('INVALID_ARGUMENT', 'options', [
    problem('vector.field', field, `a field with vectors of ${dimensions} dimensions`),
  ])
}

import { fieldPath, invalid, problem } from '../input.ts'
import { type JsonObject, type JsonValue, valueAt } from '../json.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'

const isVector = (value: JsonValue | undefined, dimensions: number): value is number[] =>
  Array.isArray(value) && value.length === dimensions && value.every(one => typeof one === 'number')

const isZero = (vector: readonly number[]): boolean => vector.every(one => one === 0)

/** The vector of a document in a field; undefined where it has none of this length, or one of zeros. */
export function vectorIn(document: JsonObject, field: string, dimensions: number): number[] | undefined {
  const value = valueAt(document, field)
  return isVector(value, dimensions) && !isZero(value) ? value : undefined
}

/**
 * Checks the vectors of a document or patch.
 * @throws FindlingError INVALID_DOCUMENT
 */
export function compileVectors({ vectors = {} }: DatasetSettings): (document: JsonObject) => void {
  const fields = Object.entries(vectors)
  return document => {
    for (const [field, { dimensions }] of fields) checkVector(valueAt(document, field), field, dimensions)
  }
}

function checkVector(value: JsonValue | undefined, field: string, dimensions: number): void {
  if (value === undefined || value === null) return
  const refuse = (at: string, received: JsonValue | undefined, expected: string) =>
    invalid('INVALID_DOCUMENT', 'document', [problem(at, received, expected)])
  if (!Array.isArray(value) || value.length !== dimensions)
    throw refuse(field, value, `null, or a list of ${dimensions} numbers`)
  const other = value.findIndex(one => typeof one !== 'number')
  if (other >= 0) throw refuse(fieldPath([other], field), value[other], 'a number')
  // All are numbers, as was just checked.
  if (isZero(value as number[]))
    throw invalid('INVALID_DOCUMENT', 'document', [
      { field, received: 'a list of zeros', expected: 'null, or one number other than 0' },
    ])
}

import type { DatasetSettings } from '../../datasets/schema/dataset-settings.ts'
import { vectorIn } from '../../datasets/vector-values.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Scalar } from './field-profiler.ts'

/** The values of one field of one document. */
export interface FieldValues {
  readonly values: Scalar[]
  /** Whether the path leads to a list or through one. */
  isInList: boolean
  /** Whether it is a vector, whose numbers say nothing by themselves and are no values. */
  readonly isVector?: boolean
}

/** Maximum number of values examined in a document, and maximum depth. */
const MOST_VALUES = 20_000
const DEEPEST = 32

/**
 * The values of a document by dotted path; dots in field names are not escaped.
 * @param vectors the dataset's setting
 */
export function valuesByField(
  document: JsonObject,
  vectors: DatasetSettings['vectors'] = {},
): Map<string, FieldValues> {
  const fields = new Map<string, FieldValues>()
  let left = MOST_VALUES
  const take = (value: JsonValue, path: string, isInList: boolean, depth: number): void => {
    if (left <= 0 || depth > DEEPEST) return
    const vector =
      Array.isArray(value) && !isInList && Object.hasOwn(vectors, path) ? vectors[path] : undefined
    if (vector && vectorIn(document, path, vector.dimensions))
      fields.set(path, { values: [], isInList: true, isVector: true })
    else if (Array.isArray(value)) for (const one of value) take(one, path, true, depth + 1)
    else if (isJsonObject(value))
      for (const name of Object.keys(value)) take(value[name]!, `${path}.${name}`, isInList, depth + 1)
    else {
      left--
      const known = fields.get(path)
      if (known) {
        known.values.push(value)
        known.isInList ||= isInList
      } else fields.set(path, { values: [value], isInList })
    }
  }
  for (const name of Object.keys(document)) take(document[name]!, name, false, 1)
  return fields
}

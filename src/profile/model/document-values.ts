import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { Scalar } from './field-profiler.ts'

/** The values of one field of one document. */
export interface FieldValues {
  readonly values: Scalar[]
  /** Whether there is a list there, or on the way. */
  isInList: boolean
}

/** Values of a document that are looked at, and how deep. */
const MOST_VALUES = 20_000
const DEEPEST = 32

/** What a document has at each dotted path; names with a dot in them are as they are. */
export function valuesByField(document: JsonObject): Map<string, FieldValues> {
  const fields = new Map<string, FieldValues>()
  let left = MOST_VALUES
  const take = (value: JsonValue, path: string, isInList: boolean, depth: number): void => {
    if (left <= 0 || depth > DEEPEST) return
    if (Array.isArray(value)) for (const one of value) take(one, path, true, depth + 1)
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

import { type JsonObject, type JsonValue, valueAt } from '../json.ts'
import { compileDateFormat, defaultDateFormat } from './schema/dates.ts'
import { type FieldSchema, fieldAt } from './schema/schema.ts'
import type { DatasetSettings } from './settings.ts'

/** The numbers of a document that weigh in its rank, one per signal in their order; NaN where it has none. */
export type SignalReader = (document: Readonly<JsonObject>) => number[]

type ValueReader = (value: JsonValue) => number | undefined

/**
 * Compiles the reading of signals. Times are milliseconds since 1970, or text in the format that the schema gives
 * the field, else an ISO date, without a zone taken as UTC. Of a list counts the first member that can be read.
 * @param root what sample or schema know
 */
export function compileSignals(
  { signals }: Pick<DatasetSettings, 'signals'>,
  root: FieldSchema,
): SignalReader {
  const readers = Object.entries(signals).map(([path, signal]) => ({
    path,
    read: 'pivot' in signal ? readNumber : timeReader(fieldAt(root, path)),
  }))
  return document => readers.map(({ path, read }) => firstOf(valueAt(document, path), read))
}

const readNumber: ValueReader = value => (typeof value === 'number' ? value : undefined)

function timeReader(field: FieldSchema | undefined): ValueReader {
  const parse = compileDateFormat((field?.items ?? field)?.format ?? defaultDateFormat)
  return value => (typeof value === 'number' || typeof value === 'string' ? parse(value) : undefined)
}

function firstOf(value: JsonValue | undefined, read: ValueReader): number {
  for (const one of Array.isArray(value) ? value : [value]) {
    const number = one === undefined ? undefined : read(one)
    if (number !== undefined) return number
  }
  return Number.NaN
}

import { ByteReader } from './byte-reader.ts'

/** The result of a manifest: the files that make up the database. */
export interface Version {
  /** Size by number. */
  readonly tables: ReadonlyMap<number, number>
  /** Logs with lower numbers no longer belong to it, except `previousLog`. */
  readonly log: number
  readonly previousLog: number
}

/** The version that results from the records of a manifest, each of which is a change. RangeError for a malformed record. */
export function versionOf(records: readonly Uint8Array[]): Version {
  const tables = new Map<number, number>()
  let [log, previousLog] = [0, 0]
  for (const record of records) {
    const reader = new ByteReader(record)
    while (!reader.isAtEnd) {
      const tag = reader.number()
      if (tag === COMPARATOR) reader.text()
      else if (tag === LOG) log = reader.number()
      else if (tag === PREVIOUS_LOG) previousLog = reader.number()
      else if (tag === NEXT_FILE || tag === LAST_SEQUENCE) reader.number()
      else if (tag === COMPACT_POINTER) {
        reader.number()
        reader.text()
      } else if (tag === DELETED_FILE) {
        reader.number()
        tables.delete(reader.number())
      } else if (tag === NEW_FILE) {
        reader.number()
        tables.set(reader.number(), reader.number())
        reader.text()
        reader.text()
      } else throw new RangeError(`a change of unknown kind ${tag}`)
    }
  }
  return { tables, log, previousLog }
}

const COMPARATOR = 1
const LOG = 2
const NEXT_FILE = 3
const LAST_SEQUENCE = 4
const COMPACT_POINTER = 5
const DELETED_FILE = 6
const NEW_FILE = 7
const PREVIOUS_LOG = 9

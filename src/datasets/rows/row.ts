import { FindlingError } from '../../errors.ts'
import { BYTES_AT_ONCE, readJson } from '../../json-pieces.ts'
import { parseJson } from '../../json-text.ts'

export interface Row {
  /** Where the row begins: the line of the text, or the number of the object; from 1. */
  readonly line: number
  readonly value?: unknown
  /** Why there is no value: INVALID_ROW. */
  readonly error?: FindlingError
  /** Bytes of the text up to the end of this row; 0 for objects. */
  readonly bytesRead: number
}

/** What turns a text into rows, fed with its bytes in pieces of any size. */
export interface RowParser {
  push(bytes: Buffer): Row[] | Promise<Row[]>
  end(): Row[] | Promise<Row[]>
}

/** Bytes; of a longer row nothing is kept. */
export const longestRow = 64 * 1024 * 1024

/** What the text of a row says, that of a long one read in short stretches; undefined for spaces. */
export function rowValue(bytes: Buffer): unknown {
  if (bytes.length > BYTES_AT_ONCE) return readJson([bytes])
  const text = bytes.toString()
  return text.trim() === '' ? undefined : parseJson(text)
}

export function invalidRow(line: number, problem: string, cause?: unknown): FindlingError {
  return new FindlingError('INVALID_ROW', `line ${line} ${problem}`, { line }, cause)
}

import { grown } from '../../../arrays/grow.ts'
import { atOnce } from '../../../scheduling/at-once.ts'
import {
  type AddedValue,
  type ColumnName,
  Columns,
  type ColumnValue,
  type ColumnValues,
  keyOf,
  LONGEST_NAME,
  MOST_COLUMNS,
  type ValuesOfColumn,
  writeColumns,
} from './columns.ts'
import { areFew, joinColumn, mergeColumns } from './join.ts'
import { columnKinds } from './kinds.ts'
import type { GrowingValues } from './values.ts'

/** The values of documents that arrive one after another, until they are made into columns. */
export class ColumnRows {
  readonly #named: readonly ColumnName[]
  #rows: ColumnRow[] = []
  /** Two levels, so that no key has to be built for each value of each document. */
  readonly #byName = new Map<ColumnName['kind'], Map<string, ColumnRow>>()
  #isCut = false
  #valueBytes = 0

  /** @param named columns that exist in any case, at most `MOST_COLUMNS` */
  constructor(named: readonly ColumnName[] = []) {
    this.#named = named
    this.clear()
  }

  get bytes(): number {
    return this.#rows.reduce((sum, row) => sum + row.bytes, 0)
  }

  /** Bytes that they take as columns, without names. */
  get valueBytes(): number {
    return this.#valueBytes
  }

  /**
   * Adds the values of a document, whose number must not be lower than earlier ones.
   * @param isCut whether it may have further values
   */
  take(document: number, values: readonly AddedValue[], isCut = false): void {
    if (isCut) this.#isCut = true
    for (const one of values) {
      const row = this.#rowOf(one)
      if (!row) continue
      this.#valueBytes -= row.valueBytes
      row.push(document, one.value)
      this.#valueBytes += row.valueBytes
    }
  }

  /** Makes columns, of many documents one by one. @param becomes by document: its new number, ascending, or -1 */
  *writing(becomes: Int32Array, size: number): Generator<void, Columns> {
    const rows = this.#rows.filter((row, place) => place < this.#named.length || row.isIn(becomes))
    // Of all that were added, those that are left.
    const valueBytes = Math.ceil((this.valueBytes * size) / Math.max(1, becomes.length))
    if (areFew(size, valueBytes))
      return mergeColumns([{ columns: new RowValues(rows, this.#isCut, valueBytes), becomes }], size)
    const columns = []
    for (const row of rows) {
      columns.push(joinColumn(row, size, [{ ...row.parts(), becomes }]))
      yield
    }
    return new Columns(writeColumns(size, this.#isCut, columns))
  }

  clear(): void {
    this.#rows = []
    this.#byName.clear()
    this.#isCut = false
    this.#valueBytes = 0
    for (const column of this.#named) this.#rowOf(column)
  }

  #rowOf({ name, kind }: ColumnName): ColumnRow | undefined {
    if (name.length > LONGEST_NAME) {
      this.#isCut = true
      return undefined
    }
    let rows = this.#byName.get(kind)
    if (!rows) {
      rows = new Map()
      this.#byName.set(kind, rows)
    }
    return rows.get(name) ?? this.#add({ name, kind }, rows)
  }

  #add(column: ColumnName, rows: Map<string, ColumnRow>): ColumnRow | undefined {
    if (this.#rows.length === MOST_COLUMNS) {
      this.#isCut = true
      return undefined
    }
    const row = new ColumnRow(column)
    this.#rows.push(row)
    rows.set(column.name, row)
    return row
  }
}

/** The columns of documents that are all given. */
export function columnsOf(documents: readonly (readonly ColumnValue[])[]): Columns {
  const rows = new ColumnRows()
  for (const [document, values] of documents.entries()) rows.take(document, values)
  return atOnce(rows.writing(Int32Array.from(documents.keys()), documents.length))
}

/** Rows to which nothing is added any more. */
class RowValues implements ColumnValues {
  readonly names: readonly ColumnRow[]
  readonly isCut: boolean
  readonly valueBytes: number
  #byKey: ReadonlyMap<string, ColumnRow> | undefined

  constructor(rows: readonly ColumnRow[], isCut: boolean, valueBytes: number) {
    this.names = rows
    this.isCut = isCut
    this.valueBytes = valueBytes
  }

  get bytes(): number {
    return this.names.reduce((sum, row) => sum + row.bytes, 0)
  }

  has(column: ColumnName): boolean {
    return this.#find(column) !== undefined
  }

  values(column: ColumnName): ValuesOfColumn | undefined {
    return this.#find(column)?.parts()
  }

  #find({ name, kind }: ColumnName): ColumnRow | undefined {
    this.#byKey ??= new Map(this.names.map(row => [keyOf(row.name, row.kind), row]))
    return this.#byKey.get(keyOf(name, kind))
  }
}

class ColumnRow implements ColumnName {
  readonly name: string
  readonly kind: ColumnName['kind']
  readonly #values: GrowingValues
  #documents = new Uint32Array(16)
  #size = 0
  readonly #cut: number[] = []

  constructor({ name, kind }: ColumnName) {
    this.name = name
    this.kind = kind
    this.#values = columnKinds[kind].growing()
  }

  get bytes(): number {
    return this.#values.bytes + this.#documents.byteLength + 8 * this.#cut.length
  }

  /** Bytes of the values and of their documents in a column. */
  get valueBytes(): number {
    return this.#values.valueBytes + 2 * (this.#size + this.#cut.length)
  }

  push(document: number, value: number | string | null): void {
    if (value === null || !this.#values.push(value)) {
      this.#cut.push(document)
      return
    }
    this.#documents = grown(this.#documents, this.#size + 1)
    this.#documents[this.#size++] = document
  }

  /** Whether one of its documents is kept. */
  isIn(becomes: Int32Array): boolean {
    for (let i = 0; i < this.#size; i++) if (becomes[this.#documents[i]!]! >= 0) return true
    return this.#cut.some(document => becomes[document]! >= 0)
  }

  parts(): ValuesOfColumn {
    const documents = this.#documents.subarray(0, this.#size)
    return { documents, cut: this.#cut, arrays: this.#values.arrays() }
  }
}

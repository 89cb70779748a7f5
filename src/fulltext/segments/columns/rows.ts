import { grown } from '../../../arrays/grow.ts'
import { atOnce } from '../../../scheduling/at-once.ts'
import {
  type ColumnName,
  Columns,
  type ColumnValue,
  type ColumnValues,
  keyOf,
  MOST_COLUMNS,
  type ValuesOfColumn,
  writeColumns,
} from './columns.ts'
import { areFew, joinColumn, mergeColumns } from './join.ts'
import { columnKinds } from './kinds.ts'
import type { GrowingValues } from './values.ts'

/** Approximate bytes of a stored value, without its text, and of a column's place in the directory. */
const [VALUE_BYTES, COLUMN_BYTES] = [10, 100]

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

  /** Bytes that they will take as columns, approximately. */
  get valueBytes(): number {
    return this.#valueBytes
  }

  /** Adds the values of a document, whose number must not be lower than earlier ones. */
  take(document: number, values: readonly ColumnValue[]): void {
    for (const one of values) {
      const { value } = one
      if (!this.#rowOf(one)?.push(document, value)) continue
      this.#valueBytes += VALUE_BYTES + (typeof value === 'string' ? value.length : 0)
    }
  }

  /** Makes columns, of many documents one by one. @param becomes by document: its new number, ascending, or -1 */
  *writing(becomes: Int32Array, size: number): Generator<void, Columns> {
    const rows = this.#rows.filter((row, place) => place < this.#named.length || row.isIn(becomes))
    if (areFew(size, this.valueBytes))
      return mergeColumns([{ columns: new RowValues(rows, this.#isCut, this.valueBytes), becomes }], size)
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
    this.#valueBytes += COLUMN_BYTES
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

  /** False if the value is too long. */
  push(document: number, value: number | string): boolean {
    if (!this.#values.push(value)) {
      this.#cut.push(document)
      return false
    }
    this.#documents = grown(this.#documents, this.#size + 1)
    this.#documents[this.#size++] = document
    return true
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

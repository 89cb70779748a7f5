import { atOnce } from '../../../at-once.ts'
import { grown } from '../../grow.ts'
import { type ColumnName, type Columns, type ColumnValue, MOST_COLUMNS, writeColumns } from './columns.ts'
import { joinColumn } from './join.ts'
import { columnKinds } from './kinds.ts'
import type { GrowingValues } from './values.ts'

/** The values of documents that come one after the other, until they are made columns. */
export class ColumnRows {
  readonly #named: readonly ColumnName[]
  #rows: ColumnRow[] = []
  /** Asked for each value of each document: so that no key has to be put together. */
  readonly #byName = new Map<ColumnName['kind'], Map<string, ColumnRow>>()
  #isCut = false

  /** @param named columns that there are in any case, at most `MOST_COLUMNS` */
  constructor(named: readonly ColumnName[] = []) {
    this.#named = named
    this.clear()
  }

  get bytes(): number {
    return this.#rows.reduce((sum, row) => sum + row.bytes, 0)
  }

  /** Takes the values of a document, whose number is none below those before. */
  take(document: number, values: readonly ColumnValue[]): void {
    for (const value of values) this.#rowOf(value)?.push(document, value.value)
  }

  /** Makes columns of them, one by one. @param becomes by document: what it becomes, ascending, or -1 */
  *writing(becomes: Int32Array, size: number): Generator<void, Columns> {
    const columns = []
    for (const [place, row] of this.#rows.entries()) {
      const column = joinColumn(row, size, [{ ...row.parts(), becomes }])
      const isEmpty = column.documents?.length === 0 && column.cut.length === 0
      if (!isEmpty || place < this.#named.length) columns.push(column)
      yield
    }
    return writeColumns(size, this.#isCut, columns)
  }

  clear(): void {
    this.#rows = []
    this.#byName.clear()
    this.#isCut = false
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
    this.#rows.push(row)
    rows.set(column.name, row)
    return row
  }
}

/** The columns of documents that are all at hand. */
export function columnsOf(documents: readonly (readonly ColumnValue[])[]): Columns {
  const rows = new ColumnRows()
  for (const [document, values] of documents.entries()) rows.take(document, values)
  return atOnce(rows.writing(Int32Array.from(documents.keys()), documents.length))
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

  push(document: number, value: number | string): void {
    if (!this.#values.push(value)) {
      this.#cut.push(document)
      return
    }
    this.#documents = grown(this.#documents, this.#size + 1)
    this.#documents[this.#size++] = document
  }

  parts() {
    const documents = this.#documents.subarray(0, this.#size)
    return { documents, cut: this.#cut, arrays: this.#values.arrays() }
  }
}

import { describeValue } from '../../input.ts'
import type { FieldRoles } from '../content/field-roles.ts'
import type { DecimalSign } from '../content/number-text.ts'
import type { ColumnType } from './column-options.ts'

/** How a column of a table was read. */
export interface ImportedColumn {
  /** As the header names it. */
  column: string
  /** Dotted path of the field that it went to; null where it was left out. */
  field: string | null
  /** Null where its cells were read by what the dataset knows of the field. */
  type: ColumnType | null
  /** Of dates: their format. */
  format: string | null
  /** The sign before decimals, of numbers where it was given or could be told. */
  decimal: DecimalSign | null
}

/** Ambiguous cells of a column, which were not converted and stay text. */
export interface ImportDoubt {
  column: string
  /** The line of the first such cell. */
  line: number
  value: string
  /** Their number. */
  count: number
  problem: string
}

/** How a source was read: what was told by options, and what was found out. */
export interface ImportReading {
  /** Of text that came as bytes, as `utf-8` or `windows-1252`. */
  encoding: string | null
  /** Of a CSV. */
  delimiter: string | null
  /** Of a guess: which fields have which role, by their names in the source; null where none has it. */
  roles: FieldRoles | null
  /** The first 1,000 columns of a table. */
  columns: ImportedColumn[]
  /** The first 1,000 kinds, a column and a problem each. */
  doubts: ImportDoubt[]
}

const MOST_TOLD = 1000
const LONGEST_NAME = 200

/** Gathers how a source is read while that is done. */
export class Findings {
  encoding: string | null = null
  delimiter: string | null = null
  roles: FieldRoles | null = null
  #growth = 1
  readonly #columns: ImportedColumn[] = []
  readonly #doubts = new Map<string, ImportDoubt>()

  /** Tells what text is written in, and how many bytes of it have become how many of UTF-8. */
  read({ encoding, bytesIn, bytesOut }: { encoding: string; bytesIn: number; bytesOut: number }): void {
    this.encoding = encoding
    this.#growth = bytesOut / bytesIn
  }

  /** Bytes of the source that these bytes of the text came from. */
  sourceBytes(bytes: number): number {
    return Math.round(bytes / this.#growth)
  }

  column(column: ImportedColumn): void {
    if (this.#columns.length === MOST_TOLD) return
    const field = column.field && cut(column.field)
    this.#columns.push({ ...column, column: cut(column.column), field })
  }

  doubt(column: string, line: number, value: string, problem: string): void {
    const key = `${problem}\n${column}`
    const known = this.#doubts.get(key)
    if (known) known.count++
    else if (this.#doubts.size < MOST_TOLD)
      this.#doubts.set(key, { column: cut(column), line, value: describeValue(value), count: 1, problem })
  }

  get reading(): ImportReading {
    const { encoding, delimiter, roles } = this
    return { encoding, delimiter, roles, columns: [...this.#columns], doubts: [...this.#doubts.values()] }
  }
}

const cut = (name: string): string => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name)

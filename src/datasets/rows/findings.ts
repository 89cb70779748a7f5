import { describeValue } from '../../input.ts'
import type { FieldRoles } from '../content/field-roles.ts'
import type { DecimalSign } from '../content/number-text.ts'
import type { ColumnType } from './column-options.ts'

/** How a column of a table was read. */
export interface ImportedColumn {
  /** Its name in the header. */
  column: string
  /** Dotted path of the target field; null if the column was ignored. */
  field: string | null
  /** Null if its cells were read according to the dataset's schema. */
  type: ColumnType | null
  /** For dates: their format. */
  format: string | null
  /** For numbers: the decimal separator, if it was given or could be detected. */
  decimal: DecimalSign | null
}

/** Ambiguous cells of a column, which were not converted. */
export interface ImportDoubt {
  column: string
  /** The line of the first such cell. */
  line: number
  value: string
  /** Their number. */
  count: number
  problem: string
}

/** How a source was read: what options specified, and what was detected. */
export interface ImportReading {
  /** For text that came as bytes, such as `utf-8` or `windows-1252`. */
  encoding: string | null
  /** For a CSV. */
  delimiter: string | null
  /** With `guess`: which field, by its name in the source, has which role; null for a role that no field has. */
  roles: FieldRoles | null
  /** The first 1,000 columns of a table. */
  columns: ImportedColumn[]
  /** The first 1,000 kinds of doubt, one per column and problem. */
  doubts: ImportDoubt[]
}

const MOST_TOLD = 1000
const LONGEST_NAME = 200

/** Records how a source is read, while it is read. */
export class Findings {
  encoding: string | null = null
  delimiter: string | null = null
  roles: FieldRoles | null = null
  #growth = 1
  readonly #columns: ImportedColumn[] = []
  readonly #doubts = new Map<string, ImportDoubt>()

  /** Records the encoding of the text, and how many of its bytes have become how many bytes of UTF-8. */
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

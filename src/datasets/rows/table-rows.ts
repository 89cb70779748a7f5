import { describeValue } from '../../input.ts'
import { DecimalEvidence, type DecimalSign } from '../content/number-text.ts'
import { isNumberType } from '../schema/schema.ts'
import { type CheckedColumns, mostColumns } from './column-options.ts'
import { cellReader, type KnownFields, knownField } from './csv-cells.ts'
import type { Findings } from './findings.ts'
import { invalidRow, type Row } from './row.ts'
import { type TableColumn, tableColumns } from './table-columns.ts'
import {
  type Cell,
  type CellTyping,
  GuessedTyping,
  NumberTyping,
  type ReadCell,
  typingOf,
} from './typed-cells.ts'

export interface TableOptions {
  /** How columns are read, by their names. */
  readonly columns?: CheckedColumns | undefined
  /** The decimal separator. */
  readonly decimal?: DecimalSign | undefined
  /** Replaces all knowledge of types, except for those in `columns`. */
  readonly convert?: ((field: string, text: string) => unknown) | undefined
  /** For plain columns: without it their cells are texts. */
  readonly known?: KnownFields | undefined
  /** Whether unspecified types of columns are detected from their cells; empty cells are then no values. */
  readonly guess?: boolean | undefined
  /** Whether it comes from a spreadsheet. */
  readonly isSheet?: boolean
  /** Records how the table is read. */
  readonly findings: Findings
}

interface Placed {
  readonly name: string
  readonly path: readonly string[]
  readonly read: ReadCell
}

interface CellsOfRow {
  readonly cells: readonly Cell[]
  readonly line: number
  readonly bytesRead: number
}

/** Rows that are examined before the first is converted, and their maximum size in characters and cells. */
const headRows = 1000
const headWeight = 2 ** 21
/** Cells of a row that are converted, or examined, at a time. */
const cellsAtOnce = 256

/**
 * Turns the cells of a table into objects. The first row names the columns: dots lead into objects, and a type follows a colon.
 * If it has to be detected how a column is read, the first rows are kept until that is known.
 */
export class TableRows {
  readonly #options: TableOptions
  #names: readonly string[] = []
  #columns: (TableColumn | undefined)[] | undefined
  #typings: (CellTyping | undefined)[] = []
  /** Undefined for an ignored column. */
  #placed: (Placed | undefined)[] | undefined
  #head: (Row | CellsOfRow)[] = []
  #weight = 0

  constructor(options: TableOptions) {
    this.#options = options
  }

  /** How many columns there are; undefined before the header. */
  get width(): number | undefined {
    return this.#columns?.length
  }

  /** @throws FindlingError INVALID_ROW, INVALID_ARGUMENT */
  *header(names: readonly string[], line: number): Generator<void, void> {
    if (names.length > mostColumns) throw invalidRow(line, `is not valid CSV: ${tooManyColumns}`)
    const columns = yield* tableColumns(names, line, this.#options)
    for (const column of columns) {
      this.#typings.push(column && this.#typingOf(column))
      yield
    }
    this.#columns = columns
    this.#names = names
    if (!this.#typings.some(typing => typing?.looks)) yield* this.#settle()
  }

  *take(cells: readonly Cell[], line: number, bytesRead: number): Generator<void, Row[]> {
    const row = { cells, line, bytesRead }
    if (this.#placed) return [yield* this.#rowOf(row)]
    this.#weight += cells.length + cells.reduce<number>((sum, cell) => sum + lengthOf(cell), 0)
    return yield* this.#keep(row)
  }

  /** Takes a row, valid or unreadable, as it is. */
  *pass(row: Row): Generator<void, Row[]> {
    return this.#placed ? [row] : yield* this.#keep(row)
  }

  *end(): Generator<void, Row[]> {
    return this.#columns && !this.#placed ? yield* this.#readHead() : []
  }

  *#keep(row: Row | CellsOfRow): Generator<void, Row[]> {
    this.#head.push(row)
    const isEnough = this.#head.length >= headRows || this.#weight >= headWeight
    return isEnough ? yield* this.#readHead() : []
  }

  *#readHead(): Generator<void, Row[]> {
    yield* this.#settle()
    const rows: Row[] = []
    for (const row of this.#head.splice(0)) {
      rows.push('cells' in row ? yield* this.#rowOf(row) : row)
      yield
    }
    return rows
  }

  /** What has to be detected about a column; undefined if its cells are read one by one. */
  #typingOf({ name, path, exact, given }: TableColumn): CellTyping | undefined {
    const { decimal, convert, known, guess, isSheet = false, findings } = this.#options
    const tell = (line: number, text: string, problem: string) => findings.doubt(name, line, text, problem)
    const type = known && knownField(known, path)?.type
    const numbers = { decimal, tell, areOfSheet: isSheet, isKnown: type !== undefined && isNumberType(type) }
    if (given) return typingOf(given, numbers)
    if (exact || convert) return undefined
    if (guess && (type === undefined || type === 'any'))
      return new GuessedTyping(name, numbers, cellReader({ path, type: undefined }, known))
    if (!numbers.isKnown) return undefined
    return new NumberTyping({ ...numbers, otherwise: cellReader({ path, type: undefined }, known) })
  }

  *#settle(): Generator<void, void> {
    const everywhere = new DecimalEvidence()
    for (const row of this.#head) {
      if (!('cells' in row)) continue
      for (const [place, typing] of this.#typings.entries()) {
        const cell = row.cells[place]
        if (cell !== undefined) typing?.add(cell)
        if (place % cellsAtOnce === 0) yield
      }
    }
    for (const typing of this.#typings) if (typing?.evidence) everywhere.addAll(typing.evidence)
    const placed: (Placed | undefined)[] = []
    for (const [place, column] of this.#columns!.entries()) {
      if (column) placed.push(this.#place(column, this.#typings[place], everywhere.decimal))
      else placed.push(this.#leaveOut(this.#names[place]!))
      yield
    }
    this.#placed = placed
    this.#typings = []
  }

  #leaveOut(column: string): undefined {
    const nothing = { field: null, type: null, format: null, decimal: null }
    if (column !== '') this.#options.findings.column({ column, ...nothing })
  }

  #place(column: TableColumn, typing: CellTyping | undefined, elsewhere: DecimalSign | undefined): Placed {
    const { name, path, exact, given } = column
    const { convert, known, findings } = this.#options
    const settled = typing?.settle(elsewhere)
    const type = given?.type ?? settled?.type ?? null
    findings.column({
      column: name,
      field: path.join('.'),
      type,
      format: settled?.format ?? null,
      decimal: settled?.decimal ?? null,
    })
    if (settled) return { name, path, read: settled.read }
    if (convert) {
      const field = column.isMapped ? path.join('.') : name
      return { name, path, read: cell => convert(field, String(cell)) }
    }
    const read = cellReader({ path, type: exact }, known)
    const isText = known && knownField(known, path)?.type === 'string'
    return { name, path, read: cell => (typeof cell === 'string' || isText ? read(String(cell)) : cell) }
  }

  *#rowOf({ cells, line, bytesRead }: CellsOfRow): Generator<void, Row> {
    const columns = this.#placed!
    const refuse = (problem: string, cause?: unknown): Row => ({
      line,
      bytesRead,
      error: invalidRow(line, problem, cause),
    })
    if (cells.length !== columns.length)
      return refuse(`has ${cells.length} values for ${columns.length} columns`)
    const value: Record<string, unknown> = {}
    for (const [place, column] of columns.entries()) {
      if (place % cellsAtOnce === cellsAtOnce - 1) yield
      if (!column) continue
      try {
        const read = column.read(cells[place]!, line)
        if (read !== undefined) putAt(value, column.path, read)
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause)
        return refuse(`has an invalid value for ${describeValue(column.name)}: ${reason}`, cause)
      }
    }
    return { line, bytesRead, value }
  }
}

const lengthOf = (cell: Cell): number => (typeof cell === 'string' ? cell.length : 8)

export const tooManyColumns = `the header has more than ${mostColumns} columns; split the file into several with fewer columns`

function putAt(row: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inside = row
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(inside, name)) put(inside, name, {})
    const next = inside[name]
    if (typeof next !== 'object' || next === null || Array.isArray(next)) throw bothAtOnce
    inside = next as Record<string, unknown>
  }
  const leaf = path.at(-1)! // no path is empty
  if (Object.hasOwn(inside, leaf)) throw bothAtOnce
  put(inside, leaf, value)
}

const bothAtOnce = new Error('the row has it both as a value and as an object')

/** Assigning to `__proto__` would change the prototype instead. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

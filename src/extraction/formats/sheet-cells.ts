import { FindlingError } from '../../errors.ts'
import { describeValue } from '../../input.ts'
import { type Budget, limitError } from '../reader/budget.ts'

/** A cell as a spreadsheet has it; dates are ISO 8601. */
export type SheetCell = string | number | boolean

/** The limits of spreadsheet programs for columns, and for rows, which also limits how often a row is repeated. */
const mostColumns = 16_384
const mostRepeated = 1_048_576

/**
 * The rows of a sheet as lines of JSON, `[5,["p1",12.5,""]]`: the number of the row and its cells, up to the last that is
 * not empty.
 */
export class SheetRows {
  readonly #budget: Budget
  readonly #lines: string[] = []
  #cells: SheetCell[] = []

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** @param column from 0 */
  put(column: number, cell: SheetCell): void {
    if (column >= mostColumns) throw limitError('columns', `has a cell beyond ${mostColumns} columns`)
    while (this.#cells.length < column) this.#cells.push('')
    this.#cells[column] = cell
  }

  /**
   * Ends a row.
   * @param times number of repetitions of the row
   */
  end(row: number, times = 1): void {
    const cells = this.#cells
    this.#cells = []
    if (cells.every(cell => cell === '')) return
    for (let i = 0; i < Math.min(times, mostRepeated); i++) {
      const line = `${JSON.stringify([row + i, cells])}\n`
      this.#budget.takeText(line.length)
      this.#lines.push(line)
    }
  }

  toString(): string {
    return this.#lines.join('')
  }
}

const mostNamed = 30

/**
 * The sheet with this name, or the first.
 * @throws FindlingError INVALID_ARGUMENT, which lists the existing sheets
 */
export function sheetNamed<S extends { readonly name: string }>(
  sheets: readonly S[],
  name: string | null,
): S {
  const found = name === null ? sheets[0] : sheets.find(sheet => sheet.name === name)
  if (found) return found
  const [received, more] = [
    name === null ? 'no sheet' : describeValue(name),
    sheets.length > mostNamed ? ', …' : '',
  ]
  const names = sheets
    .slice(0, mostNamed)
    .map(sheet => describeValue(sheet.name))
    .join(', ')
  const expected = `a sheet of the file: ${names}${more}`
  throw new FindlingError('INVALID_ARGUMENT', `sheet is ${received}; expected ${expected}`, {
    field: 'sheet',
    received,
    expected,
  })
}

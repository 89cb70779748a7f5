import { LARGEST, ROW_UNIT } from './kernel.ts'
import { lowLength } from './vector-rows.ts'

/** A vector without its length: whole numbers, zeros behind them, and what makes the length of these 1. */
export interface Direction {
  readonly row: Int16Array
  readonly scale: number
  /** Maximum error of its cosines with others, when its high bytes alone are compared. */
  readonly error: number
}

/** What rounding sums of float32 may add to an error. */
const ROUNDING = 1e-5

/** Length of a row. */
export const rowLength = (dimensions: number): number => Math.ceil(dimensions / ROW_UNIT) * ROW_UNIT

/** Undefined for a vector of zeros, which has none. @param values finite numbers */
export function directionOf(values: ArrayLike<number>): Direction | undefined {
  let largest = 0
  for (let i = 0; i < values.length; i++) largest = Math.max(largest, Math.abs(values[i]!))
  if (largest === 0) return undefined
  const row = new Int16Array(rowLength(values.length))
  let squares = 0
  for (let i = 0; i < values.length; i++) {
    // Divided first: the inverse of a subnormal number is infinite.
    const unit = Math.round((values[i]! / largest) * LARGEST)
    row[i] = unit
    squares += unit * unit
  }
  const scale = 1 / Math.sqrt(squares)
  return { row, scale, error: lowLength(row) * scale + ROUNDING }
}

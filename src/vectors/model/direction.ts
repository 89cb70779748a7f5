import { ROW_UNIT } from './kernel.ts'

/** The largest number of a row: the sum of two products of such numbers fits into 32 bits. */
const LARGEST = 32_767

/** A vector without its length: whole numbers, zeros behind them, and what makes the length of these 1. */
export interface Direction {
  readonly row: Int16Array
  readonly scale: number
}

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
  return { row, scale: 1 / Math.sqrt(squares) }
}

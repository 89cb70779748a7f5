import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LARGEST, MOST_DIMENSIONS, ROW_UNIT } from '../../../src/vectors/model/kernel.ts'
import {
  AssembledRows,
  BLOCK_ROWS,
  lowLength,
  newRows,
  PlainRows,
  type VectorRows,
} from '../../../src/vectors/model/vector-rows.ts'

const units = fc.oneof(
  fc.integer({ min: -LARGEST, max: LARGEST }),
  fc.constantFrom(-LARGEST, -128, -127, 0, 1, 127, 128, LARGEST),
)
const rowsOf = (length: number) =>
  fc.array(units, { minLength: length, maxLength: length }).map(numbers => Int16Array.from(numbers))

const dotOf = (one: Int16Array, other: Int16Array) => one.reduce((sum, unit, i) => sum + unit * other[i]!, 0)

describe.each<[string, (length: number) => VectorRows]>([
  ['of WebAssembly', length => AssembledRows.of(length)!],
  ['of JavaScript', length => new PlainRows(length)],
])('rows %s', (_, make) => {
  it('are compared as a plain sum compares them, whichever are replaced and however many are asked for', () => {
    const asked = fc.constantFrom(16, 32, 48, 400).chain(length =>
      fc.record({
        query: rowsOf(length),
        writes: fc.array(fc.tuple(fc.integer({ min: 0, max: 3 * BLOCK_ROWS - 1 }), rowsOf(length)), {
          maxLength: 9,
        }),
        from: fc.integer({ min: 0, max: 3 * BLOCK_ROWS - 1 }),
      }),
    )
    fc.assert(
      fc.property(asked, ({ query, writes, from }) => {
        const rows = make(query.length)
        for (let block = 0; block < 3; block++) expect(rows.add()).toBe(true)
        const model = Array.from({ length: 3 * BLOCK_ROWS }, () => new Int16Array(query.length))
        for (const [row, values] of writes) {
          rows.set(row, values)
          model[row] = values
        }
        const count = BLOCK_ROWS - (from % BLOCK_ROWS)
        const dots = rows.dots(query, from, count)
        for (let i = 0; i < count; i++)
          expect(Math.abs(dots[i]! - dotOf(query, model[from + i]!))).toBeLessThan(
            1e-6 * query.length * LARGEST ** 2,
          )
        const exact = Array.from({ length: count }, (_, i) => dotOf(query, model[from + i]!))
        const rough = rows.rough(query, from, count)
        for (let i = 0; i < count; i++)
          expect(Math.abs(rough[i]! - exact[i]!)).toBeLessThanOrEqual(
            Math.hypot(...query) * (lowLength(model[from + i]!) + 1e-6 * Math.hypot(...model[from + i]!)),
          )
      }),
      { numRuns: 40 },
    )
  })

  it('may be the longest, with the largest numbers', () => {
    const rows = make(MOST_DIMENSIONS)
    rows.add()
    for (let row = 0; row < BLOCK_ROWS; row++) rows.set(row, new Int16Array(MOST_DIMENSIONS).fill(LARGEST))
    const query = new Int16Array(MOST_DIMENSIONS).fill(-LARGEST)
    expect(MOST_DIMENSIONS % ROW_UNIT).toBe(0)
    const dots = [...rows.dots(query, 0, BLOCK_ROWS), ...rows.rough(query, 0, BLOCK_ROWS)]
    for (const dot of dots) expect(dot / (-MOST_DIMENSIONS * LARGEST ** 2)).toBeCloseTo(1, 5)
  })

  it('keep what they have while they grow', () => {
    const rows = make(16)
    for (let block = 0; block < 2000; block++) {
      expect(rows.add()).toBe(true)
      rows.set(block * BLOCK_ROWS, new Int16Array(16).fill(block))
    }
    const query = new Int16Array(16).fill(1)
    for (let block = 0; block < 2000; block++)
      expect(rows.dots(query, block * BLOCK_ROWS, 2)[0]).toBe(16 * block)
    expect(rows.bytes).toBeGreaterThanOrEqual(2000 * BLOCK_ROWS * 32)
    expect(rows.bytes).toBeLessThan(1.5 * 2000 * BLOCK_ROWS * 32 + 100_000)
  })
})

describe('rows', () => {
  it('are those of WebAssembly here', () => {
    expect(newRows(16)).toBeInstanceOf(AssembledRows)
  })
})

import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import wabt from 'wabt'
import {
  assembled,
  assembledDots,
  BLOCK_ROWS,
  MOST_DIMENSIONS,
  plainDots,
  ROW_UNIT,
} from '../../../src/vectors/model/kernel.ts'

const units = fc.oneof(fc.integer({ min: -32_767, max: 32_767 }), fc.constantFrom(-32_767, 0, 1, 32_767))
const rows = (count: number, length: number) =>
  fc
    .array(units, { minLength: count * length, maxLength: count * length })
    .map(numbers => Int16Array.from(numbers))

describe('the kernel', () => {
  it('is the assembled kernel.wat', async () => {
    const { parseWat } = await wabt()
    const text = readFileSync(new URL('../../../src/vectors/model/kernel.wat', import.meta.url), 'utf8')
    const { buffer } = parseWat('kernel.wat', text, { simd: true }).toBinary({})
    expect(assembled).toBe(Buffer.from(buffer).toString('base64'))
  })

  it('computes what a plain loop computes, for any number of rows', () => {
    const dots = assembledDots()!
    const asked = fc
      .record({ length: fc.constantFrom(16, 32, 48, 400), count: fc.integer({ min: 1, max: 5 }) })
      .chain(({ length, count }) => fc.tuple(rows(1, length), rows(count, length)))
    fc.assert(
      fc.property(asked, ([query, block]) => {
        const expected = plainDots(query, block)
        const largest = query.length * 32_767 ** 2
        for (const [row, dot] of expected.entries())
          expect(Math.abs(dots(query, block)[row]! - dot) / largest).toBeLessThan(1e-6)
      }),
    )
  })

  it('takes the longest rows and the largest numbers', () => {
    const query = new Int16Array(MOST_DIMENSIONS).fill(-32_767)
    const block = new Int16Array(BLOCK_ROWS * MOST_DIMENSIONS).fill(32_767)
    const dots = assembledDots()!(query, block)
    expect(MOST_DIMENSIONS % ROW_UNIT).toBe(0)
    expect(dots.length).toBe(BLOCK_ROWS)
    for (const dot of dots) expect(dot / (-MOST_DIMENSIONS * 32_767 ** 2)).toBeCloseTo(1, 5)
  })
})

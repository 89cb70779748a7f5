import { describe, expect, it } from 'vitest'
import { growthPerSecond, stretches } from '../../bench/soak/growth.ts'

describe('stretches', () => {
  it('have the least that was held in each of them, of each part by itself', () => {
    const sample = (seconds: number, resident: number, heap: number) => ({
      seconds,
      resident,
      heap,
      external: 1,
    })
    const found = stretches(
      [sample(1, 30, 3), sample(59, 20, 4), sample(61, 50, 6), sample(119, 40, 7), sample(185, 10, 1)],
      60,
    )
    expect(found).toEqual([
      { seconds: 60, resident: 20, heap: 3, external: 1, samples: 2 },
      { seconds: 120, resident: 40, heap: 6, external: 1, samples: 2 },
      { seconds: 240, resident: 10, heap: 1, external: 1, samples: 1 },
    ])
  })
})

describe('growthPerSecond', () => {
  it('is the slope of a line, whatever a few points beside it say', () => {
    const line = Array.from({ length: 21 }, (_, i): [number, number] => [60 * i, 1e8 + 500 * 60 * i])
    expect(growthPerSecond(line)).toBe(500)
    const disturbed = line.map(([x, y], i): [number, number] => (i % 7 === 3 ? [x, y + 5e8] : [x, y]))
    expect(Math.abs(growthPerSecond(disturbed) - 500)).toBeLessThan(500)
    expect(growthPerSecond(line.map(([x]) => [x, 1e8]))).toBe(0)
  })

  it('is none of one point', () => {
    expect(growthPerSecond([[60, 1e8]])).toBe(0)
  })
})

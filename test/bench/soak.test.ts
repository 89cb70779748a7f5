import { describe, expect, it } from 'vitest'
import { growthIn, stretches } from '../../bench/soak/growth.ts'
import { numbers } from '../crash/numbers.mjs'

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

describe('growthIn', () => {
  const line = (slope: number, count = 21) =>
    Array.from({ length: count }, (_, i): [number, number] => [60 * i, 1e8 + slope * 60 * i])

  it('is that of a line, whatever a few points beside it say', () => {
    expect(growthIn(600, line(500))).toEqual({ by: 300_000, atLeast: 300_000, atMost: 300_000 })
    const disturbed = line(500).map(([x, y], i): [number, number] => (i % 7 === 3 ? [x, y + 5e8] : [x, y]))
    expect(Math.abs(growthIn(600, disturbed).by - 300_000)).toBeLessThan(300_000)
    expect(growthIn(600, line(0)).by).toBe(0)
  })

  it('lies between its bounds in about 95 of 100 runs that swing', () => {
    const random = numbers(7)
    const runs = Array.from({ length: 400 }, () =>
      growthIn(
        600,
        line(500, 40).map(([x, y]): [number, number] => [x, y + random(1e8)]),
      ),
    )
    const within = runs.filter(({ atLeast, atMost }) => atLeast <= 300_000 && 300_000 <= atMost).length
    expect(within / runs.length).toBeGreaterThan(0.92)
    expect(within / runs.length).toBeLessThan(0.98)
  })

  it('is none of one point', () => {
    expect(growthIn(600, [[60, 1e8]])).toEqual({ by: 0, atLeast: 0, atMost: 0 })
  })
})

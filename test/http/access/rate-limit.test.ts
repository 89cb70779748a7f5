import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RateLimit } from '../../../adapters/http/src/access/rate-limit.ts'
import { HttpError } from '../../../adapters/http/src/http/errors.ts'

const key = (requestsPerMinute: number | null, id = 'key') => ({ id, requestsPerMinute })

/** Seconds to wait; 0 when the call was taken. */
function taken(limit: RateLimit, asked: ReturnType<typeof key>): number {
  try {
    limit.take(asked)
    return 0
  } catch (error) {
    expect(error).toBeInstanceOf(HttpError)
    const { status, headers } = error as HttpError
    expect(status).toBe(429)
    return Number(headers['Retry-After'])
  }
}

describe('the calls of a minute', () => {
  test('may come at once, then one by one, and the answer says when', () => {
    let now = 0
    const limit = new RateLimit(6, () => now)
    expect(Array.from({ length: 8 }, () => taken(limit, key(null)))).toEqual([0, 0, 0, 0, 0, 0, 10, 10])
    now += 9_000
    expect(taken(limit, key(null))).toBe(1)
    now += 1_000
    expect([taken(limit, key(null)), taken(limit, key(null))]).toEqual([0, 10])
  })

  test('are those of one key, by its own limit if it has one', () => {
    const limit = new RateLimit(1, () => 0)
    expect([taken(limit, key(null)), taken(limit, key(null))]).toEqual([0, 60])
    expect([
      taken(limit, key(2, 'other')),
      taken(limit, key(2, 'other')),
      taken(limit, key(2, 'other')),
    ]).toEqual([0, 0, 30])
  })

  test('are not counted without a limit', () => {
    const limit = new RateLimit(0, () => 0)
    expect(Array.from({ length: 1000 }, () => taken(limit, key(null))).some(Boolean)).toBe(false)
  })

  test('are never more than two minutes of them in any minute, and who waits as told is let in', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(20_000), { maxLength: 300 }),
        (calls, pauses) => {
          let now = 0
          const limit = new RateLimit(calls, () => now)
          const times: number[] = []
          for (const pause of pauses) {
            now += pause
            const seconds = taken(limit, key(null))
            if (seconds > 0) {
              now += seconds * 1000
              expect(taken(limit, key(null))).toBe(0)
            }
            times.push(now)
          }
          for (const from of times)
            expect(times.filter(at => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(2 * calls)
        },
      ),
    )
  })
})

import { describe, expect, test } from 'vitest'
import { fuzz } from './fuzzed.ts'

const seed = 20_261
const count = 2_000

describe(`${count} requests made from the table of routes (seed ${seed})`, () => {
  test('are all answered in time and as the contract says, and leave the engine sound', {
    timeout: 120_000,
  }, async () => {
    const { requests, faults, failures, succeeded, endpoints, byStatus, doctor } = await fuzz({ seed, count })
    expect([faults, failures]).toEqual([[], []])
    expect(requests).toBe(count)
    expect(doctor).toMatchObject({ ok: true, faults: [] })
    // They would prove little if they were all refused: only a cancellation comes too late each time.
    const never = endpoints.filter(endpoint => !succeeded.has(endpoint))
    expect(never.filter(endpoint => endpoint !== 'POST /api/Processes/{id}/Cancel')).toEqual([])
    for (const status of [400, 401, 404, 406, 409, 413, 415]) expect(byStatus.get(status)).toBeGreaterThan(0)
  })
})

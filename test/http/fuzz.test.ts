import { describe, expect, test } from 'vitest'
import { fuzz } from './fuzzed.ts'

const seed = 20_261
const least = 1_200
/** A cancellation comes too late each time. */
const hopeless = 'POST /api/Processes/{id}/Cancel'
const hoped = (endpoints: Iterable<string>) => [...endpoints].filter(endpoint => endpoint !== hopeless)
const refusals = [400, 401, 404, 406, 409, 413, 415]

describe(`${least} requests and more, made from the table of routes (seed ${seed})`, () => {
  test('are all answered in time and as the contract says, and leave the engine sound', {
    timeout: 300_000,
  }, async () => {
    // They would prove little if they were all refused. Which are depends on what eight at once leave of each other.
    const { requests, faults, failures, never, byStatus, doctor } = await fuzz({
      seed,
      count: 10_000,
      enough: (done, byStatus, never) =>
        done >= least && refusals.every(status => byStatus.has(status)) && hoped(never).length === 0,
    })
    expect([faults, failures]).toEqual([[], []])
    expect(requests).toBeGreaterThanOrEqual(least)
    expect(doctor).toMatchObject({ ok: true, faults: [] })
    expect(hoped(never)).toEqual([])
    for (const status of refusals) expect(byStatus.get(status)).toBeGreaterThan(0)
  })
})

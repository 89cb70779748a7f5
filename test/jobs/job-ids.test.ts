import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { jobIds } from '../../src/jobs/job-ids.ts'

const version7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

describe('the ids of jobs', () => {
  it('begin with the milliseconds, as version 7 says', () => {
    const id = jobIds(() => 0x0123456789ab, randomUUID)()
    expect(id).toMatch(version7)
    expect(id.slice(0, 18)).toBe('01234567-89ab-7000')
  })

  it('sort as they were made, many in a millisecond, and while the clock goes back', () => {
    let calls = 0
    const next = jobIds(() => 1000 + (calls++ > 5000 ? -500 : 0) + Math.floor(calls / 9000), randomUUID)
    const ids = Array.from({ length: 20_000 }, next)
    expect(ids).toEqual(ids.toSorted())
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of [ids[0], ids[4095], ids[4096], ids.at(-1)]) expect(id).toMatch(version7)
  })

  it('differ from those of another life at the same time', () => {
    const [one, other] = [jobIds(() => 1000, randomUUID), jobIds(() => 1000, randomUUID)]
    expect(one()).not.toBe(other())
  })
})

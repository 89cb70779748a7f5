import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Engine, type SearchObservation } from 'findling'
import { describe, expect, it } from 'vitest'
import { QueryStatistics } from '../../src/analytics/query-statistics.ts'
import { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../engine/engines.ts'

const CALLS = 30_000

/** What is observed of calls that have nothing in common. */
const observed = (i: number, at: number): SearchObservation => ({
  ...{ type: 'search', dataset: 'items', at, took: i % 50, text: `text number ${i}` },
  total: { count: i % 5, exact: true },
  hits: Array.from({ length: 5 }, (_, place) => ({ id: `p${i * 5 + place}`, place: place + 1 })),
  ...{ words: [], relaxed: [`dropped ${i}`], filter: { field: `value ${i}` } },
  context: { user: `user ${i}`, tags: [`t${i % 500}`] },
})

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const heap = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 2 ** 20
}

describe.each(['full', 'counts'] as const)('many calls in the mode %s', mode => {
  it('take no more memory than some, whatever they ask', async () => {
    const folder = await temporaryFolder()
    const engine = await Engine.open({ store: folder })
    await engine.datasets.create('items')
    await engine.close()
    const onDamage = (message: string) => expect.unreachable(message)
    const store = await Store.open({ store: folder, durability: 'process', onDamage })
    const warned: string[] = []
    let now = Date.UTC(2026, 0, 1)
    const context = { store, clock: () => now, warn: (message: string) => void warned.push(message) }
    const statistics = await QueryStatistics.open(context, { mode, retention: { bytes: 16 * 2 ** 20 } })
    const scope = { call: 'search', per: 'day' } as const
    let lost = 0
    let early = 0
    for (let i = 0; i < CALLS; i++) {
      now += 100
      if (statistics.record(observed(i, now)) === undefined) lost++
      if (i % 1_000 === 0) await turn()
      if (i % 8_000 === 0) await statistics.overview(scope)
      if (i === CALLS / 3) early = heap()
    }
    const late = heap()
    const { calls, users, exact } = await statistics.overview(scope)
    expect([calls, lost, exact, warned]).toEqual([CALLS, 0, false, []])
    expect(Math.abs(users.count / CALLS - 1)).toBeLessThan(0.15)
    // The longest list of rows may be full only now; without a bound it would be hundreds of megabytes.
    expect(late - early).toBeLessThan(60)
    await statistics.close()
    await store.close()
  })
})

import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { Engine } from 'findling'
import { expect, onTestFinished, test } from 'vitest'
import { Statistics } from '../../../adapters/http/src/statistics/statistics.ts'

const january = Date.UTC(2026, 0, 31, 23, 59, 59, 999)
const february = january + 1

async function openEngine(): Promise<Engine> {
  const engine = await Engine.open()
  onTestFinished(() => engine.close())
  return engine
}

test('counts requests per action and month, the month being that of UTC', async () => {
  const statistics = new Statistics((await openEngine()).namespace('counts'))
  for (const at of [january, january, february]) statistics.count('Tags/Get', at)
  statistics.count('DataSets/Get', january)
  expect(await statistics.read()).toEqual({
    Sum: 4,
    Statistics: {
      '2026-01': {
        Actions: [
          { Name: 'DataSets/Get', Count: 1 },
          { Name: 'Tags/Get', Count: 2 },
        ],
        Sum: 3,
      },
      '2026-02': { Actions: [{ Name: 'Tags/Get', Count: 1 }], Sum: 1 },
    },
  })
  await statistics.close()
})

test('shows one year or one month, and the sum of all time with it', async () => {
  const statistics = new Statistics((await openEngine()).namespace('counts'))
  for (const at of [january, february, Date.UTC(2025, 1)]) statistics.count('Tags/Get', at)
  const months = async (year?: number, month?: number) => {
    const { Sum, Statistics } = await statistics.read(year, month)
    return [Sum, ...Object.keys(Statistics)]
  }
  expect(await months(2026)).toEqual([3, '2026-01', '2026-02'])
  expect(await months(2026, 2)).toEqual([3, '2026-02'])
  expect(await months(undefined, 2)).toEqual([3, '2025-02', '2026-02'])
  expect(await months(1999)).toEqual([3])
  await statistics.close()
})

test('adds to what an earlier one has counted', async () => {
  const engine = await openEngine()
  const actions = fc.array(fc.constantFrom('Tags/Get', '__proto__', 'constructor', 'Tags/Post'))
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { maxLength: 5 }), fc.uuid(), async (runs, name) => {
      const namespace = engine.namespace(name)
      for (const run of runs) {
        const statistics = new Statistics(namespace)
        for (const action of run) statistics.count(action, january)
        await statistics.close()
      }
      const expected = new Map<string, number>()
      for (const action of runs.flat()) expected.set(action, (expected.get(action) ?? 0) + 1)
      const { Sum, Statistics: months } = await new Statistics(namespace).read()
      expect(Sum).toBe(runs.flat().length)
      const counted = months['2026-01']?.Actions ?? []
      expect(new Map(counted.map(({ Name, Count }) => [Name, Count]))).toEqual(expected)
    }),
    { numRuns: 30 },
  )
})

test('writes without being closed, so that a crash loses the last moment only', async () => {
  const namespace = (await openEngine()).namespace('counts')
  const statistics = new Statistics(namespace)
  statistics.count('Tags/Get', january)
  let stored: unknown
  while (stored === undefined) {
    await pause(20)
    stored = await namespace.get('2026-01')
  }
  expect(stored).toEqual([['Tags/Get', 1]])
})

test('keeps counts that could not be written and reports the failure', async () => {
  const engine = await Engine.open()
  const failures: unknown[] = []
  const statistics = new Statistics(engine.namespace('counts'), { onFailure: error => failures.push(error) })
  await statistics.read()
  await engine.close()
  statistics.count('Tags/Get', january)
  await statistics.close()
  expect(failures).toMatchObject([{ code: 'CLOSED' }])
  expect((await statistics.read()).Sum).toBe(1)
})

import fc from 'fast-check'
import type { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, expectHealthy, memoryDatabase } from '../engine/engines.ts'
import { counterOf, createCounter, gate, openCounting } from './engines.ts'

type Ends = 'finished' | 'cancelled' | 'crashed'
type Step =
  | { do: 'create' | 'deactivate' | 'ask' | 'remove' | 'reopen' | 'crash' | 'write'; service: number }
  | { do: 'prepare' | 'again'; service: number; ends: Ends; field: string }
  | { do: 'activate'; service: number; ends: Ends; least: number }

/** What a service is, as a dumb state machine has it. */
interface Expected {
  status: 'new' | 'prepared' | 'active'
  /** How often `lamp` stands in the field that it was prepared from, at that time. */
  count: number
  least: number
}

const service = fc.nat(1)
const ends = fc.constantFrom<Ends>('finished', 'finished', 'finished', 'cancelled', 'crashed')
const simple = (name: 'create' | 'deactivate' | 'ask' | 'remove' | 'reopen' | 'crash' | 'write') =>
  fc.record({ do: fc.constant(name), service })
const preparing = (name: 'prepare' | 'again') =>
  fc.record({ do: fc.constant(name), service, ends, field: fc.constantFrom('title', 'other') })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: simple('create') },
  { weight: 2, arbitrary: simple('ask') },
  ...(['deactivate', 'remove', 'reopen', 'crash', 'write'] as const).map(simple),
  { weight: 4, arbitrary: preparing('prepare') },
  { weight: 4, arbitrary: preparing('again') },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('activate'),
      service,
      ends,
      least: fc.integer({ min: 1, max: 4 }),
    }),
  },
)

/** What a process that ends now leaves behind. */
async function leftBehind(db: ReturnType<typeof memoryDatabase>): Promise<ReturnType<typeof memoryDatabase>> {
  const copy = memoryDatabase()
  await copy.batch((await db.iterator().all()).map(([key, value]) => ({ type: 'put', key, value })))
  return copy
}

describe('services', () => {
  it('are what a dumb state machine says, whatever is called, cancelled, closed or cut off', async () => {
    const reached = { crashes: 0, cancelled: 0, again: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 40 }), async steps => {
        let db = memoryDatabase()
        let stop: Promise<void> | undefined
        const counted = { loaded: 0 }
        let arrived = () => {}
        const pause = () => {
          arrived()
          return stop
        }
        const hooks = { pause, counted }
        let engine: Engine = await openCounting({ store: db }, hooks)
        const { documents } = await engine.datasets.create('shop')
        await documents.insert({ id: 'first', title: 'red lamp', other: 'table' })
        const lamps = { title: 1, other: 0 }
        const model = new Map<string, Expected>()
        const alias = (n: number) => `service ${n}`

        const open = async (next: typeof db) => {
          db = next
          engine = await openCounting({ store: db }, hooks)
        }
        const crash = async () => {
          reached.crashes += 1
          const left = await leftBehind(db)
          await engine.close()
          await open(left)
        }
        /** Brings a job to its end; true if it has done its work. */
        const end = async (start: () => { cancel(): void; finished: Promise<void> }, how: Ends) => {
          // Models that are loaded behind an opening would be taken for what is to be cut off.
          const active = engine.services.list().filter(({ status }) => status === 'active').length
          while (counted.loaded < active) await new Promise(resolve => setTimeout(resolve, 1))
          const held = gate()
          if (how !== 'finished') stop = held.opened
          const there = gate()
          arrived = there.open
          const job = start()
          job.finished.catch(() => {})
          if (how === 'cancelled') {
            job.cancel()
            reached.cancelled += 1
          }
          if (how === 'crashed') {
            await there.opened
            const left = await leftBehind(db)
            held.open()
            stop = undefined
            await engine.close()
            await open(left)
            return false
          }
          held.open()
          await job.finished.catch(() => {})
          stop = undefined
          return how === 'finished'
        }

        for (const one of steps) {
          const name = alias(one.service)
          const expected = model.get(name)
          if (one.do === 'reopen') {
            await engine.close()
            await db.open()
            await open(db)
          } else if (one.do === 'crash') await crash()
          else if (one.do === 'write') {
            await engine.datasets
              .get('shop')
              .documents.insert({ id: lamps.title, title: 'lamp', other: 'lamp' })
            lamps.title += 1
            lamps.other += 1
          } else if (!expected) {
            if (one.do === 'create') {
              await createCounter(engine, { alias: name })
              model.set(name, { status: 'new', count: 0, least: 1 })
            } else expect(await codeOf(() => engine.services.get(name))).toBe('SERVICE_NOT_FOUND')
          } else {
            const counter = counterOf(engine, name)
            const refused = async (call: () => unknown) => {
              reached.refused += 1
              expect(await codeOf(call)).toBe('SERVICE_STATE')
            }
            if (one.do === 'prepare' || one.do === 'again') {
              const start = () =>
                counter.prepare({ dataset: 'shop', field: one.field, again: one.do === 'again' })
              if (one.do === 'prepare' && expected.status !== 'new') await refused(start)
              else if (await end(start, one.ends)) {
                if (expected.status !== 'new') reached.again += 1
                expected.count = lamps[one.field as 'title']
                if (expected.status === 'new') expected.status = 'prepared'
              }
            } else if (one.do === 'activate') {
              const start = () => counter.activate({ least: one.least })
              if (expected.status !== 'prepared') await refused(start)
              // What it was told before the process ended is done afterwards.
              else if ((await end(start, one.ends)) || one.ends === 'crashed')
                Object.assign(expected, { status: 'active', least: one.least })
            } else if (one.do === 'deactivate') {
              if (expected.status !== 'active') await refused(() => counter.deactivate())
              else {
                await counter.deactivate()
                expected.status = 'prepared'
              }
            } else if (one.do === 'remove') {
              await counter.remove()
              model.delete(name)
            } else if (one.do === 'ask') {
              if (expected.status !== 'active') await refused(() => counter.count('lamp'))
              else
                expect(await counter.count('lamp')).toBe(
                  expected.count >= expected.least ? expected.count : 0,
                )
            }
          }
          const found = engine.services.list().map(({ alias, status }) => [alias, status])
          expect(found.sort()).toEqual([...model].map(([alias, { status }]) => [alias, status]).sort())
        }
        expect(engine.jobs({ status: ['running', 'cancelling'] })).toEqual([])
        await expectHealthy(engine)
        await engine.close()
        // Every model that was loaded has been forgotten.
        expect(counted.loaded).toBe(0)
      }),
      { numRuns: 10 },
    )
    expect(Math.min(...Object.values(reached)), JSON.stringify(reached)).toBeGreaterThan(0)
  })
})

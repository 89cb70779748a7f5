import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Engine } from '../../src/engine.ts'
import { FIRST_DATASET } from '../../src/store/dataset-number.ts'
import type { Change } from '../../src/store/transaction.ts'
import { expectHealthy, temporaryFolder } from '../engine/engines.ts'
import { TagCounter } from './tag-counter.ts'

type Counters = Map<string, TagCounter>

/** An engine with one thing more that is derived from documents. */
async function openCounting(store: string): Promise<{ engine: Engine; counters: Counters }> {
  const counters: Counters = new Map()
  const engine = await Engine.openWith(
    { store, durability: 'process' },
    {
      derivations: {
        tags: context => {
          const counter = new TagCounter(context)
          counters.set(context.state.name, counter)
          return counter
        },
      },
    },
  )
  return { engine, counters }
}

const tag = fc.constantFrom('home', 'garden', 'office')
const step = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), id: fc.nat(9), tags: fc.uniqueArray(tag) }),
  fc.record({ kind: fc.constant('delete' as const), id: fc.nat(9) }),
  fc.constant({ kind: 'ask' as const }),
  fc.constant({ kind: 'release' as const }),
  fc.constant({ kind: 'reopen' as const }),
)

describe('something more that is derived from documents', () => {
  it('follows them through writes, releases and re-opens by one line in the list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
        const store = await temporaryFolder()
        let { engine, counters } = await openCounting(store)
        await engine.datasets.create('shop')
        const documents = new Map<number, string[]>()
        const expected = () => {
          const counts = new Map<string, number>()
          for (const name of [...documents.values()].flat()) counts.set(name, (counts.get(name) ?? 0) + 1)
          return counts
        }
        const shop = () => engine.datasets.get('shop')
        for (const one of [...steps, { kind: 'ask' as const }]) {
          if (one.kind === 'put') {
            await shop().documents.upsert({ id: one.id, tag: one.tags })
            documents.set(one.id, one.tags)
          } else if (one.kind === 'delete') {
            await shop().documents.delete(one.id)
            documents.delete(one.id)
          } else if (one.kind === 'release') await counters.get('shop')?.release()
          else if (one.kind === 'ask') {
            expect(shop().documents.count).toBe(documents.size)
            expect(await counters.get('shop')!.counts()).toEqual(expected())
            expect(engine.memory().datasets[0]).toMatchObject({ name: 'shop', tags: 1000 })
          } else {
            await engine.close()
            expect(counters.get('shop')?.bytes ?? 0).toBe(0)
            ;({ engine, counters } = await openCounting(store))
          }
        }
        await expectHealthy(engine)
        await engine.close()
      }),
      { numRuns: 15 },
    )
  })

  it('is examined by the doctor and made anew by a repair', async () => {
    const { engine, counters } = await openCounting(await temporaryFolder())
    const shop = await engine.datasets.create('shop')
    await shop.documents.insert({ id: 1, tag: ['home'] })
    const counter = counters.get('shop')!
    await counter.counts()
    counter.follow([change, change])
    const { faults } = await engine.doctor()
    expect(faults).toMatchObject([{ kind: 'tags', dataset: 'shop', subject: '3' }])
    await engine.doctor({ repair: true })
    expect([await counter.counts(), (await engine.doctor()).faults]).toEqual([new Map([['home', 1]]), []])
    await engine.close()
  })
})

const change: Change = {
  dataset: FIRST_DATASET,
  seq: 1000,
  id: 'nothing',
  kind: 'content',
  before: null,
  document: { tag: ['home'] },
}

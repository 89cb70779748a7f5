import type { Engine, WriteOperation } from 'findling'
import { describe, expect, it } from 'vitest'
import { collected, expectHealthy, memoryDatabase, openEngine } from '../engine/engines.ts'

/** More than are indexed where they are asked for, instead of by a job. */
const COUNT = 20_500
const documents = Array.from({ length: COUNT }, (_, i) => ({
  id: `p${i}`,
  title: `Lamp ${i}`,
  maker: `Maker ${i % 7}`,
}))
const searched = { interpretedFields: ['title', 'maker'] }
const prepare = { type: 'prepareDataset', dataset: 'products', settings: searched } as const
const configure = { type: 'configureDataset', dataset: 'products', settings: searched } as const

async function openShop(options: Parameters<typeof openEngine>[0] = {}) {
  const engine = await openEngine(options)
  const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
  await products.documents.bulk(documents)
  return { engine, products }
}

const found = async (engine: Engine, query: string): Promise<number> =>
  (await engine.datasets.get('products').search(query, { total: 'exact' })).total.count

/** Those that built an index because it was needed. */
const builds = (engine: Engine) => engine.jobs().filter(({ kind }) => kind === 'reconfigure')

const running = (engine: Engine) =>
  engine.jobs({ status: ['running'] }).filter(({ kind }) => kind === 'reconfigure')

/** Announces settings, again while another index is built, until the index only waits for them. */
async function announced(engine: Engine): Promise<void> {
  await expect
    .poll(
      async () => {
        await engine.write([prepare])
        return running(engine)[0]?.progress.phase
      },
      { timeout: 20_000 },
    )
    .toBe('merging')
}

describe('an index for settings that are to come', () => {
  it('is put in place when they are set, with what was written meanwhile, and nothing is indexed then', async () => {
    const { engine, products } = await openShop()
    await engine.write([prepare])
    expect(products.settings.interpretedFields).toEqual(['title'])
    await products.documents.upsert({ id: 'early', title: 'Hose', maker: 'Acme' })
    await announced(engine)
    await products.documents.upsert({ id: 'late', title: 'Rake', maker: 'Acme' })
    await products.documents.delete('p1')
    expect(await found(engine, 'acme')).toBe(0)
    expect(await found(engine, 'lamp')).toBe(COUNT - 1)
    await engine.write([configure])
    expect(await found(engine, 'acme')).toBe(2)
    expect(await found(engine, 'maker')).toBe(COUNT - 1)
    expect(builds(engine)).toEqual([])
    await expectHealthy(engine)
  })

  it('is waited for where it is not ready when they are set', async () => {
    const { engine } = await openShop()
    await engine.write([prepare])
    await engine.write([configure])
    expect(await found(engine, 'maker')).toBe(COUNT)
    expect(builds(engine)).toEqual([])
    await expectHealthy(engine)
  })

  it('is given up where others are set, or somebody needs another index', async () => {
    const { engine, products } = await openShop({ rankingConstants: 'adopted' })
    await announced(engine)
    await engine.write([{ ...configure, settings: { interpretedFields: ['maker'] } }])
    expect([await found(engine, 'maker'), await found(engine, 'lamp')]).toEqual([COUNT, 0])
    expect(builds(engine)).toHaveLength(1)
    await announced(engine)
    // What follows has to be adopted everywhere, whether or not settings come.
    await products.ranking.learn()
    expect(running(engine)).toEqual([])
    await engine.write([configure])
    expect([await found(engine, 'maker'), await found(engine, 'lamp')]).toEqual([COUNT, COUNT])
    await expectHealthy(engine)
  })

  it('is given up when the settings are withdrawn, or others are announced', async () => {
    const { engine } = await openShop()
    await announced(engine)
    await engine.write([{ ...prepare, settings: {} }])
    await expect.poll(() => running(engine)).toEqual([])
    await announced(engine)
    const [first] = running(engine)
    const others = { interpretedFields: ['maker'] }
    await engine.write([{ ...prepare, settings: others }])
    await expect.poll(() => running(engine)[0]?.id).not.toBe(first!.id)
    await expect.poll(() => running(engine)[0]?.progress.phase, { timeout: 20_000 }).toBe('merging')
    await engine.write([{ ...configure, settings: others }])
    expect([await found(engine, 'maker'), await found(engine, 'lamp')]).toEqual([COUNT, 0])
    expect(builds(engine)).toEqual([])
    await expectHealthy(engine)
  })

  it('is gone after a restart, and none is begun where it would be no gain', async () => {
    const store = memoryDatabase()
    const { engine } = await openShop({ store })
    await announced(engine)
    await engine.close()
    const again = await openEngine({ store })
    await again.write([configure])
    expect(await found(again, 'maker')).toBe(COUNT)
    await again.write([{ ...prepare, settings: { stopWords: ['lamp'] } }, prepare])
    expect(running(again)).toEqual([])
    await expectHealthy(again)
    expect(await collected(again.datasets.get('products').documents.scan())).toHaveLength(COUNT)
  })

  it('answers for a reconfigure() that somebody else writes, on each engine that makes the writes', async () => {
    const entries: (readonly WriteOperation[])[] = []
    const engines: Engine[] = []
    const write = async (operations: readonly WriteOperation[]) => {
      const options = {
        each: true,
        at: 1_700_000_000_000,
        seqFrom: entries.push(operations) * 2 ** 20,
      } as const
      const [outcomes] = await Promise.all(engines.map(engine => engine.write(operations, options)))
      return outcomes!
    }
    const own = await openEngine({ writeThrough: { write } })
    engines.push(own, await openEngine())
    const products = await own.datasets.create('products', { interpretedFields: ['title'] })
    await products.documents.bulk(documents)
    for (const engine of engines) expect(await found(engine, 'maker')).toBe(0)
    const cancelled = products.reconfigure(searched)
    await expect.poll(() => running(engines[1]!)).toHaveLength(1)
    cancelled.cancel()
    await cancelled.ended
    for (const engine of engines) await expect.poll(() => running(engine)).toEqual([])
    const job = products.reconfigure(searched)
    const during = new Set<number>()
    while (job.state.endedAt === null) {
      during.add(await found(own, 'lamp'))
      await new Promise(resolve => setTimeout(resolve, 2))
    }
    await job.finished
    expect([...during]).toEqual([COUNT])
    for (const engine of engines) expect(await found(engine, 'maker')).toBe(COUNT)
    expect(entries.slice(-2).map(([one]) => one!.type)).toEqual(['prepareDataset', 'configureDataset'])
    expect(builds(own).map(({ id }) => id)).toEqual([job.id, cancelled.id])
    expect(builds(engines[1]!)).toEqual([])
  })
})

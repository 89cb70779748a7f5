import { describe, expect, it } from 'vitest'
import { erpExport } from '../fixtures/exports.ts'
import { collected, expectHealthy, failureOf, memoryDatabase, openEngine } from './engines.ts'

const csv = (text: string) => Buffer.from(text)
const format = 'csv' as const

async function openShop() {
  const engine = await openEngine()
  const shop = await engine.datasets.create('shop')
  await shop.documents.bulk([
    { id: '1', title: 'Oak table', price: 10, size: { w: 1, h: 2 } },
    { id: '2', title: 'Brass lamp', price: 20 },
    { id: '3', title: 'Garden hose', price: 30 },
  ])
  return { engine, shop }
}

describe('an import that updates', () => {
  const columns = { Nr: 'id', Preis: 'price:number', Bestand: 'stock:number' } as const

  it('changes only what its rows have, and tells of ids that there are not', async () => {
    const { engine, shop } = await openShop()
    const before = (await shop.documents.record('2'))!
    const text = 'Nr;Preis;Bestand\n1;9,50;4\n2;;\n3;30;\n9;5;5\n;6;6\n'
    const report = await shop.documents.import(csv(text), { format, mode: 'update', columns }).finished
    expect(report).toMatchObject({ rows: 5, stored: 3, replaced: 0, unchanged: 2, failed: 2 })
    expect(report.errors.map(({ line, id, code }) => [line, id, code])).toEqual([
      [5, '9', 'DOCUMENT_NOT_FOUND'],
      [6, null, 'INVALID_DOCUMENT'],
    ])
    expect(await shop.documents.get('1')).toEqual({
      id: '1',
      title: 'Oak table',
      price: 9.5,
      size: { w: 1, h: 2 },
      stock: 4,
    })
    // What stays the same is not written again.
    expect(await shop.documents.record('2')).toEqual(before)
    expect(shop.documents.count).toBe(3)
    await expectHealthy(engine)
  })

  it('fails where no id is known', async () => {
    const { shop } = await openShop()
    const job = shop.documents.import([{ id: 7, price: 1 }], { mode: 'update' })
    expect(await failureOf(() => job.finished)).toMatchObject({
      code: 'INVALID_ROW',
      details: { report: { failed: 1, errors: [{ id: '7', code: 'DOCUMENT_NOT_FOUND' }] } },
    })
  })

  it('merges objects, and of two rows of one id does both', async () => {
    const { shop } = await openShop()
    const rows = [
      { id: 1, size: { h: 5 } },
      { id: 1, price: 11 },
      { id: '1', title: 'Oak desk' },
    ]
    expect(await shop.documents.import(rows, { mode: 'update' }).finished).toMatchObject({
      stored: 3,
      unchanged: 0,
    })
    expect(await shop.documents.get('1')).toEqual({
      id: '1',
      title: 'Oak desk',
      price: 11,
      size: { w: 1, h: 5 },
    })
  })
})

describe('documents of which texts stay the same', () => {
  it('are found, filtered and counted as if they were indexed anew, whatever was before', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const shop = await engine.datasets.create('shop')
    await shop.documents.import(erpExport(3000).bytes, { format, guess: true }).finished
    await shop.search('Stuhl')
    let seed = 5
    const random = (most: number) => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed % most
    }
    for (let round = 0; round < 6; round++) {
      const rows = Array.from({ length: 700 }, () => {
        const id = `A-${100_000 + random(2900)}`
        const kind = random(4)
        if (kind === 0) return { id, Bezeichnung: `Sessel Nr ${random(50)}`, Bestand: random(9) }
        if (kind === 1) return { id, Hersteller: ['Neu', 'Alt'] }
        return { id, Bestand: random(9), 'VK-Preis (€)': random(5000) / 100 }
      })
      await shop.documents.import(rows, { mode: 'update' }).finished
      if (round % 2 === 1) await shop.search('Sessel')
    }
    const fresh = await engine.datasets.create('fresh', {
      interpretedFields: [...shop.settings.interpretedFields],
      typoTolerance: { disableOnFields: [...shop.settings.typoTolerance.disableOnFields] },
    })
    await fresh.documents.bulk((await collected(shop.documents.scan())).map(({ document }) => document))
    for (const dataset of [shop, fresh]) await dataset.optimize()
    for (const text of ['Sessel', 'Stuhl Eiche', 'Neu', 'Garten', 'Sesel', '"Sessel Nr 7"']) {
      const ask = {
        limit: 3000,
        total: 'exact',
        facets: ['Bestand'],
        filter: { Bestand: { lt: 6 } },
      } as const
      const [one, other] = [await shop.search(text, ask as never), await fresh.search(text, ask as never)]
      const found = (hits: readonly { id: string }[]) => hits.map(({ id }) => id).sort()
      expect([text, found(one.hits)]).toEqual([text, found(other.hits)])
      expect(one.total).toEqual(other.total)
      expect((one as { facets?: unknown }).facets).toEqual((other as { facets?: unknown }).facets)
    }
    await expectHealthy(engine)
  }, 60_000)
})

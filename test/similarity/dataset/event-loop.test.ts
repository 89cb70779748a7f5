import { type Dataset, Engine, type SimilarService } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { longestTurn } from '../../longest-turn.ts'
import { manyDocuments } from '../model/shop.ts'

/** Milliseconds that one turn of the event loop may take. Work stops after 8 and goes on in the next turn. */
const LONGEST_TURN = 250

describe('the event loop goes on', () => {
  let engine: Engine
  let shop: Dataset
  let service: SimilarService
  const rows = manyDocuments(800).map(([id, { title, body }], at) => ({
    id,
    title,
    desc: body,
    tag: `t${at % 5}`,
  }))

  beforeAll(async () => {
    engine = await Engine.open({ durability: 'process' })
    shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
    await shop.documents.bulk(rows)
    service = await engine.services.create({ type: 'similar', name: 'Alike' })
    await service.prepare({ dataset: 'shop' })
    await service.activate()
  })
  afterAll(() => engine.close())

  it('while neighbours are found, all of them and those of what has changed', async () => {
    expect(await longestTurn(() => service.index().finished)).toBeLessThan(LONGEST_TURN)
    await shop.documents.bulk(rows.slice(0, 40).map(row => ({ ...row, title: `${row.title} w3x` })))
    expect(await longestTurn(() => service.indexPartial().finished)).toBeLessThan(LONGEST_TURN)
    expect(await service.recommendById('m0', { limit: 1000 })).toHaveLength(100)
  })

  it('while duplicates are found and handed over', async () => {
    let groups = 0
    const count = async (found: AsyncIterable<unknown>) => {
      for await (const _ of found) groups++
    }
    expect(await longestTurn(() => count(shop.duplicates({ threshold: 0.3 })))).toBeLessThan(LONGEST_TURN)
    expect(await longestTurn(() => shop.exportDuplicates(count, { threshold: 0.3 }).finished)).toBeLessThan(
      LONGEST_TURN,
    )
    expect(groups).toBeGreaterThan(20)
  })
})

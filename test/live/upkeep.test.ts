import { describe, expect, it } from 'vitest'
import { expectHealthy, openEngine } from '../engine/engines.ts'

const things = ['lamp', 'table', 'chair', 'shelf', 'door']

describe('upkeep', () => {
  it('joins segments that many searches had to look into, which then answer as before', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { language: 'none' })
    await dataset.documents.bulk(
      Array.from({ length: 2500 }, (_, i) => ({ id: i, title: `${things[i % 5]} ${things[i % 3]}` })),
    )
    const answer = () => dataset.search('lamp door', { limit: 3000, documents: false })
    const before = await answer()
    const merges = () => engine.jobs().filter(({ kind }) => kind === 'merge')
    expect(merges()).toEqual([])
    for (let searches = 0; searches < 20_000 && merges().length === 0; searches++)
      await dataset.search('lamp', { limit: 1, documents: false })
    expect(merges()).toHaveLength(1)
    // A job that nobody asked for is forgotten once it is done.
    await expect.poll(merges, { timeout: 20_000 }).toEqual([])
    expect(await answer()).toEqual(before)
    for (let searches = 0; searches < 10_000; searches++) {
      await dataset.search('lamp', { limit: 1, documents: false })
      expect(merges()).toEqual([])
    }
    await expectHealthy(engine)
  })
})

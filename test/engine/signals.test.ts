import type { Dataset, DatasetSettingsInput } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, failureOf, openEngine, temporaryFolder } from './engines.ts'

const today = Date.UTC(2025, 5, 1)
const clock = () => today

const lamps = [
  { id: 'plain', title: 'Lamp' },
  { id: 'sold', title: 'Lamp', sold: 5000 },
  { id: 'few', title: 'Lamp', sold: 10 },
  { id: 'new', title: 'Lamp', at: '2025-05-31' },
  { id: 'old', title: 'Lamp', at: '2015-05-31' },
]

const idsOf = async (dataset: Dataset) => (await dataset.search('lamp')).hits.map(({ id }) => id)

const bySales: DatasetSettingsInput = { signals: { sold: { pivot: 100, boost: 1 } } }
const byAge: DatasetSettingsInput = { signals: { at: { halfLifeDays: 365, boost: 1 } } }

describe('signals', () => {
  it('raise what has them, and leave what has none where it was', async () => {
    const dataset = await (await openEngine({ clock })).datasets.create('lamps', bySales)
    await dataset.documents.bulk(lamps)
    expect(await idsOf(dataset)).toEqual(['sold', 'few', 'new', 'old', 'plain'])
    const scores = new Map((await dataset.search('lamp')).hits.map(({ id, score }) => [id, score]))
    expect(scores.get('sold')! / scores.get('plain')!).toBeCloseTo(1 + 5000 / 5100, 2)
  })

  it('follow changes of their fields at once', async () => {
    const dataset = await (await openEngine({ clock })).datasets.create('lamps', bySales)
    await dataset.documents.bulk(lamps)
    await dataset.documents.update('plain', { sold: 100_000 })
    await dataset.documents.update('sold', { sold: 'many' })
    expect(await idsOf(dataset)).toEqual(['plain', 'few', 'new', 'old', 'sold'])
  })

  it('are the same after a reopen and when built anew in a worker', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store, clock })
    const dataset = await engine.datasets.create('lamps')
    await dataset.documents.bulk(lamps)
    expect(await idsOf(dataset)).toEqual(['few', 'new', 'old', 'plain', 'sold'])
    await dataset.reconfigure(bySales).finished
    expect(await idsOf(dataset)).toEqual(['sold', 'few', 'new', 'old', 'plain'])
    await dataset.reconfigure(byAge).finished
    expect(await idsOf(dataset)).toEqual(['new', 'old', 'few', 'plain', 'sold'])
    await engine.close()
    const again = await openEngine({ store, clock })
    expect(again.datasets.get('lamps').settings.signals).toEqual(byAge.signals)
    expect(await idsOf(again.datasets.get('lamps'))).toEqual(['new', 'old', 'few', 'plain', 'sold'])
    await expectHealthy(again)
  })

  it('are replaced as a whole, and stay where they are not given', async () => {
    const dataset = await (await openEngine()).datasets.create('lamps', bySales)
    await dataset.reconfigure({ nGramCount: 2 }).finished
    expect(dataset.settings.signals).toEqual(bySales.signals)
    await dataset.reconfigure(byAge).finished
    expect(dataset.settings.signals).toEqual(byAge.signals)
    await dataset.reconfigure({ signals: {} }).finished
    expect(dataset.settings.signals).toEqual({})
  })

  it('read dates in the format of the schema', async () => {
    const dataset = await (await openEngine({ clock })).datasets.create('lamps', {
      schema: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          title: { type: 'string' },
          at: { type: 'date', format: 'dd.MM.yyyy' },
        },
      },
      interpretedFields: ['title'],
      ...byAge,
    })
    await dataset.documents.bulk([
      { id: 'a', title: 'Lamp', at: '31.12.2010' },
      { id: 'b', title: 'Lamp', at: '30.05.2025' },
    ])
    expect(await idsOf(dataset)).toEqual(['b', 'a'])
    await dataset.optimize().finished
    expect(await idsOf(dataset)).toEqual(['b', 'a'])
  })

  it('are refused when they are wrong', async () => {
    const engine = await openEngine()
    const signals = { sold: { pivot: 0, boost: 1 } }
    expect(await failureOf(() => engine.datasets.create('lamps', { signals }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'signals.sold.pivot', expected: 'a number above 0' },
    })
    expect(engine.datasets.list()).toEqual([])
  })
})

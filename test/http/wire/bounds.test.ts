import { Engine, FindlingError } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { CompletionRequest } from '../../../adapters/http/src/wire/completions.ts'
import { dataSetName } from '../../../adapters/http/src/wire/rules.ts'
import { SearchRequest } from '../../../adapters/http/src/wire/search-request.ts'
import { SearchServiceRequest } from '../../../adapters/http/src/wire/search-service.ts'
import { DataSetSettingsUpdate } from '../../../adapters/http/src/wire/settings.ts'
import { parseSettings } from '../../../src/datasets/schema/dataset-settings.ts'

let engine: Engine

beforeAll(async () => {
  engine = await Engine.open()
  await engine.datasets.create('shop', { interpretedFields: ['title'] })
})
afterAll(() => engine.close())

const shop = () => engine.datasets.get('shop')

/** Values about every bound that there is, of either side. */
const ends = [0, 1, 2, 3, 6, 10, 20, 100, 1000, 10_000, 100_000, 1_000_000]
const numbers = ends.flatMap(end => [-end - 1, end - 1, end - 0.5, end, end + 0.5, end + 1])

/** What HTTP takes, and what the engine does with the same. */
const members: [name: string, schema: z.ZodType, body: (value: number) => object, call: Call][] = [
  ['Limit', SearchRequest, Limit => ({ Text: '', Limit }), limit => shop().search('', { limit })],
  ['Offset', SearchRequest, Offset => ({ Text: '', Offset }), offset => shop().search('', { offset })],
  [
    'TypoTolerance',
    SearchRequest,
    TypoTolerance => ({ Text: '', TypoTolerance }),
    typos => shop().search('', { typoTolerance: typos as 0 }),
  ],
  [
    'Fields',
    SearchRequest,
    title => ({ Text: '', Fields: { title } }),
    title => shop().search('', { fields: { title } }),
  ],
  [
    'Limit of facets',
    SearchRequest,
    Limit => ({ Text: '', Facets: [{ Field: 'title', Limit }] }),
    limit => shop().search('', { facets: [{ field: 'title', limit }] }),
  ],
  [
    'Histogram of facets',
    SearchRequest,
    Histogram => ({ Text: '', Facets: [{ Field: 'title', Histogram }] }),
    histogram => shop().search('', { facets: [{ field: 'title', histogram }] }),
  ],
  [
    'Snippet',
    SearchRequest,
    Snippet => ({ Text: '', Highlight: { Snippet } }),
    snippet => shop().search('', { highlight: { snippet } }),
  ],
  [
    'Limit of completions',
    CompletionRequest,
    Limit => ({ Text: '', Limit }),
    limit => shop().complete('', { limit }),
  ],
  [
    'TypoTolerance of completions',
    CompletionRequest,
    TypoTolerance => ({ Text: '', TypoTolerance }),
    typos => shop().complete('', { typoTolerance: typos as 0 }),
  ],
  [
    'NGramCount',
    DataSetSettingsUpdate,
    NGramCount => ({ NGramCount }),
    nGramCount => settings({ nGramCount }),
  ],
  [
    'Weight',
    DataSetSettingsUpdate,
    Weight => ({ Weights: [{ Field: 'title', Weight }] }),
    weight => settings({ weights: { title: { weight } } }),
  ],
  [
    'B',
    DataSetSettingsUpdate,
    B => ({ Weights: [{ Field: 'title', B }] }),
    b => settings({ weights: { title: { b } } }),
  ],
  [
    'Pivot',
    DataSetSettingsUpdate,
    Pivot => ({ Signals: [{ Field: 'sold', Pivot, Boost: 1 }] }),
    pivot => settings({ signals: { sold: { pivot, boost: 1 } } }),
  ],
  [
    'Boost',
    DataSetSettingsUpdate,
    Boost => ({ Signals: [{ Field: 'sold', Pivot: 1, Boost }] }),
    boost => settings({ signals: { sold: { pivot: 1, boost } } }),
  ],
]

type Call = (value: number) => unknown

const settings = (given: object) => parseSettings({ interpretedFields: ['title'], ...given })

async function takes(call: () => unknown): Promise<boolean> {
  try {
    await call()
    return true
  } catch (error) {
    if (error instanceof FindlingError && error.code === 'INVALID_ARGUMENT') return false
    throw error
  }
}

describe('requests', () => {
  it.each(members)('have the bounds of the engine: %s', async (_, schema, body, call) => {
    const byHttp = numbers.filter(value => schema.safeParse(body(value)).success)
    const byEngine: number[] = []
    for (const value of numbers) if (await takes(() => call(value))) byEngine.push(value)
    expect(byHttp).toEqual(byEngine)
    expect(byHttp.length).toBeGreaterThan(0)
    expect(byHttp.length).toBeLessThan(numbers.length)
  })

  it('take lists as long as search services do', async () => {
    const service = await engine.services.create({ type: 'search', name: 'Search' })
    await service.prepare({ dataset: 'shop' })
    await service.activate()
    const lists: [wire: string, name: string, entry: unknown, given: unknown][] = [
      ['Weights', 'weights', { Query: 'a', Value: 1 }, { query: 'a', value: 1 }],
      ['SearchFieldList', 'fields', 'title', 'title'],
      ['ResponseFieldList', 'responseFields', 'title', 'title'],
    ]
    for (const [wire, name, entry, given] of lists) {
      for (const length of [1, 99, 100, 101, 999, 1000, 1001]) {
        const [sent, asked] = [entry, given].map(one => Array.from({ length }, () => one))
        const byHttp = SearchServiceRequest.safeParse({ Text: 'a', SearchSettings: { [wire]: sent } }).success
        const byEngine = await takes(() => service.search('a', { search: { [name]: asked } }))
        expect([wire, length, byHttp]).toEqual([wire, length, byEngine])
      }
    }
  })

  it('name datasets as the engine does', async () => {
    const names = ['ab', 'abc', 'a b', 'a_b-9', 'äöü', '', 'x'.repeat(50), 'x'.repeat(51), 'a.b', '__proto__']
    const byHttp = names.filter(name => dataSetName.safeParse(name).success)
    const byEngine: string[] = []
    for (const name of names) if (await takes(() => engine.datasets.create(name))) byEngine.push(name)
    expect(byHttp).toEqual(byEngine)
    expect(byHttp.length).toBeGreaterThan(2)
  })
})

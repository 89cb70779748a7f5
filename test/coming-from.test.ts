import { readFileSync } from 'node:fs'
import { type Dataset, Engine } from 'findling'
import { searchOptions, typoOptions } from 'findling/schemas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const guide = readFileSync(new URL('../src/guides/coming-from.md', import.meta.url), 'utf8')
const rows = guide
  .split('\n## ')[0]!
  .split('\n')
  .filter(line => line.startsWith('| ') && !line.startsWith('| Findling'))
  .map(line => line.split('|')[1]!.trim())

let engine: Engine
let shop: Dataset

beforeAll(async () => {
  engine = await Engine.open()
  shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
  await shop.documents.bulk([
    {
      id: 'a',
      title: 'Red lamp',
      desc: 'A cozy light',
      brand: 'Uvex',
      price: 5,
      variants: [{ color: 'red' }],
      at: { lat: 52.4, lng: 13.1 },
    },
    {
      id: 'b',
      title: 'Red lamp, large',
      desc: 'The same',
      brand: 'Uvex',
      price: 9,
      at: { lat: 48.1, lng: 11.6 },
    },
    { id: 'c', title: 'Sofa', desc: 'Red, beside a lamp', brand: 'Bosch', price: 50 },
  ])
})

afterAll(() => engine.close())

const ids = async (text: string, options: object = {}) =>
  (await shop.search(text, options)).hits.map(({ id }) => id)

/** What each row of the table promises, by what stands in its first column. */
const proofs: Record<string, () => Promise<void>> = {
  dataset: async () => expect(engine.datasets.has('shop')).toBe(true),
  'document, `id`': async () => expect(await shop.documents.get('a')).toMatchObject({ id: 'a' }),
  '`interpretedFields`': async () => expect(shop.settings.interpretedFields).toEqual(['title', 'desc']),
  '`weights`': async () => {
    const made = await engine.datasets.create('weighed', {
      interpretedFields: ['title', 'desc'],
      weights: { desc: { weight: 9 } },
    })
    expect(made.settings.weights.desc).toMatchObject({ weight: 9 })
  },
  '`vectors`, and `vector: { value, ratio }` of a search': async () => {
    const made = await engine.datasets.create('meant', { vectors: { v: { dimensions: 2 } } })
    await made.documents.bulk([
      { id: 'a', title: 'Lamp', v: [1, 0] },
      { id: 'b', title: 'Light', v: [0, 1] },
    ])
    const found = async (ratio: number) =>
      (await made.search('lamp', { vector: { value: [0, 1], ratio } })).hits.map(({ id }) => id)
    expect([await found(0.2), await found(0.8)]).toEqual([
      ['a', 'b'],
      ['b', 'a'],
    ])
  },
  '`similar({ id })`': async () => {
    const similar = await shop.similar({ id: 'a' })
    expect(similar.map(({ id }) => id).sort()).toEqual(['b', 'c'])
  },
  "`boughtTogether('p1')`": async () => {
    const baskets = await engine.datasets.create('baskets')
    await baskets.documents.bulk([['a', 'b'], ['a', 'b'], ['c'], ['c']].map((of, id) => ({ id, of })))
    await shop.reconfigure({ baskets: { dataset: 'baskets', field: 'of' } })
    expect((await shop.boughtTogether('a')).map(({ id }) => id)).toEqual(['b'])
  },
  '`trending()`': async () => {
    const sales = await engine.datasets.create('sales')
    const at = Date.now()
    await sales.documents.bulk(
      ['a', 'a', 'b', 'b', 'b'].map((of, id) => ({ id, of, at: id < 2 ? at : at - 30 * 86_400_000 })),
    )
    await shop.reconfigure({ baskets: { dataset: 'sales', field: 'of', time: 'at' } })
    expect((await shop.trending()).map(({ id }) => id)).toEqual(['a'])
  },
  "`facets: [{ field, sort: 'significance' }]`": async () => {
    const { facets } = await shop.search('large', { facets: [{ field: 'brand', sort: 'significance' }] })
    expect(facets?.brand?.values.map(({ value, count, inAll }) => [value, count, inAll])).toEqual([
      ['Uvex', 1, 2],
    ])
  },
  '`vector: { like: id }`': async () => {
    const made = await engine.datasets.create('alike', { vectors: { v: { dimensions: 2 } } })
    await made.documents.bulk([
      { id: 'a', v: [1, 0] },
      { id: 'b', v: [0, 1] },
      { id: 'c', v: [3, 1] },
    ])
    const { hits } = await made.search('', { vector: { like: 'a' } })
    expect(hits.map(({ id }) => id)).toEqual(['c', 'b'])
  },
  '`signals`': async () => {
    const made = await engine.datasets.create('led', { signals: { price: { pivot: 10, boost: 1 } } })
    expect(made.settings.signals).toHaveProperty('price')
  },
  '`typoTolerance`': async () => {
    expect(await ids('sofs')).toEqual(['c'])
    expect(await ids('sofs', { typoTolerance: 0 })).toEqual([])
  },
  "`operator: 'and'`": async () => expect(await ids('red sofa lamp', { operator: 'and' })).toEqual(['c']),
  "`sort: ['price:asc']`": async () =>
    expect(await ids('red', { sort: ['price:asc'] })).toEqual(['a', 'b', 'c']),
  '`filter: { at: { within } }`, `box`, `polygon`': async () => {
    const berlin = { lat: 52.5, lon: 13.4 }
    expect(await ids('red', { filter: { at: { within: { ...berlin, meters: 50_000 } } } })).toEqual(['a'])
    const box = { south: 48, west: 11, north: 53, east: 14 }
    expect((await ids('red', { filter: { at: { box } } })).toSorted()).toEqual(['a', 'b'])
    expect(
      await ids('red', {
        filter: { at: { polygon: [berlin, { lat: 52, lon: 13 }, { lat: 52.7, lon: 12.9 }] } },
      }),
    ).toEqual(['a'])
  },
  "`sort: ['at(52.5, 13.4)']`": async () =>
    expect(await ids('red', { sort: ['at(52.5, 13.4)'] })).toEqual(['a', 'b', 'c']),
  '`filter`': async () => expect(await ids('red', { filter: { brand: 'Bosch' } })).toEqual(['c']),
  '`fields: { title: 2 }` of a search': async () =>
    expect((await ids('red', { fields: { title: 2 } })).length).toBe(3),
  "`fields: ['title']` of a search": async () =>
    expect((await ids('red', { fields: ['title'] })).toSorted()).toEqual(['a', 'b']),
  '`prefix`': async () => expect(await ids('so', { prefix: true })).toEqual(['c']),
  '`limit`, `offset`': async () => expect((await ids('red', { limit: 1, offset: 2 })).length).toBe(1),
  '`responseFields`': async () => {
    const { hits } = await shop.search('sofa', { responseFields: ['brand'] })
    expect(hits[0]?.document).toEqual({ brand: 'Bosch' })
  },
  "`search('')`": async () => expect((await ids('')).toSorted()).toEqual(['a', 'b', 'c']),
  '`complete`': async () => expect((await shop.complete('so'))[0]?.text).toBe('Sofa'),
  "`facets: ['brand']`": async () =>
    expect((await shop.search('red', { facets: ['brand'] })).facets?.brand?.values[0]).toEqual({
      value: 'Uvex',
      count: 2,
    }),
  '`facets: [{ field, disjunctive: true }]`': async () => {
    const facets = [{ field: 'brand', disjunctive: true }]
    const found = await shop.search('', { filter: { brand: 'Uvex' }, facets })
    expect(found.facets?.brand?.values.length).toBe(2)
  },
  '`facets: [{ field, search }]`': async () => {
    const found = await shop.search('', { facets: [{ field: 'brand', search: 'bos' }] })
    expect(found.facets?.brand?.values).toEqual([{ value: 'Bosch', count: 1 }])
  },
  '`facets: [{ field, ranges }]`, `stats`': async () => {
    const found = await shop.search('', { facets: [{ field: 'price', ranges: [{ to: 10 }, { from: 10 }] }] })
    expect(found.facets?.price?.ranges?.map(({ count }) => count)).toEqual([2, 1])
    expect(found.facets?.price?.stats).toMatchObject({ min: 5, max: 50 })
  },
  '`cursor`': async () => {
    const { cursor } = await shop.search('red', { limit: 1, cursor: true })
    expect((await shop.search('', { cursor: cursor! })).hits.length).toBe(1)
  },
  '`highlight: { snippet }`': async () => {
    const { hits } = await shop.search('cozy', { highlight: { snippet: 20 } })
    expect(hits[0]?.highlights?.desc?.[0]?.ranges).toEqual([{ start: 2, end: 6 }])
  },
  '`synonyms: [{ synonyms }, { root, synonyms }]`': async () => {
    const synonyms = [{ synonyms: ['couch', 'sofa'] }, { root: 'seat', synonyms: ['sofa'] }]
    expect(await ids('couch', { synonyms })).toEqual(['c'])
    expect(await ids('seat', { synonyms })).toEqual(['c'])
  },
  '`stopWords`': async () => expect(await ids('sofa red', { stopWords: ['red'] })).toEqual(['c']),
  '`curations`: `pinned`, `hidden`': async () => {
    const curations = [{ query: 'lamp', pinned: [{ id: 'c', position: 1 }], hidden: ['b'] }]
    await shop.reconfigure({ curations }).finished
    expect(await ids('lamp')).toEqual(['c', 'a'])
    await shop.reconfigure({ curations: [] }).finished
  },
  '`pinned`, `hidden` of one search': async () =>
    expect(await ids('lamp', { pinned: [{ id: 'c', position: 1 }], hidden: ['b'] })).toEqual(['c', 'a']),
  '`groupBy`, `groupLimit`': async () => {
    expect((await ids('red', { groupBy: 'brand' })).length).toBe(2)
    expect((await ids('red', { groupBy: 'brand', groupLimit: 2 })).length).toBe(3)
  },
  '`typoTolerance: { disableOnFields, disableOnWords }`': async () => {
    expect(await ids('sofs', { typoTolerance: { disableOnWords: ['sofs'] } })).toEqual([])
    expect(await ids('sofs', { typoTolerance: { disableOnFields: ['title'] } })).toEqual([])
  },
  '`relax`': async () =>
    expect(await ids('sofa zzzz', { operator: 'and', relax: true, typoTolerance: 0 })).toEqual(['c']),
  '`engine.searchMany`': async () => {
    const answers = await engine.searchMany([{ dataset: 'shop', query: 'sofa' }])
    expect(answers[0]?.hits.length).toBe(1)
  },
  '`swap`': async () => {
    await engine.datasets.create('next')
    await engine.datasets.swap('shop', 'next')
    expect(engine.datasets.get('shop').documents.count).toBe(0)
    await engine.datasets.swap('shop', 'next')
  },
}

describe('what somebody knows by another name', () => {
  it.each(rows)('%s is here', async row => {
    expect(Object.keys(proofs)).toContain(row)
    await proofs[row]!()
  })

  it.each([
    ['combineWith', /here it is operator/],
    ['boost', /here it is fields/],
    ['where', /here it is filter/],
    ['page', /here it is limit and offset/],
    ['hitsPerPage', /here it is limit/],
    ['count', /here it is limit/],
    ['attributesToRetrieve', /here it is responseFields/],
    ['distinctOn', /here it is groupBy/],
    ['storeFields', /here it is responseFields/],
    ['queryType', /here it is prefix/],
    ['queryByWeights', /here it is fields/],
    ['facet_query', /here it is facets/],
    ['aroundLatLng', /here it is sort/],
    ['insideBoundingBox', /here it is filter/],
  ])('%s is refused by its name here', async (name, expected) => {
    await expect(shop.search('red', { [name]: 1 })).rejects.toThrow(expected)
  })

  it('is refused by the setting of the same meaning where a dataset is created', async () => {
    const create = (settings: object) => engine.datasets.create('elsewhere', settings)
    await expect(create({ default_sorting_field: 'price' })).rejects.toThrow(/here it is signals/)
    await expect(create({ storeFields: ['title'] })).rejects.not.toThrow(/here it is/)
  })
})

describe('an option by the name that others give it', () => {
  /** Methods, fields of documents, parts of an option's value, and queries. */
  const noOptions = [
    'autoSuggest',
    'MiniSearch',
    'objectID',
    'searchForFacetValues',
    'includes',
    'excludes',
    'q',
    'schema',
    'geopoint',
    '_geoRadius',
    '_geoBoundingBox',
    '_geoPolygon',
    '_geoPoint',
    'userProvided',
    'mode',
    'float',
  ]
  const cells = guide.split('\n').filter(line => /^\| .* \| .* \|$/.test(line))
  const codes = cells.flatMap(line => line.split('|')[2]!.match(/`\w+/g) ?? [])
  const names = [...new Set(codes.map(code => code.slice(1)))].filter(name => !noOptions.includes(name))
  const ours = { ...searchOptions.shape, ...typoOptions.shape }

  it('is refused with the name here, unless that is the same', async () => {
    const messageOf = (call: Promise<unknown>) =>
      call.then(
        () => '',
        (error: Error) => error.message,
      )
    const unknown: string[] = []
    for (const name of names.filter(name => !(name in ours))) {
      const given: object = { [name]: 1 }
      const messages = await Promise.all([
        messageOf(shop.search('red', given)),
        messageOf(shop.search('red', { typoTolerance: given })),
        messageOf(engine.datasets.create('other', given)),
        messageOf(shop.search('red', { vector: { value: [1], ...given } })),
      ])
      if (!messages.some(message => /\((here it is|did you mean) /.test(message))) unknown.push(name)
    }
    expect(names.length).toBeGreaterThan(40)
    expect(unknown).toEqual([])
  })
})

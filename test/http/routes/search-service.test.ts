import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, startApi } from './api.ts'

let api: Api
let shop: string
beforeAll(async () => {
  api = await startApi()
  shop = 'lamps'
  const { documents, tags } = await api.engine.datasets.create<object>(shop, {
    sample: { id: '1', title: 'Text', desc: 'Text', price: 1, tag: ['a'] },
    interpretedFields: ['title', 'desc'],
  })
  await tags.replaceAll(['desk', 'floor', 'wall', 'roof'].map(id => ({ id, name: id })))
  await documents.bulk(
    ['desk', 'floor', 'wall', 'roof'].flatMap((tag, i) =>
      [1, 2, 3].map(n => ({
        id: `${tag}-${n}`,
        title: `${tag} lamp`,
        desc: `Model ${n} in oak`,
        price: 10 * (i + n),
        tag: [tag],
      })),
    ),
  )
  const classifier = await api.engine.services.create({ type: 'classifier', name: 'Tags', alias: 'tags' })
  await classifier.prepare({ dataset: shop, parallel: 1 })
  await classifier.activate()
})
afterAll(() => api.stop())

const send = (method: string, path: string, body?: unknown) =>
  api.send(method, `/api/Services/${path}`, body === undefined ? {} : { body })

/** The path of a service that was activated with each of these settings, one after the other. */
async function active(...activations: object[]): Promise<string> {
  const { body } = await send('POST', '', { Name: 'Lamps', Type: 'Search' })
  const path = `Search/${body.Id}`
  const service = api.engine.services.get(body.Id)
  await send('POST', `${path}/Prepare`, { DataSetName: shop })
  await expect.poll(() => service.status).toBe('prepared')
  for (const [i, settings] of activations.entries()) {
    if (i > 0) await send('POST', `${path}/Deactivate`)
    expect((await send('POST', `${path}/Activate`, settings)).status).toBe(202)
    await expect.poll(() => service.status).toBe('active')
  }
  return path
}

const settingsOf = async (path: string) => (await send('GET', path)).body.ActivateSettings
const search = async (path: string, body: object) =>
  (await send('POST', path, { Text: 'oak lamp', ...body })).body
const asked = (SearchSettings: object) => ({ SearchSettings })

describe('Facets, Highlight, Explain and TypoTolerance', () => {
  const Facets = ['tag', { field: 'price', limit: 0, histogram: 2 }]
  const Highlight = { Fields: ['title'], Marks: ['[', ']'] }

  test('are answered as by Documents/Search, in its names, and shown where they are activated', async () => {
    const extensions = { Facets, Highlight, Explain: true, TypoTolerance: { DisableOnWords: ['oak'] } }
    const path = await active(asked({ ...extensions, Count: 12 }))
    const { SearchSettings } = await settingsOf(path)
    expect(SearchSettings).toMatchObject({
      Fuzziness: 2,
      TypoTolerance: { Edits: 2, DisableOnWords: ['oak'] },
      Facets: [
        { Field: 'tag', Limit: 10, Sort: 'Count', TagsBelow: true, Disjunctive: false },
        { Field: 'price', Limit: 0, Histogram: 2 },
      ],
      Highlight,
      Explain: true,
    })
    const found = await search(path, {})
    const expected = await api.send('POST', '/api/Documents/Search', {
      dataset: shop,
      body: { Text: 'oak lamp', Limit: 12, Total: 'Exact', ...extensions },
    })
    const { Hits, Facets: counted, Total } = expected.body
    expect([found.Total, found.Facets]).toEqual([Total.Count, counted])
    expect(found.SearchResultList.length).toBe(12)
    for (const [i, { DocumentId, Score, Highlights, Explanation }] of found.SearchResultList.entries()) {
      expect([DocumentId, Score, Highlights]).toEqual([Hits[i].Id, Hits[i].Score, Hits[i].Highlights])
      expect(Explanation).toEqual({ ...Hits[i].Explanation, Weights: [] })
    }
    expect(found.SearchResultList[0].Highlights.title[0].Html).toContain('[lamp]')
    // What is shown can be sent again.
    const again = await active({ SearchSettings })
    expect((await settingsOf(again)).SearchSettings).toEqual(SearchSettings)
    expect(await search(again, {})).toEqual(found)
  })

  test('stand in the answer only if they are asked for; a request has its say over the activation', async () => {
    const plain = await active({})
    expect(Object.keys((await settingsOf(plain)).SearchSettings)).not.toContain('Facets')
    const first = await search(plain, {})
    expect(Object.keys(first).sort()).toEqual([
      ...['AutoCompleteResultList', 'ClassifierResultList', 'SearchResultList', 'Total'],
    ])
    expect(Object.keys(first.SearchResultList[0])).toEqual(['DocumentId', 'Score', 'Document'])
    const full = await active(asked({ Facets, Highlight: true, Explain: true }))
    expect(await search(full, asked({ Facets: null, Highlight: null, Explain: null }))).toEqual(
      await search(full, {}),
    )
    expect(await search(full, asked({ Facets: [], Highlight: false, Explain: 'false' }))).toEqual(first)
    const weighed = asked({ Weights: [{ Query: 'tag:wall', Value: 2 }], Count: 1, Facets: ['title'] })
    const { SearchResultList, Facets: counted } = await search(full, weighed)
    expect(SearchResultList[0].Explanation.Weights).toEqual([{ Query: 'tag:wall', Value: 2 }])
    expect(Object.keys(counted)).toEqual(['title'])
    const none = await search(full, asked({ Count: 0 }))
    expect([none.SearchResultList, none.Total, Object.keys(none.Facets)]).toEqual([[], 12, ['tag', 'price']])
  })

  test.each<[what: string, search: object, text: string, total: number]>([
    ['Fuzziness of a request in place of an activated TypoTolerance', { Fuzziness: 0 }, 'lamps', 0],
    ['TypoTolerance beside Fuzziness', { Fuzziness: 0, TypoTolerance: 0 }, 'lamps', 12],
    ['what stays activated', {}, 'dseks', 0],
    ['a number of edits', { TypoTolerance: 2 }, 'dseks', 3],
  ])('heed %s', async (_, settings, Text, total) => {
    const path = await active(asked({ TypoTolerance: { DisableOnWords: ['dseks'] } }))
    expect((await search(path, { Text, ...asked(settings) })).Total).toBe(total)
  })

  test.each([
    ['a facet of no field', { Facets: ['nothing'] }],
    ['an unknown member of a facet', { Facets: [{ Field: 'price', Limitt: 1 }] }],
    ['an unknown member of Highlight', { Highlight: { Mark: true } }],
    ['too many edits', { TypoTolerance: 3 }],
    ['an explanation of a query', { Type: 'Query', Explain: true }],
    ['too many explanations', { Count: 1001, Explain: true }],
  ])('are refused: %s', async (_, wrong) => {
    const path = await active({})
    expect((await send('POST', path, { Text: 'lamp', ...asked(wrong) })).status).toBe(400)
    await send('POST', `${path}/Deactivate`)
    expect((await send('POST', `${path}/Activate`, asked(wrong))).status).toBe(400)
  })
})

describe('the settings of one activation after the other', () => {
  const Weights = [{ Query: 'tag:wall', Value: 2 }]
  const Filter = { Query: 'price:>20', TagIdList: ['wall'] }
  const Order = { OrderByField: 'price', OrderDirection: 'Desc' }

  test.each<[what: string, activations: object[], settings: object]>([
    ['recommended', [{}], { AutoCompleteSettings: { Confidence: 2, MaximumErrors: 0.5, Count: 3 } }],
    [
      'those of a part that is given, beside what is recommended',
      [{ AutoCompleteSettings: { Count: 1 }, SearchSettings: { Operator: 'AND' } }],
      {
        AutoCompleteSettings: { Confidence: 2, MaximumErrors: 0.5, Count: 1 },
        SearchSettings: { Operator: 'AND', Fuzziness: -1, Count: 3 },
      },
    ],
    [
      'those given before, where they are left out or null',
      [
        { SearchSettings: { Count: 7, Filter, Weights, Order, SearchFieldList: ['title^2'], Fuzziness: 1 } },
        {
          AutoCompleteSettings: null,
          SearchSettings: { Count: null, Filter: null, Weights: null, Order: null, SearchFieldList: [] },
        },
        {},
      ],
      {
        SearchSettings: {
          ...{ Count: 7, Filter, Weights, SearchFieldList: ['title^2'], Fuzziness: 1 },
          Order: { OrderByField: 'price', OrderDirection: 'Desc' },
        },
      },
    ],
    [
      'replaced as wholes: filter, weights and order',
      [
        { SearchSettings: { Filter, Weights, Order } },
        { SearchSettings: { Filter: { TagIdList: ['desk'] }, Weights: [], Order: { OrderByField: 'id' } } },
      ],
      {
        SearchSettings: {
          Filter: { TagIdList: ['desk'] },
          Weights: [],
          Order: { OrderByField: 'id', OrderDirection: 'Asc' },
        },
      },
    ],
    [
      'a list of tags, where none is given, and no query, where that is null',
      [{ SearchSettings: { Filter: { Query: null } } }],
      { SearchSettings: { Filter: { Query: null, TagIdList: [] } } },
    ],
    [
      'a list of tags, where it is null, and the query that is given',
      [{ SearchSettings: { Filter: { Query: 'price:>1', TagIdList: null } } }],
      { SearchSettings: { Filter: { Query: 'price:>1', TagIdList: [] } } },
    ],
    [
      '3 tags, where no number is given',
      [{ ClassifierSettings: { Id: 'tags' } }],
      { ClassifierSettings: { Id: 'tags', Count: 3 } },
    ],
    [
      '3 tags for none',
      [{ ClassifierSettings: { Id: 'tags', Count: 0 } }],
      { ClassifierSettings: { Count: 3 } },
    ],
    [
      'the classifier of before, where none is given',
      [{ ClassifierSettings: { Id: 'tags', Count: 2 } }, { ClassifierSettings: null }, {}],
      { ClassifierSettings: { Id: 'tags', Count: 2 } },
    ],
  ])('are %s', async (_, activations, settings) => {
    const path = await active(...activations)
    expect(await settingsOf(path)).toMatchObject(settings)
    await send('POST', `${path}/Deactivate`)
    expect(await settingsOf(path)).toMatchObject(settings)
  })

  const filtered = { SearchSettings: { Filter: { Query: 'price:>=40' }, Weights, Count: 12 } }
  test.each<[what: string, activated: object, request: object, total: number, first?: string]>([
    ['filter and weights of the activation', filtered, {}, 6, 'wall-2'],
    ['both filters', filtered, { Filter: { TagIdList: ['desk', 'floor'] } }, 1, 'floor-3'],
    ['its own filter alone', filtered, { Filter: { TagIdList: ['desk'] }, UseDefaultFilter: false }, 3],
    ['no filter', filtered, { UseDefaultFilter: false }, 12],
    ['null for the default', filtered, { UseDefaultFilter: null }, 6],
    [
      'no weights, but the filter',
      filtered,
      { UseDefaultWeights: false, Order: { OrderByField: 'id' } },
      6,
      'floor-3',
    ],
    ['both weights', filtered, { Weights: [{ Query: 'tag:roof', Value: 9 }] }, 6, 'roof-1'],
    ['the weights of the activation without its filter', filtered, { UseDefaultFilter: false }, 12, 'wall-1'],
    [
      'no filter, as it is activated',
      { SearchSettings: { ...filtered.SearchSettings, UseDefaultFilter: false } },
      {},
      12,
      'wall-1',
    ],
    [
      'the filter that is activated not to hold',
      { SearchSettings: { ...filtered.SearchSettings, UseDefaultFilter: false } },
      { UseDefaultFilter: true },
      6,
    ],
    ['another type', filtered, { Type: 'Query', Operator: 'AND', Count: 1 }, 6],
  ])('let a request have %s', async (_, activated, request, total, best) => {
    const path = await active(activated)
    const { Total, SearchResultList } = await search(path, asked(request))
    expect(Total).toBe(total)
    if (best) expect(SearchResultList[0].DocumentId.slice(0, 4)).toBe(best.slice(0, 4))
  })

  test.each<[activated: object | null, request: object | null | undefined, tags: number | null]>([
    [null, undefined, null],
    [null, { Id: 'tags' }, 3],
    [null, { Id: 'tags', Count: 1 }, 1],
    [{ Id: 'tags', Count: 2 }, undefined, 2],
    [{ Id: 'tags', Count: 2 }, null, 2],
    [{ Id: 'tags', Count: 2 }, { Id: 'tags' }, 2],
    [{ Id: 'tags', Count: 2 }, { Id: 'tags', Count: null }, 2],
    [{ Id: 'tags', Count: 2 }, { Id: 'tags', Count: 4 }, 4],
    [{ Id: 'tags', Count: 2 }, { Id: 'tags', Count: 0 }, null],
    [{ Id: 'tags', Count: 0 }, {}, 3],
  ])(
    'activated with the classifier %j and asked with %j recommend %j tags',
    async (activated, request, tags) => {
      const path = await active({ ClassifierSettings: activated })
      const body = request && Object.keys(request).length > 0 ? { ClassifierSettings: request } : {}
      const { ClassifierResultList } = await search(path, { Text: 'oak lamp', ...body })
      expect(ClassifierResultList === null ? null : ClassifierResultList.length).toBe(tags)
    },
  )
})

import { beforeEach, describe, expect, test } from 'vitest'
import { type Api, startApi } from './api.ts'
import { openShop } from './shop.ts'

let api: Api
beforeEach(async () => {
  api = await startApi()
  return api.stop
})

const send = (method: string, path: string, body?: unknown) =>
  api.send(method, `/api/${path}`, body === undefined ? {} : { body })

async function created(more: object = {}) {
  const { body } = await send('POST', 'Services', { Name: 'Shop', Type: 'Search', ...more })
  return body
}

/** The process that a call has started, when it is over. */
async function ended(method: string, path: string, body?: unknown) {
  const { status, body: started } = await send(method, path, body)
  expect([status, started.Status]).toEqual([202, 'InProgress'])
  await expect.poll(() => api.engine.job(started.Id)?.endedAt).not.toBeNull()
  return (await send('GET', `Processes/${started.Id}`)).body
}

async function active(settings: unknown = {}, more: object = {}) {
  const shop = await openShop(api.engine)
  const { Id } = await created(more)
  await ended('POST', `Services/Search/${Id}/Prepare`, { DataSetName: shop })
  await ended('POST', `Services/Search/${Id}/Activate`, settings)
  return { Id, shop }
}

describe('a service', () => {
  test('goes through its states, its processes listed oldest first', async () => {
    const shop = await openShop(api.engine)
    const reply = await send('POST', 'Services', {
      Name: 'Shop',
      Alias: 'My shop',
      Description: 'Finds',
      Type: 'search',
    })
    const { Id } = reply.body
    expect(reply.headers.get('Location')).toBe(`${api.url}/api/services/${Id}`)
    const common = {
      Id,
      Name: 'Shop',
      Alias: 'My shop',
      Description: 'Finds',
      Type: 'Search',
      ActualProcessId: null,
    }
    expect(reply.body).toEqual({ ...common, Status: 'New', ProcessIdList: [] })
    const typed = `Services/Search/${Id}`
    const look = async () => (await send('GET', typed)).body
    expect(await look()).toMatchObject({ PrepareSettings: null, ActivateSettings: null })
    const prepared = await ended('POST', `${typed}/Prepare`, { DataSetName: shop })
    expect(prepared).toMatchObject({
      Type: 'SearchPrepare',
      Status: 'Finished',
      Description: 'Preparing search service Shop',
      ResultMessage: 'Preparing search service Shop: done.',
    })
    const recommended = {
      AutoCompleteSettings: { Confidence: 2, MaximumErrors: 0.5, Count: 3 },
      SearchSettings: {
        Type: 'Match',
        Operator: 'OR',
        Fuzziness: -1,
        CutOffFrequency: 0.001,
        Count: 3,
        SearchFieldList: ['title', 'desc'],
        ResponseFieldList: ['title', 'desc', 'id', 'tag'],
        Filter: null,
        UseDefaultFilter: true,
        Weights: null,
        UseDefaultWeights: true,
        Order: null,
      },
      ClassifierSettings: null,
    }
    expect(await look()).toEqual({
      ...common,
      Status: 'Prepared',
      ProcessIdList: [prepared.Id],
      PrepareSettings: { DataSetName: shop },
      ActivateSettings: recommended,
    })
    const { Id: activating, Type } = await ended('POST', `${typed}/Activate`, {
      SearchSettings: { Fuzziness: '1' },
    })
    expect(Type).toBe('SearchActivate')
    expect(await look()).toMatchObject({
      Status: 'Active',
      ProcessIdList: [prepared.Id, activating],
      ActivateSettings: { SearchSettings: { ...recommended.SearchSettings, Fuzziness: 1 } },
    })
    expect((await send('POST', `${typed}/Deactivate`)).status).toBe(200)
    expect(await look()).toMatchObject({
      Status: 'Prepared',
      ActivateSettings: { SearchSettings: { Fuzziness: 1 } },
    })
    await ended('POST', `${typed}/Activate`)
    expect((await send('GET', 'Services')).body).toMatchObject([{ ...common, Status: 'Active' }])
    const { body: listed } = await send('GET', 'Processes?allStatus=true')
    expect(listed).toHaveLength(3)
  })

  test('stands under its id and its alias, whatever the case of the path', async () => {
    const { Id } = await active({}, { Alias: 'My shop' })
    for (const name of [Id, 'My%20shop']) {
      expect((await send('GET', `services/${name}/`)).body.Id).toBe(Id)
      expect((await send('GET', `SERVICES/search/${name}`)).body.Id).toBe(Id)
      expect((await send('POST', `Services/Search/${name}`, { Text: 'hose' })).body.Total).toBe(1)
    }
    expect((await send('GET', 'Services/my%20shop')).status).toBe(404)
  })

  test('keeps what a change leaves out or empty, and takes over the alias of another', async () => {
    const first = await created({ Name: 'first', Alias: 'x', Description: 'd' })
    const second = await created({ Name: 'second' })
    const look = async ({ Id }: { Id: string }) => {
      const { Name, Alias, Description } = (await send('GET', `Services/${Id}`)).body
      return [Name, Alias, Description]
    }
    await send('PUT', `Services/${first.Id}`, {
      Name: 'renamed',
      Alias: '',
      Description: null,
      Type: 'Prc',
      Id: '1',
    })
    expect(await look(first)).toEqual(['renamed', 'x', 'd'])
    expect((await send('PUT', `Services/${first.Id}`, { Alias: 'y' })).status).toBe(400)
    expect((await send('PUT', `Services/${second.Id}`, { Name: 'second', Alias: 'x' })).body).toBeUndefined()
    expect([await look(first), await look(second)]).toEqual([
      ['renamed', null, 'd'],
      ['second', 'x', null],
    ])
  })

  test.each([
    ['an id', { Id: '1' }],
    ['no type', { Type: undefined }],
    ['an unknown type', { Type: 'Other' }],
    ['a blank name', { Name: ' ' }],
  ])('is not created from %s', async (_, wrong) => {
    expect((await send('POST', 'Services', { Name: 'Shop', Type: 'Search', ...wrong })).status).toBe(400)
    expect((await send('GET', 'Services')).body).toEqual([])
  })

  test('goes with its processes, and lets its dataset go', async () => {
    const { Id, shop } = await active()
    const { ProcessIdList } = (await send('GET', `Services/${Id}`)).body
    expect((await send('DELETE', `DataSets/${shop}`)).status).toBe(406)
    expect((await send('DELETE', `Services/${Id}`)).status).toBe(200)
    for (const process of ProcessIdList) expect((await send('GET', `Processes/${process}`)).status).toBe(404)
    for (const path of [`Services/${Id}`, `Services/Search/${Id}`])
      expect((await send('GET', path)).status).toBe(404)
    expect((await send('DELETE', `DataSets/${shop}`)).status).toBe(200)
  })

  test('follows when its dataset is renamed', async () => {
    const { Id, shop } = await active()
    await send('PUT', `DataSets/${shop}`, { Name: `${shop}-renamed` })
    expect((await send('GET', `Services/Search/${Id}`)).body.PrepareSettings).toEqual({
      DataSetName: `${shop}-renamed`,
    })
    expect((await send('POST', `Services/Search/${Id}`, { Text: 'hose' })).body.Total).toBe(1)
  })

  test('is prepared again with Again, active as it is, from the same dataset only', async () => {
    const { Id, shop } = await active()
    const typed = `Services/Search/${Id}`
    expect(await ended('POST', `${typed}/Prepare`, { DataSetName: shop, Again: true })).toMatchObject({
      Status: 'Finished',
    })
    expect((await send('GET', typed)).body).toMatchObject({
      Status: 'Active',
      PrepareSettings: { DataSetName: shop },
    })
    expect((await send('POST', typed, { Text: 'hose' })).body.Total).toBe(1)
    await api.engine.datasets.create('another')
    const another = await send('POST', `${typed}/Prepare`, { DataSetName: 'another', Again: true })
    expect(another.status).toBe(400)
  })

  test('refuses calls that its state does not allow, before it looks at the dataset', async () => {
    const { Id } = await active()
    const typed = `Services/Search/${Id}`
    const { status, body } = await send('POST', `${typed}/Prepare`, { DataSetName: 'nothing' })
    expect([status, body.Errors]).toEqual([
      400,
      ['The service Shop cannot prepare: it is active, but must be new, unless it is prepared again.'],
    ])
    expect(
      (await send('POST', `${typed}/Activate`, { SearchSettings: { SearchFieldList: ['none'] } })).body
        .Errors,
    ).toEqual(['The service Shop cannot activate: it is active, but must be prepared.'])
    await send('POST', `${typed}/Deactivate`)
    expect((await send('POST', `${typed}/Deactivate`)).status).toBe(400)
    expect((await send('POST', typed, { Text: 'hose' })).status).toBe(400)
    expect((await send('POST', 'Services/Search/none', { Text: 'hose' })).status).toBe(400)
    const another = [400, { Errors: ['The service Shop has the type Search, not Prc.'] }]
    for (const [method, call] of [
      ['GET', ''],
      ['POST', '/Deactivate'],
      ['POST', '/IndexPartial'],
    ] as const) {
      const { status, body } = await send(method, `Services/Prc/${Id}${call}`)
      expect([status, body]).toEqual(another)
    }
    expect((await send('POST', 'Services/Search/none/Prepare', { DataSetName: 'nothing' })).status).toBe(404)
  })
})

test('shows of a filter what it has, and null for the rest', async () => {
  const { Id } = await active({ SearchSettings: { Filter: { TagIdList: ['b'] } } })
  const { body } = await send('GET', `Services/Search/${Id}`)
  expect(body.ActivateSettings.SearchSettings.Filter).toEqual({ Query: null, TagIdList: ['b'] })
})

describe('POST /api/Services/Search/{id}', () => {
  test('answers with one object: documents, total, and the text as it was likely meant', async () => {
    const { Id } = await active({ SearchSettings: { ResponseFieldList: ['title'] } })
    const { body } = await send('POST', `Services/Search/${Id}`, { Text: 'wirless hedphones' })
    expect(body).toEqual({
      AutoCompleteResultList: [],
      ClassifierResultList: null,
      SearchResultList: [
        { DocumentId: '1', Score: expect.any(Number), Document: { title: 'Wireless headphones' } },
      ],
      Total: 1,
    })
    const settings = { AutoCompleteSettings: { MaximumErrors: 2 }, SearchSettings: { Count: 0 } }
    const corrected = await send('POST', `Services/Search/${Id}`, { Text: 'wirless hedphones', ...settings })
    expect(corrected.body).toMatchObject({
      AutoCompleteResultList: [{ Text: 'wireless headphones', ClassifierResultList: null }],
      SearchResultList: [],
      Total: 0,
    })
    const off = await send('POST', `Services/Search/${Id}`, {
      Text: 'hose',
      AutoCompleteSettings: { Count: 0 },
    })
    expect(off.body.AutoCompleteResultList).toBeNull()
  })

  test.each<[what: string, settings: object, ids: string[]]>([
    [
      'null and empty lists as if they were left out',
      { Filter: null, SearchFieldList: [], Weights: null, Order: null },
      ['1', '2'],
    ],
    ['names and enumerations in any case', { type: 'QUERY', operator: 'and', fuzziness: '0' }, []],
    ['a filter of tags', { Filter: { TagIdList: ['a1'] } }, ['1']],
    ['a filter by query', { Filter: { Query: 'price:<50', TagIdList: null } }, ['2']],
    ['fields with boosts', { SearchFieldList: ['title^2'] }, ['1', '2']],
    ['weights', { Weights: [{ Query: 'price>50', Value: 100 }], Count: 1 }, ['1']],
    ['an order', { Order: { OrderByField: 'price', OrderDirection: 'Asc' }, Count: '1' }, ['2']],
  ])('takes %s', async (_, SearchSettings, ids) => {
    const { Id } = await active()
    const { status, body } = await send('POST', `Services/Search/${Id}`, {
      Text: 'headphones hose',
      SearchSettings,
    })
    expect([
      status,
      body.SearchResultList.map((hit: { DocumentId: string }) => hit.DocumentId).sort(),
    ]).toEqual([200, ids])
  })

  test('adds the filter of a request to that of the activation, unless it does without that', async () => {
    const { Id } = await active({ SearchSettings: { Filter: { TagIdList: ['b'] } } })
    const total = async (SearchSettings: object) =>
      (await send('POST', `Services/Search/${Id}`, { Text: 'headphones hose', SearchSettings })).body.Total
    expect(await total({})).toBe(1)
    expect(await total({ Filter: { Query: 'price:>50' } })).toBe(0)
    expect(await total({ Filter: { Query: 'price:>50' }, UseDefaultFilter: false })).toBe(1)
    expect(await total({ UseDefaultFilter: false })).toBe(2)
  })

  test.each([
    ['no text', { Text: ' ' }],
    ['an unknown field', { SearchSettings: { ResponseFieldList: ['none'] } }],
    ['an order by a list', { SearchSettings: { Order: { OrderByField: 'tag' } } }],
    ['a fuzziness beyond all', { SearchSettings: { Fuzziness: 3 } }],
    ['a count beyond all', { SearchSettings: { Count: 10_001 } }],
    ['a query that cannot be read', { SearchSettings: { Filter: { Query: '(a' } } }],
    ['a text for a number', { SearchSettings: { Filter: { Query: 'price:cheap' } } }],
    ['a classifier that is none', { ClassifierSettings: { Id: 'none' } }],
  ])('refuses %s', async (_, wrong) => {
    const { Id } = await active()
    expect((await send('POST', `Services/Search/${Id}`, { Text: 'hose', ...wrong })).status).toBe(400)
  })
})

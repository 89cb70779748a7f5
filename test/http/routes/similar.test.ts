import { afterAll, beforeAll, expect, test } from 'vitest'
import { unzipped } from '../files/unzipped.ts'
import { type Api, startApi } from './api.ts'
import { openShop } from './shop.ts'

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const send = (method: string, path: string, body?: unknown, dataset?: string) =>
  api.send(method, `/api/${path}`, {
    ...(body === undefined ? {} : { body }),
    ...(dataset === undefined ? {} : { dataset }),
  })

/** The process that a call has started, when it is over. */
async function ended(path: string, body?: unknown, dataset?: string) {
  const { status, body: started } = await send('POST', path, body, dataset)
  expect(status).toBe(202)
  await expect.poll(() => api.engine.job(started.Id)?.endedAt).not.toBeNull()
  const { body: process } = await send('GET', `Processes/${started.Id}`)
  expect(process.Status).toBe('Finished')
  return process
}

const linkIn = ({ ResultMessage }: { ResultMessage: string }) => ResultMessage.split('\n')[1]!

test('a service of similar documents goes through its states and answers as the contract says', async () => {
  const shop = await openShop(api.engine)
  const lamp = { id: '3', title: 'Garden hose', desc: 'With a brass nozzle, red', price: 29, tag: ['b'] }
  await api.engine.datasets.get<object>(shop).documents.insert(lamp)
  const { Id } = (await send('POST', 'Services', { Name: 'Alike', Type: 'Prc' })).body
  const typed = `Services/Prc/${Id}`
  expect((await send('GET', typed)).body).toMatchObject({
    Type: 'Prc',
    Status: 'New',
    PrepareSettings: null,
    ActivateSettings: null,
    IndexSettings: null,
  })
  expect((await ended(`${typed}/Prepare`, { DataSetName: shop, CompressLevel: 0 })).Type).toBe('PrcPrepare')
  expect((await ended(`${typed}/Activate`)).Type).toBe('PrcActivate')
  const filter = { Query: 'price:>1', TagIdList: ['b'] }
  expect((await ended(`${typed}/Index`, { Filter: filter })).Type).toBe('PrcIndex')
  expect((await send('GET', typed)).body).toMatchObject({
    Status: 'Active',
    PrepareSettings: { DataSetName: shop, TagIdList: ['a1', 'b'], CompressLevel: 0, CompressSettings: null },
    ActivateSettings: { FieldsForRecommendation: ['title', 'desc'] },
    IndexSettings: { Filter: filter },
  })
  const recommended = (body: object) =>
    send('POST', `${typed}/Recommend`, { Text: 'garden hose red', ...body })
  const { body: plain } = await recommended({ TagId: 'b' })
  expect(plain.map((one: { DocumentId: string }) => one.DocumentId)).toEqual(['3', '2'])
  expect(plain[0]).toEqual({ DocumentId: '3', Score: expect.any(Number), Document: null })
  const { body: weighed } = await recommended({
    TagId: 'b',
    Weights: [{ Query: 'price:<20', Value: 100 }],
    NeedDocumentInResult: true,
  })
  expect(weighed[0]).toMatchObject({ DocumentId: '2', Document: { price: 19 } })
  expect(weighed[0].Score).toBeGreaterThan(1)
  expect((await recommended({ Filter: { Query: 'price:<20' } })).body).toHaveLength(1)
  expect((await recommended({ Count: 0 })).body).toEqual([])
  expect((await recommended({ TagId: 'gone' })).status).toBe(400)
  const byId = async (body: object) =>
    (await send('POST', `${typed}/RecommendById`, { DocumentId: '2', ...body })).body
  expect(await byId({})).toEqual([{ DocumentId: '3', Score: expect.any(Number), Document: null }])
  for (const none of [{ Query: 'price:<20' }, { Filter: { Query: 'price:<20' } }, { DocumentId: 'none' }])
    expect(await byId(none)).toEqual([])
  for (const DocumentId of ['x'.repeat(2_000), '\ud800']) expect(await byId({ DocumentId })).toEqual([])
  await api.engine.datasets.get(shop).documents.delete('3')
  expect(await byId({})).toEqual([])
  expect((await ended(`${typed}/IndexPartial`)).Type).toBe('PrcIndexPartial')
  const { body: words } = await send('POST', `${typed}/Keywords?isStrict=false`, {
    Text: 'a red hose',
    TagId: 'b',
  })
  expect(words).toContainEqual({ Word: 'hose', Score: expect.any(Number) })
  const zip = await fetch(linkIn(await ended(`${typed}/ExportDictionaries`, { TagIdList: ['b'] })))
  const files = unzipped(new Uint8Array(await zip.arrayBuffer()))
  expect(files.get('b.csv')).toContain('"hose";"')
  expect((await send('POST', `${typed}/Deactivate`)).status).toBe(200)
  expect((await recommended({})).status).toBe(400)
})

test('a service of similar documents reads the markup of a text as it does that of documents', async () => {
  const shop = await openShop(api.engine)
  const title = '<p class="lamp">Brass <b>nozzle</b></p> &amp; hose &lt;b&gt;'
  const { documents } = api.engine.datasets.get<object>(shop)
  await documents.bulk([
    { id: '3', title, desc: '', price: 1, tag: ['b'] },
    { id: '4', title: 'Desk lamp', desc: 'A lamp of a class of its own', price: 1, tag: ['a1'] },
  ])
  const { Id } = (await send('POST', 'Services', { Name: 'Markup', Type: 'Prc' })).body
  await ended(`Services/Prc/${Id}/Prepare`, { DataSetName: shop })
  await ended(`Services/Prc/${Id}/Activate`)
  const asked = async (what: string, body: object) =>
    (await send('POST', `Services/Prc/${Id}/${what}`, { Text: title, ...body })).body
  expect((await asked('Recommend', {}))[0]).toMatchObject({ DocumentId: '3', Score: 1 })
  const words = (found: { Word: string }[]) => found.map(({ Word }) => Word)
  expect(words(await asked('Keywords', { TagId: 'a1' }))).toEqual([])
  expect(words(await asked('Keywords', {}))).toContain('nozzle')
})

test('similar documents, keywords and duplicates of a dataset are found without a service', async () => {
  const shop = await openShop(api.engine)
  const twin = { id: '3', title: 'Garden hose', desc: 'With a brass nozzle', price: 29, tag: ['b'] }
  await api.engine.datasets.get<object>(shop).documents.bulk([twin, { ...twin, id: '4', title: 'Hose' }])
  const similar = async (body: object) => (await send('POST', 'Documents/Similar', body, shop)).body
  const { Hits } = await similar({ Id: '2', Count: 1, Explain: true })
  expect(Hits).toMatchObject([{ Id: '3', Score: 1, Document: { title: 'Garden hose' } }])
  expect(Hits[0].Shared[0]).toEqual({
    Aspect: expect.any(String),
    Text: expect.any(String),
    Part: expect.any(Number),
  })
  expect((await similar({ Text: 'hose', Exclude: ['2', '3'], Least: 0.1 })).Hits).toHaveLength(1)
  for (const wrong of [{}, { Text: 'a', Id: '1' }])
    expect((await send('POST', 'Documents/Similar', wrong, shop)).status).toBe(400)
  const { body } = await send('POST', 'Documents/Keywords', { TagId: 'b' }, shop)
  expect(body.Keywords[0]).toMatchObject({ InTag: 3, InAll: 3 })
  const process = await ended('Documents/Duplicates', { Threshold: 0.9 }, shop)
  expect(process.Type).toBe('DocumentsDuplicates')
  const groups = (await (await fetch(linkIn(process))).json()) as object[]
  expect(groups).toEqual([
    { Ids: ['2', '3'], Score: 1, Pairs: [{ Ids: ['2', '3'], Score: 1 }], Shared: expect.any(Array) },
  ])
})

test('shows lists in full where a client has left them out, and a query as it came', async () => {
  const shop = await openShop(api.engine)
  const { Id } = (await send('POST', 'Services', { Name: 'Echo', Type: 'Prc' })).body
  const typed = `Services/Prc/${Id}`
  await ended(`${typed}/Prepare`, { DataSetName: shop })
  const all = ['a1', 'b']
  for (const FieldsForRecommendation of [undefined, null, []]) {
    await ended(`${typed}/Activate`, { FieldsForRecommendation })
    const { ActivateSettings } = (await send('GET', typed)).body
    expect(ActivateSettings).toEqual({ FieldsForRecommendation: ['title', 'desc'] })
    await send('POST', `${typed}/Deactivate`)
  }
  await ended(`${typed}/Activate`, { FieldsForRecommendation: ['desc'] })
  expect((await send('GET', typed)).body.ActivateSettings).toEqual({ FieldsForRecommendation: ['desc'] })
  for (const [sent, shown] of [
    [undefined, { Query: null, TagIdList: all }],
    [{}, { Query: null, TagIdList: all }],
    [{ Filter: null }, { Query: null, TagIdList: all }],
    [{ Filter: { Query: null, TagIdList: [] } }, { Query: null, TagIdList: all }],
    [{ Filter: { Query: '', TagIdList: null } }, { Query: '', TagIdList: all }],
    [{ Filter: { Query: 'price:>1', TagIdList: ['b'] } }, { Query: 'price:>1', TagIdList: ['b'] }],
  ] as const) {
    await ended(`${typed}/Index`, sent)
    expect((await send('GET', typed)).body.IndexSettings).toEqual({ Filter: shown })
  }
})

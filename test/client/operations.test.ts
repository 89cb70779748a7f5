import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientTypes, openApiDocument, operationsOf, pages } from '../../.ci/client-types.ts'
import * as operations from '../../adapters/client/src/api/operations.ts'
import { toWire } from '../../adapters/client/src/casing.ts'
import type { Client } from '../../adapters/client/src/client.ts'
import type { Operation } from '../../adapters/client/src/operation.ts'
import type { Result } from '../../adapters/client/src/result.ts'
import { unwrap } from '../../adapters/client/src/result.ts'
import { createUpdater } from '../../adapters/http/src/update/update.ts'
import { routes, secret } from '../http/routes/api.ts'
import { fillShop, type Product, products, type Server, startServer } from './server.ts'

type OperationId = keyof typeof operations
type Called = (client: Client) => Promise<Result<unknown>>

const shop = (client: Client) => client.dataset<Product>('shop')
const serviceOf = new Map<string, string>()
const service = (type: string) => serviceOf.get(type)!
let scrollId = ''
let file = ''
let process = ''

/** For every operation the method that makes it, in an order in which nearly all of them succeed. */
const methods: Record<OperationId, Called> = {
  getRoot: client => client.installation.describe(),
  getHealth: client => client.installation.health(),
  getReady: client => client.installation.ready(),
  getMetrics: client => client.installation.metrics(),
  getOpenapijson: client => client.installation.openApi(),
  getStatus: client => client.installation.status({ withMemory: true }),
  getLicense: client => client.installation.license(),
  postLicense: client => client.installation.setLicense('no license'),
  postMaintenanceBackup: client => client.installation.backup(),
  getUpdate: client => client.installation.hasUpdate(),
  postUpdate: client => client.installation.update(),
  postHelperFileParser: client => client.installation.parseFile(btoa('A text.')),
  getStatistics: client => client.statistics.all(),
  getStatisticsByYear: client => client.statistics.ofYear(2026),
  getStatisticsByYearByMonth: client => client.statistics.ofMonth(2026, 2),
  postKeys: client => client.keys.create({ name: 'one', scopes: ['Search'], dataSets: ['shop'] }),
  getKeys: client => client.keys.list(),
  postKeysByIdExchange: async client =>
    client.keys.exchange((await unwrap(client.keys.list()))[0]!.id, { keepOldHours: 1 }),
  deleteKeysById: async client => client.keys.remove((await unwrap(client.keys.list()))[0]!.id),

  postDataSets: client =>
    client.dataSets.create({
      name: 'first',
      nGramCount: 1,
      idField: 'Id',
      tagField: 'tag',
      interpretedFields: ['Title'],
      sampleDocument: { Id: '1', Title: 'A title', tag: ['a'], details: { Width: 1 } },
    }),
  postDataSetsSchema: client =>
    client.dataSets.createBySchema({
      name: 'second',
      nGramCount: 1,
      idField: 'id',
      tagField: 'Tag',
      interpretedFields: [],
      schema: { type: 'object', properties: { id: { type: 'string' }, Tag: { type: 'string' } } },
    }),
  getDataSets: client => client.dataSets.list(),
  getDataSetsByName: client => client.dataSets.get('first'),
  putDataSetsByName: client => client.dataSets.rename('first', 'third'),
  postDataSetsByNameSwapByOther: client => client.dataSets.swap('second', 'third'),
  deleteDataSetsByName: client => client.dataSets.remove('second'),
  getDataSetsByNameSettings: client => shop(client).settings(),
  postDataSetsByNameReconfigure: client =>
    shop(client).reconfigure({ synonyms: [{ root: 'hose', synonyms: ['pipe'] }] }),
  postDataSetsByNameOptimize: client => shop(client).optimize(),
  postDataSetsByNameProfile: async client => {
    const started = await shop(client).startProfile({ crossTables: [['brand', 'tag']] })
    await client.processes.wait(started)
    return started
  },
  getDataSetsByNameProfile: client => shop(client).profile(),

  postTags: client => shop(client).tags.create({ id: 'new', name: 'New', parentTagId: 'garden' }),
  getTags: client => shop(client).tags.list({ withDetails: true }),
  getTagsById: client => shop(client).tags.get('new', { withDetails: true }),
  putTagsById: client => shop(client).tags.update('new', { id: 'new', name: 'Newer' }),
  deleteTagsById: client => shop(client).tags.remove('new', { force: true, cleanDocuments: true }),
  postTagsCleanDocuments: client => shop(client).tags.cleanDocuments(),
  postTagsBulk: client =>
    shop(client).tags.bulk([
      { id: 'drills', name: 'Drills' },
      { id: 'garden', name: 'Garden', parentId: null },
    ]),
  postTagsExportWords: client => shop(client).tags.exportWords({ nGramList: [1] }),

  postDocuments: client => shop(client).documents.create({ ...products[0]!, id: 'n/1' }),
  getDocumentsById: client => shop(client).documents.get('n/1'),
  putDocumentsById: client => shop(client).documents.update('n/1', { price: 20 }),
  deleteDocumentsById: client => shop(client).documents.remove('n/1'),
  postDocumentsBulk: client => shop(client).documents.bulk(products),
  postDocumentsFilter: async client => {
    const result = await shop(client).documents.filter({
      pagination: { limit: 1 },
      order: { orderByField: 'price', orderDirection: 'Desc' },
      filter: { query: 'price:>20', tagIdList: ['drills', 'garden'] },
    })
    if (result.isSuccessful) scrollId = result.responseObject.scrollId!
    return result
  },
  postDocumentsFilterByScrollId: client => shop(client).documents.scroll(scrollId),
  postDocumentsSample: client => shop(client).documents.sample({ id: 'seed', size: 2 }),
  postDocumentsCopy: client =>
    shop(client).documents.copy({ documentIdList: ['p1'], targetDataSetName: 'other' }),
  postDocumentsMove: client =>
    client.dataset('other').documents.move({ documentIdList: ['p4'], targetDataSetName: 'shop' }),
  postDocumentsImport: client => shop(client).documents.import(products, { mode: 'upsert' }),
  getDocumentsExport: client => shop(client).documents.export({ format: 'csv', columns: 'id,title' }),
  getDocumentsChanges: client => shop(client).documents.changes({ since: 0, limit: 3 }),
  postDocumentsDuplicates: async client => {
    const started = await shop(client).documents.duplicates()
    file = (await unwrap(client.processes.wait(started))).resultMessage!
    return started
  },
  getFilesByName: client => client.files.get(file),

  getDocumentsSearch: client =>
    shop(client).searchAddress({
      q: 'dril',
      filter: 'price:>1',
      facets: 'brand,price',
      limit: 2,
      highlight: true,
    }),
  postDocumentsSearch: client =>
    shop(client).search({
      text: 'dril',
      fields: { title: 8, brand: 1 },
      filter: { query: 'price:>1', tagIdList: ['drills'] },
      facets: ['brand', { field: 'price', histogram: 2 }],
      highlight: { fields: ['title'], marks: true },
      typoTolerance: { edits: 1, disableOnFields: ['brand'] },
      explain: true,
    }),
  postSearchMulti: client =>
    shop(client).multi([{ text: 'drill' }, { text: 'hose', dataSet: 'other', fields: { title: 2 } }]),
  postDocumentsComplete: client => shop(client).complete({ text: 'gar', kinds: ['Title', 'Tag'] }),
  postDocumentsSuggest: client => shop(client).suggest({ text: 'gardn hose' }),
  postDocumentsSimilar: client =>
    shop(client).similar({ document: { title: 'Drill for concrete' }, explain: true }),
  postDocumentsBoughtTogether: async client => {
    const baskets = { dataSet: 'shop', field: 'brand', time: 'price' }
    await client.processes.wait(await shop(client).reconfigure({ baskets }))
    return shop(client).boughtTogether({ ids: ['p1'], least: 1 })
  },
  postDocumentsTrending: client => shop(client).trending({ by: 'Count' }),
  postDataSetsByNameClassifierTrain: async client => {
    const started = await shop(client).trainClassifier()
    await client.processes.wait(started)
    return started
  },
  postEvents: async client => {
    const { queryId = '', hits } = await unwrap(shop(client).search({ text: 'drill', user: 'u1' }))
    return await shop(client).events([{ type: 'Click', queryId, id: hits[0]!.id, position: 1 }])
  },
  getAnalyticsOverview: client => client.analytics.overview({ dataSet: 'shop', per: 'Day' }),
  getAnalyticsQueries: client => client.analytics.queries({ kind: 'WithoutHits', limit: 5 }),
  getAnalyticsSeries: client => client.analytics.series({ from: '2026-01-01', per: 'Hour' }),
  getAnalyticsHits: client => client.analytics.hits({ limit: 5 }),
  getAnalyticsFilters: client => client.analytics.filters({ limit: 5 }),
  getAnalyticsSuggestions: client => client.analytics.suggestions({ atLeast: 1 }),
  getAnalyticsExport: client => client.analytics.export({ format: 'Csv' }),
  postAnalyticsErase: client => client.analytics.erase({ user: 'u1' }),
  postDocumentsClassify: client => shop(client).classify({ text: 'a drill', explain: true }),
  postDocumentsKeywords: client => shop(client).keywords({ tagId: 'drills' }),
  postDataSetsByNameClassifierEvaluate: client => shop(client).evaluateClassifier(),
  postDataSetsByNameClassifierDoubtfulTags: client => shop(client).doubtfulTags(),

  postServices: async client => {
    const types = ['Classifier', 'Prc', 'Search'] as const
    for (const type of types)
      serviceOf.set(type, (await unwrap(client.services.create({ name: type, type }))).id)
    return await client.services.create({ name: 'More', type: 'Search', alias: 'more' })
  },
  getServices: client => client.services.list(),
  getServicesById: client => client.services.get('more'),
  putServicesById: client => client.services.update('more', { name: 'Most', alias: 'most' }),
  deleteServicesById: client => client.services.remove('most'),
  postServicesClassifierByIdPrepare: client =>
    waited(
      client,
      client.services.classifier.prepare(service('Classifier'), { dataSetName: 'shop', nGramList: [1] }),
    ),
  postServicesClassifierByIdActivate: client =>
    waited(
      client,
      client.services.classifier.activate(service('Classifier'), { emphasizedTagIdList: ['garden'] }),
    ),
  getServicesClassifierById: client => client.services.classifier.get(service('Classifier')),
  postServicesClassifierByIdRecommend: client =>
    client.services.classifier.recommend(service('Classifier'), {
      text: 'garden hose',
      needTagInResult: true,
    }),
  postServicesClassifierByIdExportDictionaries: client =>
    client.services.classifier.exportDictionaries(service('Classifier'), { nGramList: [1] }),
  postServicesPrcByIdPrepare: client =>
    waited(client, client.services.prc.prepare(service('Prc'), { dataSetName: 'shop' })),
  postServicesPrcByIdActivate: client => waited(client, client.services.prc.activate(service('Prc'))),
  postServicesPrcByIdIndex: client => waited(client, client.services.prc.index(service('Prc'))),
  postServicesPrcByIdIndexPartial: client => waited(client, client.services.prc.indexPartial(service('Prc'))),
  getServicesPrcById: client => client.services.prc.get(service('Prc')),
  postServicesPrcByIdRecommend: client =>
    client.services.prc.recommend(service('Prc'), {
      text: 'garden hose',
      tagId: 'garden',
      needDocumentInResult: true,
      weights: [{ query: 'price:>20', value: 2 }],
    }),
  postServicesPrcByIdRecommendById: client =>
    client.services.prc.recommendById(service('Prc'), { documentId: 'p3', needDocumentInResult: true }),
  postServicesPrcByIdKeywords: client =>
    client.services.prc.keywords(service('Prc'), { text: 'garden hose', tagId: 'garden', isStrict: true }),
  postServicesPrcByIdExportDictionaries: client => client.services.prc.exportDictionaries(service('Prc')),
  postServicesSearchByIdPrepare: client =>
    waited(client, client.services.search.prepare(service('Search'), { dataSetName: 'shop' })),
  postServicesSearchByIdActivate: client =>
    waited(
      client,
      client.services.search.activate(service('Search'), {
        classifierSettings: { id: service('Classifier'), count: 2 },
      }),
    ),
  getServicesSearchById: client => client.services.search.get(service('Search')),
  postServicesSearchById: client =>
    client.services.search.search(service('Search'), {
      text: 'garden',
      searchSettings: { facets: ['brand'], highlight: true, weights: [{ query: 'price:>20', value: 2 }] },
    }),
  postServicesClassifierByIdDeactivate: client =>
    client.services.classifier.deactivate(service('Classifier')),
  postServicesPrcByIdDeactivate: client => client.services.prc.deactivate(service('Prc')),
  postServicesSearchByIdDeactivate: client => client.services.search.deactivate(service('Search')),

  getProcesses: async client => {
    const result = await client.processes.list({ allStatus: true, allTime: true, extensions: true })
    if (result.isSuccessful) process = result.responseObject[0]!.id
    return result
  },
  getProcessesById: client => client.processes.get(process),
  postProcessesByIdCancel: client => client.processes.cancel(process),
  // The last: the client goes on with the same one.
  postMaintenanceChangeSecret: client => client.installation.changeSecret(secret),
}

/** The answer that began a process, once that has ended: what comes next needs it. */
async function waited<T extends { id: string }>(
  client: Client,
  call: Promise<Result<T>>,
): Promise<Result<T>> {
  const started = await call
  if (started.isSuccessful) await unwrap(client.processes.wait(started.responseObject.id))
  return started
}

/** What goes wrong: there is no such license, and what has ended cannot be cancelled. */
const refused: OperationId[] = ['postLicense', 'postProcessesByIdCancel']

const known = new Map<string, Operation<unknown, unknown>>(Object.entries(operations))
const document = await openApiDocument()
const documented = operationsOf(document)

interface Exchange {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: unknown
  readonly answer: string
}

let engine: Engine
let server: Server
let folder: string
/** The last exchange of each operation, and what the method made of it. */
const made = new Map<OperationId, { exchanges: Exchange[]; result: Result<unknown> }>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-backups-'))
  engine = await Engine.open({ analytics: { mode: 'full' } })
  server = await startServer({ engine, config: { backupFolder: folder }, updater: createUpdater([]) })
  await fillShop(server.client())
  await fillShop(server.client(), 'other')
  for (const [id, method] of Object.entries(methods) as [OperationId, Called][]) {
    const exchanges: Exchange[] = []
    const client = server.client({
      fetch: async (address, init) => {
        const response = await fetch(address, init)
        const { method = '', headers, body } = init!
        const answer = await response.clone().text()
        exchanges.push({
          method,
          url: new URL(String(address)),
          headers: new Headers(headers),
          body: typeof body === 'string' ? JSON.parse(body) : undefined,
          answer,
        })
        return response
      },
    })
    made.set(id, { result: await method(client), exchanges })
  }
})

afterAll(async () => {
  await server.stop()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

describe('what the client knows of the API', () => {
  it('is what npm run client-types makes of the OpenAPI document today', async () => {
    for (const [path, code] of await clientTypes(document)) expect(await readFile(path, 'utf8')).toBe(code)
  })

  it('is every operation of the document but pages for people, by method and path', () => {
    const found = Array.from(known, ([id, { method, path }]) => `${id}: ${method} ${path}`)
    const expected = documented.map(
      ({ method, path, operation }) => `${operation.operationId}: ${method} ${path}`,
    )
    expect(found.sort()).toEqual(expected.sort())
    expect(found.length + pages.length).toBe(
      Object.values(document.paths).flatMap(methods => Object.keys(methods)).length,
    )
  })

  it('is said to be repeatable where nothing is changed, or twice is once', () => {
    const posts = [...known].filter(([, { method }]) => method === 'POST')
    expect(
      posts
        .filter(([, { repeatable }]) => repeatable)
        .map(([id]) => id)
        .sort(),
    ).toEqual([
      'postDocumentsBoughtTogether',
      'postDocumentsBulk',
      'postDocumentsClassify',
      'postDocumentsComplete',
      'postDocumentsFilter',
      'postDocumentsKeywords',
      'postDocumentsSample',
      'postDocumentsSearch',
      'postDocumentsSimilar',
      'postDocumentsSuggest',
      'postDocumentsTrending',
      'postEvents',
      'postHelperFileParser',
      'postSearchMulti',
      'postServicesClassifierByIdRecommend',
      'postServicesPrcByIdKeywords',
      'postServicesPrcByIdRecommend',
      'postServicesPrcByIdRecommendById',
      'postServicesSearchById',
      'postTagsBulk',
      'postTagsCleanDocuments',
    ])
  })
})

describe('the method of each operation', () => {
  for (const id of Object.keys(methods) as OperationId[]) {
    const operation = known.get(id)!

    it(`makes it, and gives its answer under other names: ${id}`, () => {
      const { exchanges, result } = made.get(id)!
      const pattern = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      const own = exchanges.findLast(
        ({ method, url }) => method === operation.method && pattern.test(url.pathname),
      )
      expect(own).toBeDefined()
      expect(own!.headers.get('X-Sdk-Version')).toBe('1.5.0')
      expect(own!.headers.get('Authorization')).toBe(`Findling ${secret}`)
      const route = routes.find(
        ({ method, path }) => method === operation.method && samePath(path, operation.path),
      )
      // Strict about names, unlike the server.
      if (route?.body) expect(route.body.safeParse(own!.body)).toMatchObject({ success: true })
      if (refused.includes(id)) {
        expect(result).toMatchObject({ isSuccessful: false, httpStatusCode: 400 })
        expect(result.errors.errors.length).toBeGreaterThan(0)
        return
      }
      expect(result).toMatchObject({ isSuccessful: true, apiVersion: '1.5.0', errors: { errors: [] } })
      const { gives } = operation
      if (gives === 'stream') expect(result.responseObject).toBeInstanceOf(ReadableStream)
      else if (gives === 'text') expect(result.responseObject).toBe(own!.answer)
      else if (own!.answer === '') expect(result.responseObject).toBeUndefined()
      else expect(toWire(result.responseObject, gives)).toEqual(JSON.parse(own!.answer))
    })
  }
})

const samePath = (one: string, other: string) =>
  one.replaceAll(/\{\w+\}/g, '{}') === other.replaceAll(/\{\w+\}/g, '{}')

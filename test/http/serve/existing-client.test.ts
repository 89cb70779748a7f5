import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../engine/engines.ts'
import { unzipped } from '../files/unzipped.ts'
import { startServer } from './server-process.ts'

// The server is the built one, of `npm run build` and `npm run build -w adapters/http`.

const secret = 'the-secret'

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: JSON, looked at from outside
  readonly body: any
}

interface Call {
  dataset?: string
  body?: unknown
  /** Sent as gzip and in chunks, without a length. */
  packed?: boolean
  headers?: Record<string, string>
}

/** Speaks as the clients of 1.5.0 do (contract, 18). */
class ExistingClient {
  readonly #url: string
  /** Of every answer so far below /api. */
  readonly versions = new Set<unknown>()

  constructor(url: string) {
    this.#url = url
  }

  async send(method: string, path: string, call: Call = {}): Promise<Answer> {
    const { dataset, body, packed = false, headers = {} } = call
    const text = body === undefined ? undefined : JSON.stringify(body)
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(`${this.#url}/${path}`, {
        method,
        headers: {
          // Sent twice by the .NET client.
          'accept-encoding': 'gzip, gzip',
          AUTHORIZATION: `Slamby ${secret}`,
          'Content-Type': 'application/json; charset=utf-8',
          'X-Api-Parallel-Limit': '2',
          'X-Sdk-Version': '1.5.0.0',
          ...(dataset !== undefined && { 'X-Dataset': dataset }),
          ...(text !== undefined && !packed && { 'Content-Length': `${Buffer.byteLength(text)}` }),
          ...(packed && { 'Content-Encoding': 'gzip' }),
          ...headers,
        },
      })
      asked.on('response', resolve).on('error', reject)
      if (packed) {
        const bytes = gzipSync(text ?? '')
        asked.write(bytes.subarray(0, 5))
        asked.end(bytes.subarray(5))
      } else asked.end(text)
    })
    const bytes = await buffer(message)
    const plain = message.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
    const json = message.headers['content-type']?.startsWith('application/json') ?? false
    this.versions.add(message.headers['x-api-version'])
    return {
      status: message.statusCode!,
      headers: message.headers,
      body: plain.length === 0 ? undefined : json ? JSON.parse(plain.toString()) : plain,
    }
  }

  /** Starts a process and asks for it until it has ended. */
  async process(path: string, call: Call = {}) {
    const { status, body } = await this.send('POST', path, call)
    expect([path, status, body]).toEqual([path, 202, expect.objectContaining({ ErrorMessages: [] })])
    for (let state = body; ; await pause(20)) {
      state = (await this.send('GET', `api/processes/${state.Id}`)).body
      if (state.End === '0001-01-01T00:00:00') continue
      expect(state).toMatchObject({ Status: 'Finished', Percent: 100 })
      return state
    }
  }

  async ok(method: string, path: string, call: Call = {}, status = 200) {
    const answer = await this.send(method, path, call)
    expect([path, answer.status, answer.body]).toEqual([path, status, answer.body])
    expect(answer.headers['x-elapsedtime']).toMatch(/^\d+$/)
    return answer.body
  }
}

/** What somebody does on the setup page, with the link that the server has printed. */
async function setUp(url: string, stdout: string): Promise<void> {
  const [, link] = /^Setup: +(\S+)$/m.exec(stdout)!
  const first = await fetch(link!, { redirect: 'manual' })
  const cookie = first.headers.get('Set-Cookie')!.split(';')[0]!
  const post = async (path: string, fields: Record<string, string>) => {
    const page = await (await fetch(`${url}/setup`, { headers: { Cookie: cookie } })).text()
    const FormToken = /name="FormToken" value="([^"]*)"/.exec(page)![1]!
    const body = new URLSearchParams({ FormToken, ...fields })
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { Cookie: cookie },
      body,
      redirect: 'manual',
    })
    expect([path, answer.status]).toEqual([path, 302])
  }
  await post('/setup/RequestOpenSourceLicense', { Email: 'owner@example.com', Accepted: 'true' })
  await post('/setup', { Secret: secret, SecretConfirm: secret, LicenseKey: '' })
}

const products = Array.from({ length: 24 }, (_, i) => {
  const lamp = i % 2 === 0
  return {
    id: i,
    title: lamp ? `Desk lamp of brass ${i}` : `Garden hose of rubber ${i}`,
    desc: lamp ? 'A lamp with a shade' : 'A hose with a nozzle',
    price: 10 + i,
    tag: [lamp ? '1' : 2].map(String),
  }
})

test('a client of 1.5.0 finds its way from an empty server to an empty server', {
  timeout: 120_000,
}, async () => {
  const server = await startServer({
    folder: await temporaryFolder(),
    args: ['--empty'],
    env: { FINDLING_AUTH_SCHEME: 'Slamby', FINDLING_LOG_LEVEL: 'silent' },
  })
  await setUp(server.url, server.stdout())
  const client = new ExistingClient(server.url)
  const shop: Call = { dataset: 'Shop_1' }

  // Licence and instance.
  expect(await client.ok('GET', 'api/license/')).toMatchObject({ IsValid: true, Type: 'OpenSource' })
  expect(await client.ok('GET', 'api/status')).toMatchObject({ ApiVersion: '1.5.0' })
  const old = await client.send('GET', 'api/datasets', { headers: { 'X-Sdk-Version': '1.3.0.0' } })
  expect([old.status, old.body.Errors.length]).toEqual([400, 1])
  const stranger = await client.send('GET', 'api/nothing', { headers: { AUTHORIZATION: 'Slamby other' } })
  expect(stranger.status).toBe(401)

  // Dataset, under an address with doubled slashes and one in small letters.
  const dataset = {
    Name: 'Shop_1',
    NGramCount: '3',
    IdField: 'id',
    TagField: 'tag',
    InterpretedFields: ['title', 'desc'],
    sampleDocument: products[0],
    Unknown: 1,
  }
  expect(await client.ok('POST', '/api/datasets/', { body: dataset }, 201)).toBeUndefined()
  expect((await client.send('POST', 'API/DATASETS', { body: dataset })).status).toBe(409)
  expect(await client.ok('GET', 'api/DataSets')).toMatchObject([
    { Name: 'Shop_1', NGramCount: 3, Statistics: { DocumentsCount: 0 }, Schema: null },
  ])

  // Tags: one as the logged request has it, and all of them with ids that are numbers.
  const tag = { Id: 'lamps', Name: 'Lamps', ParentTagId: null, Properties: null }
  const made = await client.send('POST', 'api/tags', { ...shop, body: tag })
  expect([made.status, made.headers.location]).toEqual([201, `${server.url}/api/tags/lamps`])
  const tags = [
    { Id: 1, Name: 'Lamps', ParentId: 3 },
    { Id: 2, Name: 'Hoses', ParentId: 'NULL' },
    { Id: 3, Name: 'Home', ParentId: '' },
  ]
  const bulk = await client.ok('POST', 'api/tags/bulk', { ...shop, body: { Tags: tags }, packed: true })
  expect(bulk.Results).toEqual(['1', '2', '3'].map(Id => ({ StatusCode: 200, Id, Error: '' })))

  // Documents, read again at once.
  const body = { documents: products }
  const stored = await client.ok('POST', 'api/documents/bulk', { ...shop, body, packed: true })
  expect(stored.Results.map(({ StatusCode }: { StatusCode: number }) => StatusCode)).toEqual(
    products.map(() => 200),
  )
  expect(await client.ok('GET', 'api/documents/7/', shop)).toEqual(products[7])
  expect(await client.ok('GET', 'api/tags/3?withdetails=True', shop)).toMatchObject({
    Properties: { DocumentCount: 12, IsLeaf: false, Level: 1 },
  })
  const filter = { Pagination: { Limit: 5 }, Filter: { Query: 'lamp' }, Order: { OrderByField: 'price' } }
  const ids: number[] = []
  let scroll = ''
  let pages = 0
  for (let hasMore = true; hasMore; pages++) {
    // Without a scroll id there is a slash at the end.
    const path = `api/Documents/Filter/${encodeURIComponent(scroll)}`
    const page = await client.ok('POST', path, { ...shop, body: filter, packed: true })
    expect(page.Total).toBe(12)
    ids.push(...page.Items.map(({ id }: { id: number }) => id))
    hasMore = page.ScrollId !== null
    scroll = page.ScrollId
  }
  expect(ids).toEqual(products.filter(({ id }) => id % 2 === 0).map(({ id }) => id))

  // A classifier, by an alias with a blank.
  const service = { Name: 'Tags', Alias: 'My Service', Type: 'classifier', Id: '' }
  const { ProcessIdList, ...classifier } = await client.ok('POST', 'api/services', { body: service }, 201)
  expect([classifier.Status, classifier.Type, ProcessIdList]).toEqual(['New', 'Classifier', []])
  const typed = 'api/services/classifier/My%20Service'
  await client.process(`${typed}/prepare`, { body: { DataSetName: 'Shop_1', NGramList: ['1', 2] } })
  expect((await client.ok('GET', 'api/services'))[0].Status).toBe('Prepared')
  await client.process(`${typed}/activate`)
  const recommended = await client.ok('POST', `${typed}/recommend`, {
    body: { Text: 'a brass lamp', Count: '1', NeedTagInResult: true },
  })
  expect(recommended).toMatchObject([{ TagId: '1', IsEmphasized: false, Tag: { Name: 'Lamps' } }])
  expect(await client.ok('GET', typed)).toMatchObject({
    Status: 'Active',
    ActivateSettings: { NGramList: [1, 2], TagIdList: ['1', '2'] },
  })

  // Similar documents.
  const { Id: prcId } = await client.ok('POST', 'api/Services', { body: { Name: 'Alike', Type: 'Prc' } }, 201)
  const prc = `api/services/prc/${prcId}`
  await client.process(`${prc}/prepare`, { body: { DataSetName: 'Shop_1' } })
  await client.process(`${prc}/activate`, { body: { FieldsForRecommendation: [] } })
  const alike = await client.ok('POST', `${prc}/recommend`, {
    body: { Text: products[1]!.title, Count: 2, NeedDocumentInResult: true },
  })
  expect(alike[0]).toMatchObject({ DocumentId: '1', Document: { id: 1 } })
  await client.process(`${prc}/index`, { body: { Filter: null } })
  await client.process(`${prc}/indexpartial`)
  const neighbours = await client.ok('POST', `${prc}/recommendbyid`, { body: { DocumentId: '1' } })
  expect(neighbours).toHaveLength(3)
  const words = await client.ok('POST', `${prc}/keywords?isStrict=False`, { body: { Text: 'rubber hose' } })
  expect(words.map(({ Word }: { Word: string }) => Word)).toContain('rubber')

  // Search, with corrected text and what it is about.
  const { Id: searchId } = await client.ok('POST', 'api/services', { body: { Name: 'Search', Type: 2 } }, 201)
  const search = `api/services/search/${searchId}`
  await client.process(`${search}/prepare`, { body: { DataSetName: 'Shop_1' } })
  const { ActivateSettings } = await client.ok('GET', search)
  expect(ActivateSettings.SearchSettings).toMatchObject({ Type: 'Match', Count: 3 })
  await client.process(`${search}/activate`, {
    body: { ...ActivateSettings, ClassifierSettings: { Id: 'My Service', Count: 1 } },
  })
  const found = await client.ok('POST', search, { body: { Text: 'lamp of bras' } })
  expect(found).toMatchObject({ Total: expect.any(Number), ClassifierResultList: [{ TagId: '1' }] })
  expect(found.SearchResultList).toHaveLength(3)

  // Files, whose links stand in what processes say and need no key.
  const exports = [
    await client.process(`${typed}/exportdictionaries`, { body: { NGramList: [1] } }),
    await client.process('api/tags/exportwords', { ...shop, body: { NGramList: [2] }, packed: true }),
  ]
  const folders: string[] = []
  for (const { ResultMessage } of exports) {
    const [link] = /https?:\/\/\S+/.exec(ResultMessage)!
    const file = await fetch(link)
    expect([file.status, file.headers.get('Content-Encoding')]).toEqual([200, null])
    folders.push(...unzipped(new Uint8Array(await file.arrayBuffer())).keys())
  }
  expect(folders).toEqual(['1/1.csv', '1/2.csv', '2/1.csv', '2/2.csv'])
  const all = await client.ok('GET', 'api/processes?allStatus=True&allTime=True')
  expect(new Set(all.map(({ Type }: { Type: string }) => Type))).toEqual(
    new Set([
      ...['Prepare', 'Activate', 'ExportDictionaries'].map(what => `Classifier${what}`),
      ...['Prepare', 'Activate', 'Index', 'IndexPartial'].map(what => `Prc${what}`),
      ...['SearchPrepare', 'SearchActivate', 'TagsExportWords'],
    ]),
  )

  // What was counted: what was refused before it was read was not.
  const { Sum, Statistics } = await client.ok('GET', 'api/statistics/-1/-1')
  const [month] = Object.values(Statistics) as { Actions: { Name: string; Count: number }[]; Sum: number }[]
  const counted = new Map(month!.Actions.map(({ Name, Count }) => [Name, Count]))
  expect([counted.get('TagsBulk/Post'), counted.get('DocumentsFilter/Post')]).toEqual([1, pages])
  expect([counted.get('Classifier/Recommend'), counted.get('Statistics/Get')]).toEqual([1, 1])
  expect(Sum).toBe([...counted.values()].reduce((sum, count) => sum + count, 0))

  // All of it removed again.
  expect((await client.send('DELETE', 'api/datasets/Shop_1')).status).toBe(406)
  for (const id of ['My%20Service', prcId, searchId])
    expect(await client.ok('DELETE', `api/services/${id}`)).toBeUndefined()
  expect((await client.send('GET', `api/processes/${exports[0].Id}`)).status).toBe(404)
  await client.ok('DELETE', 'api/tags/3?force=True&cleanDocuments=True', shop)
  expect(await client.ok('GET', 'api/documents/0', shop)).toMatchObject({ tag: [] })
  await client.ok('DELETE', 'api/documents/0', shop)
  await client.ok('DELETE', 'api/datasets/Shop_1/')
  expect(await client.ok('GET', 'api/datasets')).toEqual([])
  expect([...client.versions]).toEqual(['1.5.0'])
  expect(await server.end('SIGTERM')).toMatchObject({ code: 0 })
})

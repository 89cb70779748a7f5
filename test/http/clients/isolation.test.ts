import { rm } from 'node:fs/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { docsRoutes } from '../../../adapters/http/src/openapi/docs.ts'
import { ruleOf } from '../../../adapters/http/src/request/rules.ts'
import type { Route } from '../../../adapters/http/src/route.ts'
import { routes } from '../routes/api.ts'
import { add, emptyFolder, operatorsSecret, type Sent, type Several, secretOf, several } from './several.ts'

const hostsAlone = /^\/(setup|update|metrics)\b/
const table = [...routes, ...docsRoutes([])].filter(({ path }) => !hostsAlone.test(path))
const keyed = table.filter(route => ruleOf(route).scopes.length > 0)
const endpointOf = ({ method, path }: Route) => `${method} ${path}`

let all: Several
let folder: string
/** What beta has, by the kind of what it names. */
let betas: Record<
  'dataset' | 'document' | 'tag' | 'service' | 'alias' | 'process' | 'scroll' | 'key' | 'file',
  string
>

beforeAll(async () => {
  folder = await emptyFolder(() => {})
  await add(folder, 'alpha', 'beta')
  all = await several(folder)
  betas = await fill()
})
afterAll(async () => {
  await all.stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const alpha = (method: string, path: string, sent: Sent = {}) =>
  all.send(method, `/alpha${path}`, { key: secretOf('alpha'), ...sent })
const beta = (method: string, path: string, sent: Sent = {}) =>
  all.send(method, `/beta${path}`, { key: secretOf('beta'), ...sent })

const dataSet = (Name: string) => ({
  Name,
  IdField: 'id',
  TagField: 'tag',
  InterpretedFields: ['title'],
  NGramCount: 3,
  SampleDocument: { id: '1', title: 'A lamp', tag: ['betas-tag'] },
})

/** In everything that beta has, and in no request of alpha, which asks for it as somebody who cannot type. */
const mark = 'unmistakable'
const typed = 'unmistakabel'

async function fill(): Promise<typeof betas> {
  const dataset = 'betas-dataset'
  expect((await beta('POST', '/api/DataSets', { body: dataSet(dataset) })).status).toBe(201)
  // Alpha has a dataset of this name too, with a tag and a document of the same ids.
  await alpha('POST', '/api/DataSets', { body: dataSet('shared') })
  await beta('POST', '/api/DataSets', { body: dataSet('shared') })
  for (const name of [dataset, 'shared']) {
    const tag = { Id: 'betas-tag', Name: `Tag ${mark}` }
    await beta('POST', '/api/Tags', { dataset: name, body: tag })
    const Documents = ['betas-id', 'other'].map(id => ({ id, title: `Lamp ${mark}`, tag: ['betas-tag'] }))
    await beta('POST', '/api/Documents/Bulk', { dataset: name, body: { Documents } })
  }
  const service = await beta('POST', '/api/Services', {
    body: { Name: `Service ${mark}`, Alias: 'betas-alias', Type: 'Search' },
  })
  const prepared = await beta('POST', `/api/Services/Search/${service.body.Id}/Prepare`, {
    body: { DataSetName: dataset },
  })
  await ended(prepared.body.Id)
  const activated = await beta('POST', `/api/Services/Search/${service.body.Id}/Activate`, { body: {} })
  await ended(activated.body.Id)
  const copied = await beta('POST', '/api/Documents/Copy', {
    dataset,
    body: { DocumentIdList: ['betas-id'], TargetDataSetName: 'shared' },
  })
  await ended(copied.body.Id)
  const { ResultMessage } = (await beta('GET', `/api/Processes/${copied.body.Id}`)).body
  const page = await beta('POST', '/api/Documents/Filter', { dataset, body: { Pagination: { Limit: 1 } } })
  const key = await beta('POST', '/api/Keys', { body: { Name: `Key ${mark}`, Scopes: ['Admin'] } })
  return {
    dataset,
    document: 'betas-id',
    tag: 'betas-tag',
    service: service.body.Id,
    alias: 'betas-alias',
    process: copied.body.Id,
    scroll: page.body.ScrollId,
    key: key.body.Id,
    file: /\/files\/(\S+)$/.exec(ResultMessage)![1]!,
  }
}

async function ended(process: string): Promise<void> {
  const status = async () => (await beta('GET', `/api/Processes/${process}`)).body.Status
  await vi.waitUntil(async () => (await status()) === 'Finished', { timeout: 20_000 })
}

function pathOf(route: Route, id: string): string {
  return route.path.replaceAll(/\{\w+\}/g, encodeURIComponent(id))
}

/** Of the same form, and there is nothing of it. */
function idOfNobody(id: string): string {
  return id.replace('betas', 'gamma').replaceAll(/\d/g, digit => `${9 - Number(digit)}`)
}

/** What is answered when there is nothing of this id. */
function statusForNothing({ method, path }: Route, id: string): number {
  if (path.endsWith('{scrollId}')) return 200
  // The name of a file cannot be that of a dataset.
  if (path.startsWith('/api/DataSets/') && id === betas.file) return 400
  const asksService = /^\/api\/Services\/(Search\/\{id\}$|.*\/(Recommend|RecommendById|Keywords)$)/
  return method === 'POST' && asksService.test(path) ? 400 : 404
}

async function exampleBody({ path, body, example }: Route): Promise<unknown> {
  if (!body) return undefined
  // Made by a licence, which the table alone does not have.
  if (path === '/api/License') return {}
  return typeof example?.body === 'function' ? await example.body() : (example?.body ?? {})
}

describe('a key of one client', () => {
  test('is refused by every route of another, and by every route of the operator', async () => {
    const keys = [secretOf('alpha'), (await alpha('POST', '/api/Keys', { body: admin() })).body.Key as string]
    expect((await alpha('GET', '/api/Status', { key: keys[1] })).status).toBe(200)
    for (const key of keys) {
      for (const route of keyed) {
        const { method, path } = route
        const given = { key, dataset: betas.dataset, body: method === 'GET' ? undefined : {} }
        expect([endpointOf(route), (await all.send(method, `/beta${path}`, given)).status]).toEqual([
          endpointOf(route),
          401,
        ])
      }
      for (const path of ['/api/Keys', '/api/Status', '/api/License', '/api/Statistics', '/metrics'])
        expect([path, (await all.send('GET', path, { key })).status]).toEqual([path, 401])
    }
  })

  test('of the operator is refused by every route of clients', async () => {
    for (const { method, path } of keyed) {
      const { status } = await all.send(method, `/beta${path}`, { key: operatorsSecret })
      expect([method, path, status]).toEqual([method, path, 401])
    }
    expect((await all.send('GET', '/api/Status', { key: operatorsSecret })).status).toBe(200)
  })

  test('gets nothing of another by its ids, names, aliases, files, cursors and keys', async () => {
    // Theirs is there, or the test would prove nothing.
    expect(
      (await beta('GET', `/api/Documents/${betas.document}`, { dataset: betas.dataset })).text,
    ).toContain(mark)
    expect((await all.send('GET', `/beta/files/${betas.file}`)).status).toBe(200)
    expect((await all.send('GET', `/alpha/files/${betas.file}`)).status).toBe(404)
    expect((await all.send('GET', `/files/${betas.file}`)).status).toBe(404)
    const named = keyed.filter(({ path }) => path.includes('{') && !path.startsWith('/api/Statistics'))
    expect(named.length).toBeGreaterThan(30)
    for (const route of named) {
      const body = await exampleBody(route)
      for (const id of Object.values(betas)) {
        const ask = (one: string) => alpha(route.method, pathOf(route, one), { dataset: 'shared', body })
        const [answer, nobodys] = [await ask(id), await ask(idOfNobody(id))]
        const told = (text: string) => [endpointOf(route), id, text]
        expect([...told(answer.text), answer.status]).toEqual([
          ...told(nobodys.text.replaceAll(idOfNobody(id), id)),
          statusForNothing(route, id),
        ])
        // A list that there is not has no more pages (contract, 6.4).
        if (answer.status === 200) expect(answer.body.Items).toEqual([])
        expect(told(answer.text).join()).not.toContain(mark)
      }
    }
  })

  test('counts what its own visitors ask and do, and takes no event of another', async () => {
    const ask = async (of: typeof alpha, Text: string) =>
      (await of('POST', '/api/Documents/Search', { dataset: 'shared', body: { Text, User: 'visitor' } })).body
    const tell = async (of: typeof alpha, QueryId: string, Id: string) =>
      (await of('POST', '/api/Events', { body: { Events: [{ Type: 'Click', QueryId, Id }] } })).body
    const figures = async (of: typeof alpha) =>
      (await of('GET', '/api/Analytics/Overview?dataSet=shared')).body
    const before = [await figures(alpha), await figures(beta)]
    const { QueryId, Hits } = await ask(beta, mark)
    expect(Hits.length).toBeGreaterThan(0)
    expect(await tell(alpha, QueryId, Hits[0].Id)).toMatchObject({ Counted: 0, Refused: [{ Index: 0 }] })
    expect(await tell(beta, QueryId, Hits[0].Id)).toMatchObject({ Counted: 1, Refused: [] })
    const after = [await figures(alpha), await figures(beta)]
    const more = (what: 'Calls' | 'Clicks') => after.map((now, i) => now[what] - before[i][what])
    expect([more('Calls'), more('Clicks')]).toEqual([
      [0, 1],
      [0, 1],
    ])
  })

  test('lists and finds nothing of another, whatever is asked', async () => {
    for (const route of keyed.filter(({ path }) => !path.includes('{') && !path.includes('ChangeSecret'))) {
      for (const dataset of [betas.dataset, 'shared']) {
        const body = bodyFor(route, await exampleBody(route), dataset)
        const sent = {
          dataset,
          body,
          ...(route.stream && { body: '', headers: { 'Content-Type': route.stream[0]! } }),
        }
        const { text } = await alpha(route.method, route.path, sent)
        expect([endpointOf(route), text.includes(mark), text.includes(betas.process)]).toEqual([
          endpointOf(route),
          false,
          false,
        ])
      }
    }
    const find = { dataset: 'shared', body: { Text: typed } }
    expect((await alpha('POST', '/api/Documents/Search', find)).body.Hits).toEqual([])
    expect((await beta('POST', '/api/Documents/Search', find)).text).toContain(mark)
  })
})

const admin = () => ({ Name: `Admin ${Math.random()}`, Scopes: ['Admin'] })

/** An example, asking for what beta has. */
function bodyFor({ path }: Route, example: unknown, dataset: string): unknown {
  if (path === '/api/Search/Multi') return { Searches: [{ DataSet: dataset, Text: typed }] }
  if (typeof example !== 'object' || example === null) return example
  const asked = { Text: typed, Query: typed, DocumentIdList: [betas.document], TargetDataSetName: dataset }
  const members = Object.entries(asked).filter(([member]) => Object.hasOwn(example, member))
  return { ...example, ...Object.fromEntries(members) }
}

test('clients are what they would be alone, whatever is done to which of them', async () => {
  const command = fc.record({
    client: fc.constantFrom('alpha', 'beta'),
    verb: fc.constantFrom('put', 'put', 'delete', 'clear'),
    id: fc.constantFrom('1', '2', '3', '4'),
    title: fc.string({ minLength: 1, maxLength: 8 }).map(text => `T ${text.replaceAll(/[^\w ]/g, '_')}`),
  })
  const send = { alpha, beta }
  const dataset = 'model'
  const make = (client: keyof typeof send) =>
    send[client]('POST', '/api/DataSets', { body: dataSet(dataset) })
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 20 }), async commands => {
      const model = { alpha: new Map<string, string>(), beta: new Map<string, string>() }
      for (const client of ['alpha', 'beta'] as const) {
        await send[client]('DELETE', `/api/DataSets/${dataset}`)
        expect((await make(client)).status).toBe(201)
      }
      for (const { client, verb, id, title } of commands as (Omit<(typeof commands)[0], 'client'> & {
        client: 'alpha' | 'beta'
      })[]) {
        if (verb === 'put') {
          const Documents = [{ id, title, tag: [] }]
          await send[client]('POST', '/api/Documents/Bulk', { dataset, body: { Documents } })
          model[client].set(id, title)
        } else if (verb === 'delete') {
          const { status } = await send[client]('DELETE', `/api/Documents/${id}`, { dataset })
          expect(status).toBe(model[client].delete(id) ? 200 : 404)
        } else {
          await send[client]('DELETE', `/api/DataSets/${dataset}`)
          await make(client)
          model[client].clear()
        }
      }
      for (const client of ['alpha', 'beta'] as const) {
        const { text } = await send[client]('GET', '/api/Documents/Export', { dataset })
        const lines = text.split('\n').filter(line => line !== '')
        const stored = lines.map(line => JSON.parse(line) as { id: string; title: string })
        expect(new Map(stored.map(({ id, title }) => [id, title]))).toEqual(
          new Map([...model[client]].sort()),
        )
      }
    }),
    { numRuns: 6 },
  )
})

test('statistics, limits and processes of clients are their own', async () => {
  const sums = async () => {
    const sumOf = async (send: typeof alpha) => (await send('GET', '/api/Statistics')).body.Sum as number
    return [await sumOf(alpha), await sumOf(beta)] as const
  }
  const [first, other] = await sums()
  for (let at = 0; at < 5; at++) await alpha('GET', '/api/Status')
  expect(await sums()).toEqual([first + 6, other + 1])
  const about = (Name: string) => ({ Name, Scopes: ['Read'], RequestsPerMinute: 1 })
  const [ours, theirs] = [
    (await alpha('POST', '/api/Keys', { body: about('Limited') })).body.Key as string,
    (await beta('POST', '/api/Keys', { body: about('Limited') })).body.Key as string,
  ]
  const statuses = [
    await alpha('GET', '/api/Status', { key: ours }),
    await alpha('GET', '/api/Status', { key: ours }),
    await beta('GET', '/api/Status', { key: theirs }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([200, 429, 200])
  const listed = await alpha('GET', '/api/Processes?allStatus=true&extensions=true')
  expect(listed.text).not.toContain(betas.process)
})

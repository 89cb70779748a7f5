import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Engine } from 'findling'
import { openAccess } from '../../adapters/http/src/access/access.ts'
import { Keys } from '../../adapters/http/src/access/keys.ts'
import { createApp } from '../../adapters/http/src/app.ts'
import { readConfig } from '../../adapters/http/src/config/config.ts'
import { openLicence } from '../../adapters/http/src/licence/licence.ts'
import { docsRoutes } from '../../adapters/http/src/openapi/docs.ts'
import type { Route } from '../../adapters/http/src/route.ts'
import { routesOf } from '../../adapters/http/src/routes/index.ts'
import { createSetup } from '../../adapters/http/src/setup/setup.ts'
import { hashCost } from './access/hash-cost.ts'
import { type Known, type MadeRequest, requests } from './requests.ts'

const DEADLINE_MS = 20_000
const AT_ONCE = 8
const secret = 's3cr3t-for-tests'
const sample = { id: '1', title: 'Sample', desc: 'Text', price: 1, tag: ['a'] }
/** Those that stay, so that there is always something to ask for. */
const lasting = ['items', 'shop']
/** Those that are made, renamed, exchanged and removed. */
const passing = ['store', 'spare', 'fresh', 'other', 'later']
/** Is always there, and changes its settings: others need those that last as they are. */
const changing = 'changing'
const datasets = [...lasting, ...passing]

/** An answer that no client should get, and how to get it again. */
export interface Fault {
  readonly what: string
  readonly seed: number
  /** Which of the requests of the seed, from 0. */
  readonly at: number
  readonly request: string
}

export interface FuzzReport {
  readonly requests: number
  readonly byStatus: ReadonlyMap<number, number>
  /** Lines of the table that have not answered with success. */
  readonly never: ReadonlySet<string>
  readonly faults: readonly Fault[]
  /** What the API logged as failed. */
  readonly failures: readonly unknown[]
  readonly doctor: Awaited<ReturnType<Engine['doctor']>>
}

export interface FuzzTask {
  readonly seed: number
  readonly count: number
  /** Ends earlier than `count` when it says so. */
  enough?(done: number, byStatus: FuzzReport['byStatus'], never: FuzzReport['never']): boolean
}

/** Sends the made requests to one API over one engine in memory, eight at a time, and looks at every answer. */
export async function fuzz({ seed, count, enough = () => false }: FuzzTask): Promise<FuzzReport> {
  const api = await openApi()
  const byStatus = new Map<number, number>()
  const never = new Set(api.routes.map(({ method, path }) => `${method} ${path}`))
  const faults: Fault[] = []
  const made = requests(api.routes, api.known, seed)
  let done = 0
  while (done < count && faults.length < 10 && !enough(done, byStatus, never)) {
    const group = Array.from(
      { length: Math.min(AT_ONCE, count - done) },
      () => made.next().value as MadeRequest,
    ) // it is endless
    const answers = await Promise.all(group.map(request => looked(api.fetch, request)))
    answers.forEach(({ status, what }, at) => {
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      if (status >= 200 && status < 400) never.delete(group[at]!.endpoint)
      if (what !== undefined) faults.push({ what, seed, at: done + at, request: described(group[at]!) })
    })
    done += group.length
  }
  const doctor = await api.engine.doctor()
  await api.stop()
  return { requests: done, byStatus, never, faults, failures: api.failures, doctor }
}

type Fetch = (request: Request) => Promise<Response>

async function openApi() {
  const engine = await Engine.open({ analytics: { mode: 'full' } })
  const access = await openAccess(engine, { schemes: ['Findling', 'Service', 'Bearer'], hashCost })
  await access.setSecret(secret)
  const licence = await openLicence(engine)
  const files = await mkdtemp(join(tmpdir(), 'findling-fuzz-'))
  const config = {
    ...readConfig({}),
    filesFolder: files,
    backupFolder: join(files, 'backup'),
    diskMinimumMb: 0,
  }
  const failures: unknown[] = []
  const logger = {
    info() {},
    warn() {},
    error: (details: object) => failures.push(details),
  }
  const given = { ...(await fill(engine)), keys: await makeKeys(engine) }
  const setup = createSetup({ access, licence })
  const app = createApp({ engine, config, access, setup, licence, logger })
  const known = knownTo(await licence.issueOpenSource('someone@example.org'), given)
  let clients = 0
  return {
    engine,
    known,
    routes: tableOfRoutes(),
    failures,
    // Each from an address of its own, or wrong keys would be slowed down, as they should be.
    fetch: (request: Request) => app.fetch(request, { remoteAddress: addressOf(clients++) }),
    async stop() {
      await app.close()
      await engine.close()
      // The file of a process that has ended may still be on its way.
      await rm(files, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function addressOf(client: number): string {
  return `10.${(client >> 16) & 255}.${(client >> 8) & 255}.${client & 255}`
}

function tableOfRoutes(): readonly Route[] {
  // The services are called by handlers alone, and none of these handlers is.
  const table = routesOf({ backup: {} } as Parameters<typeof routesOf>[0])
  return [...table, ...docsRoutes(table)]
}

/** Of each type of services, by their state at first. */
const states = ['new', 'prepared', 'active', 'active-2', 'active-3', 'active-4', 'active-5']
/** Requests at random stop the others early: these are only asked. */
const asked = 'active-lasting'
const types = ['search', 'classifier', 'similar'] as const
const answering = (type: (typeof types)[number]) => [`${type}-${asked}`, `${type}-active`, 'none']
const aliasesOf = (type: (typeof types)[number]) => states.map(state => `${type}-${state}`)

async function fill(engine: Engine): Promise<Pick<Given, 'process' | 'scroll'>> {
  for (const name of [...lasting, changing, 'store', 'spare']) {
    await engine.datasets.create(name, {
      sample,
      interpretedFields: ['title', 'desc'],
      validation: 'strict',
      baskets: { dataset: 'items', field: 'title', time: 'price' },
    })
    const { documents } = engine.datasets.get<object>(name)
    if (name !== 'shop') await documents.bulk(tagged)
    for (const id of ['a', 'b']) await engine.datasets.get(name).tags.create({ id, name: id })
  }
  const source = engine.datasets.get<object>('items').documents
  const job = source.copy(['1', '2'], engine.datasets.get<object>('shop').documents)
  await job.finished
  await engine.datasets.get('items').classifier().finished
  await engine.datasets.get('items').profile().finished
  for (const type of types) {
    for (const alias of [...aliasesOf(type), `${type}-${asked}`]) {
      const service = await engine.services.create({ type, name: alias, alias })
      if (!alias.endsWith('new')) await service.prepare({ dataset: 'items' })
      if (alias.includes('active')) await service.activate({})
      if (type === 'similar' && alias.includes('active'))
        await engine.services.get(alias, 'similar').index().finished
    }
  }
  const { cursor } = await engine.datasets.get('items').filter({}, { limit: 1, cursor: true })
  return { process: job.id, scroll: cursor! }
}

/** Of two tags, so that there is something to tell apart. */
const tagged = ['1', '2', '3', '4', '5', '6', '7', '8'].map(id => {
  const tag = Number(id) % 2 === 0 ? 'b' : 'a'
  return { ...sample, id, title: tag === 'a' ? `Sample lamp ${id}` : `Garden hose ${id}`, tag: [tag] }
})

interface Given {
  /** Ids: of a process that has ended, of a list with more pages, of named keys. */
  readonly process: string
  readonly scroll: string
  readonly keys: readonly string[]
}

/** @returns ids of named keys, which nobody can guess */
async function makeKeys(engine: Engine): Promise<string[]> {
  const keys = new Keys(engine.namespace('http-keys'))
  const about = { datasets: null, filter: null, expiresAt: null, requestsPerMinute: null }
  const names = Array.from({ length: 6 }, (_, i) => `key ${i + 1}`)
  const made = names.map(name => keys.create({ name, scopes: ['Read'], ...about }))
  return (await Promise.all(made)).map(({ about: { id } }) => id)
}

function knownTo(licence: string, { process, scroll, keys }: Given): Known {
  const ids = ['1', '2', '3', '4', '5', '6', '7', '8']
  const tags = ['a', 'b', 'c', '1', '2']
  return {
    secret,
    datasets: lasting,
    members: new Map([
      ['name', passing],
      ['existingName', passing],
      // What has this name may change, but there is always something that has it.
      ['other', [...passing, 'shop']],
      ['id', [...ids, ...tags]],
      ['Processes/{id}', [process, process, ...ids]],
      ['Keys/{id}', [...keys, '1']],
      // What is removed or gets another alias: the others stay.
      ['Services/{id}', [...types.flatMap(type => [`${type}-active-4`, `${type}-active-5`]), 'extra']],
      ['{name}/Classifier', [...lasting, 'store']],
      ['{name}/Profile', [...lasting, 'store']],
      ['{name}/Reconfigure', [...passing, changing, changing]],
      ['{name}/Optimize', [...passing, changing]],
      ['{name}/Swap', [...passing, 'shop']],
      ['Search/{id}', [...aliasesOf('search'), 'classifier-active', 'none']],
      [
        'Classifier/{id}',
        [...aliasesOf('classifier'), 'classifier-new', 'classifier-new', 'search-active', 'none'],
      ],
      ['Classifier/{id}/Recommend', answering('classifier')],
      ['Prc/{id}/Recommend', answering('similar')],
      ['Prc/{id}/RecommendById', answering('similar')],
      ['Prc/{id}/Keywords', answering('similar')],
      ['Prc/{id}', [...aliasesOf('similar'), 'search-active', 'none']],
      ['year', ['2026', '-1', '999']],
      ['month', ['8', '12', '-1', '13']],
      ['file', ['start.js', 'none.css', 'swagger-ui.css']],
      ['scrollId', ['none', scroll]],
    ]),
    values: new Map<string, readonly unknown[]>([
      ['Name', [...passing, ...passing, 'items', 'a']],
      ['TargetDataSetName', datasets],
      ['DataSetName', ['items', 'items', 'none']],
      ['Description', ['text', null]],
      ['Alias', ['extra', 'more', null]],
      ['Query', ['sample', 'title:sample', 'price:>1', 'title:(', null]],
      ['FieldList', [['title'], ['*'], ['none'], null]],
      ['SearchFieldList', [['title'], ['title^2', 'desc'], null]],
      ['ResponseFieldList', [['title'], ['*'], null]],
      ['OrderByField', ['title', 'price', 'none']],
      ['ClassifierSettings', [null, { Id: 'classifier-active-2' }, { Id: 'classifier-active-3', Count: 0 }]],
      ['DisableOnFields', ['title', 'desc']],
      ['DisableOnWords', ['sample']],
      ['TagIdList', ['a', 'b']],
      ['EmphasizedTagIdList', ['a']],
      ['ParentTagIdList', ['a']],
      ['TagId', ['a', 'b', null]],
      ['NGramList', [1, 2, 3]],
      ['FieldsForRecommendation', ['title', 'desc']],
      ['Filter', [null, { Query: 'sample' }, 'price:>1']],
      ['DocumentId', ids],
      ['Content', ['QSBob3Nl', 'QSBo\nb3Nl', 'JVBERi0=', 'UEsDBA==', 'A', null]],
      ['IdField', ['id', 'id', 'id', 'title']],
      ['TagField', ['tag', 'tag', 'tag', 'desc']],
      ['InterpretedFields', ['title', 'desc']],
      ['Field', ['title', 'desc', 'price']],
      [
        'Signals',
        [price(10), price('1e3'), { Field: 'title', HalfLifeDays: 7, Boost: 2 }, { Field: 'desc' }],
      ],
      ['NGramCount', [1, 3, '6']],
      ['SampleDocument', [sample, JSON.stringify(sample), { id: 1 }]],
      [
        'Schema',
        [
          {
            type: 'object',
            properties: {
              id: { type: 'string' },
              title: { type: 'string' },
              tag: { type: 'array', items: { type: 'string' } },
            },
          },
        ],
      ],
      ['DocumentIdList', ids],
      ['Ids', ids],
      ['Exclude', ids],
      ['StopWords', ['the', 'for']],
      ['GroupBy', ['title', '']],
      ['Baskets', [{ DataSet: 'items', Field: 'title', Time: 'price' }, {}, { DataSet: 'items' }]],
      ['Id', tags],
      ['ParentId', [...tags, null, '']],
      ['ParentTagId', [...tags, null, '']],
      ['Text', ['sample', 'wireles hedphones', 'a', '', 'sample text or more', '"sample text"~2 hed', '"a']],
      ['columns', ['id', 'id,title', 'price.x', '']],
      ['since', [0, 1, '5']],
      ['License', [licence, '<License/>', '<a>&b;</a>']],
      ['Secret', [secret, 'short', 'x'.repeat(33), ' ', null, 5]],
    ]),
    documents: documents(ids, tags),
  }
}

/** A signal. */
function price(Pivot: unknown): object {
  return { Field: 'price', Pivot, Boost: 1 }
}

function documents(ids: readonly string[], tags: readonly string[]): fc.Arbitrary<unknown> {
  const text = fc.constantFrom(
    'Sample',
    'Wireless headphones',
    'Garden hose',
    '',
    'x\0y',
    '\ud800',
    '__proto__',
  )
  const fields = {
    id: fc.constantFrom<unknown>(...ids, 1, 2, 1.5, null, '__proto__', '\ud800'),
    title: text,
    desc: text,
    price: fc.constantFrom<unknown>(1, 2.5, -1, '3', null),
    tag: fc.oneof(fc.subarray([...tags]), fc.constantFrom<unknown>('a', [1], [['a']], null)),
  }
  const odd = fc.dictionary(fc.constantFrom('id', '__proto__', 'constructor', 'a.b', ''), fc.jsonValue(), {
    maxKeys: 3,
  })
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ ...fields, id: fc.constantFrom(...ids), title: text }) },
    { weight: 3, arbitrary: fc.record(fields, { requiredKeys: [] }) },
    { weight: 1, arbitrary: odd },
  )
}

interface Looked {
  readonly status: number
  readonly what: string | undefined
}

async function looked(fetch: Fetch, made: MadeRequest): Promise<Looked> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), DEADLINE_MS)
  const overdue = new Promise<Looked>(resolve => {
    late.signal.addEventListener('abort', () =>
      resolve({ status: 0, what: `no answer in ${DEADLINE_MS} ms` }),
    )
  })
  const answered = answer(fetch, made).catch(error => ({ status: 0, what: `it throws: ${error.stack}` }))
  const result = await Promise.race([answered, overdue])
  clearTimeout(timer)
  return result
}

async function answer(fetch: Fetch, { method, path, headers, body }: MadeRequest): Promise<Looked> {
  const init = { method, headers: { ...headers }, ...(body !== undefined && { body }) }
  const response = await fetch(new Request(`http://localhost${path}`, init))
  const bytes = new Uint8Array(await response.arrayBuffer())
  const zipped = method !== 'HEAD' && response.headers.get('Content-Encoding') === 'gzip'
  const text = zipped
    ? await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text()
    : new TextDecoder().decode(bytes)
  return { status: response.status, what: wrongIn(method, response, text) }
}

/** What the contract forbids of every answer, whatever was asked (1.5, 1.9). */
function wrongIn(method: string, { status, headers }: Response, text: string): string | undefined {
  if (headers.get('X-Api-Version') !== '1.5.0') return `X-Api-Version is ${headers.get('X-Api-Version')}`
  if (status >= 500) return `${status}: ${text}`
  if (method === 'HEAD') return text === '' ? undefined : 'HEAD has a body'
  const isJson = headers.get('Content-Type')?.startsWith('application/json') ?? false
  const json = isJson ? parsed(text) : undefined
  if (isJson && json === undefined) return `${status} is not valid JSON: ${text}`
  return status < 400 || isErrorsModel(json) ? undefined : `${status} is no ErrorsModel: ${text}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isErrorsModel(json: unknown): boolean {
  if (typeof json !== 'object' || json === null || Object.keys(json).join() !== 'Errors') return false
  const { Errors } = json as { Errors: unknown } // its only member
  return (
    Array.isArray(Errors) &&
    Errors.length > 0 &&
    Errors.every(text => typeof text === 'string' && text !== '')
  )
}

function described({ body, ...rest }: MadeRequest): string {
  const text = typeof body === 'string' ? body : body && `${body.byteLength} bytes, packed`
  return JSON.stringify({ ...rest, body: text }).slice(0, 2_000)
}

import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { secret, withServer } from './http-server.ts'
import { progress, short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

/** Milliseconds that others may wait meanwhile. */
const MOST_WAIT = 100

/** Calls of one kind, and the longest wait of `/health` and of a small search meanwhile, in milliseconds. */
export interface LongCall {
  readonly name: string
  readonly ms: number
  readonly health: number
  readonly search: number
  /** The most that the server's main thread computed before `/health` was answered. */
  readonly computed: number
}

export interface LongCallsResults {
  readonly documents: number
  readonly calls: readonly LongCall[]
}

interface Call {
  readonly name: string
  readonly path: string
  readonly bodies: readonly unknown[]
}

const dataset = 'many'
const other = 'other'

/** How long do others wait while somebody makes calls that have much to do in a large dataset? */
export async function longCalls(documents: number, cursors: number): Promise<LongCallsResults> {
  return await inTemporaryFolder(folder =>
    withServer(
      folder,
      async (address, pid) => {
        progress(`long calls: ${documents} documents`)
        await makeDataset(address, dataset, documents)
        await makeDataset(address, other, 500)
        const warm = { Text: 'lamp', Highlight: true, Sort: ['own'], GroupBy: 'brand' }
        await post(address, '/api/Documents/Search', warm)
        const probe = new Worker(new URL('bodies-probe.mjs', import.meta.url), {
          workerData: { address, secret, dataset: other, pid },
        })
        try {
          await pause(3_000)
          const calls: LongCall[] = []
          for (const call of longCallsOf(cursors)) calls.push(await make(address, call, probe))
          return { documents, calls }
        } finally {
          await probe.terminate()
        }
      },
      { env: { FINDLING_DISK_MINIMUM_MB: '0' } },
    ),
  )
}

async function makeDataset(address: string, name: string, documents: number): Promise<void> {
  const sample = { ...document(0), tag: ['a'] }
  const model = {
    Name: name,
    NGramCount: 1,
    IdField: 'id',
    TagField: 'tag',
    InterpretedFields: ['title', 'text'],
  }
  await post(address, '/api/DataSets', { ...model, SampleDocument: sample })
  for (let from = 0; from < documents; from += 5_000) {
    const Documents = Array.from({ length: Math.min(5_000, documents - from) }, (_, i) => document(from + i))
    await post(address, '/api/Documents/Bulk', { Documents }, name)
  }
}

const word = (n: number): string => `w${((n * 7_919) % 20_011).toString(36)}`

/** About 200 bytes. All have one word; one field has a value of its own in each. */
const document = (n: number) => ({
  id: `d${n}`,
  title: `drill lamp ${word(n)} ${word(n * 3 + 1)}`,
  text: Array.from({ length: 16 }, (_, i) => word(n * 17 + i * i)).join(' '),
  tag: [],
  own: `value ${(n * 7_919) % 1_000_003}`,
  brand: `brand ${n % 500}`,
  third: (n * 31) % 20_000,
})

function* longCallsOf(cursors: number): Generator<Call> {
  const search = '/api/Documents/Search'
  const many = (count: number, body: (i: number) => unknown) =>
    Array.from({ length: count }, (_, i) => body(i))
  const page = { Pagination: { Limit: 1 } }
  const similar = '/api/Documents/Similar'
  yield { name: 'first similar documents', path: similar, bodies: [{ Text: 'drill lamp w1' }] }
  yield { name: 'similar documents', path: similar, bodies: [{ Text: 'drill lamp w1' }] }
  yield {
    name: `${cursors} cursors of lists`,
    path: '/api/Documents/Filter',
    bodies: many(cursors, () => page),
  }
  const ordered = { ...page, Order: { OrderByField: 'own' } }
  yield {
    name: `${cursors} cursors of lists in order`,
    path: '/api/Documents/Filter',
    bodies: many(cursors, () => ordered),
  }
  yield {
    name: `${cursors / 10} cursors of searches`,
    path: search,
    bodies: many(cursors / 10, i => ({ Text: `${word(i)} lamp`, Limit: 1, Cursor: true })),
  }
  yield { name: 'a cursor', path: search, bodies: [{ Text: 'lamp', Cursor: true }] }
  yield { name: 'a cursor in order', path: search, bodies: [{ Text: 'lamp', Sort: ['own'], Cursor: true }] }
  yield {
    name: 'a cursor in an order of two fields',
    path: search,
    bodies: [{ Text: 'lamp', Sort: ['third:desc', 'own'], Cursor: true }],
  }
  yield { name: 'groups of their own', path: search, bodies: [{ Text: 'lamp', GroupBy: 'own' }] }
  yield {
    name: 'groups of their own with a cursor',
    path: search,
    bodies: [{ Text: 'lamp', GroupBy: 'own', Cursor: true }],
  }
  yield {
    name: 'groups of their own with a cursor in order',
    path: search,
    bodies: [{ Text: 'lamp', GroupBy: 'own', Sort: ['third'], Cursor: true }],
  }
  const Synonyms = many(10_000, i => ({ Synonyms: [word(i), `other ${i}`, `more${i}ables`, `${i}ational`] }))
  yield { name: '10,000 synonyms', path: search, bodies: [{ Text: 'lamp', Synonyms }] }
  const marked = (i: number) => ({ DataSet: dataset, Text: `${word(i)} lamp`, Limit: 100, Highlight: true })
  yield {
    name: '100 searches with highlights',
    path: '/api/Search/Multi',
    bodies: [{ Searches: many(100, marked) }],
  }
}

/** So many calls are under way at a time. */
const AT_ONCE = 8

async function make(address: string, { name, path, bodies }: Call, probe: Worker): Promise<LongCall> {
  const texts = bodies.map(body => JSON.stringify(body))
  await waits(probe)
  const start = performance.now()
  const left = texts.values()
  const ask = async () => {
    for (const text of left) await send(address, path, text)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, ask))
  const ms = performance.now() - start
  await pause(50)
  return { name, ms, ...(await waits(probe)) }
}

const post = (address: string, path: string, body: unknown, name?: string): Promise<void> =>
  send(address, path, JSON.stringify(body), name)

async function send(address: string, path: string, body: string, name = dataset): Promise<void> {
  const headers = {
    Authorization: `Findling ${secret}`,
    'Content-Type': 'application/json',
    'X-DataSet': name,
  }
  const response = await fetch(address + path, { method: 'POST', headers, body })
  const answer = await response.text()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${answer.slice(0, 300)}`)
}

/** The longest since it was asked last. */
function waits(probe: Worker): Promise<Pick<LongCall, 'health' | 'search' | 'computed'>> {
  return new Promise(resolve => {
    probe.once('message', resolve)
    probe.postMessage('waits')
  })
}

export function longCallsReport({ documents, calls }: LongCallsResults): string {
  const head = ['calls', 'answered in ms', '/health waits', 'computed meanwhile', 'a search waits']
  const rows = calls.map(({ name, ms, health, search, computed }) => [
    name,
    ...[ms, health, computed, search].map(short),
  ])
  const late = calls.filter(({ health }) => health > MOST_WAIT).length
  return [
    `# long calls in ${documents} documents: how long others wait meanwhile, milliseconds at most`,
    table(head, rows),
    `/health waited longer than ${MOST_WAIT} ms during ${late} of them.`,
  ].join('\n\n')
}

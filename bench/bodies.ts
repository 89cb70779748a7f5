import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { secret, withServer } from './http-server.ts'
import { random, randomInteger } from './random.ts'
import { progress, short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

/** Milliseconds that others may wait while a body is read. */
const MOST_WAIT = { health: 100, search: 250 }

/** The longest wait of others while something was sent, in milliseconds. */
interface Waits {
  readonly health: number
  readonly search: number
}

export interface SentBody extends Waits {
  readonly name: string
  readonly bytes: number
  readonly status: number
  readonly ms: number
}

export interface BodiesResults {
  readonly named: readonly SentBody[]
  /** Of the bodies made at random, those during which others waited longest. */
  readonly worst: readonly SentBody[]
  readonly generated: number
  readonly late: number
}

interface Body {
  readonly name: string
  readonly path: string
  readonly text: string
  readonly type?: string
}

/** In place of a status: the connection broke off before there was one. */
const NO_ANSWER = 0

const dataset = 'bodies'
const other = 'other'

/** How long do others wait while somebody sends the largest bodies that the server takes, and larger ones? */
export async function bodies(generated: number, seconds: number): Promise<BodiesResults> {
  return await inTemporaryFolder(folder =>
    withServer(
      folder,
      async address => {
        for (const name of [dataset, other]) await makeDataset(address, name)
        const probe = new Worker(new URL('bodies-probe.mjs', import.meta.url), {
          workerData: { address, secret, dataset: other },
        })
        try {
          await pause(500)
          const named: SentBody[] = []
          for (const body of namedBodies()) named.push(await send(address, body, probe))
          progress(`bodies: ${generated} made at random`)
          const until = performance.now() + seconds * 1_000
          const made: SentBody[] = []
          for (const body of randomBodies(generated)) {
            if (performance.now() > until) break
            made.push(await send(address, body, probe))
          }
          const worst = made.toSorted((a, b) => b.health - a.health).slice(0, 10)
          const late = [...named, ...made].filter(isLate).length
          return { named, worst, generated: made.length, late }
        } finally {
          await probe.terminate()
        }
      },
      { env: { FINDLING_DISK_MINIMUM_MB: '0' } },
    ),
  )
}

const isLate = ({ health, search }: Waits): boolean => health > MOST_WAIT.health || search > MOST_WAIT.search

async function makeDataset(address: string, name: string): Promise<void> {
  const model = { Name: name, NGramCount: 1, IdField: 'id', TagField: 'tag', InterpretedFields: ['title'] }
  const sample = { id: '1', title: 'a', tag: ['a'], size: 1 }
  await post(address, '/api/DataSets', JSON.stringify({ ...model, SampleDocument: sample }))
  const rows = Array.from({ length: 500 }, (_, i) => ({ id: `${i}`, title: `drill ${i}`, tag: [], size: i }))
  await post(address, '/api/Documents/Bulk', JSON.stringify({ Documents: rows }), { 'X-DataSet': name })
}

async function post(
  address: string,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { Authorization: `Findling ${secret}`, 'Content-Type': 'application/json', ...headers },
    body,
  })
  await response.arrayBuffer()
  return response.status
}

async function send(address: string, { name, path, text, type }: Body, probe: Worker): Promise<SentBody> {
  await waits(probe)
  const start = performance.now()
  const status = await post(address, path, text, {
    'X-DataSet': dataset,
    ...(type && { 'Content-Type': type }),
  }).catch(error => {
    progress(`bodies: no answer to ${name}: ${error.cause ?? error}`)
    return NO_ANSWER
  })
  const ms = performance.now() - start
  await pause(50)
  return { name, bytes: text.length, status, ms, ...(await waits(probe)) }
}

/** The longest since it was asked last. */
function waits(probe: Worker): Promise<Waits> {
  return new Promise(resolve => {
    probe.once('message', resolve)
    probe.postMessage('waits')
  })
}

const times = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join()
const words = (count: number): string =>
  Array.from({ length: count }, (_, i) => `w${((i * 7_919) % 10_000_019).toString(36)}`).join(' ')

function* namedBodies(): Generator<Body> {
  const bulk = '/api/Documents/Bulk'
  const one = '/api/Documents'
  const row = (i: number) => `{"id":"r${i}","title":"drill ${i % 997} w${i}","tag":[],"size":${i}}`
  yield { name: '100,000 empty rows', path: bulk, text: `{"Documents":[${times(100_000, () => '{}')}]}` }
  yield { name: '200,000 empty rows', path: bulk, text: `{"Documents":[${times(200_000, () => '{}')}]}` }
  yield { name: '2,000,000 empty rows', path: bulk, text: `{"Documents":[${times(2_000_000, () => '{}')}]}` }
  yield { name: '100,000 rows', path: bulk, text: `{"Documents":[${times(100_000, row)}]}` }
  const rows = Array.from({ length: 100_000 }, (_, i) => row(i)).join('\n')
  yield { name: 'import of 100,000 rows', path: `${one}/Import`, text: rows, type: 'application/x-ndjson' }
  const unknown = (count: number) => `{"Text":"drill",${times(count, i => `"${i.toString(36)}":1`)}}`
  yield { name: 'search, 400,000 unknown members', path: `${one}/Search`, text: unknown(400_000) }
  yield { name: 'search, 98,000 unknown members', path: `${one}/Search`, text: unknown(98_000) }
  yield {
    name: '100,000 empty tags',
    path: '/api/Tags/Bulk',
    text: `{"Tags":[${times(100_000, () => '{}')}]}`,
  }
  const tag = (i: number) => `{"Id":"t${i}","Name":"n${i}","ParentId":${i ? `"t${(i - 1) >> 3}"` : null}}`
  yield { name: 'tree of 100,000 tags', path: '/api/Tags/Bulk', text: `{"Tags":[${times(100_000, tag)}]}` }
  yield { name: '50 MB of {"a":', path: one, text: '{"a":'.repeat(10_000_000) }
  const titled = (id: string, title: string) =>
    `{"Documents":[{"id":"${id}","title":"${title}","tag":[],"size":1}]}`
  yield {
    name: 'document of 10 MB of text',
    path: bulk,
    text: titled('text', words(1_600_000).slice(0, 10_000_000)),
  }
  yield { name: 'document of 300,000 words', path: bulk, text: titled('words', words(300_000)) }
  const letters = (id: string, title: string) => `{"id":"${id}","title":"${title}","tag":[],"size":1}`
  yield { name: 'document of 4,800,000 Han', path: one, text: letters('han', '漢字'.repeat(2_400_000)) }
  yield {
    name: 'document of 5,000,000 marks',
    path: one,
    text: letters('marks', `e${'\u0301'.repeat(5_000_000)}`),
  }
  const tagged = (count: number) => `{"id":"t","title":"a","size":1,"tag":[${times(count, i => `"t${i}"`)}]}`
  yield { name: 'document of 5,000,000 tags', path: one, text: tagged(5_000_000) }
  yield { name: 'document of 99,000 tags', path: bulk, text: `{"Documents":[${tagged(99_000)}]}` }
}

const routes = [
  '/api/Documents',
  '/api/Documents/Bulk',
  '/api/Tags/Bulk',
  '/api/Documents/Search',
  '/api/Documents/Filter',
  '/api/Documents/Copy',
  '/api/Documents/Suggest',
  '/api/Search/Multi',
] as const

/** Lists in bodies by the names that routes have for them, and one that none has. */
const lists = ['Documents', 'Tags', 'DocumentIdList', 'Searches', 'Facets', 'TagIdList', 'tag', 'what']

/** What lists and objects are full of. */
const parts: readonly ((i: number) => string)[] = [
  () => '{}',
  () => '[]',
  () => '1',
  i => `"t${i}"`,
  i => `{"id":"g${i}","title":"drill ${i}","tag":[],"size":1}`,
  i => `{"Id":"g${i}","Name":"n"}`,
  i => `{"Text":"drill","DataSet":"${dataset}","Limit":${i % 9}}`,
  i => `"${'long text '.repeat(20)}${i}"`,
  i => `12345678901234567${i}`,
]

const sizes = [1_000, 20_000, 100_000, 100_001, 1_000_000]

/** Shapes, routes and sizes at random, with a seed: as large as the limits let in, and larger. */
function* randomBodies(count: number): Generator<Body> {
  const next = random(11)
  const pick = <T>(all: readonly T[]): T => all[randomInteger(next, all.length)]!
  for (let i = 0; i < count; i++) {
    const [path, list, size] = [pick(routes), pick(lists), pick(sizes)]
    const part = parts.indexOf(pick(parts))
    const shape = pick(['list', 'members', 'nested', 'cut'] as const)
    const text = shaped(shape, list, size, parts[part]!)
    yield { name: `${path}: ${size} x ${parts[part]!(0).slice(0, 20)} as ${shape} of ${list}`, path, text }
  }
}

function shaped(
  shape: 'list' | 'members' | 'nested' | 'cut',
  name: string,
  size: number,
  part: (i: number) => string,
): string {
  switch (shape) {
    case 'members':
      return `{"id":"m","Text":"a","${name}":{${times(Math.min(size, 300_000), i => `"m${i}":${part(i)}`)}}}`
    case 'nested':
      return `{"id":"n","Text":"a","${name}":${'['.repeat(size)}${part(0)}${']'.repeat(size)}}`
    case 'cut':
      return `{"id":"c","Text":"a","${name}":[${times(size, part)}`
    default:
      return `{"id":"l","Text":"a","${name}":[${times(size, part)}]}`
  }
}

export function bodiesReport({ named, worst, generated, late }: BodiesResults): string {
  const head = ['body', 'MB', 'status', 'answered in ms', '/health waits', 'a search waits']
  const rowOf = ({ name, bytes, status, ms, health, search }: SentBody) => [
    name,
    short(bytes / 1e6),
    `${status}`,
    short(ms),
    short(health),
    short(search),
  ]
  return [
    '# bodies: how long others wait meanwhile, milliseconds at most',
    table(head, named.map(rowOf)),
    `The ten of ${generated} made at random during which /health waited longest:`,
    table(head, worst.map(rowOf)),
    `Others waited longer than ${MOST_WAIT.health} ms for /health or ${MOST_WAIT.search} ms for a search during ${late} of them all.`,
  ].join('\n\n')
}

import autocannon, { type Options, type Request, type Result } from 'autocannon'
import {
  type CallTask,
  inBulk,
  measureEngine,
  type Operation,
  operations,
  Supply,
  stored,
} from './http-calls.ts'
import { secret, withServer } from './http-server.ts'
import { isolated } from './isolated.ts'
import type { Rate } from './measure.ts'
import { percentile } from './metrics.ts'
import { percent, print, progress, short, table, writeResults } from './report.ts'
import type { Product } from './synthetic.ts'
import { inTemporaryFolder } from './temporary.ts'

export type HttpRate = Pick<Rate, 'perSecond' | 'p50' | 'p99' | 'calls'>

interface HttpFigures {
  /** One connection: comparable with calls one after the other. */
  readonly alone: Record<Operation, HttpRate>
  readonly together: Record<Operation, HttpRate>
}

const connections = 10
const calls = import.meta.resolve('./http-calls.ts')
const headers = {
  Authorization: `Findling ${secret}`,
  'X-DataSet': 'products',
  'Content-Type': 'application/json',
}

/** How many requests does the server answer over loopback, and what does HTTP add to the call of the engine? */
export async function http(task: CallTask): Promise<void> {
  progress('http: the plain calls')
  const engine = await isolated(calls, measureEngine, task)
  const figures = await inTemporaryFolder(folder =>
    withServer(folder, address => measureRequests(address, task)),
  )
  print('# http: the built server over loopback, durability "disk", every request logged')
  print(aloneTable(engine, figures.alone))
  print(togetherTable(figures.together))
  await writeResults('http', { inBulk, stored, connections, engine, ...figures })
}

async function measureRequests(address: string, { seconds, evaluationData }: CallTask): Promise<HttpFigures> {
  const supply = new Supply(evaluationData)
  await fill(address, supply)
  const rates = async (at: number): Promise<Record<Operation, HttpRate>> => {
    const rate = (operation: Operation) => {
      progress(`http: ${operation}, ${at} at once`)
      return rateOfRequests(address, requestOf(operation, supply), { seconds, connections: at })
    }
    return { get: await rate('get'), insert: await rate('insert'), bulk: await rate('bulk') }
  }
  return { alone: await rates(1), together: await rates(connections) }
}

async function fill(address: string, supply: Supply): Promise<void> {
  await post(`${address}/api/DataSets`, {
    Name: 'products',
    IdField: 'id',
    TagField: 'tag',
    NGramCount: 3,
    InterpretedFields: ['title', 'desc'],
    SampleDocument: supply.sample,
  })
  await post(`${address}/api/Documents/Bulk`, { Documents: supply.products(stored) })
}

async function post(url: string, body: object): Promise<void> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
}

/** One kind of request, made anew each time and looked at when it is answered. */
interface Kind {
  make(): Request
  isRight(status: number, body: string): boolean
}

function requestOf(operation: Operation, supply: Supply): Kind {
  if (operation === 'get') {
    return {
      make: () => ({ method: 'GET', path: `/api/Documents/${supply.knownId()}` }),
      isRight: (status, body) => status === 200 && typeof (JSON.parse(body) as Product).title === 'string',
    }
  }
  if (operation === 'insert') {
    return {
      make: () => ({
        method: 'POST',
        path: '/api/Documents',
        body: JSON.stringify(supply.product()),
      }),
      isRight: status => status === 201,
    }
  }
  return {
    make: () => ({
      method: 'POST',
      path: '/api/Documents/Bulk',
      body: JSON.stringify({ Documents: supply.products(inBulk) }),
    }),
    isRight: (status, body) => status === 200 && body.split('"StatusCode":200').length === inBulk + 1,
  }
}

interface Load {
  readonly seconds: number
  readonly connections: number
}

/** After a second to warm up. */
async function rateOfRequests(
  address: string,
  kind: Kind,
  { seconds, connections }: Load,
): Promise<HttpRate> {
  await run(address, kind, { seconds: 1, connections })
  const { latencies, elapsed } = await run(address, kind, { seconds, connections })
  const ascending = Float64Array.from(latencies).sort()
  return {
    perSecond: (latencies.length * 1_000) / elapsed,
    p50: percentile(ascending, 0.5),
    p99: percentile(ascending, 0.99),
    calls: latencies.length,
  }
}

/** @returns milliseconds of each request, and from the beginning to the last answer */
async function run(
  address: string,
  { make, isRight }: Kind,
  { seconds, connections }: Load,
): Promise<{ latencies: number[]; elapsed: number }> {
  const latencies: number[] = []
  const wrong: string[] = []
  const start = performance.now()
  let elapsed = 0
  const options: Options = {
    url: address,
    connections,
    duration: seconds,
    requests: [
      {
        // Headers of its own: the length of the body is written into them.
        setupRequest: request => ({ ...request, ...make(), headers: { ...headers } }),
        onResponse: (status, body) => {
          if (!isRight(status, body)) wrong.push(`${status}: ${body.slice(0, 200)}`)
        },
      },
    ],
  }
  const { errors, timeouts, non2xx } = await new Promise<Result>((resolve, reject) => {
    const load = autocannon(options, (error, result) => (error ? reject(error) : resolve(result)))
    load.on('response', (_client, _status, _bytes, milliseconds) => {
      latencies.push(milliseconds)
      elapsed = performance.now() - start
    })
  })
  if (wrong.length > 0) throw new Error(`${wrong.length} wrong answers, the first ${wrong[0]}`)
  if (errors + timeouts + non2xx > 0)
    throw new Error(`${errors} errors, ${timeouts} timeouts, ${non2xx} not 2xx`)
  if (latencies.length === 0) throw new Error('no request was answered')
  return { latencies, elapsed }
}

const names: Record<Operation, string> = {
  get: 'get a document',
  insert: 'insert a document',
  bulk: `bulk of ${inBulk} documents`,
}

function aloneTable(engine: Record<Operation, Rate>, http: Record<Operation, HttpRate>): string {
  const rows = operations.map(operation => {
    const [plain, over] = [engine[operation], http[operation]]
    return [
      names[operation],
      short(plain.perSecond),
      short(plain.p50),
      short(plain.p99),
      short(over.perSecond),
      short(over.p50),
      short(over.p99),
      percent(1 - over.perSecond / plain.perSecond),
    ]
  })
  const headings = [
    'one after the other',
    'calls/s',
    'p50 ms',
    'p99 ms',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'share of HTTP',
  ]
  return table(headings, rows)
}

function togetherTable(http: Record<Operation, HttpRate>): string {
  const rows = operations.map(operation => {
    const { perSecond, p50, p99 } = http[operation]
    return [names[operation], short(perSecond), short(p50), short(p99)]
  })
  return table([`${connections} connections`, 'requests/s', 'p50 ms', 'p99 ms'], rows)
}

import { ClusterNode, type Log, PostgresLog } from '@findling/cluster'
import { Engine } from 'findling'
import { percentile } from './metrics.ts'
import { Catalogue, vocabulary } from './synthetic.ts'

/** Milliseconds. */
export interface Latencies {
  readonly p50: number
  readonly p99: number
  readonly calls: number
}

export interface Writes extends Latencies {
  readonly perSecond: number
}

const DATASET = 'products'
/** Documents in one write of an import. */
const AT_ONCE = 500
const catalogue = new Catalogue(vocabulary(undefined))

let node: ClusterNode
/** By position, when an entry was appended, as long as this node has not applied it. */
const appended = new Map<number, number>()
let lags: number[] = []

const calls = {
  async open({ store, url, backup }: { store: string; url: string; backup?: string }): Promise<number> {
    if (backup) await Engine.restore(backup, store)
    const log = await PostgresLog.open({ url })
    node = await ClusterNode.open({ store, log: noticed(log), patience: 600_000 })
    void follow()
    return node.status.position
  },
  create: async () =>
    await node.write([
      {
        type: 'createDataset',
        dataset: DATASET,
        definition: { interpretedFields: ['title', 'desc'], topics: false },
      },
    ]),
  /** Writers that each wait for their answer before they write again. */
  async write({
    writers,
    seconds,
    from,
  }: {
    writers: number
    seconds: number
    from: number
  }): Promise<Writes> {
    const until = performance.now() + seconds * 1000
    const times: number[] = []
    let number = from
    const writer = async () => {
      while (performance.now() < until) {
        const document = catalogue.product(number++)
        const began = performance.now()
        await node.write([{ type: 'upsert', dataset: DATASET, document }])
        times.push(performance.now() - began)
      }
    }
    const began = performance.now()
    await Promise.all(Array.from({ length: writers }, writer))
    return { perSecond: times.length / ((performance.now() - began) / 1000), ...latencies(times) }
  },
  /** So many documents, many in a write, by two writers. */
  async fill({ documents, from }: { documents: number; from: number }): Promise<void> {
    let next = 0
    const writer = async () => {
      while (next < documents) {
        const count = Math.min(AT_ONCE, documents - next)
        const first = from + next
        next += count
        await node.write(
          Array.from({ length: count }, (_, i) => ({
            type: 'upsert' as const,
            dataset: DATASET,
            document: catalogue.product(first + i),
          })),
        )
      }
    }
    await Promise.all([writer(), writer()])
  },
  latest: () => node.latest(),
  count: async () => node.engine.datasets.get(DATASET).documents.count,
  async digest(): Promise<string> {
    return (await node.engine.digest()).digest
  },
  async backup({ folder }: { folder: string }): Promise<void> {
    await node.engine.backup(folder)
  },
  /** Since it was last asked. */
  async lag(): Promise<Latencies> {
    const told = latencies(lags)
    lags = []
    return told
  },
  /** Searches one after the other. */
  async search({ seconds }: { seconds: number }): Promise<number> {
    const dataset = node.engine.datasets.get(DATASET)
    const queries = Array.from({ length: 200 }, (_, i) =>
      catalogue
        .product(7 * i)
        .title.split(' ')
        .slice(0, 2)
        .join(' '),
    )
    for (const query of queries) await dataset.search(query)
    const until = performance.now() + seconds * 1000
    let asked = 0
    while (performance.now() < until) await dataset.search(queries[asked++ % queries.length]!)
    return asked / seconds
  },
}

/** The log, whose entries are noticed on their way to the node. */
const noticed = (of: PostgresLog): Log =>
  new Proxy(of, {
    get(target, name) {
      if (name === 'read') {
        return async (...given: Parameters<Log['read']>) => {
          const entries = await target.read(...given)
          for (const { position, at } of entries) appended.set(position, at)
          return entries
        }
      }
      const member = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })

/** Notes each entry as soon as the node has applied it. */
async function follow(): Promise<void> {
  let { position } = node.status
  for (;;) {
    await node.reach(position + 1)
    const now = performance.timeOrigin + performance.now()
    for (const { position: reached } = node.status; position < reached; ) {
      position++
      const at = appended.get(position)
      appended.delete(position)
      if (at !== undefined) lags.push(now - at)
    }
  }
}

function latencies(times: readonly number[]): Latencies {
  const ascending = Float64Array.from(times).sort()
  return { p50: percentile(ascending, 0.5), p99: percentile(ascending, 0.99), calls: times.length }
}

process.on('message', async message => {
  // Of cluster.ts alone.
  const { id, call, args } = message as { id: number; call: keyof typeof calls; args: never }
  try {
    process.send!({ id, value: await calls[call](args) })
  } catch (error) {
    const { code = 'BUG', stack } = error as { code?: string; stack: string }
    process.send!({ id, error: { code, message: stack } })
  }
})
process.on('disconnect', () => process.exit(0))

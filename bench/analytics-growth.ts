import { setImmediate as turn } from 'node:timers/promises'
import { Engine, type SearchObservation } from 'findling'
import { QueryStatistics } from '../src/analytics/query-statistics.ts'
import { Store } from '../src/store/store.ts'
import { isolated } from './isolated.ts'
import { random, randomInteger } from './random.ts'
import { progress, short, table } from './report.ts'
import { folderBytes, inTemporaryFolder } from './temporary.ts'

const MODES = ['counts', 'full'] as const

/** What the process and its folder take after so many calls, in megabytes. */
interface CallsSample {
  readonly calls: number
  /** After garbage was collected, memory outside of the heap among it. */
  readonly heap: number
  readonly resident: number
  readonly stored: number
  readonly seconds: number
}

export interface AnalyticsGrowth {
  readonly calls: number
  readonly modes: readonly {
    readonly mode: (typeof MODES)[number]
    readonly samples: readonly CallsSample[]
  }[]
}

/** Numbers of texts, users and documents that are made up: half of the calls ask what nobody asks again. */
const [OFTEN, USERS, SHOWN] = [20_000, 1_000_000, 50_000]

/** Does what people ask take more memory, the more they ask? */
export async function analyticsGrowth(calls: number): Promise<AnalyticsGrowth> {
  const modes = []
  for (const mode of MODES) {
    progress(`analytics: ${short(calls)} calls in the mode ${mode}`)
    const samples = await inTemporaryFolder(path =>
      isolated(import.meta.url, askOften, { path, calls, mode }),
    )
    modes.push({ mode, samples })
  }
  return { calls, modes }
}

export async function askOften({
  path,
  calls,
  mode,
}: {
  path: string
  calls: number
  mode: (typeof MODES)[number]
}): Promise<CallsSample[]> {
  let now = Date.UTC(2026, 0, 1)
  const engine = await Engine.open({ store: path })
  await engine.datasets.create('items', { interpretedFields: ['title'] })
  await engine.close()
  // Without the searches themselves, which would take most of the time: what is observed of them is recorded.
  const fail = (message: string) => {
    throw new Error(message)
  }
  const store = await Store.open({ store: path, durability: 'process', onDamage: fail })
  const statistics = await QueryStatistics.open({ store, clock: () => now, warn: fail }, { mode })
  const next = random(11)
  let lost = 0
  const samples: CallsSample[] = []
  const began = performance.now()
  const sample = async (at: number) => {
    globalThis.gc?.()
    const { heapUsed, external, rss } = process.memoryUsage()
    const one = {
      calls: at,
      heap: (heapUsed + external) / 2 ** 20,
      resident: rss / 2 ** 20,
      stored: (await folderBytes(path)) / 2 ** 20,
      seconds: (performance.now() - began) / 1_000,
    }
    samples.push(one)
    progress(
      `analytics: ${short(at)} calls, ${short(one.heap)} MB, ${short(one.resident)} MB resident, ${short(one.stored)} MB stored, ${short(one.seconds)} s`,
    )
  }
  const every = Math.ceil(calls / 10)
  for (let i = 1; i <= calls; i++) {
    // Ten a second: ten million take eleven days and a half.
    now += 100
    if (statistics.record(observed(i, now, next)) === undefined) lost++
    if (i % 500 === 0) await turn()
    // Faster than it is written, most would be lost.
    if (i % 10_000 === 0) await statistics.overview({ call: 'search', per: 'hour', from: now })
    if (i % every === 0) await sample(i)
  }
  const { calls: counted } = await statistics.overview({ call: 'search', per: 'day' })
  if (counted !== calls || lost > 0) throw new Error(`counted ${counted} of ${calls} calls, ${lost} lost`)
  await statistics.close()
  await store.close()
  return samples
}

/** A search that found a few documents: of a text that comes often, or of one that comes once. */
function observed(call: number, at: number, next: () => number): SearchObservation {
  const text = next() < 0.5 ? `lamp ${Math.floor(next() ** 3 * OFTEN)}` : `nobody asked ${call}`
  const first = randomInteger(next, SHOWN)
  return {
    ...{ type: 'search', dataset: 'items', at, took: 5 * next(), text },
    total: { count: 5, exact: true },
    hits: Array.from({ length: 5 }, (_, i) => ({ id: `p${first + i}`, place: i + 1 })),
    ...{ words: [], relaxed: [] },
    context: { user: `u${randomInteger(next, USERS)}` },
  }
}

export function analyticsGrowthReport({ calls, modes }: AnalyticsGrowth): string {
  const rows = modes.flatMap(({ mode, samples }) =>
    samples.map(one => [
      mode,
      short(one.calls),
      short(one.heap),
      short(one.resident),
      short(one.stored),
      short(one.seconds),
    ]),
  )
  return [
    `### analytics: memory over ${short(calls)} calls, half of them of texts that come once`,
    table(['mode', 'calls', 'heap, MB', 'resident, MB', 'stored, MB', 'seconds'], rows),
  ].join('\n\n')
}

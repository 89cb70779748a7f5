import { type AnalyticsOptions, type Dataset, Engine } from 'findling'
import { isolated } from './isolated.ts'
import { costOf } from './measure.ts'
import { random, randomInteger } from './random.ts'
import { percent, progress, short, table } from './report.ts'
import { Catalogue, vocabulary } from './synthetic.ts'
import { inTemporaryFolder } from './temporary.ts'

/** Microseconds that one search takes. */
export interface SearchCost {
  readonly name: string
  /** Until its answer is there, on the clock. */
  readonly answered: number
  /** CPU time of all threads, with all that is written and counted afterwards. */
  readonly cpu: number
}

export interface AnalyticsResults {
  readonly documents: number
  readonly without: SearchCost
  readonly with: readonly SearchCost[]
  /** Entries of a log of a million calls: what each takes in the store, and what all of them take in memory. */
  readonly stored: { readonly calls: number; readonly bytesPerCall: number; readonly growthMegabytes: number }
  /** The longest time that the event loop was held while calls were written and counted. */
  readonly heldMs: number
}

interface Place {
  readonly path: string
  readonly documents: number
  readonly searches: number
  readonly evaluationData: string | undefined
}

/** Rounds of which the median counts; the first few warm up. */
const [ROUNDS, WARMING] = [7, 2]
const variants: readonly { name: string; analytics?: AnalyticsOptions }[] = [
  { name: 'without' },
  { name: 'counts', analytics: { mode: 'counts' } },
  { name: 'full', analytics: { mode: 'full' } },
]

/** What does it cost to keep what people ask? */
export async function analytics(
  documents: number,
  how: { searches: number; calls: number; evaluationData: string | undefined },
): Promise<AnalyticsResults> {
  return await inTemporaryFolder(async path => {
    progress('analytics: the same searches with and without, in turn')
    const { searches, calls, evaluationData } = how
    const costs = await isolated(import.meta.url, compare, { path, documents, searches, evaluationData })
    progress(`analytics: ${short(calls)} calls`)
    const many = await isolated(import.meta.url, record, { path: `${path}/many`, calls })
    const [without, ...others] = costs
    return { documents, without: without!, with: others, ...many }
  })
}

/** All engines in one process, each in its turn in every round. */
export async function compare({ path, documents, searches, evaluationData }: Place): Promise<SearchCost[]> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  const engines: Engine[] = []
  for (const { name, analytics } of variants) {
    const engine = await Engine.open({
      store: `${path}/${name}`,
      answerCache: 0,
      ...(analytics && { analytics }),
    })
    const items = await engine.datasets.create('items', { interpretedFields: ['title', 'desc'] })
    await items.documents.bulk([...catalogue.products(0, documents)])
    engines.push(engine)
  }
  const texts = catalogue.queries('or', 400, documents).map(({ text }) => text)
  const measured = variants.map(() => ({ answered: [] as number[], cpu: [] as number[] }))
  for (let round = 0; round < WARMING + ROUNDS; round++) {
    for (let turn = 0; turn < engines.length; turn++) {
      // Nobody is always the first.
      const which = (turn + round) % engines.length
      const engine = engines[which]!
      let answered = 0
      const { cpuSeconds } = await costOf(async () => {
        answered = await ask(engine.datasets.get('items'), texts, searches, round)
        if (engine.analytics.isOn) await engine.analytics.overview()
      })
      if (round < WARMING) continue
      measured[which]!.answered.push(answered)
      measured[which]!.cpu.push((cpuSeconds * 1e6) / searches)
    }
  }
  for (const [i, engine] of engines.entries()) {
    if (variants[i]!.analytics) await check(engine, (WARMING + ROUNDS) * searches)
    await engine.close()
  }
  return measured.map(({ answered, cpu }, i) => {
    return { name: variants[i]!.name, answered: median(answered), cpu: median(cpu) }
  })
}

/** Microseconds of each search. Users come back, and some texts come often. */
async function ask(
  items: Dataset,
  texts: readonly string[],
  searches: number,
  seed: number,
): Promise<number> {
  const next = random(seed)
  const began = performance.now()
  for (let i = 0; i < searches; i++) {
    const text = texts[Math.floor(next() ** 3 * texts.length)]!
    await items.search(text, { context: { user: `u${randomInteger(next, 500)}`, tags: ['web'] } })
  }
  return ((performance.now() - began) * 1_000) / searches
}

/** Every search was counted. */
async function check(engine: Engine, searches: number): Promise<void> {
  const { calls, lost } = await engine.analytics.overview()
  if (calls !== searches || lost !== 0)
    throw new Error(`counted ${calls} of ${searches} searches, ${lost} lost`)
}

/** What many calls take, of a dataset that answers at once: 20,000 texts and 50,000 users. */
export async function record({
  path,
  calls,
}: {
  path: string
  calls: number
}): Promise<Pick<AnalyticsResults, 'stored' | 'heldMs'>> {
  let now = Date.UTC(2026, 0, 1)
  const engine = await Engine.open({
    store: path,
    answerCache: 0,
    analytics: { mode: 'full' },
    clock: () => now,
  })
  const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
  await items.documents.bulk(Array.from({ length: 20 }, (_, i) => ({ id: `p${i}`, title: `lamp ${i}` })))
  const next = random(7)
  let heldMs = 0
  let last = performance.now()
  const timer = setInterval(() => {
    heldMs = Math.max(heldMs, performance.now() - last - 5)
    last = performance.now()
  }, 5)
  const megabytes = () => {
    globalThis.gc?.()
    const { heapUsed, external } = process.memoryUsage()
    return (heapUsed + external) / 2 ** 20
  }
  let before = 0
  let seen = 0
  for (let i = 0; i < calls; i++) {
    // Five calls a second: a million take two days and eight hours.
    now += 200
    const text = `lamp ${Math.floor(next() ** 3 * 20_000)}`
    const context = { user: `u${randomInteger(next, 50_000)}` }
    await items.search(text, { context, limit: 5, documents: false })
    // As it would be where requests come from outside.
    if (i % 200 === 0) await new Promise(resolve => setImmediate(resolve))
    if (i % 20_000 === 0) {
      const counted = await engine.analytics.overview({ from: now - 86_400_000 })
      seen += counted.calls
    }
    if (i === Math.floor(calls / 10)) before = megabytes()
  }
  clearInterval(timer)
  const growthMegabytes = megabytes() - before
  if (seen === 0) throw new Error('nothing was counted')
  const { lost } = await engine.analytics.overview({ from: now })
  if (lost > 0) throw new Error(`${lost} calls were lost`)
  await engine.close()
  const { folderBytes } = await import('./temporary.ts')
  return { stored: { calls, bytesPerCall: (await folderBytes(path)) / calls, growthMegabytes }, heldMs }
}

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[numbers.length >> 1]!

export function analyticsReport({
  documents,
  without,
  with: others,
  stored,
  heldMs,
}: AnalyticsResults): string {
  const row = ({ name, answered, cpu }: SearchCost) => [
    name,
    short(answered),
    short(answered - without.answered),
    percent(answered / without.answered - 1, 1),
    short(cpu),
    short(cpu - without.cpu),
  ]
  return [
    `### analytics: what it costs to keep what people ask, ${short(documents)} documents`,
    table(
      ['analytics', 'a search, µs', 'more, µs', 'more, %', 'CPU in all, µs', 'more, µs'],
      [without, ...others].map(row),
    ),
    `${short(stored.calls)} calls take ${short(stored.bytesPerCall)} bytes each in the store; memory grew by ${short(stored.growthMegabytes)} MB after the first tenth of them, and the event loop was held for ${short(heldMs)} ms at most.`,
  ].join('\n\n')
}

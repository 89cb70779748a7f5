import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Assignment } from '../isolated.ts'
import { untilSteady } from '../measure.ts'
import { percentile } from '../metrics.ts'
import { progress, short, table } from '../report.ts'
import { sizeName } from '../sizes.ts'
import type { Job } from './jobs.ts'
import { type Done, type Opening, type Order, serveSide } from './side.ts'
import { type Tree, withTrees } from './trees.ts'

export interface Comparison {
  readonly documents: number
  readonly jobs: readonly JobComparison[]
  /** In the order of the figures; the first is this checkout. */
  readonly trees: readonly string[]
}

export interface JobComparison {
  readonly job: Job
  readonly figures: readonly Figures[]
}

export interface Figures {
  /** Microseconds of all threads for one call, the median of the sittings. */
  readonly cpu: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
  /** How many times as fast as this checkout, the median of the sittings. */
  readonly speed: number
}

export interface CompareOptions {
  /** Commits, or folders of built checkouts. */
  readonly others: readonly string[]
  readonly documents: number
  readonly jobs: readonly Job[]
  readonly evaluationData: string | undefined
  /** Of each sitting. */
  readonly rounds?: number
  /** How many processes each engine has, one after the other. */
  readonly sittings?: number
}

/** What one engine did in one sitting. */
interface Sitting {
  readonly latencies: Float64Array
  /** Microseconds of all threads for one call, the median of the rounds. */
  readonly cpu: number
  /** How many times as fast as this checkout, the median of the rounds. */
  readonly speed: number
}

/**
 * Each has processes of its own. Within a process, three engines with the same documents take the same time for one word, in five
 * processes of the same build between 6.7 and 9.3 us.
 */
const SITTINGS = 3

/** Milliseconds of one round of one engine, about. */
const ROUND = 150
/** The same of a block of calls before. */
const WARMING = 500
const MOST_WARMING = 100_000

/**
 * The same questions, asked of several builds in turn: what else this machine does in that time slows all of them, so
 * that their ratios stay.
 */
export function compare({
  others,
  documents,
  jobs,
  evaluationData,
  rounds = 5,
  sittings = SITTINGS,
}: CompareOptions): Promise<Comparison> {
  return withTrees(others, async trees => {
    const done: Sitting[][][] = []
    for (let sitting = 1; sitting <= sittings; sitting++) {
      progress(
        `compare: filling ${trees.length} engines with ${sizeName(documents)} documents, ${sitting} of ${sittings}`,
      )
      done.push(await sit(trees, { documents, jobs, evaluationData }, rounds))
    }
    const compared = jobs.map((job, at) => ({
      job,
      figures: trees.map((_, side) => figuresOf(done.map(one => one[at]![side]!))),
    }))
    return { documents, jobs: compared, trees: trees.map(({ name }) => name) }
  })
}

/** By job, then by tree. */
async function sit(
  trees: readonly Tree[],
  opening: Omit<Opening, 'module'>,
  rounds: number,
): Promise<Sitting[][]> {
  const sides: Side[] = []
  try {
    for (const tree of trees) sides.push(new Side(tree))
    for (const side of sides) await side.open(opening)
    const sitting: Sitting[][] = []
    for (const job of opening.jobs) {
      progress(`compare: ${job}`)
      sitting.push(await alternate(sides, job, rounds))
    }
    return sitting
  } finally {
    for (const side of sides) side.close()
  }
}

function figuresOf(sittings: readonly Sitting[]): Figures {
  const latencies = Float64Array.from(sittings.flatMap(one => [...one.latencies])).sort()
  return {
    cpu: median(sittings.map(({ cpu }) => cpu)),
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    speed: median(sittings.map(({ speed }) => speed)),
  }
}

/** Whoever comes first in one round comes last in the next, since what the one leaves in caches the other pays for. */
async function alternate(sides: readonly Side[], job: Job, rounds: number): Promise<Sitting[]> {
  let slowest = 0
  for (const side of sides) {
    await side.run({ job, calls: warmUp(job) })
    const known = await side.run({ job, calls: warmUp(job) })
    slowest = Math.max(slowest, mean(leavesThings(job) ? known.latencies : await warmed(side, job, known)))
  }
  const calls = Math.max(5, Math.min(5_000, Math.round(ROUND / slowest)))
  const done: Done[][] = sides.map(() => [])
  for (let round = 0; round < rounds; round++) {
    const order = [...sides.keys()]
    if (round % 2 === 1) order.reverse()
    for (const at of order) done[at]!.push(await sides[at]!.run({ job, calls }))
  }
  return done.map(own => ({
    latencies: Float64Array.from(own.flatMap(one => [...one.latencies])),
    cpu: (median(own.map(one => one.cpuSeconds)) / calls) * 1e6,
    speed: median(own.map((one, round) => done[0]![round]!.cpuSeconds / one.cpuSeconds)),
  }))
}

/** Until then V8 compiles, at another moment in each process. Milliseconds of the last calls. */
async function warmed(side: Side, job: Job, { latencies }: Done): Promise<Float64Array> {
  let last = latencies
  await untilSteady(async () => {
    const calls = Math.min(MOST_WARMING, Math.ceil(WARMING / mean(last)))
    const done = await side.run({ job, calls })
    last = done.latencies
    return done.cpuSeconds / calls
  })
  return last
}

/** Enough for every query to have been asked. */
const warmUp = (job: Job): number => (job === 're-open' ? 2 : job.startsWith('add') ? 150 : 600)

/** Whether the engine is another one after its calls. */
const leavesThings = (job: Job): boolean =>
  job === 're-open' || job.startsWith('add') || job.includes('insert')

const mean = (values: Float64Array): number => values.reduce((sum, one) => sum + one, 0) / values.length

const median = (values: readonly number[]): number => percentile(Float64Array.from(values).sort(), 0.5)

const child = fileURLToPath(new URL('../child.ts', import.meta.url))

class Side {
  readonly #child: ChildProcess
  readonly #module: string
  readonly #ended: Promise<never>

  constructor({ module }: Tree) {
    this.#module = module
    this.#child = fork(child, {
      execArgv: [...process.execArgv, '--max-old-space-size=8192'],
      serialization: 'advanced',
    })
    this.#ended = once(this.#child, 'exit').then(([code]) => {
      throw new Error(`a compared engine ended with code ${code}, see its output above`)
    })
    // Where nobody waits for an answer, it ended as it should.
    this.#ended.catch(() => {})
  }

  async open(options: Omit<Opening, 'module'>): Promise<void> {
    const argument: Opening = { ...options, module: this.#module }
    const assignment: Assignment = {
      module: import.meta.resolve('./side.ts'),
      measurement: serveSide.name,
      argument,
    }
    await this.#ask(assignment)
  }

  async run(order: Order): Promise<Done> {
    return (await this.#ask(order)) as Done // what side.ts sends for an order
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect()
  }

  async #ask(message: object): Promise<unknown> {
    const answer = once(this.#child, 'message')
    this.#child.send(message)
    const [result] = (await Promise.race([answer, this.#ended])) as [unknown]
    return result
  }
}

/** Microseconds of a call, and in parentheses how many times as fast this checkout is. */
export function compareReport({ documents, trees, jobs }: Comparison): string {
  const rows = jobs.map(({ job, figures }) => [
    job,
    ...figures.map(({ cpu, speed }, at) =>
      at === 0 ? short(cpu) : `${short(cpu)} (${(1 / speed).toFixed(2)}x)`,
    ),
    figures.map(({ p50, p95 }) => `${short(p50)} / ${short(p95)}`)[0]!,
  ])
  const heading = `CPU microseconds of one call at ${sizeName(documents)} documents; in parentheses how many times as fast this checkout is.`
  return `${heading}\n\n${table(['', ...trees, 'p50 / p95 ms here'], rows)}`
}

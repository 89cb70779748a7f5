import { percentile } from './metrics.ts'

export interface Cost {
  /** User and system time of all threads of this process. */
  readonly cpuSeconds: number
  readonly seconds: number
}

const cpuNow = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** A stopwatch to be started and stopped around the pieces that count. */
export class Stopwatch {
  #cpu = 0
  #wall = 0

  async time<Result>(work: () => Promise<Result> | Result): Promise<Result> {
    const cpu = cpuNow()
    const wall = performance.now()
    const result = await work()
    this.#cpu += cpuNow() - cpu
    this.#wall += (performance.now() - wall) / 1_000
    return result
  }

  get cost(): Cost {
    return { cpuSeconds: this.#cpu, seconds: this.#wall }
  }
}

export async function costOf(work: () => Promise<unknown> | unknown): Promise<Cost> {
  const watch = new Stopwatch()
  await watch.time(work)
  return watch.cost
}

export interface Rate {
  readonly perCpuSecond: number
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly calls: number
}

/**
 * How often `call` can be made with these inputs in turn: a third of `seconds` warms up, the rest is measured,
 * every input at most `rounds` times.
 */
export async function rateOf<Input>(
  inputs: readonly Input[],
  call: (input: Input) => Promise<unknown> | unknown,
  { seconds, rounds = Number.POSITIVE_INFINITY }: { seconds: number; rounds?: number },
): Promise<Rate> {
  await repeat(inputs, call, seconds / 3, rounds)
  const latencies: number[] = []
  const cost = await costOf(() => repeat(inputs, call, (seconds * 2) / 3, rounds, latencies))
  const ascending = Float64Array.from(latencies).sort()
  return {
    perCpuSecond: latencies.length / cost.cpuSeconds,
    perSecond: latencies.length / cost.seconds,
    p50: percentile(ascending, 0.5),
    p95: percentile(ascending, 0.95),
    p99: percentile(ascending, 0.99),
    calls: latencies.length,
  }
}

async function repeat<Input>(
  inputs: readonly Input[],
  call: (input: Input) => Promise<unknown> | unknown,
  seconds: number,
  rounds: number,
  latencies: number[] = [],
): Promise<void> {
  const end = performance.now() + seconds * 1_000
  for (let turn = 0; turn < inputs.length * rounds; turn++) {
    const start = performance.now()
    if (start >= end) return
    const answer = call(inputs[turn % inputs.length]!)
    // Awaiting a plain value would charge a synchronous library for a turn of the event loop.
    if (answer instanceof Promise) await answer
    latencies.push(performance.now() - start)
  }
}

export interface Memory {
  /** Objects on the heap and typed arrays, in bytes. */
  readonly held: number
  /** What the operating system gave the process, native caches and freed pages included. */
  readonly resident: number
}

/** Memory in use after a full garbage collection; needs `--expose-gc`. */
export function memory(): Memory {
  if (globalThis.gc === undefined) throw new Error('memory is measured in a process started with --expose-gc')
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  return { held: heapUsed + arrayBuffers, resident: rss }
}

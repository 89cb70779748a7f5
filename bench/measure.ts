import { setImmediate } from 'node:timers/promises'
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

  /** Work of this thread that does not count; what other threads do meanwhile, beyond the time it takes, does. */
  aside<Result>(work: () => Result): Result {
    const cpu = cpuNow()
    const wall = performance.now()
    const result = work()
    this.#cpu += Math.max(0, cpuNow() - cpu - (performance.now() - wall) / 1_000)
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

export interface RateOptions {
  /** Two thirds are measured; warming up takes one third or more, until speed no longer changes. */
  readonly seconds: number
  /** How often each input is given at most, to warm up and then to measure. */
  readonly rounds?: number
  /** Done before each call, in the time of the call: what it holds up is held up. */
  readonly meanwhile?: () => void
}

/** How often `call` can be made with these inputs in turn. */
export async function rateOf<Input>(
  inputs: readonly Input[],
  call: (input: Input) => Promise<unknown> | unknown,
  options: RateOptions,
): Promise<Rate> {
  const { seconds, rounds } = options
  const warmUp = () => repeat(inputs, call, { ...options, seconds: seconds / 3 })
  if (rounds !== undefined) await warmUp()
  else
    await untilSteady(async () => {
      let calls = 0
      const { cpuSeconds } = await costOf(async () => {
        calls = (await warmUp()).length
      })
      return cpuSeconds / calls
    })
  const measured = async (): Promise<Measured> => {
    let latencies: number[] = []
    const cost = await costOf(async () => {
      latencies = await repeat(inputs, call, { ...options, seconds: (seconds * 2) / 3 })
    })
    return { rate: rateOfCalls(latencies, cost), cost }
  }
  return rounds === undefined ? await ordinary(measured) : (await measured()).rate
}

interface Measured {
  readonly rate: Rate
  readonly cost: Cost
}

/** Where other threads take more of a second, something else may have been at work. */
const MOST_OF_OTHERS = 0.2

/**
 * Where much of the time was that of other threads, the middle one of three measurements: the merge of an index falls into one
 * of them, while what comes with the calls, such as the collection of garbage, is in all.
 */
export async function ordinary(measure: () => Promise<Measured>): Promise<Rate> {
  const first = await measure()
  if (first.cost.cpuSeconds <= first.cost.seconds * (1 + MOST_OF_OTHERS)) return first.rate
  const three = [first.rate, (await measure()).rate, (await measure()).rate]
  return three.sort((a, b) => a.perCpuSecond - b.perCpuSecond)[1]!
}

/** Blocks whose speed differs by less are as fast as each other. */
const STEADY = 0.1
const MOST_BLOCKS = 8

/**
 * Repeats a block of calls until two in a row took about the same processor time for a call. V8 compiles calls of some
 * microseconds for the last time after some 50,000 of them, on other threads, whose time counts, too.
 * @param block resolves with the time of one call, in any unit
 */
export async function untilSteady(block: () => Promise<number>): Promise<void> {
  let last = 0
  for (let blocks = 0; blocks < MOST_BLOCKS; blocks++) {
    const each = await block()
    if (Math.abs(each - last) <= STEADY * last) return
    last = each
  }
}

/** @param latencies milliseconds of each call */
export function rateOfCalls(latencies: readonly number[], cost: Cost): Rate {
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

/** Milliseconds of each call. */
async function repeat<Input>(
  inputs: readonly Input[],
  call: (input: Input) => Promise<unknown> | unknown,
  { seconds, rounds = Number.POSITIVE_INFINITY, meanwhile }: RateOptions,
): Promise<number[]> {
  const latencies: number[] = []
  let now = performance.now()
  let lastTurn = now
  const end = now + seconds * 1_000
  for (let turn = 0; turn < inputs.length * rounds && now < end; turn++) {
    const start = now
    meanwhile?.()
    const answer = call(inputs[turn % inputs.length]!)
    // Awaiting a plain value would charge a synchronous library for a turn of the event loop.
    if (answer instanceof Promise) await answer
    now = performance.now()
    latencies.push(now - start)
    // What goes on in the background needs turns of the event loop, which a program of nothing but calls never gives.
    if (now - lastTurn > 1) {
      await setImmediate()
      now = performance.now()
      lastTurn = now
    }
  }
  return latencies
}

export interface Memory {
  /** Objects on the heap and typed arrays, in bytes. */
  readonly held: number
  /** Those of typed arrays, without shared ones that a worker thread made: Node counts them for that thread alone. */
  readonly buffers: number
  /** What the operating system gave the process, native caches and freed pages included. */
  readonly resident: number
}

/** Memory in use after a full garbage collection; needs `--expose-gc`. */
export function memory(): Memory {
  if (globalThis.gc === undefined) throw new Error('memory is measured in a process started with --expose-gc')
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  return { held: heapUsed + arrayBuffers, buffers: arrayBuffers, resident: rss }
}

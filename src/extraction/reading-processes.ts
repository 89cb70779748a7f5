import { FindlingError } from '../errors.ts'
import type { ExtractedFile } from './reader/content.ts'
import type { CheckedLimits } from './reader/limits.ts'
import { closedError, type Readers } from './readers.ts'
import type { FileToRead } from './reading.ts'
import { type Lane, ReadingOrder, type Turn } from './reading-order.ts'
import { type ProcessLimits, ReadingProcess } from './reading-process.ts'

const MB = 2 ** 20
const idleMs = 10_000

/** Limits of the quick lane; a file that exceeds those of `quick` has to wait for another process after all. */
const quickBytes = MB
const quick: ProcessLimits = { timeLimitMs: 3_000, computingLimitMs: 500, memoryLimit: 64 * MB }

/** Reads files in processes, which are started on demand and end after a time without work. */
export class ReadingProcesses implements Readers {
  readonly #limits: CheckedLimits
  readonly #lanes: Record<Lane, KeptProcesses>
  readonly #order: ReadingOrder
  /** Files being read or waiting, by the controller that ends them. */
  readonly #reading = new Map<AbortController, Promise<unknown>>()
  #isClosed = false

  /** @param count of processes for any file; there is one more for small files */
  constructor(count: number, limits: CheckedLimits) {
    this.#limits = limits
    this.#lanes = {
      main: new KeptProcesses(limits),
      quick: new KeptProcesses(quickLimits(limits)),
    }
    this.#order = new ReadingOrder({ main: count, quick: 1 })
  }

  async read(file: Omit<FileToRead, 'limits'>, turn: Turn, signal: AbortSignal): Promise<ExtractedFile> {
    if (this.#isClosed) throw closedError()
    const { unpackedLimit, textLimit } = this.#limits
    const end = new AbortController()
    const stop = () => end.abort(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    const read = this.#inTurn({ ...file, limits: { unpackedLimit, textLimit } }, turn, end.signal)
    this.#reading.set(end, read)
    try {
      return await read
    } finally {
      this.#reading.delete(end)
      signal.removeEventListener('abort', stop)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const end of this.#reading.keys()) end.abort(closedError())
    await Promise.allSettled(this.#reading.values())
    await Promise.all(Object.values(this.#lanes).map(lane => lane.close()))
  }

  async #inTurn(file: FileToRead, turn: Turn, signal: AbortSignal): Promise<ExtractedFile> {
    const isSmall = file.bytes.length <= quickBytes
    const lane = await this.#order.take(turn, isSmall, signal)
    // The next file may need the quick process, and should not wait for it to start.
    if (this.#order.isFull) this.#lanes.quick.prepare()
    try {
      return await this.#readIn(lane, file, turn, signal)
    } catch (error) {
      if (lane === 'main' || signal.aborted || !isLimitOf(error, 'time', 'memory', 'process')) throw error
    }
    return await this.#readIn(await this.#order.take(turn, false, signal, true), file, turn, signal)
  }

  async #readIn(lane: Lane, file: FileToRead, turn: Turn, signal: AbortSignal): Promise<ExtractedFile> {
    try {
      return await this.#lanes[lane].read(file, signal)
    } finally {
      this.#order.give(lane, turn)
    }
  }
}

const quickLimits = ({ timeLimitMs, memoryLimit }: CheckedLimits): ProcessLimits => ({
  ...quick,
  timeLimitMs: Math.min(timeLimitMs, quick.timeLimitMs),
  memoryLimit: Math.min(memoryLimit, quick.memoryLimit),
})

/** A pool of processes with the same limits, each kept for the next file. */
class KeptProcesses {
  readonly #limits: ProcessLimits
  readonly #idle = new Map<ReadingProcess, NodeJS.Timeout>()
  #used = 0
  /** The start of a process in advance. */
  #preparing: Promise<void> | undefined
  readonly #closing = new AbortController()

  constructor(limits: ProcessLimits) {
    this.#limits = limits
  }

  async read(file: FileToRead, signal: AbortSignal): Promise<ExtractedFile> {
    this.#used++
    try {
      return await this.#readInKept(file, signal)
    } finally {
      this.#used--
    }
  }

  /** Starts a process for a file that may come, if there is none. */
  prepare(): void {
    if (this.#used > 0 || this.#idle.size > 0 || this.#preparing || this.#closing.signal.aborted) return
    this.#preparing = ReadingProcess.start(this.#limits, this.#closing.signal)
      .then(process => this.#keep(process))
      // The next file tries again, and gets the error.
      .catch(() => {})
      .finally(() => {
        this.#preparing = undefined
      })
  }

  async #readInKept(file: FileToRead, signal: AbortSignal): Promise<ExtractedFile> {
    await this.#preparing
    const process = this.#takeIdle() ?? (await ReadingProcess.start(this.#limits, signal))
    try {
      return await process.read(file, signal)
    } catch (error) {
      // Leftovers of earlier files may be the reason why there was not enough memory.
      if (signal.aborted || !process.isUsed || !isLimitOf(error, 'memory', 'process')) throw error
    } finally {
      await this.#keep(process)
    }
    return await this.#readInNew(file, signal)
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError())
    await this.#preparing
    await Promise.all(
      Array.from(this.#idle, ([process, timer]) => {
        clearTimeout(timer)
        return process.end()
      }),
    )
    this.#idle.clear()
  }

  async #readInNew(file: FileToRead, signal: AbortSignal): Promise<ExtractedFile> {
    const process = await ReadingProcess.start(this.#limits, signal)
    try {
      return await process.read(file, signal)
    } finally {
      await this.#keep(process)
    }
  }

  #takeIdle(): ReadingProcess | undefined {
    for (const [process, timer] of this.#idle) {
      this.#idle.delete(process)
      clearTimeout(timer)
      if (process.isAlive) return process
    }
    return undefined
  }

  async #keep(process: ReadingProcess): Promise<void> {
    if (process.isLowered) await process.end()
    if (!process.isAlive) return
    const end = () => {
      this.#idle.delete(process)
      void process.end()
    }
    this.#idle.set(process, setTimeout(end, idleMs).unref())
  }
}

/** Whether a file exceeded one of these limits of its process. Unpacked bytes and text are the same in any process. */
const isLimitOf = (error: unknown, ...limits: string[]): boolean =>
  error instanceof FindlingError && limits.includes(String(error.details.limit))

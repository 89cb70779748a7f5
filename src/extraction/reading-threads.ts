import type { FindlingError } from '../errors.ts'
import { WorkerPool } from '../jobs/pool.ts'
import { limitError } from './budget.ts'
import type { ExtractedFile } from './content.ts'
import type { ExtractionTasks } from './extraction-worker.ts'
import { extractionWorkerUrl } from './extraction-worker-url.ts'
import type { CheckedLimits } from './limits.ts'
import { MemoryWatch } from './memory-watch.ts'
import type { FileToRead } from './reading.ts'

/** Threads that read files, and how much each file may take there. */
export class ReadingThreads {
  readonly limits: CheckedLimits
  readonly pool: WorkerPool<ExtractionTasks>

  constructor(threads: number, limits: CheckedLimits) {
    this.limits = limits
    this.pool = new WorkerPool({ url: extractionWorkerUrl, threads, maxHeapBytes: limits.memoryLimit })
  }
}

/** One file on its way through the threads. */
export class FileReading {
  readonly #threads: ReadingThreads
  readonly #ending = new AbortController()
  #failure: FindlingError | undefined
  #timer: NodeJS.Timeout | undefined
  #watch: MemoryWatch | undefined

  constructor(threads: ReadingThreads) {
    this.#threads = threads
  }

  /** @param owner who takes turns with others that have files to read */
  async read(
    file: Omit<FileToRead, 'limits'>,
    owner: object,
    stop: AbortSignal | undefined,
  ): Promise<ExtractedFile> {
    const { pool, limits } = this.#threads
    const { memoryLimit, unpackedLimit, textLimit } = limits
    const cancel = () => this.#ending.abort(stop?.reason)
    if (stop?.aborted) cancel()
    stop?.addEventListener('abort', cancel)
    const input = { ...file, limits: { unpackedLimit, textLimit } }
    const onBegin = () => this.#watchLimits()
    const read = () => pool.run('readFile', input, { signal: this.#ending.signal, onBegin, owner })
    try {
      // A thread that has read other files may have little memory left for this one: a new one tells whose fault it is.
      return await read().catch(error => {
        if (this.#failure || !isOutOfMemory(error)) throw error
        return read()
      })
    } catch (error) {
      throw this.#failure ?? (isOutOfMemory(error) ? memoryError(memoryLimit, error) : error)
    } finally {
      this.#unwatch()
      stop?.removeEventListener('abort', cancel)
    }
  }

  /** Ends reading, or waiting for a thread, with this error. */
  end(failure: FindlingError): void {
    this.#failure ??= failure
    this.#ending.abort(failure)
  }

  #watchLimits(): void {
    this.#unwatch()
    const { timeLimitMs, memoryLimit } = this.#threads.limits
    const late = () => this.end(limitError('time', `takes more than ${timeLimitMs} ms to read`))
    this.#timer = setTimeout(late, timeLimitMs)
    const growth = 2 * memoryLimit + threadItself
    this.#watch = new MemoryWatch(growth, () => this.end(memoryError(memoryLimit)))
  }

  #unwatch(): void {
    clearTimeout(this.#timer)
    this.#watch?.end()
  }
}

/** What a thread takes that begins and loads what reads files and tells languages. */
const threadItself = 64 * 2 ** 20

/** The pool tells it as the cause of its own error, however often it was handed on. */
function isOutOfMemory(error: unknown): boolean {
  for (let one = error; one instanceof Object; one = Reflect.get(one, 'cause'))
    if (Reflect.get(one, 'code') === 'ERR_WORKER_OUT_OF_MEMORY') return true
  return false
}

const memoryError = (limit: number, cause?: unknown): FindlingError =>
  limitError('memory', `takes more than ${limit} bytes of memory to read`, cause)

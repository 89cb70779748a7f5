import { WorkerPool } from '../jobs/pool.ts'
import type { ExtractionTasks } from './extraction-worker.ts'
import { extractionWorkerUrl } from './extraction-worker-url.ts'
import type { ExtractedFile } from './reader/content.ts'
import type { CheckedLimits } from './reader/limits.ts'
import { memoryError, type Readers, timeError } from './readers.ts'
import type { FileToRead } from './reading.ts'
import type { Turn } from './reading-order.ts'
import { LimitWatch } from './watch.ts'

/** Reads files in threads, for platforms without processes. */
export class ReadingThreads implements Readers {
  readonly #limits: CheckedLimits
  readonly #pool: WorkerPool<ExtractionTasks>

  constructor(threads: number, limits: CheckedLimits) {
    this.#limits = limits
    this.#pool = new WorkerPool({ url: extractionWorkerUrl, threads, maxHeapBytes: limits.memoryLimit })
  }

  async read(file: Omit<FileToRead, 'limits'>, { group }: Turn, signal: AbortSignal): Promise<ExtractedFile> {
    const { memoryLimit, unpackedLimit, textLimit } = this.#limits
    const reading = new LimitedReading(this.#limits)
    const cancel = () => reading.end(signal.reason)
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel)
    const input = { ...file, limits: { unpackedLimit, textLimit } }
    const options = { signal: reading.signal, onBegin: () => reading.begin(), owner: group }
    const read = () => this.#pool.run('readFile', input, options)
    try {
      // A thread that has read other files may have little memory left: a new one shows whether this file is to blame.
      return await read().catch(error => {
        if (reading.signal.aborted || !isOutOfMemory(error)) throw error
        return read()
      })
    } catch (error) {
      if (reading.signal.aborted) throw reading.signal.reason
      throw isOutOfMemory(error) ? memoryError(memoryLimit, error) : error
    } finally {
      reading.stopWatching()
      signal.removeEventListener('abort', cancel)
    }
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** Ends the reading of a file that takes too long or too much memory. */
class LimitedReading {
  readonly #limits: CheckedLimits
  readonly #ending = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #watch: LimitWatch | undefined

  constructor(limits: CheckedLimits) {
    this.#limits = limits
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  begin(): void {
    this.stopWatching()
    const { timeLimitMs, memoryLimit } = this.#limits
    this.#timer = setTimeout(() => this.end(timeError(timeLimitMs)), timeLimitMs)
    // The memory limit of a thread does not include buffers, and which thread they belong to cannot be measured.
    const most = process.memoryUsage.rss() + 2 * memoryLimit + threadItself
    this.#watch = new LimitWatch(process.memoryUsage.rss, most, () => this.end(memoryError(memoryLimit)))
  }

  end(failure: unknown): void {
    this.#ending.abort(failure)
  }

  stopWatching(): void {
    clearTimeout(this.#timer)
    this.#watch?.end()
  }
}

/** Memory of a thread that has started and loaded the readers and the language detection. */
const threadItself = 64 * 2 ** 20

/** The pool reports it as a cause of its own error, possibly nested several times. */
function isOutOfMemory(error: unknown): boolean {
  for (let one = error; one instanceof Object; one = Reflect.get(one, 'cause'))
    if (Reflect.get(one, 'code') === 'ERR_WORKER_OUT_OF_MEMORY') return true
  return false
}

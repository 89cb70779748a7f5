import { availableParallelism } from 'node:os'
import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue, parseInput } from '../input.ts'
import { WorkerPool } from '../jobs/pool.ts'
import { abortSignal } from '../jobs/watching.ts'
import { limitError } from './budget.ts'
import type { ExtractedFile } from './content.ts'
import type { ExtractionTasks } from './extraction-worker.ts'
import { extractionWorkerUrl } from './extraction-worker-url.ts'
import { type CheckedLimits, type ExtractionLimits, extractionLimits } from './limits.ts'
import { MemoryWatch } from './memory-watch.ts'

/** What `new Extractor()` takes. */
export interface ExtractorOptions extends ExtractionLimits {
  /** Files that are read at the same time, each in a thread. Default 2, or 1 on a machine with one processor. */
  threads?: number | undefined
}

/** What is known of one file. */
export interface FileOptions {
  /** Its name: the ending tells a table or a page from plain text. */
  name?: string | undefined
  /** False leaves the language out, which then needs no package. Default true. */
  language?: boolean | undefined
  /** Stops reading with CANCELLED when it aborts. */
  signal?: AbortSignal | undefined
}

export const extractorOptions = extractionLimits.extend({
  threads: z.int().min(1).max(64).optional(),
})
const fileOptions = z.strictObject({
  name: z.string().max(1000).default(''),
  language: z.boolean().default(true),
  signal: abortSignal,
})

/**
 * Reads files in threads of their own: a file that is built to do harm ends its thread, and nothing else. Threads begin
 * with the first file, end after ten seconds without work, and do not keep the process alive.
 */
export class Extractor implements AsyncDisposable {
  readonly #limits: CheckedLimits
  readonly #pool: WorkerPool<ExtractionTasks>

  constructor(options: ExtractorOptions = {}) {
    const { threads, ...limits } = parseInput(extractorOptions, options, 'options')
    this.#limits = limits
    this.#pool = new WorkerPool({
      url: extractionWorkerUrl,
      threads: threads ?? Math.min(2, availableParallelism()),
      maxHeapBytes: limits.memoryLimit,
    })
  }

  /**
   * Reads one file: its text, and what it says of itself. FILE_UNSUPPORTED, FILE_BROKEN, FILE_ENCRYPTED; FILE_LIMIT when it
   * takes more than allowed; PACKAGE_MISSING when the package for its format is not installed; CANCELLED, CLOSED.
   * @example
   * import { Extractor } from 'findling/extract'
   * const extractor = new Extractor({ timeLimitMs: 10_000 })
   * const page = Buffer.from('<title>Hoses</title><p>Brass nozzle')
   * const { title, text, contentType } = await extractor.extract(page)
   * console.log(title, text.trim(), contentType) // Hoses Brass nozzle text/html
   * await extractor.close()
   */
  async extract(bytes: Uint8Array, options: FileOptions = {}): Promise<ExtractedFile> {
    const { name, language, signal } = parseInput(fileOptions, options, 'options')
    if (!(bytes instanceof Uint8Array)) throw notBytes(bytes)
    const end = new AbortController()
    const stop = () => end.abort(signal?.reason)
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop)
    let limit: FindlingError | undefined
    const over = (reached: FindlingError) => {
      limit ??= reached
      end.abort(reached)
    }
    let watch: MemoryWatch | undefined
    let timer: NodeJS.Timeout | undefined
    const begin = () => {
      clearTimeout(timer)
      watch?.end()
      const { timeLimitMs, memoryLimit } = this.#limits
      timer = setTimeout(
        () => over(limitError('time', `takes more than ${timeLimitMs} ms to read`)),
        timeLimitMs,
      )
      watch = new MemoryWatch(2 * memoryLimit, () => over(memoryError(memoryLimit)))
    }
    try {
      const limits = { unpackedLimit: this.#limits.unpackedLimit, textLimit: this.#limits.textLimit }
      const read = () =>
        this.#pool.run('readFile', { bytes, name, language, limits }, { signal: end.signal, onBegin: begin })
      // A thread that has read other files may have little memory left for this one: a new one tells whose fault it is.
      return await read().catch(error => {
        if (limit || !isOutOfMemory(error)) throw error
        return read()
      })
    } catch (error) {
      if (limit) throw limit
      throw isOutOfMemory(error) ? memoryError(this.#limits.memoryLimit, error) : error
    } finally {
      clearTimeout(timer)
      watch?.end()
      signal?.removeEventListener('abort', stop)
    }
  }

  /**
   * Ends what is being read with CLOSED, and the threads.
   * @example
   * import { Extractor } from 'findling/extract'
   * const extractor = new Extractor()
   * await extractor.close()
   * const refused = await extractor.extract(Buffer.from('late')).catch(error => error)
   * console.log(refused.code) // CLOSED
   */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  /**
   * The same as close(), for `await using`.
   * @example
   * import { Extractor } from 'findling/extract'
   * await using extractor = new Extractor() // closed where the block ends
   * console.log((await extractor.extract(Buffer.from('Oak'))).text.trim()) // Oak
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** The pool tells it as the cause of its own error, however often it was handed on. */
function isOutOfMemory(error: unknown): boolean {
  for (let one = error; one instanceof Object; one = Reflect.get(one, 'cause'))
    if (Reflect.get(one, 'code') === 'ERR_WORKER_OUT_OF_MEMORY') return true
  return false
}

const memoryError = (limit: number, cause?: unknown): FindlingError =>
  limitError('memory', `takes more than ${limit} bytes of memory to read`, cause)

function notBytes(value: unknown): FindlingError {
  const [received, expected] = [describeValue(value), 'the bytes of a file as a Uint8Array']
  const message = `bytes is ${received}; expected ${expected}`
  return new FindlingError('INVALID_ARGUMENT', message, { field: 'bytes', received, expected })
}

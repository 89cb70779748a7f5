import { availableParallelism } from 'node:os'
import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue, parseInput } from '../input.ts'
import { abortSignal } from '../jobs/watching.ts'
import type { ExtractedFile } from './content.ts'
import { type ExtractionLimits, extractionLimits } from './limits.ts'
import { FileReading, ReadingThreads } from './reading-threads.ts'

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
export const fileOptions = z.strictObject({
  name: z.string().max(1000).default(''),
  language: z.boolean().default(true),
  signal: abortSignal,
})

/**
 * Reads files in threads of their own: a file that is built to do harm ends its thread, and nothing else. Threads begin
 * with the first file, end after ten seconds without work, and do not keep the process alive.
 */
export class Extractor implements AsyncDisposable {
  readonly #threads: ReadingThreads
  readonly #isShare: boolean
  readonly #reading = new Map<FileReading, Promise<ExtractedFile>>()
  #isClosed = false

  constructor(options?: ExtractorOptions)
  /** @internal */
  constructor(options: undefined, threads: ReadingThreads)
  constructor(options: ExtractorOptions = {}, shared?: ReadingThreads) {
    const { threads = Math.min(2, availableParallelism()), ...limits } = parseInput(
      extractorOptions,
      options,
      'options',
    )
    this.#threads = shared ?? new ReadingThreads(threads, limits)
    this.#isShare = shared !== undefined
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
    if (this.#isClosed) throw closedError()
    const reading = new FileReading(this.#threads)
    const read = reading.read({ bytes, name, language }, this, signal)
    this.#reading.set(reading, read)
    try {
      return await read
    } finally {
      this.#reading.delete(reading)
    }
  }

  /**
   * Another extractor with the same threads and limits. When files have to wait, each of the extractors gets a thread in
   * turn, however many files it has. Closing it ends only what it reads; closing the one it was made of ends all. An engine
   * makes one of its option `extractor`.
   * @example
   * import { Extractor } from 'findling/extract'
   * const extractor = new Extractor({ threads: 2 })
   * const [north, south] = [extractor.share(), extractor.share()]
   * await north.close()
   * console.log((await south.extract(Buffer.from('Oak'))).text.trim()) // Oak
   * await extractor.close()
   */
  share(): Extractor {
    return new Extractor(undefined, this.#threads)
  }

  /**
   * Ends what is being read with CLOSED, and the threads, if they are not those of another extractor.
   * @example
   * import { Extractor } from 'findling/extract'
   * const extractor = new Extractor()
   * await extractor.close()
   * const refused = await extractor.extract(Buffer.from('late')).catch(error => error)
   * console.log(refused.code) // CLOSED
   */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const reading of this.#reading.keys()) reading.end(closedError())
    if (this.#isShare) await Promise.allSettled(this.#reading.values())
    else await this.#threads.pool.close()
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

const closedError = (): FindlingError => new FindlingError('CLOSED', 'The extractor is closed.')

function notBytes(value: unknown): FindlingError {
  const [received, expected] = [describeValue(value), 'the bytes of a file as a Uint8Array']
  const message = `bytes is ${received}; expected ${expected}`
  return new FindlingError('INVALID_ARGUMENT', message, { field: 'bytes', received, expected })
}

import { availableParallelism } from 'node:os'
import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue, parseInput } from '../input.ts'
import { abortSignal } from '../jobs/watching.ts'
import type { ExtractedFile } from './reader/content.ts'
import { type ExtractionLimits, extractionLimits } from './reader/limits.ts'
import { closedError, type Readers } from './readers.ts'
import type { FileToRead } from './reading.ts'
import { ReadingProcesses } from './reading-processes.ts'
import { ReadingThreads } from './reading-threads.ts'

/** What `new Extractor()` takes. */
export interface ExtractorOptions extends ExtractionLimits {
  /**
   * Number of files that are read at the same time, each in a process of its own. Default 2, or 1 on a machine with
   * one processor. One more process is for files of up to 1 MB of owners with no other file being read; files that need more
   * than 192 MB or half a second of CPU there, not counting the loading for the first file, are read again in one of the others.
   */
  processes?: number | undefined
  /**
   * Reads this many files at the same time in threads of this process instead, for platforms on which processes cannot be
   * started. A malicious file can then crash the whole process. Not together with `processes`.
   */
  threads?: number | undefined
}

/** Options for one file. */
export interface FileOptions {
  /** Its name: the extension distinguishes tables and pages from plain text. */
  name?: string | undefined
  /** False: the language is not detected, which then needs no package. Default true. */
  language?: boolean | undefined
  /**
   * Its owner. Waiting files are read in turn by owner, however many
   * files each has. By default all files of an extractor have one owner.
   */
  owner?: string | undefined
  /** Stops reading with CANCELLED when it aborts. */
  signal?: AbortSignal | undefined
}

const count = z.int().min(1).max(64).optional()

export const extractorOptions = extractionLimits
  .extend({ processes: count, threads: count })
  .refine(({ processes, threads }) => processes === undefined || threads === undefined, {
    path: ['threads'],
    error: 'no value, because processes is given',
  })
export const fileOptions = z.strictObject({
  name: z.string().max(1000).default(''),
  language: z.boolean().default(true),
  owner: z.string().max(1000).default(''),
  signal: abortSignal,
})

/**
 * Reads files in processes of their own: a malicious file can crash its process, and nothing else. Processes begin
 * with the first file, end after ten seconds without work, and do not keep this process alive.
 */
export class Extractor implements AsyncDisposable {
  readonly #readers: Readers
  readonly #isShare: boolean
  /** Files being read or waiting, by the controller that ends them. */
  readonly #reading = new Map<AbortController, Promise<ExtractedFile>>()
  #isClosed = false

  constructor(options?: ExtractorOptions)
  /** @internal */
  constructor(options: undefined, readers: Readers)
  constructor(options: ExtractorOptions = {}, shared?: Readers) {
    this.#readers = shared ?? readersFor(parseInput(extractorOptions, options, 'options'))
    this.#isShare = shared !== undefined
  }

  /**
   * Reads the text and metadata of one file. FILE_UNSUPPORTED, FILE_BROKEN, FILE_ENCRYPTED; FILE_LIMIT when it
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
    const { name, language, owner, signal } = parseInput(fileOptions, options, 'options')
    if (!(bytes instanceof Uint8Array)) throw notBytes(bytes)
    return await this.#read({ bytes, name, language }, owner, signal)
  }

  /**
   * The cells of a spreadsheet, as an import takes them.
   * @internal
   */
  async sheet(
    bytes: Uint8Array,
    { sheet, owner, signal }: { sheet: string | null; owner: string; signal: AbortSignal | undefined },
  ): Promise<string> {
    const { text } = await this.#read({ bytes, name: '', language: false, sheet }, owner, signal)
    return text
  }

  async #read(
    file: Omit<FileToRead, 'limits'>,
    owner: string,
    signal: AbortSignal | undefined,
  ): Promise<ExtractedFile> {
    if (this.#isClosed) throw closedError()
    const end = new AbortController()
    const cancel = () => end.abort(cancelledError(signal?.reason))
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel)
    const read = this.#readers.read(file, { group: this, owner }, end.signal)
    this.#reading.set(end, read)
    try {
      return await read
    } finally {
      this.#reading.delete(end)
      signal?.removeEventListener('abort', cancel)
    }
  }

  /**
   * Another extractor with the same processes and limits. Extractors take turns in reading their waiting files, however many files
   * and owners each has. Closing the returned extractor ends only what it reads; closing the original one ends everything. An
   * engine calls this on its option `extractor`.
   * @example
   * import { Extractor } from 'findling/extract'
   * const extractor = new Extractor({ processes: 2 })
   * const [north, south] = [extractor.share(), extractor.share()]
   * await north.close()
   * console.log((await south.extract(Buffer.from('Oak'))).text.trim()) // Oak
   * await extractor.close()
   */
  share(): Extractor {
    return new Extractor(undefined, this.#readers)
  }

  /**
   * Ends what is being read with CLOSED, and the processes, if they are not those of another extractor.
   * @example
   * import { Extractor } from 'findling/extract'
   * const extractor = new Extractor()
   * await extractor.close()
   * const refused = await extractor.extract(Buffer.from('late')).catch(error => error)
   * console.log(refused.code) // CLOSED
   */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const end of this.#reading.keys()) end.abort(closedError())
    if (this.#isShare) await Promise.allSettled(this.#reading.values())
    else await this.#readers.close()
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

function readersFor({ processes, threads, ...limits }: z.output<typeof extractorOptions>): Readers {
  if (threads !== undefined) return new ReadingThreads(threads, limits)
  return new ReadingProcesses(processes ?? Math.min(2, availableParallelism()), limits)
}

const cancelledError = (cause: unknown): FindlingError =>
  new FindlingError('CANCELLED', 'Reading the file was cancelled.', {}, cause)

function notBytes(value: unknown): FindlingError {
  const [received, expected] = [describeValue(value), 'the bytes of a file as a Uint8Array']
  const message = `bytes is ${received}; expected ${expected}`
  return new FindlingError('INVALID_ARGUMENT', message, { field: 'bytes', received, expected })
}

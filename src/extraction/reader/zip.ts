import type { Entry, ZipFile } from 'yauzl'
import { type Budget, brokenFile, encryptedFile, limitError } from './budget.ts'
import { optional } from './packages.ts'

/** A presentation with a thousand slides has some five thousand parts. */
const mostParts = 20_000

/** The parts of a zip file. Unpacked bytes are counted, whatever sizes the parts declare. */
export class Parts {
  readonly #zip: ZipFile
  readonly #entries: ReadonlyMap<string, Entry>
  readonly #budget: Budget

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, budget: Budget) {
    this.#zip = zip
    this.#entries = entries
    this.#budget = budget
  }

  /** FILE_BROKEN when the bytes are not a zip file. */
  static async open(bytes: Buffer, budget: Budget): Promise<Parts> {
    const { default: yauzl } = await optional('yauzl', 'office files', () => import('yauzl'))
    try {
      const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true })
      if (zip.entryCount > mostParts) throw limitError('parts', `has more than ${mostParts} parts`)
      const entries = new Map<string, Entry>()
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
      return new Parts(zip, entries, budget)
    } catch (error) {
      throw asBroken(error)
    }
  }

  get names(): string[] {
    return [...this.#entries.keys()]
  }

  has(name: string): boolean {
    return this.#entries.has(name)
  }

  /** The bytes of a part; none if there is no such part. FILE_BROKEN, FILE_ENCRYPTED, FILE_LIMIT. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.#entries.get(name)
    if (!entry) return
    if (entry.isEncrypted()) throw encryptedFile()
    try {
      const stream = await this.#zip.openReadStreamPromise(entry)
      for await (const chunk of stream) {
        this.#budget.takeBytes(chunk.length)
        yield chunk
      }
    } catch (error) {
      throw asBroken(error)
    }
  }
}

function asBroken(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'FindlingError') return error
  return brokenFile(error.message)
}

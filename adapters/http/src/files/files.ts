import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { FindlingError } from 'findling'
import { absent } from './absent.ts'

const types = new Map([
  ['.csv', 'text/csv; charset=utf-8'],
  ['.json', 'application/json; charset=utf-8'],
  ['.jsonl', 'application/x-ndjson; charset=utf-8'],
  ['.txt', 'text/plain; charset=utf-8'],
  ['.zip', 'application/zip'],
])
const endings = [...types.keys()].join(', ')

/** Whoever knows a name may read the file, so names have room for 128 random bits. */
const nameRule = /^[a-zA-Z0-9_-]{22,100}\.[a-z]{3,5}$/

const DAY_MS = 24 * 60 * 60 * 1000
const KEPT_DAYS = 30

/** Files for download, in one folder. Each is kept for 30 days at least and removed some time after. */
export class Files {
  readonly #folder: string
  readonly #clock: () => number

  constructor(folder: string, clock: () => number = Date.now) {
    this.#folder = folder
    this.#clock = clock
  }

  /** Stores a file, or nothing if reading the content fails. Replaces a file with the same name. */
  async put(name: string, content: string | AsyncIterable<string | Uint8Array>): Promise<void> {
    if (!isName(name)) throw wrongName(name)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await this.removeOld()
    const part = join(this.#folder, `${randomUUID()}.part`)
    try {
      await writeFile(part, content, { flag: 'wx', flush: true })
      await rename(part, join(this.#folder, name))
    } catch (error) {
      await rm(part, { force: true })
      throw error
    }
  }

  /** Whether there is such a file, without opening it. */
  async has(name: string): Promise<boolean> {
    return (await this.#find(name)) !== undefined
  }

  /** Undefined if there is no such file, or the name is invalid. */
  async get(
    name: string,
  ): Promise<{ body: ReadableStream<Uint8Array>; type: string; size: number } | undefined> {
    const found = await this.#find(name)
    if (!found) return undefined
    const { path, type, size } = found
    // A file stream gives bytes unless told otherwise.
    const body = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
    return { body, type, size }
  }

  async #find(name: string): Promise<{ path: string; type: string; size: number } | undefined> {
    const type = types.get(extname(name))
    if (!isName(name) || type === undefined) return undefined
    const path = join(this.#folder, name)
    const found = await stat(path).catch(absent)
    return found?.isFile() ? { path, type, size: found.size } : undefined
  }

  /** Removes files past their retention time, and leftovers of a crash. */
  async removeOld(): Promise<void> {
    const oldest = this.#clock() - KEPT_DAYS * DAY_MS
    for (const name of (await readdir(this.#folder).catch(absent)) ?? []) {
      if (!isName(name) && !name.endsWith('.part')) continue
      const path = join(this.#folder, name)
      const found = await stat(path).catch(absent)
      if (found && found.mtimeMs < oldest) await rm(path, { force: true })
    }
  }
}

function isName(name: string): boolean {
  return nameRule.test(name) && types.has(extname(name))
}

function wrongName(name: string): FindlingError {
  const expected = `22 to 100 letters, digits, hyphens and underscores, and one of ${endings}`
  const received = JSON.stringify(name.slice(0, 60))
  return new FindlingError('INVALID_ARGUMENT', `name is ${received}; expected ${expected}`, {
    field: 'name',
    received,
    expected,
  })
}

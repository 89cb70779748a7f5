import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, Engine, type EngineOptions, FindlingError } from 'findling'
import { MemoryLevel } from 'memory-level'
import { afterAll, expect, onTestFinished } from 'vitest'

/** Closed after the test, unless the test has done so. */
export async function openEngine(
  options: EngineOptions = {},
  afterwards: Afterwards = onTestFinished,
): Promise<Engine> {
  const engine = await Engine.open(options)
  afterwards(() => engine.close())
  return engine
}

/** Does something when a test is over, or later. */
export type Afterwards = (end: () => Promise<void>) => void

/** For what the tests of a block share: called in the block, it does all in reverse order when the last is over. */
export function afterBlock(): Afterwards {
  const ends: (() => Promise<void>)[] = []
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })
  return end => void ends.push(end)
}

/** An empty folder that is gone when the test is over. */
export async function temporaryFolder(afterwards: Afterwards = onTestFinished): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-'))
  // What just ended may still be writing its last file.
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A database that outlives the engines that work on it. */
export function memoryDatabase(): MemoryLevel<string, Uint8Array> {
  return new MemoryLevel<string, Uint8Array>({ keyEncoding: 'utf8', valueEncoding: 'view' })
}

/**
 * A database in memory of which the given operations wait before they begin, or fail where what they wait for does.
 * `written` is waited for behind a batch, whose entries can be read by then.
 */
export function waitingDatabase(waits: {
  batch?(): Promise<void>
  written?(): Promise<void>
  clear?(): Promise<void>
  get?(key: string): Promise<void>
  getMany?(): Promise<void>
  read?(from: string): Promise<void>
}): Database {
  const db: Database = memoryDatabase()
  return {
    get status() {
      return db.status
    },
    supports: db.supports,
    open: () => db.open(),
    close: () => db.close(),
    async getMany(keys, options) {
      await waits.getMany?.()
      return await db.getMany(keys, options)
    },
    async get(key, options) {
      await waits.get?.(key)
      return await db.get(key, options)
    },
    iterator(options) {
      const iterator = db.iterator(options)
      return {
        close: () => iterator.close(),
        async nextv(size) {
          await waits.read?.(options.gte ?? '')
          return await iterator.nextv(size)
        },
      }
    },
    async batch(operations, options) {
      await waits.batch?.()
      await db.batch(operations, options)
      await waits.written?.()
    },
    async clear(options) {
      await waits.clear?.()
      await db.clear(options)
    },
  }
}

/** The coded error of a call, whether it throws or rejects. */
export async function failureOf(call: () => unknown): Promise<FindlingError> {
  try {
    await call()
  } catch (error) {
    if (error instanceof FindlingError) return error
    throw error
  }
  throw new Error('the call did not fail')
}

export async function codeOf(call: () => unknown): Promise<string> {
  return (await failureOf(call)).code
}

export async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Everything stored agrees with everything else that is known of it. */
export async function expectHealthy(engine: Engine): Promise<void> {
  expect(await engine.doctor()).toMatchObject({ ok: true, faults: [], quiet: true })
}

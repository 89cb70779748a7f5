import { appendFile, cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Database, Engine } from 'findling'
import { Level } from 'level'
import type { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { writeChecked } from '../../../src/store/checked-file.ts'
import { snapshot } from '../../../src/store/snapshot.ts'
import { withoutSnapshots } from '../../contract/without-snapshots.ts'
import { numbers } from '../../crash/numbers.mjs'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  temporaryFolder,
} from '../../engine/engines.ts'

/** Everything in a database but what an opening and a backup themselves write. */
async function contents(db: Database): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for await (const batch of snapshot(db, {})) {
    for (const [key, value] of batch) {
      if (!/^(checkpoint$|j\/|p\/)/.test(key)) found.set(key, Buffer.from(value).toString('base64'))
    }
  }
  return found
}

async function restoredContents(backup: string): Promise<Map<string, string>> {
  const folder = await temporaryFolder()
  await Engine.restore(backup, folder)
  const db = new Level<string, Uint8Array>(folder, { keyEncoding: 'utf8', valueEncoding: 'view' })
  await db.open()
  try {
    return await contents(db)
  } finally {
    await db.close()
  }
}

async function shop(store: string | MemoryLevel<string, Uint8Array> = memoryDatabase(), count = 500) {
  const engine = await openEngine({ store })
  const items = await engine.datasets.create('items', { interpretedFields: ['title'], topics: false })
  await items.documents.bulk(
    Array.from({ length: count }, (_, i) => ({ id: `d${i}`, title: `lamp number ${i}` })),
  )
  await items.tags.create({ id: 'light', name: 'Light' })
  await engine.namespace('notes').put('hello', { a: 1 })
  return { engine, items }
}

/** A database that gives its entries in another order than its keys'. */
function backwards(db: Database): Database {
  return {
    get status() {
      return db.status
    },
    supports: db.supports,
    open: () => db.open(),
    close: () => db.close(),
    get: (key, options) => db.get(key, options),
    getMany: (keys, options) => db.getMany(keys, options),
    batch: (operations, options) => db.batch(operations, options),
    clear: range => db.clear(range),
    iterator(options) {
      const iterator = db.iterator(options)
      return {
        close: () => iterator.close(),
        nextv: async size => (await iterator.nextv(size)).reverse(),
      }
    },
  }
}

const SEED = 11

describe('a backup', () => {
  it(`restores every entry of the moment, whatever was changed in between (seed ${SEED})`, async () => {
    const random = numbers(SEED)
    const db = memoryDatabase()
    const backup = await temporaryFolder()
    const { engine, items } = await shop(db)
    const { full } = await engine.backup(backup)
    expect(full).toBe(true)
    const fulls: boolean[] = []
    for (let round = 0; round < 10; round++) {
      for (let n = 0; n < 15; n++) {
        const id = `d${random(600)}`
        if (random(3) === 0) await items.documents.delete(id)
        else await items.documents.upsert({ id, title: `lamp ${round} \u{1f600}` })
      }
      if (round === 5) await items.optimize()
      if (round === 7) await engine.datasets.create('more')
      if (round === 9) await engine.datasets.remove('more')
      let before: Map<string, string>
      // Upkeep in the background writes, too.
      do {
        before = await contents(db)
        fulls.push((await engine.backup(backup)).full)
      } while (!isDeepStrictEqual(await contents(db), before))
      expect(await restoredContents(backup)).toEqual(before)
    }
    expect(fulls).toContain(false)
  })

  it('opens as the store it was, with its index, tags, services, classifier and values', async () => {
    const { engine, items } = await shop()
    await items.documents.update('d3', { tag: 'light' })
    const found = await items.search('lamp 77')
    const backup = await temporaryFolder()
    const { seq, entries, bytes } = await engine.backup(backup)
    expect(await Engine.verifyBackup(backup)).toMatchObject({ seq, entries, bytes })
    const folder = join(await temporaryFolder(), 'new', 'store')
    expect(await Engine.restore(backup, folder)).toMatchObject({ seq, entries, bytes })
    const again = await openEngine({ store: folder })
    const there = again.datasets.get('items')
    expect(await collected(there.documents.scan())).toEqual(await collected(items.documents.scan()))
    expect((await there.search('lamp 77')).hits).toEqual(found.hits)
    expect(await there.tags.list()).toEqual(await items.tags.list())
    expect(await again.namespace('notes').get('hello')).toEqual({ a: 1 })
    // The very backup was under way then, and is nobody's failure.
    expect(again.jobs({ status: ['failed'] })).toEqual([])
    await expectHealthy(again)
  })

  it('writes what has changed, and all of it once that is half of it', async () => {
    const { engine, items } = await shop(undefined, 2000)
    // Nothing is left to be saved or merged behind the writes.
    await items.optimize()
    const backup = await temporaryFolder()
    const first = await engine.backup(backup)
    await items.documents.update('d77', { title: 'another' })
    const second = await engine.backup(backup)
    expect([first.full, second.full, second.written < first.written / 5]).toEqual([true, false, true])
    for (let i = 0; i < 12; i++) await engine.backup(backup)
    expect((await readdir(backup)).length).toBeLessThan(2 + 4 + 1)
    const random = numbers(SEED)
    const noise = () => Array.from({ length: 20 }, () => random(1e9).toString(36)).join(' ')
    await items.documents.bulk(Array.from({ length: 2000 }, (_, i) => ({ id: `d${i}`, title: noise() })))
    // The next one, or the one after it: upkeep in the background may have changed half of it before.
    if (!(await engine.backup(backup)).full) expect((await engine.backup(backup)).full).toBe(true)
    expect((await readdir(backup)).sort()).toEqual(['findling.backup', expect.stringMatching(/^layer-/)])
  })

  it('is of one moment while writes go on, and has every write acknowledged before it', async () => {
    const engine = await openEngine({ store: join(await temporaryFolder(), 'store'), durability: 'process' })
    for (const name of ['left', 'right']) await engine.datasets.create(name, { interpretedFields: ['title'] })
    let written = 0
    let stop = false
    const writing = (async () => {
      for (let id = 0; !stop; id++) {
        await engine.write(
          ['right', 'left'].map(dataset => ({ type: 'insert', dataset, document: { id, title: `n${id}` } })),
        )
        written = id + 1
      }
    })()
    const backup = await temporaryFolder()
    for (let round = 0; round < 3; round++) {
      const enough = written + 100
      while (written < enough) await new Promise(resolve => setTimeout(resolve, 5))
      const least = written
      await engine.backup(backup)
      const folder = await temporaryFolder()
      await Engine.restore(backup, folder)
      const again = await openEngine({ store: folder })
      const idsOf = async (name: string) => {
        const records = await collected(again.datasets.get(name).documents.scan())
        return records.map(({ id }) => Number(id)).sort((a, b) => a - b)
      }
      const left = await idsOf('left')
      expect(await idsOf('right')).toEqual(left)
      expect(left).toEqual(left.map((_, i) => i))
      expect(left.length).toBeGreaterThanOrEqual(least)
      await expectHealthy(again)
      await again.close()
    }
    stop = true
    await writing
  })

  it('leaves the one before when it is cancelled, by its signal or by the end of the engine', async () => {
    const { engine, items } = await shop(undefined, 1500)
    const backup = await temporaryFolder()
    await engine.backup(backup)
    const before = await restoredContents(backup)
    await items.documents.deleteWhere({})
    const onProgress = () => controller.abort()
    const controller = new AbortController()
    const aborted = engine.backup(backup, { signal: controller.signal, onProgress })
    expect(await codeOf(() => aborted)).toBe('CANCELLED')
    expect(await restoredContents(backup)).toEqual(before)
    const last = engine.backup(backup)
    await engine.close()
    expect(await codeOf(() => last)).toBe('CANCELLED')
    expect(await restoredContents(backup)).toEqual(before)
    expect((await readdir(backup)).sort()).toEqual(['findling.backup', 'layer-000001'])
  })

  it('makes anew what is damaged of the one before, and says so', async () => {
    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => warnings.push(message), error: () => {} }
    const db = memoryDatabase()
    const engine = await openEngine({ store: db, logger })
    const items = await engine.datasets.create('items')
    await items.documents.insert({ id: 1, title: 'lamp' })
    const backup = await temporaryFolder()
    await engine.backup(backup)
    await appendFile(join(backup, 'layer-000001'), 'x')
    expect(await codeOf(() => Engine.verifyBackup(backup))).toBe('STORE_CORRUPT')
    expect(await codeOf(async () => Engine.restore(backup, await temporaryFolder()))).toBe('STORE_CORRUPT')
    expect((await engine.backup(backup)).full).toBe(true)
    expect(warnings.join()).toContain('layer-000001')
    expect(await restoredContents(backup)).toEqual(await contents(db))
    await writeFile(join(backup, 'findling.backup'), 'nonsense')
    expect(await codeOf(() => Engine.verifyBackup(backup))).toBe('STORE_CORRUPT')
    await engine.backup(backup)
    expect(warnings).toHaveLength(2)
    expect(await restoredContents(backup)).toEqual(await contents(db))
  })

  it('is refused when a stored value is damaged, and the one before stays', async () => {
    const db = memoryDatabase()
    const { engine } = await shop(db)
    const backup = await temporaryFolder()
    await engine.backup(backup)
    const before = await restoredContents(backup)
    const [key] = [...(await contents(db)).keys()].filter(one => one.startsWith('d/'))
    await db.put(key!, Buffer.from('nonsense'))
    const failure = await failureOf(() => engine.backup(backup))
    expect([failure.code, failure.details.key]).toEqual(['STORE_CORRUPT', key])
    expect(await restoredContents(backup)).toEqual(before)
  })

  it('goes to no folder with other files, with the store or with another backup under way', async () => {
    const store = join(await temporaryFolder(), 'store')
    const { engine } = await shop(store, 20)
    const foreign = await temporaryFolder()
    await writeFile(join(foreign, 'thesis.txt'), 'all of it')
    expect(await codeOf(() => engine.backup(foreign))).toBe('STORE_UNSUPPORTED')
    expect(await readdir(foreign)).toEqual(['thesis.txt'])
    expect(await codeOf(() => engine.backup(store))).toBe('STORE_LOCKED')
    expect(await codeOf(() => engine.backup(join(foreign, 'thesis.txt')))).toBe('STORE_FAILED')
    expect(await codeOf(() => engine.backup(''))).toBe('INVALID_ARGUMENT')
    const backup = await temporaryFolder()
    const both = await Promise.allSettled([engine.backup(backup).finished, engine.backup(backup).finished])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await Engine.verifyBackup(backup)
  })

  it('goes to no folder in that of a store or backup, whatever way leads there, and neither does a restore or a new store', async () => {
    const folder = await temporaryFolder()
    const store = join(folder, 'store')
    const { engine } = await shop(store, 20)
    const backup = join(folder, 'backup')
    await engine.backup(backup)
    await symlink(store, join(folder, 'link'))
    const before = [await readdir(store), await readdir(backup)]
    for (const inside of [
      join(store, 'new'),
      join(store, 'new/'),
      join(store, 'some', 'new'),
      join(folder, 'link', 'new'),
      relative('.', join(store, 'new')),
      join(backup, 'new'),
    ]) {
      const failures = [
        await failureOf(() => engine.backup(inside)),
        await failureOf(() => Engine.restore(backup, inside)),
        await failureOf(() => Engine.open({ store: inside })),
      ]
      for (const { code, message } of failures)
        expect([code, message]).toEqual([
          'STORE_UNSUPPORTED',
          expect.stringContaining('lies in the folder of a'),
        ])
    }
    expect([await readdir(store), await readdir(backup)]).toEqual(before)
    const database = join(folder, 'database')
    await mkdir(database)
    for (const name of ['CURRENT', 'LOCK']) await writeFile(join(database, name), '')
    expect(String(await failureOf(() => engine.backup(join(database, 'new'))))).toContain(
      'lies in the folder of a store or another database (',
    )
    // Names that only begin alike are no way inside.
    await engine.backup(`${store}-backup`)
    await Engine.restore(`${store}-backup`, `${store}-again`)
    // A store that is there already goes on.
    await rename(`${store}-again`, join(store, 'moved'))
    await openEngine({ store: join(store, 'moved') })
  })

  it('is refused for databases without snapshots and for those with another order', async () => {
    const backup = await temporaryFolder()
    const without = await openEngine({ store: withoutSnapshots(memoryDatabase()) })
    expect(await codeOf(() => without.backup(backup))).toBe('STORE_UNSUPPORTED')
    const unordered = await openEngine({ store: backwards(memoryDatabase()) })
    expect(await codeOf(() => unordered.backup(backup))).toBe('STORE_UNSUPPORTED')
  })

  it('says of itself when it was made, also where it cannot be read any more', async () => {
    const made = 1_700_000_000_000
    const engine = await openEngine({ clock: () => made })
    await engine.datasets.create('items')
    const backup = await temporaryFolder()
    expect(await Engine.describeBackup(backup)).toBeUndefined()
    expect(await Engine.describeBackup(join(backup, 'none'))).toBeUndefined()
    const { seq, entries, bytes } = await engine.backup(backup)
    const facts = { madeAt: made, seq, entries, bytes }
    expect(await Engine.describeBackup(backup)).toEqual(facts)
    expect(await Engine.verifyBackup(backup)).toEqual(facts)
    await rm(join(backup, 'layer-000001'))
    expect(await Engine.describeBackup(backup)).toEqual(facts)
    await writeFile(join(backup, 'findling.backup'), 'nonsense')
    expect(await codeOf(() => Engine.describeBackup(backup))).toBe('STORE_CORRUPT')
    expect(await codeOf(() => Engine.describeBackup(join(backup, 'findling.backup')))).toBe('STORE_FAILED')
    expect(await codeOf(() => Engine.describeBackup(''))).toBe('INVALID_ARGUMENT')
  })

  it('is not opened as a store, and is told how it becomes one', async () => {
    const { engine } = await shop(undefined, 3)
    const backup = await temporaryFolder()
    await engine.backup(backup)
    const before = await readdir(backup)
    const { code, message } = await failureOf(() => Engine.open({ store: backup }))
    expect([code, message]).toEqual([
      'STORE_UNSUPPORTED',
      expect.stringContaining('is a backup, not a store'),
    ])
    expect(message).toContain('npx findling restore <backup> <folder>')
    expect(await readdir(backup)).toEqual(before)
  })

  it('is of its own format only', async () => {
    const { engine } = await shop(undefined, 3)
    const backup = await temporaryFolder()
    await engine.backup(backup)
    await writeChecked(
      join(backup, 'findling.backup'),
      JSON.stringify({ format: 'findling-backup', version: 2 }),
    )
    expect(await codeOf(() => engine.backup(backup))).toBe('FORMAT_UNSUPPORTED')
    expect(await codeOf(() => Engine.verifyBackup(backup))).toBe('FORMAT_UNSUPPORTED')
    await writeChecked(join(backup, 'findling.backup'), 'null')
    expect(await codeOf(() => Engine.verifyBackup(backup))).toBe('STORE_CORRUPT')
  })
})

describe('a restore', () => {
  it('goes to no folder that has anything, and needs a backup', async () => {
    const { engine } = await shop(undefined, 3)
    const backup = await temporaryFolder()
    const empty = await temporaryFolder()
    expect(await codeOf(() => Engine.restore(backup, empty))).toBe('STORE_UNSUPPORTED')
    expect(await codeOf(() => Engine.restore(join(backup, 'none'), empty))).toBe('STORE_UNSUPPORTED')
    await engine.backup(backup)
    const store = join(empty, 'store')
    await Engine.restore(backup, store)
    const before = await readdir(store)
    expect(await codeOf(() => Engine.restore(backup, store))).toBe('STORE_UNSUPPORTED')
    expect(await readdir(store)).toEqual(before)
    expect(await codeOf(() => Engine.restore(backup, ''))).toBe('INVALID_ARGUMENT')
  })

  it.each([3, 1500])(
    'of %i documents leaves an empty folder when it is cancelled or the backup is damaged',
    async count => {
      const { engine } = await shop(undefined, count)
      const backup = await temporaryFolder()
      await engine.backup(backup)
      const folder = await temporaryFolder()
      const signal = AbortSignal.abort()
      expect(await codeOf(() => Engine.restore(backup, folder, { signal }))).toBe('CANCELLED')
      expect(await readdir(folder)).toEqual([])
      const layer = join(backup, 'layer-000001')
      const bytes = await readFile(layer)
      bytes[bytes.length - 9]! ^= 4
      await writeFile(layer, bytes)
      expect(await codeOf(() => Engine.restore(backup, folder))).toBe('STORE_CORRUPT')
      expect(await readdir(folder)).toEqual([])
    },
  )

  it('tells how far it is, and goes on where another was interrupted', async () => {
    const { engine } = await shop(undefined, 300)
    const backup = await temporaryFolder()
    await engine.backup(backup)
    const whole = await temporaryFolder()
    const told: number[] = []
    const onProgress = ({ percent }: { percent: number }) => void told.push(percent)
    const { bytes } = await Engine.restore(backup, whole, { onProgress })
    expect([told.at(-1), bytes > 300]).toEqual([100, true])
    // A half: everything of a store, and the mark still there.
    const half = await temporaryFolder()
    await cp(whole, half, { recursive: true })
    await writeFile(join(half, 'findling.restore'), '')
    await rm(join(half, 'findling.seq'))
    const failure = await failureOf(() => Engine.open({ store: half }))
    expect([failure.code, failure.message]).toEqual(['STORE_CORRUPT', expect.stringContaining('restore')])
    await mkdir(join(half, 'mine'))
    expect(await codeOf(() => Engine.restore(backup, half))).toBe('STORE_UNSUPPORTED')
    await rm(join(half, 'mine'), { recursive: true })
    await Engine.restore(backup, half)
    const again = await openEngine({ store: half })
    expect(again.datasets.get('items').documents.count).toBe(300)
    await expectHealthy(again)
  })
})

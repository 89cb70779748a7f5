import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { Engine } from 'findling'
import { Level } from 'level'
import { MemoryLevel } from 'memory-level'
import { describe, expect, it, vi } from 'vitest'
import { isChecked, readCheckedTables, writeCheckedTables } from '../../src/store/checked-tables.ts'
import { stateOf } from '../../src/store/leveldb/files.ts'
import {
  codeOf,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  temporaryFolder,
} from '../engine/engines.ts'
import { plant, withRaw } from './raw-store.ts'

const views = { keyEncoding: 'utf8', valueEncoding: 'view' } as const

const otherProcess = `
  import { Engine } from ${JSON.stringify(new URL('../../dist/index.js', import.meta.url).href)}
  try {
    const engine = await Engine.open({ store: process.argv[1] })
    console.log('open')
    process.stdin.once('data', () => engine.close())
  } catch (error) {
    console.log(error.code)
  }
`

/** What a second process says when it opens a folder, and the way to end it. */
async function inOtherProcess(folder: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', otherProcess, folder])
  const exited = once(child, 'exit')
  // One that was refused may be gone before it is told to end.
  child.stdin.on('error', () => {})
  const [line] = await once(child.stdout, 'data')
  return {
    answer: String(line).trim(),
    async end() {
      child.stdin.end('\n')
      await exited
    },
  }
}

async function closedStore() {
  const store = await temporaryFolder()
  const engine = await Engine.open({ store })
  const items = await engine.datasets.create('items')
  await items.documents.bulk([{ id: 1, title: 'lamp' }, { id: 2 }])
  await engine.close()
  return store
}

describe('a folder', () => {
  it('is made with those above it', async () => {
    const store = join(await temporaryFolder(), 'a', 'b')
    const engine = await openEngine({ store })
    expect(engine.datasets.list()).toEqual([])
    await engine.close()
    expect(await readdir(store)).toContain('CURRENT')
  })

  it.skipIf(process.platform === 'win32')('is made for its owner alone', async () => {
    const folder = join(await temporaryFolder(), 'above')
    const before = process.umask(0)
    try {
      const engine = await openEngine({ store: join(folder, 'store') })
      await engine.backup(join(folder, 'backup'))
      await engine.close()
    } finally {
      process.umask(before)
    }
    const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777
    expect(await modeOf('store')).toBe(0o700)
    expect(await modeOf('backup')).toBe(0o700)
    expect(await modeOf('.')).toBe(0o777)
  })

  it('has no long log when it was closed, which the next open would have to replay', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const { documents } = await engine.datasets.create('items')
    await documents.bulk(Array.from({ length: 2_000 }, (_, id) => ({ id, title: `lamp ${id}`.repeat(20) })))
    await engine.close()
    const logs = (await readdir(store)).filter(name => name.endsWith('.log'))
    const sizes = await Promise.all(logs.map(async name => (await readFile(join(store, name))).byteLength))
    expect(Math.max(...sizes)).toBeLessThan(2 ** 16)
    await expectHealthy(await openEngine({ store }))
  })

  it('is open once in a process, however it is spelled', async () => {
    const store = await temporaryFolder()
    const link = `${store}-link`
    await symlink(store, link)
    const engine = await openEngine({ store })
    const spellings = [
      store,
      `${store}/`,
      relative(process.cwd(), store),
      join(store, '..', store.split('/').at(-1)!),
      link,
    ]
    for (const spelling of spellings) {
      const locked = await failureOf(() => Engine.open({ store: spelling }))
      expect(locked).toMatchObject({ code: 'STORE_LOCKED', details: { received: spelling } })
    }
    const items = await engine.datasets.create('items')
    await items.documents.insert({ id: 1 })
    await engine.close()
    const through = await openEngine({ store: link })
    expect(through.datasets.get('items').documents.count).toBe(1)
    await rm(link)
  })

  it('opens once of two attempts at the same time', async () => {
    const store = await temporaryFolder()
    const both = await Promise.allSettled([Engine.open({ store }), Engine.open({ store })])
    const opened = both.filter(outcome => outcome.status === 'fulfilled')
    expect(opened).toHaveLength(1)
    await opened[0]!.value.close()
    await (await openEngine({ store })).close()
  })

  it('is open in one process', async () => {
    const store = await closedStore()
    const other = await inOtherProcess(store)
    expect(other.answer).toBe('open')
    expect(await failureOf(() => Engine.open({ store }))).toMatchObject({
      code: 'STORE_LOCKED',
      message: expect.stringContaining('another process'),
    })
    await other.end()
    const engine = await openEngine({ store })
    const second = await inOtherProcess(store)
    expect(second.answer).toBe('STORE_LOCKED')
    await second.end()
    // A refused attempt must not have let go of the lock.
    const third = await inOtherProcess(store)
    expect(third.answer).toBe('STORE_LOCKED')
    await third.end()
    await expectHealthy(engine)
  })

  it('that is a file or cannot be made is refused', async () => {
    const file = join(await temporaryFolder(), 'file')
    await writeFile(file, 'text')
    // Nothing can be made in /proc; where there is none, a file does.
    for (const store of [file, join(file, 'below'), '/proc/nope', '/proc/nope/below']) {
      if (store.startsWith('/proc') && !existsSync('/proc/self')) continue
      const { code, message } = await failureOf(() => Engine.open({ store }))
      expect([code, message]).toEqual(['STORE_FAILED', expect.stringContaining('it is not a folder')])
    }
  })

  it("of other people's files is refused and left as it is", async () => {
    const store = await temporaryFolder()
    const names = ['a holiday.jpg', 'notes.txt', 'findling.txt', 'src']
    for (const name of names) await writeFile(join(store, name), name)
    const refused = await failureOf(() => Engine.open({ store }))
    expect(refused).toMatchObject({ code: 'STORE_UNSUPPORTED', details: { field: 'store', received: store } })
    expect(refused.message).toContain('"a holiday.jpg"')
    expect((await readdir(store)).sort()).toEqual(names.sort())
    for (const name of names) expect(await readFile(join(store, name), 'utf8')).toBe(name)
  })

  it('with nothing but what mounts and version control leave in it is as good as empty', async () => {
    const store = await temporaryFolder()
    await mkdir(join(store, 'lost+found'))
    await writeFile(join(store, '.gitkeep'), '')
    expect((await openEngine({ store })).datasets.list()).toEqual([])
    expect(await readdir(store)).toContain('.gitkeep')
  })
})

describe('a store', () => {
  it('of another format version is refused and left as it is', async () => {
    const store = await closedStore()
    await withRaw(store, db => plant(db, 'format', { format: 'findling', version: 3 }))
    expect(await failureOf(() => Engine.open({ store }))).toMatchObject({
      code: 'FORMAT_UNSUPPORTED',
      details: { received: '3', expected: '1 or 2' },
    })
    await withRaw(store, db => plant(db, 'format', { format: 'findling', version: 2 }))
    await expectHealthy(await openEngine({ store }))
  })

  it.each(['manifest', 'format'])('whose record %s is damaged or gone is refused', async key => {
    const store = await closedStore()
    const sound = await withRaw(store, async db => {
      const value = (await db.get(key))!
      await db.put(key, value.with(9, value[9]! ^ 4))
      return value
    })
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
    await withRaw(store, db => db.del(key))
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
    await withRaw(store, db => db.put(key, sound))
    await expectHealthy(await openEngine({ store }))
  })

  it('whose manifest has another form is refused', async () => {
    const store = await closedStore()
    await withRaw(store, db => plant(db, 'manifest', { datasets: [] }))
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
  })

  it.each(['CURRENT', 'MANIFEST'])(
    'that lost the file %s of LevelDB is not taken for a new one',
    async lost => {
      const store = await closedStore()
      const files = await readdir(store)
      for (const file of files) if (file.startsWith(lost)) await rm(join(store, file))
      expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
      const left = await readdir(store)
      expect(left.filter(file => /\.(ldb|log)$/.test(file))).toEqual(
        files.filter(file => /\.(ldb|log)$/.test(file)),
      )
    },
  )

  it('that lost all of its entries is not taken for a new one', async () => {
    const store = await closedStore()
    await withRaw(store, db => db.clear())
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
  })

  it('that lost its checkpoint opens, says so and counts again', async () => {
    const store = await closedStore()
    await withRaw(store, db => db.del('checkpoint'))
    const heard: string[] = []
    const logger = { warn: () => {}, error: (_: object, message: string) => void heard.push(message) }
    const engine = await openEngine({ store, logger })
    expect(heard).toEqual([expect.stringContaining('checkpoint')])
    expect(engine.datasets.get('items').documents.count).toBe(2)
    expect((await engine.doctor()).faults.map(({ kind }) => kind)).toEqual(['lost-changes'])
    expect(await engine.doctor({ repair: true })).toMatchObject({ ok: false, faults: [{ repaired: true }] })
    await expectHealthy(engine)
    await engine.close()
    await expectHealthy(await openEngine({ store }))
  })

  it('that lacks changes it had when it was closed says which', async () => {
    const store = await temporaryFolder()
    const copy = await temporaryFolder()
    const engine = await Engine.open({ store })
    const items = await engine.datasets.create('items')
    await items.documents.insert({ id: 'old' })
    await engine.close()

    await cp(store, copy, { recursive: true })
    const second = await Engine.open({ store })
    const { seq } = await second.datasets.get('items').documents.insert({ id: 'new' })
    await second.close()
    const mark = 'findling.seq'
    await writeFile(join(copy, mark), await readFile(join(store, mark)))
    const heard: string[] = []
    const logger = { warn: () => {}, error: (_: object, message: string) => void heard.push(message) }
    const older = await openEngine({ store: copy, logger })
    expect(heard).toEqual([expect.stringMatching(/changes \d+ to \d+ are lost/)])
    await older.close()
    const again = await openEngine({ store: copy, logger })
    expect(heard).toHaveLength(1)
    const lost = (await again.doctor()).faults
    expect(lost).toMatchObject([{ kind: 'lost-changes', dataset: null }])
    const next = await again.datasets.get('items').documents.insert({ id: 'other' })
    expect(next.seq).toBeGreaterThan(seq)
  })
})

describe('a store with damaged files', () => {
  /** One bit of each table's first block is flipped. */
  async function damage(store: string) {
    const tables = (await readdir(store)).filter(name => name.endsWith('.ldb'))
    for (const table of tables) {
      const bytes = await readFile(join(store, table))
      bytes[9]! ^= 1
      await writeFile(join(store, table), bytes)
    }
    return tables
  }

  /** Its documents lie in a table. */
  async function storeWithTable() {
    const store = await closedStore()
    await (await Engine.open({ store })).close()
    return store
  }

  it('is refused, names a file and changes nothing', async () => {
    const store = await storeWithTable()
    const tables = await damage(store)
    const before = await readdir(store)
    const { code, message } = await failureOf(() => Engine.open({ store }))
    expect([code, tables]).toEqual(['STORE_CORRUPT', expect.arrayContaining([/\d+\.ldb/.exec(message)![0]])])
    expect((await readdir(store)).filter(name => !name.startsWith('LOG'))).toEqual(
      before.filter(name => !name.startsWith('LOG')),
    )
  })

  it('opens when its blocks of data are not to be verified, unless it crashed', async () => {
    const store = await storeWithTable()
    await damage(store)
    const crashed = `${store}-crashed`
    await cp(store, crashed, { recursive: true })
    await writeFile(join(crashed, 'findling.open'), '')
    expect(await codeOf(() => Engine.open({ store: crashed, verify: 'structure' }))).toBe('STORE_CORRUPT')
    await rm(crashed, { recursive: true })
    // Nothing but the doctor reads the damage.
    const opened = await Engine.open({ store, verify: 'structure' }).catch(({ code }) => code)
    if (typeof opened === 'string') return expect(opened).toBe('STORE_CORRUPT')
    const { ok, faults } = await opened.doctor()
    expect([ok, faults.length > 0]).toEqual([false, true])
    for (const { kind } of faults) expect(kind).toBe('damaged-file')
    await opened.close()
  })

  it('opens when its tables were checked within a day and nobody has touched them', async () => {
    const store = await storeWithTable()
    const names = (await readdir(store)).filter(name => name.endsWith('.ldb'))
    expect(names).not.toEqual([])
    const due = async (folder = store, now = Date.now()) => {
      const checked = await readCheckedTables(folder, now)
      const isDue = async (name: string) => {
        const { size, text: state } = await stateOf(join(folder, name))
        return !isChecked(checked, { name, size, state })
      }
      return (await Promise.all(names.map(isDue))).filter(one => one).length
    }
    const day = 24 * 60 * 60 * 1000
    const all = names.length
    expect([await due(), await due(store, Date.now() + day), await due(store, Date.now() - day)]).toEqual([
      0,
      all,
      all,
    ])
    const copy = `${store}-copy`
    await cp(store, copy, { recursive: true, preserveTimestamps: true })
    expect(await due(copy)).toBe(all)
    await rm(copy, { recursive: true })
    await damage(store)
    expect(await due()).toBe(all)
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
    // As a disk would do it.
    const unseen = (at: number) => writeCheckedTables(store, new Map(), at)
    await unseen(Date.now() - day)
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
    await unseen(Date.now())
    expect(await due()).toBe(0)
    expect(await codeOf(() => Engine.open({ store, verify: 'all' }))).toBe('STORE_CORRUPT')
    await writeFile(join(store, 'findling.checked'), 'damaged')
    expect(await due()).toBe(all)
  })

  it('is checked again when somebody has changed it while it was open', async () => {
    const store = await storeWithTable()
    const engine = await Engine.open({ store })
    await damage(store)
    await engine.close()
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
  })

  it('is found out by the doctor while it is open', async () => {
    const store = await storeWithTable()
    const engine = await openEngine({ store })
    await expectHealthy(engine)
    const tables = await damage(store)
    const report = await engine.doctor({ repair: true })
    expect(report).toMatchObject({ ok: false, quiet: true })
    expect(report.faults.map(({ kind, repaired }) => [kind, repaired])).toEqual(
      tables.map(() => ['damaged-file', false]),
    )
    expect(tables).toEqual(expect.arrayContaining(report.faults.map(({ subject }) => subject)))
  })

  it('is checked to its last table when it is large', async () => {
    const store = await temporaryFolder()
    const engine = await Engine.open({ store, durability: 'process' })
    const { documents } = await engine.datasets.create('items', { interpretedFields: ['title'] })
    const noise = () => randomBytes(90_000).toString('latin1')
    for (let n = 0; n < 10; n++) {
      await documents.bulk(
        Array.from({ length: 20 }, (_, i) => ({ id: `${n}-${i}`, title: 'lamp', noise: noise() })),
      )
    }
    await engine.close()
    const again = await Engine.open({ store })
    expect(again.datasets.get('items').documents.count).toBe(200)
    await again.close()
    await damage(store)
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_CORRUPT')
  })
})

describe('a store that has lost datasets', () => {
  /** As it was before a dataset was made, beside the knowledge that there was one. */
  async function olderStore(before: string[], after: string[]) {
    const [store, older] = [await temporaryFolder(), await temporaryFolder()]
    const make = async (names: string[]) => {
      const engine = await Engine.open({ store })
      for (const name of names) {
        const { documents } = await engine.datasets.create(name)
        await documents.insert({ id: 1, title: `lamp of ${name}` })
      }
      await engine.close()
    }
    await make(before)
    await cp(store, older, { recursive: true })
    await make(after)
    await cp(join(store, 'findling.seq'), join(older, 'findling.seq'))
    return older
  }

  it.each([[[]], [['garage']]])('beside %j is refused until that is accepted', async before => {
    const store = await olderStore(before, ['shop', 'barn'])
    const { code, message, details } = await failureOf(() => Engine.open({ store }))
    expect([code, details.datasets]).toEqual(['DATASETS_LOST', ['shop', 'barn']])
    expect(message).toContain("accept: ['DATASETS_LOST']")
    expect(await codeOf(() => Engine.open({ store, verify: 'structure' }))).toBe('DATASETS_LOST')
    const heard: string[] = []
    const logger = { warn: () => {}, error: (_: object, message: string) => void heard.push(message) }
    const engine = await Engine.open({ store, logger, accept: ['DATASETS_LOST'] })
    expect(heard.join()).toContain('Datasets are lost: "shop", "barn"')
    expect(engine.datasets.list().map(({ name }) => name)).toEqual(before)
    await engine.close()
    const again = await openEngine({ store })
    expect((await again.doctor()).faults.map(({ message }) => message).join()).toContain('"shop"')
    await again.doctor({ repair: true })
    await expectHealthy(again)
  })

  it('gives its numbers to no other, so that what is left of one is not taken for the next', async () => {
    const store = await temporaryFolder()
    const engine = await Engine.open({ store })
    await engine.close()
    const manifest = await withRaw(store, async db => (await db.get('manifest'))!)
    const second = await Engine.open({ store })
    await (await second.datasets.create('shop')).documents.insert({ id: 'left', title: 'lamp' })
    await second.close()
    await withRaw(store, db => db.put('manifest', manifest))
    expect(await codeOf(() => Engine.open({ store }))).toBe('DATASETS_LOST')
    await (await Engine.open({ store, accept: ['DATASETS_LOST'] })).close()
    const third = await openEngine({ store })
    const shop = await third.datasets.create('shop')
    expect([shop.documents.count, await shop.documents.get('left')]).toEqual([0, undefined])
  })

  it('is not one from which they were removed, or in which they were renamed', async () => {
    const store = await temporaryFolder()
    const engine = await Engine.open({ store })
    for (const name of ['one', 'two', 'three']) await engine.datasets.create(name)
    await engine.datasets.remove('two')
    await engine.datasets.swap('one', 'three')
    const killed = `${store}-killed`
    // LevelDB may still be deleting files of what was removed.
    await vi.waitFor(
      () => cp(store, killed, { recursive: true, filter: path => basename(path) !== 'LOCK' }),
      60_000,
    )
    await engine.close()
    for (const folder of [store, killed]) {
      const again = await openEngine({ store: folder })
      expect(again.datasets.list().map(({ name }) => name)).toEqual(['one', 'three'])
      await expectHealthy(again)
    }
  })

  it('or older settings says so', async () => {
    const store = await closedStore()
    const manifest = await withRaw(store, async db => (await db.get('manifest'))!)
    const engine = await Engine.open({ store })
    await engine.datasets.get('items').reconfigure({ interpretedFields: ['title'] }).finished
    await engine.close()
    await withRaw(store, db => db.put('manifest', manifest))
    const heard: string[] = []
    const logger = { warn: () => {}, error: (_: object, message: string) => void heard.push(message) }
    const again = await openEngine({ store, logger })
    expect(heard.join()).toContain('is out of date')
    expect((await again.doctor()).ok).toBe(false)
  })
})

describe('the file findling.seq', () => {
  it('that is damaged is told once and mended', async () => {
    const store = await closedStore()
    const mark = join(store, 'findling.seq')
    const sound = await readFile(mark, 'utf8')
    await writeFile(mark, 'nonsense')
    const heard: string[] = []
    const logger = { warn: () => {}, error: (_: object, message: string) => void heard.push(message) }
    for (let n = 0; n < 3; n++) await (await Engine.open({ store, logger })).close()
    expect(heard).toEqual([expect.stringContaining('findling.seq')])
    expect(await readFile(mark, 'utf8')).toBe(sound)
    await writeFile(mark, 'nonsense')
    const { faults } = await (await openEngine({ store, logger })).doctor()
    expect([heard.length, faults.length]).toEqual([2, 1])
  })
})

describe('a database handed in', () => {
  it('stays open and is of use again after the engine has closed', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    await engine.datasets.create('items')
    await engine.close()
    expect(store.status).toBe('open')
    expect((await openEngine({ store })).datasets.list()).toMatchObject([{ name: 'items' }])
  })

  it('belongs to one engine at a time', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_LOCKED')
    await engine.close()
    await openEngine({ store })
  })

  it('is the folder it lies in, which belongs to one engine at a time', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    for (const multithreading of [true, false]) {
      const db = new Level<string, Uint8Array>(store, { ...views, multithreading })
      const locked = await failureOf(() => Engine.open({ store: db }))
      expect(locked).toMatchObject({ code: 'STORE_LOCKED', message: expect.stringContaining('this process') })
      await db.close()
    }
    const link = `${store}-link`
    await symlink(store, link)
    const linked = new Level<string, Uint8Array>(link, { ...views, multithreading: true })
    expect(await codeOf(() => Engine.open({ store: linked.sublevel('x', views) }))).toBe('STORE_LOCKED')
    await linked.close()
    await rm(link)
    await expectHealthy(engine)
  })

  it('is its part of a database, however many objects stand for it', async () => {
    const root = memoryDatabase()
    const engine = await openEngine({ store: root.sublevel('x', views) })
    await engine.datasets.create('items')
    expect(await codeOf(() => Engine.open({ store: root.sublevel('x', views) }))).toBe('STORE_LOCKED')
    expect(await codeOf(() => Engine.open({ store: root }))).toBe('STORE_LOCKED')
    expect((await openEngine({ store: root.sublevel('xy', views) })).datasets.list()).toEqual([])
    await engine.close()
    const again = await openEngine({ store: root.sublevel('x', views) })
    expect(again.datasets.list()).toMatchObject([{ name: 'items' }])
  })

  it('that another process has open is called so', async () => {
    const store = await closedStore()
    const other = await inOtherProcess(store)
    const db = new Level<string, Uint8Array>(store, views)
    const { code, message } = await failureOf(() => Engine.open({ store: db }))
    expect([code, message]).toEqual(['STORE_LOCKED', expect.stringContaining('another process')])
    expect(message).toContain('the database handed in')
    expect(message).not.toContain('folder')
    await other.end()
  })

  it('that holds something else is refused and left as it is', async () => {
    const store = memoryDatabase()
    await store.put('zebra', Buffer.from('x'))
    expect(await codeOf(() => Engine.open({ store }))).toBe('STORE_UNSUPPORTED')
    expect((await store.keys().all()).map(String)).toEqual(['zebra'])
    const folder = await temporaryFolder()
    const foreign = new Level(join(folder, 'foreign'))
    await foreign.put('apple', '1')
    await foreign.close()
    expect(await codeOf(() => Engine.open({ store: join(folder, 'foreign') }))).toBe('STORE_UNSUPPORTED')
  })

  it('that lacks a capability is refused by its name', async () => {
    const whole = memoryDatabase()
    const lacking = { open: () => whole.open(), supports: whole.supports, status: 'open' }
    // A caller without types may hand in anything.
    const refused = await failureOf(() => Engine.open({ store: lacking as never }))
    expect(refused.code).toBe('STORE_UNSUPPORTED')
    expect(refused.message).toMatch(/getMany\(\).*batch\(\).*iterator\(\)/)
    expect(await codeOf(() => Engine.open({ store: {} as never }))).toBe('STORE_UNSUPPORTED')
    expect(await codeOf(() => Engine.open({ store: 5 as never }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => Engine.open({ store: '' }))).toBe('INVALID_ARGUMENT')
  })

  it('that its owner has closed fails calls with a code', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const items = await engine.datasets.create('items')
    await store.close()
    expect(await codeOf(() => items.documents.get('1'))).toBe('STORE_FAILED')
    expect(await codeOf(() => items.documents.insert({ id: 1 }))).toBe('STORE_FAILED')
    await store.open()
    await engine.close()
  })
})

describe('close', () => {
  it('refuses writes from the moment it is called', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const items = await engine.datasets.create('items')
    await items.documents.insert({ id: 1, title: 'lamp' })
    const closing = engine.close()
    const late = [
      () => items.documents.insert({ id: 'late' }),
      () => items.documents.delete(1),
      () => engine.datasets.create('others'),
      () => engine.write([{ type: 'delete', dataset: 'items', id: '1' }]),
      () => engine.namespace('http').put('a', 1),
    ]
    for (const call of late.map(start => failureOf(start))) expect((await call).code).toBe('CLOSED')
    await closing
    const again = await openEngine({ store })
    expect(again.datasets.list()).toMatchObject([{ name: 'items', documents: 1 }])
    await expectHealthy(again)
  })

  it('finishes writes that were asked for and refuses what comes after', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const items = await engine.datasets.create('items')
    const asked = Array.from({ length: 50 }, (_, id) => items.documents.insert({ id }))
    const closing = engine.close()
    await Promise.all(asked)
    await closing
    await engine.close()
    const late = [
      () => items.documents.insert({ id: 'late' }),
      () => items.documents.get('1'),
      () => items.search('lamp'),
      () => items.documents.scan().next(),
      () => items.tags.create({ id: 't', name: 'Tag' }),
      () => engine.datasets.create('others'),
      () => engine.write([{ type: 'delete', dataset: 'items', id: '1' }]),
      () => engine.namespace('http').get('a'),
      () => engine.doctor(),
    ]
    for (const call of late) expect(await codeOf(call)).toBe('CLOSED')
    expect((await openEngine({ store })).datasets.get('items').documents.count).toBe(50)
  })

  it('ends a scan that is under way', async () => {
    const engine = await openEngine({ store: await temporaryFolder() })
    const { documents } = await engine.datasets.create('items')
    await documents.bulk(Array.from({ length: 2000 }, (_, id) => ({ id })))
    const scan = documents.scan()
    await scan.next()
    await engine.close()
    expect(
      await codeOf(async () => {
        for await (const _ of scan);
      }),
    ).toBe('CLOSED')
  })

  it('happens at the end of a block that disposes of the engine', async () => {
    const store = await temporaryFolder()
    {
      await using engine = await Engine.open({ store })
      await engine.datasets.create('items')
    }
    expect((await openEngine({ store })).datasets.list()).toHaveLength(1)
  })
})

describe('an engine without a store', () => {
  it('lives in memory and shares nothing with others', async () => {
    const [one, other] = [await openEngine(), await openEngine()]
    await (await one.datasets.create('items')).documents.insert({ id: 1, title: 'lamp' })
    expect((await one.datasets.get('items').search('lamp')).hits).toHaveLength(1)
    expect(other.datasets.list()).toEqual([])
    await expectHealthy(one)
  })
})

describe('clock and random', () => {
  it('given, make two runs leave the same bytes', async () => {
    const run = async () => {
      const store = new MemoryLevel<string, Uint8Array>({ valueEncoding: 'view' })
      let [now, seed] = [1000, 1]
      const random = () => {
        seed = (seed * 16807) % 2147483647
        return seed / 2147483647
      }
      const engine = await openEngine({ store, clock: () => now++, random })
      const { documents, tags } = await engine.datasets.create('items')
      await tags.create({ id: 't', name: 'Tag' })
      await documents.import([{ id: 1, title: 'lamp' }, { id: 2 }]).finished
      await documents.delete(2)
      await engine.close()
      return (await store.iterator().all()).map(([key, value]) => [key, Buffer.from(value).toString('hex')])
    }
    expect(await run()).toEqual(await run())
  })
})

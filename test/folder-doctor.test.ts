import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { Level } from 'level'
import { describe, expect, it } from 'vitest'
import { examineFolder } from '../src/folder-doctor.ts'
import { openEngine, temporaryFolder } from './engine/engines.ts'
import { runCommand } from './http/serve/server-process.ts'
import { plant, withRaw } from './store/raw-store.ts'

async function closedStore(): Promise<string> {
  const store = join(await temporaryFolder(), 'store')
  const engine = await Engine.open({ store })
  const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
  await items.documents.bulk(Array.from({ length: 300 }, (_, i) => ({ id: i, title: `lamp number ${i}` })))
  await engine.close()
  return store
}

/** Every file with its bytes. */
async function bytesIn(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).sort()
  const contents = await Promise.all(names.map(name => readFile(join(folder, name), 'base64')))
  return new Map(names.map((name, i) => [name, contents[i]!]))
}

/** What is found, after which the folder is as it was and nothing is left of the copy. */
async function examined(folder: string) {
  const within = await temporaryFolder()
  const before = await bytesIn(folder)
  const found = await examineFolder(folder, within)
  expect(await bytesIn(folder)).toEqual(before)
  expect(await readdir(within)).toEqual([])
  return found
}

describe('the examination of a folder leaves every byte of it and says of', () => {
  it('a store that was closed that it is whole', async () => {
    expect(await examined(await closedStore())).toMatchObject({
      outcome: 'whole',
      messages: [],
      report: { ok: true, datasets: 1, documents: 300 },
    })
  })

  it('a store that an engine has open that it is in use, and of what a crash has left that it is whole', async () => {
    const store = await closedStore()
    const engine = await openEngine({ store })
    await engine.datasets.get('items').documents.insert({ id: 'new', title: 'not yet in a table' })
    expect(await examined(store)).toEqual({
      outcome: 'unexaminable',
      messages: [expect.stringContaining('in use')],
    })
    const left = await temporaryFolder()
    await cp(store, left, { recursive: true })
    expect(await examined(left)).toMatchObject({ outcome: 'whole', report: { documents: 301 } })
  })

  it('damaged values and damaged files what is damaged', async () => {
    const store = await closedStore()
    await withRaw(store, db => db.put('d/00000001/7', Buffer.from('nonsense')))
    expect(await examined(store)).toMatchObject({
      outcome: 'damaged',
      messages: expect.arrayContaining([expect.stringContaining('d/00000001/7 is damaged')]),
    })
    const other = await closedStore()
    // Opened again, LevelDB makes a table of its log.
    await withRaw(other, async () => {})
    const table = (await readdir(other)).find(name => name.endsWith('.ldb'))!
    const bytes = await readFile(join(other, table))
    bytes[100]! ^= 1
    await writeFile(join(other, table), bytes)
    expect(await examined(other)).toEqual({
      outcome: 'damaged',
      messages: [expect.stringContaining(`${table} is damaged`)],
    })
    await rm(join(other, 'CURRENT'))
    expect(await examined(other)).toEqual({ outcome: 'damaged', messages: ['CURRENT is missing.'] })
  })

  it('lost datasets their names, and of an unfinished restore that it is none', async () => {
    const store = await closedStore()
    await withRaw(store, db =>
      plant(db, 'manifest', { nextDataset: 2, datasets: [], services: [], trash: [] }),
    )
    const { outcome, messages } = await examined(store)
    expect([outcome, messages.join()]).toEqual(['damaged', expect.stringContaining('"items"')])
    const half = await closedStore()
    await writeFile(join(half, 'findling.restore'), '')
    expect(await examined(half)).toEqual({
      outcome: 'damaged',
      // Named as it was given, not by its copy.
      messages: [expect.stringContaining(`(${half})`)],
    })
  })

  it('a store of another version, another database and other folders that they are foreign', async () => {
    const store = await closedStore()
    await withRaw(store, db => plant(db, 'format', { format: 'findling', version: 99 }))
    expect(await examined(store)).toEqual({
      outcome: 'foreign',
      messages: [expect.stringContaining('version 99')],
    })
    const other = await temporaryFolder()
    const db = new Level(other)
    await db.put('mine', '1')
    await db.close()
    expect((await examined(other)).outcome).toBe('foreign')
    const folder = await temporaryFolder()
    expect(await examined(folder)).toEqual({ outcome: 'foreign', messages: ['The folder is empty.'] })
    await writeFile(join(folder, 'thesis.txt'), '')
    expect((await examined(folder)).outcome).toBe('foreign')
  })

  it('what is no folder, or is not there, that it cannot be examined', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'file'), '')
    for (const name of ['file', 'none'])
      expect(await examineFolder(join(folder, name))).toMatchObject({ outcome: 'unexaminable' })
    const nowhere = await examineFolder(await closedStore(), join(folder, 'none'))
    expect(nowhere.outcome).toBe('unexaminable')
  })
})

describe('the command', () => {
  const command = fileURLToPath(new URL('../dist/command.js', import.meta.url))
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand({ program: command, folder: tmpdir(), args })
    return { code, out: stdout, err: stderr }
  }

  it('prints what it found, and says it by its exit code', async () => {
    const folder = await temporaryFolder()
    const store = await closedStore()
    const whole = await run('doctor', store, '--temporary', folder)
    expect(whole).toEqual({ code: 0, out: `${store}: whole\n  1 datasets, 300 documents.\n`, err: '' })
    await rm(join(store, 'CURRENT'))
    expect(await run('doctor', store)).toMatchObject({ code: 1, out: expect.stringContaining('CURRENT') })
    const none = join(store, 'none')
    expect(await run('doctor', none)).toMatchObject({
      code: 2,
      out: `${none}: unexaminable\n  There is no such folder.\n`,
    })
    expect(await run('doctor', folder)).toMatchObject({ code: 3 })
    const wrong: [string[], string][] = [
      [[], 'No command was given.'],
      [['doctor'], 'doctor takes one folder, not 0.'],
      [['doctor', 'a', 'b'], 'doctor takes one folder, not 2.'],
      [['restore', 'a'], 'restore takes two folders, not 1.'],
      [['salvage', 'a'], 'salvage takes two folders, not 1.'],
      [['heal', store], 'There is no command "heal".'],
      [['verify', store, '--temporary', folder], 'verify has no option --temporary.'],
      [['doctor', store, '--wrong'], "Unknown option '--wrong'"],
    ]
    for (const [args, mistake] of wrong) {
      const { code, out, err } = await run(...args)
      expect([code, out]).toEqual([64, ''])
      expect(err.split('\n')[0]).toContain(mistake)
      expect(err).toContain('findling doctor <folder>')
    }
    expect(await run('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Exit codes'),
      err: '',
    })
  })

  it('ends with 2 and a line where another process has the store open, which goes on with it', async () => {
    const store = await closedStore()
    const within = await temporaryFolder()
    const engine = await openEngine({ store })
    const files = (await readdir(store)).sort()
    for (const given of [store, join(store, '..', 'store', '')]) {
      const { code, out, err } = await run('doctor', given, '--temporary', within)
      expect([code, err]).toEqual([2, ''])
      expect(out).toMatch(/: unexaminable\n {2}The store is in use, .*\n$/)
    }
    expect([(await readdir(store)).sort(), await readdir(within)]).toEqual([files, []])
    await engine.datasets.get('items').documents.insert({ id: 'new', title: 'after the look' })
    // Still locked: the look has not given the lock away.
    expect(await run('doctor', store)).toMatchObject({ code: 2 })
    await engine.close()
    expect(await run('doctor', store)).toMatchObject({
      code: 0,
      out: expect.stringContaining('301 documents'),
    })
  })

  it('salvages what a damaged store still has into a new one', async () => {
    const folder = await temporaryFolder()
    const [store, again] = [await closedStore(), join(folder, 'again')]
    await rm(join(store, 'CURRENT'))
    expect(await run('salvage', store, again)).toEqual({
      code: 1,
      out: `${store}: salvaged into ${again}\n  1 datasets, 300 documents.\n  CURRENT is missing.\n`,
      err: '',
    })
    expect(await examined(again)).toMatchObject({ outcome: 'whole', report: { documents: 300 } })
    expect(await run('salvage', again, join(folder, 'copy'))).toMatchObject({ code: 0, err: '' })
    expect(await run('salvage', again, store)).toMatchObject({ code: 3 })
    expect(await run('salvage', again)).toMatchObject({ code: 64 })
  })

  it('verifies a backup and restores it', async () => {
    const folder = await temporaryFolder()
    const [backup, again] = [join(folder, 'backup'), join(folder, 'again')]
    const engine = await openEngine({ store: await closedStore() })
    await engine.backup(backup)
    expect(await run('verify', backup)).toMatchObject({ code: 0, out: expect.stringContaining('whole') })
    expect(await run('restore', backup, again)).toMatchObject({ code: 0, err: '' })
    expect((await examined(again)).report?.documents).toBe(300)
    expect(await run('restore', backup, again)).toMatchObject({ code: 3 })
    await mkdir(join(folder, 'empty'))
    expect(await run('verify', join(folder, 'empty'))).toMatchObject({ code: 3 })
    await writeFile(join(backup, 'layer-000001'), 'nonsense')
    expect(await run('verify', backup)).toMatchObject({
      code: 1,
      out: expect.stringContaining('layer-000001'),
    })
  })
})

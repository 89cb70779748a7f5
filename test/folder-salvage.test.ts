import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { random } from '../bench/random.ts'
import { salvageFolder } from '../src/folder-salvage.ts'
import { failureOf, openEngine, temporaryFolder } from './engine/engines.ts'
import { withRaw } from './store/raw-store.ts'

const titleOf = (i: number) => `lamp number ${i} ${'of wood '.repeat(i % 9)}`

async function closedStore(count = 2000): Promise<string> {
  const store = join(await temporaryFolder(), 'store')
  const engine = await Engine.open({ store })
  const settings = { idField: 'sku', interpretedFields: ['title'], stopWords: ['of'] }
  const items = await engine.datasets.create('items', settings)
  await items.tags.create({ id: 'lamps', name: 'Lamps' })
  const rows = Array.from({ length: count }, (_, i) => ({ sku: i, title: titleOf(i), tag: ['lamps'] }))
  await items.documents.bulk(rows)
  for (let i = 0; i < 100; i++) await items.documents.delete(i * 10)
  await engine.datasets.create('others')
  await engine.namespace('notes').put('seen', 1)
  await engine.close()
  return store
}

async function salvagedFrom(store: string) {
  const into = join(await temporaryFolder(), 'again')
  const before = await bytesIn(store)
  const report = await salvageFolder(store, into)
  expect(await bytesIn(store)).toEqual(before)
  return { report, into }
}

const command = fileURLToPath(new URL('../dist/command.js', import.meta.url))

/** Kills the command while it repairs the new store; false if it was too fast for that. */
async function killedRepairing(store: string, into: string): Promise<boolean> {
  const child = spawn(process.execPath, [command, 'salvage', store, into], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  let isOpen = false
  let closed = 0
  for (;;) {
    const names: string[] = await readdir(into).catch(() => [])
    if (isOpen && !names.includes('findling.open')) closed++
    isOpen = names.includes('findling.open')
    // Before the repair it is opened to be filled, and to be checked.
    if (isOpen && closed === 2) child.kill('SIGKILL')
    const [, signal] = (await Promise.race([exited, pause(1, [])])) as [unknown?, string?]
    if (signal !== undefined) return signal === 'SIGKILL'
  }
}

async function bytesIn(folder: string) {
  const names = (await readdir(folder)).sort()
  return await Promise.all(names.map(async name => [name, await readFile(join(folder, name), 'base64')]))
}

describe('a store that is salvaged', () => {
  it('has everything if nothing is damaged', async () => {
    const store = await closedStore()
    const { report, into } = await salvagedFrom(store)
    expect(report).toMatchObject({ losses: [], faults: [], datasets: 2, documents: 1900 })
    const [one, other] = [await openEngine({ store }), await openEngine({ store: into })]
    expect(await other.digest()).toEqual(await one.digest())
    const options = { limit: 5 }
    const items = other.datasets.get('items')
    const [found, wanted] = [
      await items.search('lamp wood', options),
      await one.datasets.get('items').search('lamp wood', options),
    ]
    expect(found.hits).toEqual(wanted.hits)
  })

  it('has the documents that are not in a damaged block, unchanged, and passes the doctor', async () => {
    const store = await closedStore(6000)
    const next = random(7)
    const tables = (await readdir(store)).filter(name => name.endsWith('.ldb'))
    for (const name of tables) {
      const bytes = await readFile(join(store, name))
      bytes[Math.floor(next() * bytes.length * 0.9)]! ^= 0x10
      await writeFile(join(store, name), bytes)
    }
    expect(await failureOf(() => Engine.open({ store }))).toMatchObject({ code: 'STORE_CORRUPT' })
    const { report, into } = await salvagedFrom(store)
    expect(report.losses).toHaveLength(tables.length)
    expect(report.documents).toBeGreaterThan(5500)
    const engine = await openEngine({ store: into })
    expect(await engine.doctor()).toMatchObject({ ok: true, documents: report.documents })
    const items = engine.datasets.get('items')
    for await (const { id, document } of items.documents.scan()) expect(document.title).toBe(titleOf(+id))
    const { total } = await items.search('lamp', { total: 'exact' })
    expect(total).toEqual({ count: items.documents.count, exact: true })
    await items.documents.insert({ sku: 'new', title: 'New lamp' })
    expect((await items.search('new lamp')).hits[0]).toMatchObject({ id: 'new' })
  })

  it('has its datasets by name where their settings are lost', async () => {
    const store = await closedStore()
    await withRaw(store, db => db.del('manifest'))
    const { report, into } = await salvagedFrom(store)
    expect(report.losses).toEqual(['The record of the datasets, their settings and the services is lost.'])
    const engine = await openEngine({ store: into })
    expect(engine.datasets.list().map(({ name, documents }) => [name, documents])).toEqual([['items', 1900]])
    expect(await engine.datasets.get('items').documents.get(1)).toMatchObject({ title: titleOf(1) })
    expect((await engine.datasets.get('items').search('lamp')).hits).toHaveLength(10)
    expect(await engine.namespace('notes').get('seen')).toBe(1)
  })

  it('keeps every document under its id where its settings are lost and other fields hold the ids of some', async () => {
    const store = join(await temporaryFolder(), 'store')
    const engine = await Engine.open({ store })
    const items = await engine.datasets.create('items', { idField: 'sku' })
    await items.documents.bulk(
      Array.from({ length: 50 }, (_, i) => ({ amount: 1, sku: i + 1, title: titleOf(i) })),
    )
    await engine.close()
    await withRaw(store, db => db.del('manifest'))
    const { into } = await salvagedFrom(store)
    const again = (await openEngine({ store: into })).datasets.get('items')
    expect(again.settings.idField).toBe('sku')
    for await (const { id, document } of again.documents.scan())
      expect(document).toEqual({ amount: 1, sku: Number(id), title: titleOf(Number(id) - 1) })
    expect(again.documents.count).toBe(50)
  })

  it('may lack CURRENT, the manifest and the record of the format', async () => {
    const store = await closedStore()
    await withRaw(store, db => db.del('format'))
    for (const name of await readdir(store)) if (/^(CURRENT|MANIFEST)/.test(name)) await rm(join(store, name))
    const { report, into } = await salvagedFrom(store)
    expect(report).toMatchObject({ losses: ['CURRENT is missing.'], datasets: 2, documents: 1900 })
    expect((await openEngine({ store: into })).datasets.get('items').settings.stopWords).toEqual(['of'])
  })

  it('is read if a restore into it was not finished, which is told, and is not taken for the new folder then', async () => {
    const store = await closedStore(10)
    await writeFile(join(store, 'findling.restore'), '')
    expect(await failureOf(() => salvageFolder(store, store))).toMatchObject({ code: 'STORE_UNSUPPORTED' })
    const { report } = await salvagedFrom(store)
    expect(report).toMatchObject({ datasets: 2, losses: [expect.stringContaining('not finished')] })
  })

  it('does not open if the process was killed while it was repaired, and the same call begins again', async () => {
    const store = await closedStore()
    await withRaw(store, db => db.clear({ gte: 'x/', lt: 'x0' }))
    const into = join(await temporaryFolder(), 'again')
    while (!(await killedRepairing(store, into))) await rm(into, { recursive: true })
    const copy = join(await temporaryFolder(), 'copy')
    await cp(into, copy, { recursive: true })
    expect(await failureOf(() => Engine.open({ store: copy }))).toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining('was not finished. Run it again'),
    })
    expect(await salvageFolder(store, into)).toMatchObject({ losses: [], datasets: 2, documents: 1900 })
    expect(await (await openEngine({ store: into })).doctor()).toMatchObject({ ok: true, documents: 1900 })
  })

  it('may have files that cannot be read, beside tables', async () => {
    const store = await closedStore()
    for (const name of await readdir(store)) {
      if (!/^MANIFEST|^findling.seq$/.test(name)) continue
      await rm(join(store, name))
      await mkdir(join(store, name))
    }
    const into = join(await temporaryFolder(), 'again')
    const { losses, documents } = await salvageFolder(store, into)
    expect(losses).toEqual([expect.stringContaining('EISDIR')])
    expect(documents).toBe(1900)
  })

  it('is refused if it is in use, is none, or has nothing that can be read, and a folder with files as the new one', async () => {
    const store = await closedStore(10)
    const into = join(await temporaryFolder(), 'again')
    const engine = await openEngine({ store })
    expect(await failureOf(() => salvageFolder(store, into))).toMatchObject({ code: 'STORE_LOCKED' })
    await engine.close()
    const full = await temporaryFolder()
    await writeFile(join(full, 'letter.txt'), 'mine')
    const codes: string[] = []
    const empty = join(await temporaryFolder(), 'empty')
    const link = join(await temporaryFolder(), 'link')
    await symlink(store, link)
    const other = await closedStore(10)
    for (const [from, to] of [
      [store, full],
      [store, store],
      [store, join(store, 'new', 'one')],
      [link, join(store, 'new')],
      [store, join(link, 'new/')],
      [store, join(other, 'new')],
      [full, into],
    ] as const)
      codes.push(((await failureOf(() => salvageFolder(from, to))) as Error & { code: string }).code)
    expect(codes).toEqual(Array(7).fill('STORE_UNSUPPORTED'))
    for (const folder of [store, other]) expect(await readdir(folder)).not.toContain('new')
    for (const name of await readdir(store))
      if (/^\d{6}\.(ldb|log)$/.test(name)) await writeFile(join(store, name), 'no table')
    expect(await failureOf(() => salvageFolder(store, empty))).toMatchObject({ code: 'STORE_CORRUPT' })
    expect(await readdir(empty)).toEqual([])
  })
})

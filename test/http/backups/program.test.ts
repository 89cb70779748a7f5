import { renameSync } from 'node:fs'
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from 'findling'
import { describe, expect, test } from 'vitest'
import { backUpStores } from '../../../adapters/http/src/commands/backups.ts'
import { addClient } from '../../../adapters/http/src/commands/clients.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { temporaryFolder } from '../../engine/engines.ts'
import { hashCost } from '../access/hash-cost.ts'
import { secretOf } from '../clients/several.ts'
import { type Ended, runCommand, runServer, startServer } from '../serve/server-process.ts'

const backups = { FINDLING_BACKUP_FOLDER: 'backups' }
const several = { ...backups, FINDLING_CLIENTS: 'clients', FINDLING_MEMORY_MB: '704' }

/** Adds a client with so many documents. */
async function add(folder: string, id: string, count = 10): Promise<void> {
  const fill = async (engine: Engine) => {
    const items = await engine.datasets.create('items')
    await items.documents.bulk(Array.from({ length: count }, (_, n) => ({ id: n, title: `${id} ${n}` })))
  }
  await addClient(id, join(folder, 'clients'), readConfig({}), { secret: secretOf(id), hashCost, fill })
}

/** How many documents a store has. */
async function countIn(store: string): Promise<number> {
  await using engine = await Engine.open({ store })
  expect(await engine.doctor()).toMatchObject({ ok: true, faults: [] })
  return engine.datasets.get('items').documents.count
}

const storeOf = (folder: string, id: string) => join(folder, 'clients', id, 'store')

const run = (folder: string, env: Record<string, string>, ...args: string[]): Promise<Ended> =>
  runCommand({ folder, env, args })

async function fillStore(store: string): Promise<void> {
  await using engine = await Engine.open({ store })
  await (await engine.datasets.create('items')).documents.insert({ id: 1, title: 'Lamp' })
}

describe('findling-http backup and restore', () => {
  test('bring back the only store, and overwrite none', async () => {
    const folder = await temporaryFolder()
    const store = join(folder, 'data')
    expect(await run(folder, backups, 'backup')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no store in ./data'),
    })
    expect(await readdir(folder)).toEqual([])
    await fillStore(store)
    const made = await run(folder, backups, 'backup')
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout).toMatch(/^\d+ entries, all of them written to backups in \d+ bytes\.\n$/)
    expect(await run(folder, backups, 'restore')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^findling-http: Nothing was restored.*Move away first: \.\/data\.\n$/),
    })
    await rename(store, `${store}-before`)
    // As a mount leaves it.
    await mkdir(store)
    await mkdir(join(store, 'lost+found'))
    expect(await run(folder, backups, 'restore')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^restored into \.\/data, as of \d{4}-.*Z\.\n$/),
    })
    expect(await countIn(store)).toBe(1)
  })

  test('bring back the operator and all clients, or those that are named', async () => {
    const folder = await temporaryFolder()
    for (const id of ['one', 'two', 'three']) await add(folder, id)
    await fillStore(join(folder, 'data'))
    const made = await run(folder, several, 'backup')
    expect([made.code, made.stderr]).toEqual([0, ''])
    expect(made.stdout.match(/^\w+(?=: \d+ entries)/gm)).toEqual(['_operator', 'one', 'three', 'two'])
    // Neither a client that was removed nor a folder of somebody else.
    for (const name of ['gone.removed-2026', 'Notes']) await mkdir(join(folder, 'backups', name))
    await rename(join(folder, 'clients', 'two'), join(folder, 'clients', '.two'))
    const refused = await run(folder, several, 'restore')
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('Move away first: ./data, clients/one/store, clients/three/store.')
    expect(refused.stderr).toContain('Or restore only the others: findling-http restore two\n')
    expect(await run(folder, several, 'restore', 'two', 'two')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^two: restored into clients\/two\/store, as of .*\n$/),
    })
    await rename(join(folder, 'clients'), join(folder, 'before'))
    await rename(join(folder, 'data'), join(folder, 'data-before'))
    const restored = await run(folder, several, 'restore')
    expect([restored.code, restored.stderr]).toEqual([0, ''])
    expect(restored.stdout.match(/^\w+(?=: restored)/gm)).toEqual(['_operator', 'one', 'three', 'two'])
    for (const id of ['one', 'two', 'three']) expect(await countIn(storeOf(folder, id))).toBe(10)
    expect(await countIn(join(folder, 'data'))).toBe(1)
    expect(await run(folder, several, 'clients', 'list')).toMatchObject({ stdout: 'one\nthree\ntwo\n' })
  })

  test('do not bring back a client that is removed meanwhile', async () => {
    const folder = await temporaryFolder()
    for (const id of ['one', 'two']) await add(folder, id)
    const config = {
      ...readConfig({}),
      store: join(folder, 'data'),
      clientsFolder: join(folder, 'clients'),
      backupFolder: join(folder, 'backups'),
    }
    const lines: string[] = []
    const print = (line: string) => {
      lines.push(line)
      renameSync(join(folder, 'clients', 'two'), join(folder, 'gone'))
    }
    const complain = (line: string) => void lines.push(line)
    const telling = { print, complain, signal: new AbortController().signal }
    expect(await backUpStores(config, telling)).toBe(true)
    expect(lines).toEqual([expect.stringMatching(/^one: \d+ entries/)])
    expect(await readdir(join(folder, 'clients'))).not.toContain('two')
  })

  test('make a new client of a backup, which a server that runs serves beside the other', async () => {
    const folder = await temporaryFolder()
    await add(folder, 'shop')
    await run(folder, several, 'backup')
    const server = await startServer({ folder, env: several, args: ['--empty'] })
    const statusOf = async (id: string) => {
      const headers = { Authorization: `Findling ${secretOf('shop')}` }
      return (await fetch(`${server.url}/${id}/api/DataSets/items`, { headers })).status
    }
    expect([await statusOf('shop'), await statusOf('copy')]).toEqual([200, 401])
    const made = await run(folder, several, 'restore', 'shop', '--as', 'copy')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(/^copy: restored into clients\/copy\/store/)
    // Asked again and again, a server answers those who are refused ever later.
    await expect.poll(server.stdout).toContain(`${server.url}/copy`)
    expect(await statusOf('copy')).toBe(200)
    expect(await statusOf('shop')).toBe(200)
    for (const [args, line] of [
      [['shop', '--as', 'copy'], 'Move away first: clients/copy/store'],
      [['shop', '--as', 'Copy'], 'The id of a client is "Copy"'],
      [['shop', '--as', '_operator'], 'The id of a client is "_operator"'],
      [['none', '--as', 'other'], 'There is no backup of none in backups, but of _operator, shop'],
    ] as const) {
      const ended = await run(folder, several, 'restore', ...args)
      if (args[0] === 'none')
        expect(ended.stderr).toContain('There is no backup of none in backups, which has backups of shop.')
      else expect(ended.stderr).toContain(line)
      expect([args, ended.code, ended.stdout]).toEqual([args, 1, ''])
    }
  })

  test('say what to do where a server has the store', async () => {
    const folder = await temporaryFolder()
    await add(folder, 'shop')
    for (const env of [backups, several] as const) {
      const server = await startServer({ folder, env, args: ['--empty'] })
      const port = { PORT: new URL(server.url).port }
      const ended = await run(folder, { ...env, ...port }, 'backup')
      expect([ended.code, ended.stdout]).toEqual([1, ''])
      expect(ended.stderr).toContain(
        `curl -X POST -H 'Authorization: Findling <secret>' ${server.url}/api/Maintenance/Backup`,
      )
      await server.end('SIGTERM')
    }
  })

  test('go on where one fails, name it and end with 1', async () => {
    const folder = await temporaryFolder()
    for (const id of ['one', 'two']) await add(folder, id)
    await mkdir(join(folder, 'backups', 'one'), { recursive: true })
    await writeFile(join(folder, 'backups', 'one', 'thesis.txt'), '')
    const made = await run(folder, several, 'backup')
    expect([made.code, made.stderr]).toEqual([1, expect.stringMatching(/^findling-http: one: .*thesis\.txt/)])
    expect(made.stdout).toMatch(/^two: /)
    await rename(join(folder, 'clients'), join(folder, 'before'))
    const [layer = ''] = (await readdir(join(folder, 'backups', 'two'))).filter(name =>
      name.startsWith('layer'),
    )
    await run(folder, { ...several, FINDLING_CLIENTS: 'before' }, 'backup')
    await writeFile(join(folder, 'backups', 'two', layer), 'nonsense')
    await mkdir(join(folder, 'backups', 'three'))
    await rename(join(folder, 'backups', 'one', 'thesis.txt'), join(folder, 'thesis.txt'))
    expect(await run(folder, { ...several, FINDLING_CLIENTS: 'before' }, 'backup')).toMatchObject({ code: 0 })
    await writeFile(join(folder, 'backups', 'two', 'findling.backup'), 'nonsense')
    const restored = await run(folder, several, 'restore')
    expect([restored.code, restored.stdout]).toEqual([1, expect.stringMatching(/^one: restored.*\n$/)])
    expect(restored.stderr).toMatch(/two: The backup in .* is damaged/)
    expect(restored.stderr).toMatch(/three: There is no finished backup/)
    expect(await run(folder, several, 'clients', 'list')).toMatchObject({ stdout: 'one\n' })
  })

  test('that are killed in the middle of several restores leave each client as it was or whole', async () => {
    const folder = await temporaryFolder()
    const ids = ['a', 'b', 'c', 'd']
    const count = 3000
    for (const id of ids) await add(folder, id, count)
    expect(await run(folder, several, 'backup')).toMatchObject({ code: 0 })
    await rename(join(folder, 'clients'), join(folder, 'before'))
    let left = ids
    const kills: number[] = []
    while (left.length > 0) {
      const [first] = left
      const signalAt = { text: `${first}: restored`, signal: 'SIGKILL' as const }
      const ended = await runServer({ folder, env: several, args: ['restore', ...left], signalAt })
      const { stdout } = await run(folder, several, 'clients', 'list')
      const there = stdout.split('\n').filter(id => id !== '')
      expect(there).toContain(first)
      for (const id of there) expect([id, await countIn(storeOf(folder, id))]).toEqual([id, count])
      // What is left opens as no store, and the next restore goes on from there.
      for (const id of ids.filter(id => !there.includes(id))) {
        const names = await readdir(storeOf(folder, id)).catch((): string[] => [])
        expect([id, names.length === 0 || names.includes('findling.restore')]).toEqual([id, true])
      }
      left = ids.filter(id => !there.includes(id))
      if (ended.code === null) kills.push(left.length)
    }
    expect(kills[0]).toBeGreaterThan(0)
  })
})

test.each([
  [['backup'], {}, 2, /FINDLING_BACKUP_FOLDER is not set/],
  [['restore', 'shop'], backups, 2, /restore accepts ids only with FINDLING_CLIENTS/],
  [['restore'], several, 1, /There is no backup in backups/],
  [['restore'], backups, 1, /There is no finished backup in backups/],
  [['backup'], several, 1, /There is no store in .\/data or clients/],
])('%j with %j ends with %i and a line', async (args, given, code, line) => {
  const folder = await temporaryFolder()
  const ended = await run(folder, given as Record<string, string>, ...args)
  expect(ended).toEqual({ code, stdout: '', stderr: expect.stringMatching(line) })
  expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(await readdir(folder)).toEqual([])
})

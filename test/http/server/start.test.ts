import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { expect, onTestFinished, test } from 'vitest'
import { configOf } from '../../../adapters/http/src/clients/folders.ts'
import { type Config, readConfig } from '../../../adapters/http/src/config/config.ts'
import { startFailure } from '../../../adapters/http/src/server/failure.ts'
import { type Running, start } from '../../../adapters/http/src/server/start.ts'
import { bytesOfKeptAnswers, lampsIn } from '../../engine/kept-answers.ts'
import { xlsx } from '../../extraction/packed.ts'

const secret = 's3cr3t-for-tests'
const silent = { info() {}, warn() {}, error() {} }
const manifest = new URL('../../../adapters/http/package.json', import.meta.url)

async function running(given: Partial<Config>): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const config = { ...readConfig({ PORT: '0', FINDLING_STORE: join(folder, 'data') }), secret, ...given }
  const server = await start({ config, env: {}, logger: silent, manifest })
  onTestFinished(server.stop)
  return server
}

async function started(
  given: Partial<Config>,
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const { engine, address } = await running(given)
  const sample = { id: '1', title: 'Lamp', note: 'A text.' }
  await engine.datasets.create('shop', { sample, interpretedFields: ['title'] })
  const headers = {
    Authorization: `Findling ${secret}`,
    'X-DataSet': 'shop',
    'Content-Type': 'application/json',
  }
  return (path, init = {}) => fetch(address + path, { headers, ...init })
}

test.each([
  [32, 413],
  [undefined, 201],
])('with a memory of %s MB a write of 9 MB is answered with %i', async (memoryMb, status) => {
  const call = await started({ memoryMb, diskMinimumMb: 0 })
  const body = JSON.stringify({ id: '2', title: 'Lamp', note: 'x'.repeat(9 * 2 ** 20) })
  expect((await call('/api/Documents', { method: 'POST', body })).status).toBe(status)
})

test.each([
  [undefined, true],
  [0, false],
])('with an answer cache of %s KB searches that come again take memory: %s', async (answerCacheKb, takes) => {
  const { engine } = await running({ answerCacheKb })
  expect((await bytesOfKeptAnswers(engine, await lampsIn(engine))) > 100_000).toBe(takes)
})

test.each([
  [{ fileCharacters: 7 }, 'FINDLING_FILE_CHARACTERS', 1],
  [{ fileUnpackedMb: 1 }, 'FINDLING_FILE_UNPACKED_MB', 100_000],
  [{ fileTimeoutMs: 1 }, 'FINDLING_FILE_TIMEOUT_MS', 100_000],
  [{ fileMemoryMb: 32 }, 'FINDLING_FILE_MEMORY_MB', 1_000_000],
])('a file is held to %o, and refused with the name of the setting', async (config, variable, count) => {
  const call = await started({ ...config, diskMinimumMb: 0 })
  const strings = `<sst>${'<si><t>abcdefghijkl</t></si>'.repeat(count)}</sst>`
  const sheet = '<s><row><c t="s"><v>0</v></c></row></s>'
  const Content = (await xlsx({ strings, sheet })).toString('base64')
  const reply = await call('/api/Helper/FileParser', { method: 'POST', body: JSON.stringify({ Content }) })
  expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining(`a larger ${variable}`)])
})

test.each(['filesFolder', 'backupFolder'])(
  'a start is refused when a file is in the way of %s',
  async name => {
    const folder = await mkdtemp(join(tmpdir(), 'findling-start-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const file = join(folder, 'file')
    await writeFile(file, '')
    const config = readConfig({ PORT: '0', FINDLING_STORE: join(folder, 'data') })
    const given = { ...config, [name]: join(file, 'below') }
    const failure = await start({ config: given, env: {}, logger: silent, manifest }).catch(error => error)
    expect(startFailure(failure, given)).toMatch(/^A folder cannot be used: .*file/)
    expect(await readdir(folder)).toEqual(['file'])
  },
)

test('a start with a damaged store says how to restore the backup, if there may be one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'findling-start-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const store = join(folder, 'data')
  await (await Engine.open({ store })).close()
  await rm(join(store, 'CURRENT'))
  const failing = async (settings: object) => {
    const config = readConfig({ PORT: '0', FINDLING_STORE: store, ...settings })
    const failure = await start({ config, env: {}, logger: silent, manifest }).catch(error => error)
    return startFailure(failure, config)
  }
  expect(await failing({})).toMatch(
    /CURRENT is missing.* `npx findling salvage .*` writes what can still be read into a new store\.$/,
  )
  expect(await failing({ FINDLING_BACKUP_FOLDER: join(folder, 'backup') })).toMatch(
    /CURRENT is missing.* To restore the last backup, move \S+data away and run findling-http restore\.$/,
  )
})

test('the store of the operator, of one client or of a cluster has a way of its own back', async () => {
  const damaged = Object.assign(new Error('The store (x) is damaged.'), { code: 'STORE_CORRUPT' })
  const folders = { FINDLING_BACKUP_FOLDER: 'backup', FINDLING_CLIENTS: 'clients', FINDLING_STORE: 'own' }
  const config = readConfig(folders)
  expect(startFailure(damaged, config)).toMatch(/ move own away and run findling-http restore _operator\.$/)
  expect(startFailure(damaged, configOf('shop', 'clients', config), 'shop')).toMatch(
    / move clients.shop.store away and run findling-http restore shop\.$/,
  )
  const cluster = readConfig({ ...folders, FINDLING_CLUSTER: 'postgres://localhost/x', FINDLING_NODE: 'a' })
  expect(startFailure(damaged, cluster)).toMatch(
    / from the cluster again, move own away and restart the server\.$/,
  )
})

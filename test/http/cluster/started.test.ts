import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { showCluster, upgradeServers, verifyCluster } from '../../../adapters/http/src/commands/cluster.ts'
import { readArguments } from '../../../adapters/http/src/config/arguments.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { startFailure } from '../../../adapters/http/src/server/failure.ts'
import { type Running, start } from '../../../adapters/http/src/server/start.ts'
import { hasPostgres, PostgresServer } from '../../cluster/postgres-server.ts'

const manifest = new URL('../../../adapters/http/package.json', import.meta.url)
const silent = { info() {}, warn() {}, error() {} }
const secret = 's3cr3t-of-cluster'

async function folderOfTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-started-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

const configOf = (folder: string, name: string, url: string) => ({
  ...readConfig({
    PORT: '0',
    FINDLING_STORE: join(folder, name),
    FINDLING_CLUSTER: url,
    FINDLING_NODE: name,
    FINDLING_SNAPSHOTS: join(folder, 'snapshots'),
    FINDLING_SECRET: secret,
  }),
  diskMinimumMb: 0,
})

describe.skipIf(!hasPostgres)('servers that are started with a database', () => {
  it('share what they are given, and a new one begins with it', async () => {
    const [database, folder] = [await PostgresServer.start(), await folderOfTest()]
    onTestFinished(() => database.stop())
    const begin = async (name: string): Promise<Running> => {
      const config = configOf(folder, name, database.url)
      const running = await start({ config, env: {}, logger: silent, manifest })
      onTestFinished(running.stop)
      return running
    }
    const call = async ({ address }: Running, path: string, init: RequestInit = {}) =>
      await fetch(address + path, {
        ...init,
        headers: {
          Authorization: `Findling ${secret}`,
          'X-DataSet': 'shop',
          'Content-Type': 'application/json',
          ...init.headers,
        },
      })
    const [one, other] = await Promise.all([begin('a'), begin('b')])
    await one.engine.datasets.create('shop', { interpretedFields: ['title'] })
    const body = JSON.stringify({ id: 'p1', title: 'Desk lamp' })
    const stored = await call(one, '/api/Documents', { method: 'POST', body })
    expect(stored.status).toBe(201)
    const seen = { 'Findling-Position': stored.headers.get('Findling-Position')! }
    expect(await (await call(other, '/api/Documents/p1', { headers: seen })).json()).toMatchObject({
      id: 'p1',
    })
    expect((await call(other, '/ready')).status).toBe(200)
    const third = await begin('c')
    expect((await call(third, '/api/Documents/p1')).status).toBe(200)
    expect(await (await call(third, '/metrics')).text()).toMatch(
      /findling_cluster_position\{node="c"\} [1-9]/,
    )
    const status = async () => {
      const lines: string[] = []
      await showCluster(database.url, line => lines.push(line))
      return lines.join('\n')
    }
    expect(await status()).toMatch(/^log +entries 1 to [1-9]/)
    // Each tells of itself every few seconds.
    for (const name of ['a', 'b', 'c'])
      await expect.poll(status).toMatch(new RegExp(`server +${name} +at \\d+, 0 behind, follows`))
    const lines: string[] = []
    expect(await verifyCluster(database.url, line => lines.push(line))).toBe(true)
    expect(lines.slice(1).map(line => line.replace(/digest .*/, ''))).toEqual(
      ['a', 'b', 'c'].map(name => `server    ${name}  datasets 1, documents 1, `),
    )
    await upgradeServers(database.url, line => lines.push(line))
    expect(lines.at(-1)).toBe('The servers write commands of version 2 already.')
    await database.kill()
    const away = await call(one, '/api/Documents', { method: 'POST', body })
    expect([away.status, away.headers.get('X-Error-Code')]).toEqual([503, 'LOG_AWAY'])
    expect((await call(third, '/api/Documents/p1')).status).toBe(200)
    await database.begin()
    await expect
      .poll(async () => (await call(one, '/api/Documents', { method: 'POST', body })).status)
      .toBe(409)
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['a', 'b', 'c']))
  })
})

describe('a server of a cluster', () => {
  it('says why it cannot start, without the address that has a password', async () => {
    const config = configOf(await folderOfTest(), 'a', 'postgres://findling:hidden@127.0.0.1:1/findling')
    const failed: unknown = await start({ config, env: {}, logger: silent, manifest }).catch(error => error)
    const line = startFailure(failed, config)
    expect([line, String(failed)].join()).not.toContain('hidden')
    expect(line).toMatch(/log/i)
  })

  it('is told of others only with an address', async () => {
    await expect(showCluster(undefined, () => {})).rejects.toThrow('FINDLING_CLUSTER is not set')
    for (const verb of ['status', 'verify', 'upgrade'])
      expect(readArguments(['cluster', verb]).command).toEqual({ verb })
    expect(() => readArguments(['cluster', 'verfy'])).toThrow('cluster takes one of: status, verify, upgrade')
  })

  it('has snapshots only with others', () => {
    expect(() => readConfig({ FINDLING_SNAPSHOTS: '/mnt/snapshots' })).toThrow('FINDLING_SNAPSHOTS')
    expect(() => readConfig({ FINDLING_CLUSTER: 'mysql://user:hidden@db' })).toThrow(/^(?!.*hidden)/)
  })
})

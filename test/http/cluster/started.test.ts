import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FindlingError } from 'findling'
import { describe, expect, it, type TestContext } from 'vitest'
import { showCluster, upgradeServers, verifyCluster } from '../../../adapters/http/src/commands/cluster.ts'
import { recoverCluster } from '../../../adapters/http/src/commands/cluster-recovery.ts'
import { readArguments } from '../../../adapters/http/src/config/arguments.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { exitCodeOf, startFailure } from '../../../adapters/http/src/server/failure.ts'
import { type Running, start } from '../../../adapters/http/src/server/start.ts'
import { hasPostgres, PostgresServer } from '../../cluster/postgres-server.ts'

const manifest = new URL('../../../adapters/http/package.json', import.meta.url)
const silent = { info() {}, warn() {}, error() {} }
const secret = 's3cr3t-of-cluster'

async function folderOfTest(atEnd: TestContext['onTestFinished']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-started-'))
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
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

/** It waits for its database as long as a server does: meanwhile others are tested. */
const startedInVain = (async () => {
  const folder = await mkdtemp(join(tmpdir(), 'findling-started-'))
  const config = configOf(folder, 'a', 'postgres://findling:hidden@127.0.0.1:1/findling')
  const failed: unknown = await start({ config, env: {}, logger: silent, manifest }).catch(error => error)
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  return { config, failed }
})()

// Together, as they mostly wait: servers tell of themselves every few seconds.
describe.skipIf(!hasPostgres).concurrent('servers that are started with a database', () => {
  it('share what they are given, and a new one begins with it', async ({ expect, onTestFinished }) => {
    const [database, folder] = [await PostgresServer.start(), await folderOfTest(onTestFinished)]
    onTestFinished(() => database.stop())
    const begin = async (name: string): Promise<Running> => {
      const config = configOf(folder, name, database.url)
      const running = await start({ config, env: {}, logger: silent, manifest })
      onTestFinished(running.stop)
      return running
    }
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
      await showCluster(configOf(folder, 'a', database.url), line => lines.push(line))
      return lines.join('\n')
    }
    expect(await status()).toMatch(/^log +entries 1 to [1-9]/)
    // Each tells of itself every few seconds.
    for (const name of ['a', 'b', 'c'])
      await expect.poll(status).toMatch(new RegExp(`server +${name} +at \\d+, 0 behind, ready`))
    const lines: string[] = []
    expect(await verifyCluster(configOf(folder, 'a', database.url), line => lines.push(line))).toBe(true)
    expect(lines.slice(1).map(line => line.replace(/digest .*/, ''))).toEqual(
      ['a', 'b', 'c'].map(name => `server    ${name}  datasets 1, documents 1, `),
    )
    await upgradeServers(configOf(folder, 'a', database.url), line => lines.push(line))
    expect(lines.at(-1)).toBe('The servers already write commands of version 2.')
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

  it('say in one line what the database has refused', async ({ expect, onTestFinished }) => {
    const database = await PostgresServer.start()
    onTestFinished(() => database.stop())
    const url = `postgres://nobody:hidden@127.0.0.1:${database.port}/postgres`
    const config = configOf(await folderOfTest(onTestFinished), 'a', url)
    const failed: unknown = await start({ config, env: {}, logger: silent, manifest }).catch(error => error)
    expect(startFailure(failed, config)).toBe(
      'The log cannot be opened. PostgreSQL: role "nobody" does not exist (28000)',
    )
  })
})

describe.skipIf(!hasPostgres).concurrent('a server that was alone', () => {
  it('becomes the first of a cluster, and comes back to be alone', async ({ expect, onTestFinished }) => {
    const [database, folder] = [await PostgresServer.start(), await folderOfTest(onTestFinished)]
    onTestFinished(() => database.stop())
    const of = (name: string) => configOf(folder, name, database.url)
    const aloneOf = (name: string) => {
      const { cluster: _, snapshots: __, ...alone } = of(name)
      return alone
    }
    const begin = async (config: ReturnType<typeof aloneOf>): Promise<Running> => {
      const running = await start({ config, env: {}, logger: silent, manifest })
      onTestFinished(running.stop)
      return running
    }
    const lines: string[] = []
    const recover = async (name: string, isWanted: boolean) => {
      lines.length = 0
      return await recoverCluster(of(name), isWanted, line => lines.push(line))
    }
    const refusal = async (work: Promise<unknown>) =>
      startFailure(await work.catch(error => error), of('a')) ?? 'not foreseen'
    const store = async (server: Running, id: string) => {
      const body = JSON.stringify({ id, title: 'Desk lamp' })
      expect((await call(server, '/api/Documents', { method: 'POST', body })).status).toBe(201)
    }
    const alone = await begin(aloneOf('a'))
    await alone.engine.datasets.create('shop', { interpretedFields: ['title'] })
    await store(alone, 'p1')
    await call(alone, '/api/Documents/p1')
    expect(await refusal(recover('a', true))).toMatch(/in use/)
    await alone.stop()
    expect(await refusal(begin(of('a')))).toMatch(/findling-http cluster recover/)
    expect(await recover('a', false)).toBe(false)
    expect(lines).toEqual([
      'log       no entries',
      `store     ${join(folder, 'a')}  was alone; datasets 1, documents 1`,
      'Nothing was changed. With --yes, the store becomes the beginning of the log.',
    ])
    expect(await recover('a', true)).toBe(true)
    expect(lines.at(-1)).toMatch(/^The log now begins with this store/)
    expect(await recover('a', false)).toBe(true)
    expect(lines.at(-1)).toBe('There is nothing to recover.')
    const [first, second] = [await begin(of('a')), await begin(of('b'))]
    // Opened by the secret and with the documents of the first.
    expect((await call(second, '/api/Documents/p1')).status).toBe(200)
    await store(second, 'p2')
    await second.stop()
    const back = await begin(aloneOf('b'))
    await store(back, 'p3')
    await back.stop()
    expect(await refusal(begin(of('b')))).toMatch(/findling-http cluster recover/)
    await expect
      .poll(async () => {
        await recover('b', false)
        return lines.join()
      })
      .toContain('server    a  follows the log; stop it first')
    await expect(recover('b', true)).rejects.toThrow('The log is followed by a.')
    await first.stop()
    expect(await recover('b', false)).toBe(false)
    expect(lines[2]).toMatch(/^lost +entries 1000001 to 1\d+, some of which the store may have$/)
    expect(await recover('b', true)).toBe(true)
    expect(lines.filter(line => line.startsWith('left'))).toHaveLength(1)
    const [again, other] = [await begin(of('b')), await begin(of('a'))]
    for (const server of [again, other]) expect((await call(server, '/api/Documents/p3')).status).toBe(200)
    expect((await readdir(folder)).filter(name => name.startsWith('a.aside-1'))).toHaveLength(1)
  })
})

describe('a server of a cluster', () => {
  it('says why it cannot start, without the address that has a password', async () => {
    const { config, failed } = await startedInVain
    const line = startFailure(failed, config)
    expect([line, String(failed)].join()).not.toContain('hidden')
    expect(line).toMatch(/log/i)
  })

  it('says in one line what a command lacks, and nothing of what nobody foresaw', () => {
    const about = { field: 'nodes', received: 'none', expected: 'one' }
    for (const code of ['INVALID_ARGUMENT', 'BEHIND', 'LOG_IN_USE'] as const)
      expect(startFailure(new FindlingError(code, 'Start one.', about), readConfig({}))).toBe('Start one.')
    expect(startFailure(new TypeError('x is not a function'), readConfig({}))).toBeUndefined()
  })

  it('ends with another exit code where only another name helps, so that nobody starts it again', () => {
    const about = { field: 'name', received: 'one', expected: 'another name' }
    expect(exitCodeOf(new FindlingError('NODE_EXISTS', 'There is such a node.', about))).toBe(2)
    expect(exitCodeOf(new FindlingError('LOG_DIVERGED', 'The log is another one.', about))).toBe(1)
    expect(exitCodeOf('NODE_EXISTS')).toBe(1)
  })

  it('is told of others only with an address', async () => {
    await expect(showCluster(readConfig({}), () => {})).rejects.toThrow('FINDLING_CLUSTER is not set')
    for (const verb of ['status', 'verify', 'upgrade', 'recover'])
      expect(readArguments(['cluster', verb]).command).toEqual({ verb })
    expect(readArguments(['cluster', 'recover', '--yes'])).toMatchObject({ yes: true })
    expect(() => readArguments(['cluster', 'verfy'])).toThrow(
      'cluster takes one of: status, verify, upgrade, recover',
    )
  })

  it('is the beginning of its log only alone, where snapshots can be put', async ({ onTestFinished }) => {
    const config = configOf(
      await folderOfTest(onTestFinished),
      'a',
      'postgres://findling@127.0.0.1:1/findling',
    )
    const refused = (change: object) =>
      expect(recoverCluster({ ...config, ...change }, true, () => {})).rejects
    await refused({ snapshots: undefined }).toThrow('FINDLING_SNAPSHOTS is not set')
    await refused({ cluster: undefined }).toThrow('FINDLING_CLUSTER is not set')
  })

  it('has snapshots only with others', () => {
    expect(() => readConfig({ FINDLING_SNAPSHOTS: '/mnt/snapshots' })).toThrow('FINDLING_SNAPSHOTS')
    expect(() => readConfig({ FINDLING_CLUSTER: 'mysql://user:hidden@db' })).toThrow(/^(?!.*hidden)/)
  })
})

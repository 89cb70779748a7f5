import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PostgresDatabase } from '@findling/cluster'
import { Engine } from 'findling'
import { expect, it, onTestFinished } from 'vitest'
import { backUpStores, restoreStores } from '../../../adapters/http/src/commands/backups.ts'
import { addClusterClient, listClusterClients } from '../../../adapters/http/src/commands/cluster-clients.ts'
import { recoverCluster } from '../../../adapters/http/src/commands/cluster-recovery.ts'
import { readConfig } from '../../../adapters/http/src/config/config.ts'
import { describeWithPostgres } from '../../cluster/postgres-block.ts'
import { hashCost } from '../access/hash-cost.ts'
import { add, emptyFolder, type Several, secretOf, several } from '../clients/several.ts'

const soon = { timeout: 20_000 }

describeWithPostgres('clients of a cluster that has lost its database', postgres => {
  /** Servers of one folder, with a database that is a new one whenever the test says so. */
  async function machines() {
    const folder = await emptyFolder()
    let url = ''
    const newDatabase = async () => {
      const name = `db${Math.random().toString(36).slice(2)}`
      await postgres.server.query(`create database ${name}`)
      url = postgres.server.url.replace(/postgres$/, name)
    }
    await newDatabase()
    const given = (node: string) => ({ cluster: url, node, snapshots: join(folder, 'snapshots') })
    const config = (node: string) => ({
      ...readConfig({ FINDLING_STORE: join(folder, node, 'operator') }),
      ...given(node),
      clientsFolder: join(folder, node, 'clients'),
    })
    const begin = async (node: string): Promise<Several> => {
      const server = await several(join(folder, node), { ...given(node), memoryMb: 4096 })
      onTestFinished(() => server.stop())
      return server
    }
    const logs = async () => {
      const database = await PostgresDatabase.open({ url, listen: false })
      const names = await database.names()
      await database.close()
      return names
    }
    const recover = async (node: string, isWanted: boolean) => {
      const lines: string[] = []
      const isDone = await recoverCluster(config(node), isWanted, line => lines.push(line))
      return { isDone, lines }
    }
    return { folder, newDatabase, config, begin, logs, recover }
  }

  const datasets = async (server: Several, id: string) => {
    const { status, body } = await server.send('GET', `/${id}/api/DataSets`, { key: secretOf(id) })
    return status === 200 ? body : status
  }
  const withDataset = async (server: Several, id: string) => {
    await expect.poll(() => server.served.clients.get(id)?.id, soon).toBe(id)
    await server.served.clients.get(id)!.engine.datasets.create(`of-${id}`)
  }

  it('have what one server has, on all of them, though it is done in two goes', async () => {
    const { folder, newDatabase, config, begin, logs, recover } = await machines()
    const [one, other] = [await begin('a'), await begin('b')]
    for (const id of ['alpha', 'beta']) {
      await addClusterClient(id, config('a'), { secret: secretOf(id), hashCost })
      await withDataset(one, id)
    }
    for (const id of ['alpha', 'beta']) await expect.poll(() => datasets(other, id), soon).toHaveLength(1)
    const before = await logs()
    await Promise.all([one.stop(), other.stop()])
    await newDatabase()

    const outlook = await recover('a', false)
    expect(outlook.isDone).toBe(false)
    expect(outlook.lines.filter(line => /^(operator|client|log)/.test(line))).toEqual(
      ['operator', 'client    alpha', 'client    beta'].flatMap(of => [of, 'log       no entries']),
    )
    expect(outlook.lines.at(-1)).toMatch(/^Nothing was changed. With --yes, each/)
    expect(await logs()).toEqual([])

    const taken = await Engine.open({ store: join(folder, 'a', 'clients', 'beta', 'store') })
    const cutOff = await recover('a', true)
    expect(cutOff.isDone).toBe(false)
    expect(cutOff.lines.filter(line => line.startsWith('failed'))).toEqual([
      expect.stringMatching(/another engine/),
    ])
    await taken.close()
    const again = await recover('a', true)
    expect(again.isDone).toBe(true)
    expect(again.lines.filter(line => line.startsWith('There is nothing'))).toHaveLength(2)
    expect(await logs()).toEqual(before)
    expect((await recover('a', false)).isDone).toBe(true)

    const servers = [await begin('a'), await begin('b')]
    for (const id of ['alpha', 'beta']) {
      for (const server of servers) expect(await datasets(server, id)).toHaveLength(1)
      await servers[1]!.served.clients.get(id)!.engine.datasets.create('later')
      await expect.poll(() => datasets(servers[0]!, id), soon).toHaveLength(2)
    }
    expect(servers.flatMap(({ failed }) => failed)).toEqual([])
    await Promise.all(servers.map(server => server.stop()))

    // One that is behind a log which is there does not take its place.
    const late = await begin('b')
    await late.served.clients.get('alpha')!.engine.datasets.create('last')
    await late.stop()
    const behind = await recover('a', true)
    expect(behind.isDone).toBe(true)
    expect(behind.lines).toContain('There is nothing to recover: the log has all of this store, and more.')
    const last = await begin('a')
    expect(await datasets(last, 'alpha')).toHaveLength(3)
    await last.stop()

    // A client of which there is no store is that of another server.
    await newDatabase()
    await rm(join(folder, 'a', 'clients', 'beta'), { recursive: true })
    const lacking = await recover('a', true)
    expect(lacking.isDone).toBe(false)
    expect(lacking.lines.join('\n')).toContain('client    beta  cannot be recovered here. There is no folder')
    expect(await logs()).toEqual([before[0], 'main'])
  }, 120_000)

  it('are those of a backup, where the stores are lost as well', async () => {
    const { folder, newDatabase, config, begin, logs, recover } = await machines()
    const one = await begin('a')
    await addClusterClient('alpha', config('a'), { secret: secretOf('alpha'), hashCost })
    await withDataset(one, 'alpha')
    const before = await logs()
    await one.stop()
    const printed: string[] = []
    const print = (line: string) => void printed.push(line)
    const telling = { print, complain: print, signal: new AbortController().signal }
    const backed = () => ({ ...config('a'), backupFolder: join(folder, 'backups') })
    expect(await backUpStores(backed(), telling)).toBe(true)
    await rm(join(folder, 'a'), { recursive: true })
    await newDatabase()
    expect(await restoreStores(backed(), { ids: [] }, telling)).toBe(true)
    expect(printed.at(-1)).toContain('findling-http cluster recover')
    expect((await recover('a', true)).isDone).toBe(true)
    expect(await logs()).toEqual(before)
    const again = await begin('a')
    expect([await datasets(again, 'alpha'), again.failed]).toEqual([[expect.anything()], []])
  }, 120_000)

  it('are those of a server that was alone with them', async () => {
    const { folder, config, begin, logs, recover } = await machines()
    await add(join(folder, 'a'), 'alpha', 'beta')
    const alone = await several(join(folder, 'a'), { memoryMb: 4096 })
    onTestFinished(() => alone.stop())
    for (const id of ['alpha', 'beta']) await withDataset(alone, id)
    await alone.stop()
    expect((await recover('a', false)).isDone).toBe(false)
    expect(await readdir(join(folder, 'a', 'clients', 'alpha'))).not.toContain('log')
    expect((await recover('a', true)).isDone).toBe(true)
    const names = await logs()
    expect(names).toEqual([expect.stringMatching(/^alpha\./), expect.stringMatching(/^beta\./), 'main'])
    expect(await readFile(join(folder, 'a', 'clients', 'alpha', 'log'), 'utf8')).toBe(names[0])
    expect(await listClusterClients(config('a'))).toEqual(['alpha', 'beta'])
    const servers = [await begin('a'), await begin('b')]
    for (const server of servers) {
      expect(server.failed).toEqual([])
      for (const id of ['alpha', 'beta']) expect(await datasets(server, id)).toHaveLength(1)
    }
    await Promise.all(servers.map(server => server.stop()))
    expect((await readdir(join(folder, 'snapshots'))).sort()).toEqual(['_operator', 'alpha', 'beta'])
  }, 120_000)
})

import { mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { beginCommands, PostgresDatabase } from '@findling/cluster'
import { Engine } from 'findling'
import pg from 'pg'
import { expect, it, type TestContext } from 'vitest'
import { ClientList } from '../../../adapters/http/src/clients/client-list.ts'
import { showCluster, upgradeServers, verifyCluster } from '../../../adapters/http/src/commands/cluster.ts'
import {
  addClusterClient,
  listClusterClients,
  removeClusterClient,
} from '../../../adapters/http/src/commands/cluster-clients.ts'
import { type Config, readConfig } from '../../../adapters/http/src/config/config.ts'
import { checkInstallation } from '../../../adapters/http/src/server/check.ts'
import { describeWithPostgres } from '../../cluster/postgres-block.ts'
import { hashCost } from '../access/hash-cost.ts'
import {
  emptyFolder,
  operatorsSecret,
  type Sent,
  type Several,
  secretOf,
  several,
} from '../clients/several.ts'

/** So long, beside others, a server may take to hear of what another does. */
const soon = { timeout: 20_000 }

describeWithPostgres('clients of several servers', postgres => {
  /** A cluster with a database of its own, of which a test begins servers. */
  async function cluster(onTestFinished: TestContext['onTestFinished']) {
    const folder = await emptyFolder(onTestFinished)
    const name = `db${Math.random().toString(36).slice(2)}`
    await postgres.server.query(`create database ${name}`)
    const url = postgres.server.url.replace(/postgres$/, name)
    const given = (node: string) => ({ cluster: url, node, snapshots: join(folder, 'snapshots') })
    const begin = async (node: string): Promise<Several> => {
      const server = await several(join(folder, node), { ...given(node), memoryMb: 4096 })
      onTestFinished(() => server.stop())
      return server
    }
    const config = {
      ...readConfig({ FINDLING_STORE: join(folder, 'a', 'operator') }),
      ...given('a'),
      clientsFolder: join(folder, 'a', 'clients'),
    }
    const add = (id: string) => addClusterClient(id, config, { secret: secretOf(id), hashCost })
    const database = await PostgresDatabase.open({ url, listen: false })
    onTestFinished(() => database.close())
    const query = (text: string, values: unknown[]) => postgres.server.query(text, values, name)
    /** Nobody reads or writes a table until it is released. */
    const hold = async (table: string) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`begin; lock table ${table}`)
      let released: Promise<void> | undefined
      const release = () => (released ??= client.end())
      onTestFinished(release)
      return release
    }
    return { folder, database, begin, add, config, query, hold }
  }

  const ask = async (server: Several, method: string, path: string, sent: Sent = {}) => {
    const key = secretOf(path.split('/')[1]!)
    return await server.send(method, path, { key, dataset: 'shop', ...sent })
  }
  const isServed = async (server: Several, id: string) =>
    (await ask(server, 'GET', `/${id}/api/DataSets`)).status === 200
  const shop = { Name: 'shop', IdField: 'id', TagField: 'tag', InterpretedFields: ['title'], NGramCount: 3 }
  const withShop = async (server: Several, id: string) => {
    const SampleDocument = { id: '1', title: 'Lamp', tag: 't' }
    const { status, text } = await ask(server, 'POST', `/${id}/api/DataSets`, {
      body: { ...shop, SampleDocument },
    })
    expect([status, text]).toEqual([201, expect.any(String)])
  }
  const latest = { 'Findling-Read': 'latest' }

  it.concurrent('are those of all of them, each with data of its own, and gone everywhere when one removes them', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, add, config, database } = await cluster(onTestFinished)
    const [one, other] = await Promise.all([begin('a'), begin('b')])
    await Promise.all([add('alpha'), add('beta')])
    await expect(add('alpha')).rejects.toThrow('There is already a client alpha in the cluster.')
    expect(await listClusterClients(config)).toEqual(['alpha', 'beta'])
    for (const server of [one, other])
      for (const id of ['alpha', 'beta']) await expect.poll(() => isServed(server, id), soon).toBe(true)
    expect((await ask(one, 'GET', '/alpha/api/DataSets', { key: secretOf('beta') })).status).toBe(401)
    await withShop(one, 'alpha')
    await withShop(other, 'beta')
    const written = await ask(one, 'POST', '/alpha/api/Documents', {
      body: { id: 'a1', title: 'Desk lamp', tag: 't' },
    })
    await ask(other, 'POST', '/beta/api/Documents', { body: { id: 'b1', title: 'Hose', tag: 't' } })
    const position = { 'Findling-Position': written.headers.get('Findling-Position')! }
    expect((await ask(other, 'GET', '/alpha/api/Documents/a1', { headers: position })).body).toMatchObject({
      title: 'Desk lamp',
    })
    expect((await ask(one, 'GET', '/beta/api/Documents/b1', { headers: latest })).status).toBe(200)
    // One log says nothing of the other, also where their positions are the same.
    for (const server of [one, other]) {
      expect((await ask(server, 'GET', '/beta/api/Documents/a1', { headers: latest })).status).toBe(404)
      expect((await ask(server, 'GET', '/alpha/api/Documents/b1', { headers: latest })).status).toBe(404)
      expect((await server.send('GET', '/ready')).status).toBe(200)
    }
    const metrics = (await one.send('GET', '/metrics', { key: operatorsSecret })).text
    expect(metrics).toMatch(/findling_cluster_position\{node="a"\} \d/)
    expect(metrics).toMatch(/findling_cluster_following\{client="alpha",node="a"\} 1/)
    // A server that comes later has all of them.
    const third = await begin('c')
    expect((await ask(third, 'GET', '/alpha/api/Documents/a1')).status).toBe(200)

    const status = async () => {
      const lines: string[] = []
      await showCluster(config, line => lines.push(line))
      return lines.filter(line => /^(log|client)/.test(line))
    }
    // Each tells of itself every few seconds.
    await expect
      .poll(status, soon)
      .toEqual([
        expect.stringMatching(/^log +entries 1 to/),
        ...['alpha', 'beta'].map(id =>
          expect.stringMatching(
            new RegExp(`^client +${id} +entries 1 to \\d+, a at \\d+, b at \\d+, c at \\d+, no snapshot$`),
          ),
        ),
      ])
    const compared: string[] = []
    const isSame = await verifyCluster(config, line => compared.push(line))
    expect([isSame, isSame ? [] : compared]).toEqual([true, []])
    expect(compared.filter(line => line.startsWith('client'))).toEqual([
      expect.stringMatching(/^client +alpha +compared at entry \d+$/),
      expect.stringMatching(/^client +beta +compared/),
    ])

    const logs = (await database.names()).filter(name => name !== 'main')
    expect(logs.map(name => name.split('.')[0])).toEqual(['alpha', 'beta'])
    await removeClusterClient('alpha', config)
    for (const server of [one, other, third]) {
      expect(await isServed(server, 'alpha')).toBe(false)
      expect(await isServed(server, 'beta')).toBe(true)
      await expect
        .poll(async () => (await readdir(server.folder)).sort(), soon)
        .toEqual([expect.stringMatching(/^alpha\.removed-/), 'beta'])
    }
    expect(await database.names()).toEqual([logs[1], 'main'])
    await expect(removeClusterClient('alpha', config)).rejects.toThrow('There is no client alpha')

    // Added again it is another one.
    await add('alpha')
    for (const server of [one, other]) await expect.poll(() => isServed(server, 'alpha'), soon).toBe(true)
    expect((await ask(other, 'GET', '/alpha/api/DataSets')).body).toEqual([])
  }, 60_000)

  it.concurrent('are added by a running server for all, and by one of two that do it at once', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, config } = await cluster(onTestFinished)
    const [one, other] = await Promise.all([begin('a'), begin('b')])
    const added = await Promise.all([one.served.clients.add('demo'), other.served.clients.add('demo')])
    expect(added.filter(client => client !== undefined)).not.toEqual([])
    for (const { served } of [one, other])
      await expect.poll(() => served.clients.get('demo')?.id, soon).toBe('demo')
    const secrets = [...one.opened, ...other.opened].flatMap(({ newSecret }) => newSecret ?? [])
    expect(secrets).toHaveLength(1)
    for (const server of [one, other])
      await expect
        .poll(async () => (await server.send('GET', '/demo/api/DataSets', { key: secrets[0] })).status, soon)
        .toBe(200)
    expect(await listClusterClients(config)).toEqual(['demo'])
    // More come while those before them are opened.
    const more = Array.from({ length: 12 }, (_, i) => `more-${i}`)
    await Promise.all(more.map((id, i) => [one, other][i % 2]!.served.clients.add(id)))
    for (const server of [one, other]) {
      const told = () => [
        server.served.clients.list().length,
        server.failed.map(({ id, error }) => `${id}: ${error}`),
      ]
      await expect.poll(told, soon).toEqual([13, []])
    }
  }, 60_000)

  it.concurrent('begin their logs with the commands of the cluster, so that servers can follow that are older', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, add, database } = await cluster(onTestFinished)
    const main = await database.log('main')
    await beginCommands(main, 1)
    await main.close()
    const server = await begin('a')
    await add('alpha')
    await server.served.clients.add('beta')
    for (const id of ['alpha', 'beta']) {
      await expect.poll(() => server.served.clients.get(id)?.id, soon).toBe(id)
      const name = (await database.names()).find(name => name.startsWith(`${id}.`))!
      const log = await database.log(name)
      onTestFinished(() => log.close())
      const written = async () =>
        (await log.read(0)).map(({ data }) => JSON.parse(Buffer.from(data).toString()).v)
      await expect.poll(async () => (await written()).length, soon).toBeGreaterThan(1)
      expect(new Set(await written())).toEqual(new Set([1]))
    }
  }, 60_000)

  it.concurrent('that are removed while a server is stopped are set aside when it starts', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, add, config } = await cluster(onTestFinished)
    const [one, other] = await Promise.all([begin('a'), begin('b')])
    await add('alpha')
    for (const server of [one, other]) await expect.poll(() => isServed(server, 'alpha'), soon).toBe(true)
    await withShop(one, 'alpha')
    await other.stop()
    await removeClusterClient('alpha', config)
    await add('alpha')
    const again = await begin('b')
    await expect.poll(() => isServed(again, 'alpha'), soon).toBe(true)
    expect((await ask(again, 'GET', '/alpha/api/DataSets')).body).toEqual([])
    expect((await readdir(again.folder)).sort()).toEqual(['alpha', expect.stringMatching(/^alpha\.removed-/)])
  }, 60_000)

  it.concurrent('are told of each by itself, where the log of one is gone or followed by nobody', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, add, config, database, query } = await cluster(onTestFinished)
    const one = await begin('a')
    await Promise.all([add('alpha'), add('beta')])
    for (const id of ['alpha', 'beta']) await expect.poll(() => isServed(one, id), soon).toBe(true)
    const lost = (await database.names()).find(name => name.startsWith('alpha.'))!
    await query('delete from findling_head where log = $1', [lost])
    // Of a client that was being added when its command ended.
    await database.log('gone')
    const told = async (work: typeof verifyCluster, given: Config = config) => {
      const lines: string[] = []
      return { isWell: await work(given, line => lines.push(line)), lines: lines.filter(isOfLog) }
    }
    const isOfLog = (line: string) => !line.startsWith('server')
    const noLog = `client    alpha  The database has no log "${lost}": it was removed or lost.`
    await expect
      .poll(() => told(verifyCluster), soon)
      .toEqual({
        isWell: false,
        lines: [
          expect.stringMatching(/^log +compared at/),
          noLog,
          expect.stringMatching(/^client +beta +compared at/),
        ],
      })
    expect(await told(upgradeServers)).toEqual({
      isWell: false,
      lines: [
        'The servers already write commands of version 2.',
        noLog,
        'beta: The servers already write commands of version 2.',
      ],
    })
    expect(await told(showCluster)).toMatchObject({
      isWell: false,
      lines: [expect.any(String), noLog, expect.any(String)],
    })
    // Without the list it is the names of the logs that tell.
    expect(await told(verifyCluster, { ...config, clientsFolder: undefined })).toEqual({
      isWell: false,
      lines: [
        expect.stringMatching(/^log +compared at/),
        expect.stringMatching(/^client +beta +compared at/),
        'client    gone  No node has reported within half a minute. Start one.',
      ],
    })
  }, 60_000)

  it.concurrent('that were removed in part are removed by the next command', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, add, config, database } = await cluster(onTestFinished)
    const one = await begin('a')
    await add('alpha')
    await expect.poll(() => isServed(one, 'alpha'), soon).toBe(true)
    const snapshots = join(config.snapshots, 'alpha')
    await mkdir(snapshots, { recursive: true })
    await new ClientList(one.served.engine).remove('alpha')
    expect(await listClusterClients(config)).toEqual([])
    await removeClusterClient('alpha', config)
    expect(await database.names()).toEqual(['main'])
    expect(await readdir(config.snapshots)).not.toContain('alpha')
    await expect(removeClusterClient('alpha', config)).rejects.toThrow('There is no client alpha')
  }, 60_000)

  it.concurrent('are none of folders that one server has alone, which it refuses and says so', async ({
    expect,
    onTestFinished,
  }) => {
    const { folder, begin, add, config } = await cluster(onTestFinished)
    const clients = join(folder, 'a', 'clients')
    await mkdir(clients, { recursive: true })
    for (const id of ['copied', 'alpha']) {
      await using engine = await Engine.open({ store: join(clients, id, 'store') })
      await engine.datasets.create('own')
    }
    const checks = (await checkInstallation(config)).filter(({ isGood }) => !isGood)
    expect(checks.map(({ subject }) => subject)).toEqual(['store of alpha', 'store of copied'])
    const one = await begin('a')
    expect(one.failed.map(({ id }) => id).sort()).toEqual(['alpha', 'copied'])
    expect(String(one.failed[0]!.error)).toContain('was not created by this cluster')
    expect(one.served.clients.list()).toEqual([])
    await expect(add('alpha')).rejects.toThrow('There is already a folder alpha')
    // Another server does not see it, and adds the client.
    const other = await begin('b')
    await other.served.clients.add('alpha')
    await expect.poll(() => one.served.clients.isBroken('alpha'), soon).toBe(true)
    expect((await one.send('GET', '/alpha/api/DataSets')).status).toBe(503)
    await rename(join(clients, 'alpha'), join(folder, 'away'))
    await expect.poll(() => one.served.clients.get('alpha')?.id, soon).toBe('alpha')
    expect(one.served.clients.get('alpha')!.engine.datasets.list()).toEqual([])
  }, 60_000)

  it.concurrent('join anew when their log has lost its end, while the others and the server go on', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, add, database, query } = await cluster(onTestFinished)
    const one = await begin('a')
    await Promise.all([add('alpha'), add('beta')])
    for (const id of ['alpha', 'beta']) await expect.poll(() => isServed(one, id), soon).toBe(true)
    await withShop(one, 'alpha')
    await withShop(one, 'beta')
    const log = (await database.names()).find(name => name.startsWith('alpha.'))!
    const { position } = await (await database.log(log)).head()
    await query('delete from findling_log where log = $1 and position = $2', [log, position])
    await query('update findling_head set position = position - 1 where log = $1', [log])
    const logged = () => one.logged.filter(({ message }) => /being reopened|joins again/.test(message))
    await expect.poll(() => logged().map(({ details }) => details.client), soon).toEqual(['alpha', 'alpha'])
    await expect.poll(() => isServed(one, 'alpha'), soon).toBe(true)
    expect((await ask(one, 'GET', '/alpha/api/DataSets')).body).toEqual([])
    expect((await ask(one, 'GET', '/beta/api/DataSets')).body).toHaveLength(1)
    expect((await readdir(join(one.folder, 'alpha'))).sort()).toEqual([
      'log',
      'store',
      expect.stringMatching(/^store\.aside-/),
    ])
    expect((await one.send('GET', '/ready')).status).toBe(200)
  }, 60_000)

  it.concurrent('that are opened anew are 503 to their users, and their server is not ready while another one answers them', async ({
    expect,
    onTestFinished,
  }) => {
    const { begin, add, database, hold } = await cluster(onTestFinished)
    const [one, other] = await Promise.all([begin('a'), begin('b')])
    for (const id of ['alpha', 'beta']) {
      await add(id)
      for (const server of [one, other]) await expect.poll(() => isServed(server, id), soon).toBe(true)
      await withShop(one, id)
    }
    const log = (await database.names()).find(name => name.startsWith('alpha.'))!
    const ready = async () => (await database.peers(log)).filter(({ isReady }) => isReady)
    await expect.poll(async () => (await ready()).length, soon).toBe(2)
    const metric = async () =>
      (await one.send('GET', '/metrics', { key: operatorsSecret })).text.match(
        /(?<=client_broken.client="alpha". )./,
      )?.[0]
    expect(await metric()).toBe('0')

    /** The client stops on one server, which cannot open it before the end of the work. */
    const whileOpenedAnew = async (id: string, writer: Several, work: () => Promise<void>) => {
      const release = await hold('findling_chunk')
      await one.served.clients.get(id)!.engine.close()
      await ask(writer, 'POST', `/${id}/api/Documents`, { body: { id: 'a1', title: 'Lamp', tag: 't' } })
      await expect.poll(() => one.served.clients.isBroken(id), soon).toBe(true)
      await work()
      expect(one.served.clients.isBroken(id)).toBe(true)
      await release()
      await expect.poll(() => isServed(one, id), soon).toBe(true)
      await isReady()
    }
    const isReady = () => expect.poll(async () => (await one.send('GET', '/ready')).status, soon).toBe(200)
    await whileOpenedAnew('alpha', other, async () => {
      for (const key of [secretOf('alpha'), 'wrong']) {
        const refused = await ask(one, 'GET', '/alpha/api/DataSets', { key })
        expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '60'])
      }
      const { status, text } = await one.send('GET', '/ready')
      expect([status, text]).toEqual([503, expect.stringContaining('another server answers')])
      expect((await other.send('GET', '/ready')).status).toBe(200)
      expect(await metric()).toBe('1')
    })
    expect(await metric()).toBe('0')
    await other.stop()
    await whileOpenedAnew('beta', one, isReady)
  }, 60_000)

  it.concurrent('are served beside one whose folder cannot be read, which is told once', async ({
    expect,
    onTestFinished,
  }) => {
    const { folder, begin, add } = await cluster(onTestFinished)
    const one = await begin('a')
    await Promise.all([add('alpha'), add('beta')])
    await expect.poll(() => one.served.clients.list().length, soon).toBe(2)
    const clients = join(folder, 'b', 'clients')
    await mkdir(join(clients, 'alpha', 'log'), { recursive: true })
    const other = await begin('b')
    expect(await isServed(other, 'beta')).toBe(true)
    expect((await ask(other, 'GET', '/alpha/api/DataSets')).status).toBe(503)
    expect((await other.send('GET', '/ready')).status).toBe(200)
    await other.served.clients.look()
    expect(other.failed.map(({ id, error }) => [id, String(error)])).toEqual([
      ['alpha', expect.stringContaining('EISDIR')],
    ])
    await rename(join(clients, 'alpha'), join(folder, 'away'))
    await expect.poll(() => isServed(other, 'alpha'), soon).toBe(true)
  }, 60_000)

  it.concurrent('are not made anew where the folder of all has gone', async ({ expect, onTestFinished }) => {
    const { folder, begin, add } = await cluster(onTestFinished)
    const [one] = await Promise.all([begin('a'), begin('b')])
    await add('alpha')
    await expect.poll(() => isServed(one, 'alpha'), soon).toBe(true)
    // Noted by a look after that which made the folder.
    await one.served.clients.look()
    await one.stop()
    await rename(one.folder, join(folder, 'away'))
    await expect(begin('a')).rejects.toThrow('is its disk mounted?')
    await mkdir(one.folder)
    expect(await isServed(await begin('a'), 'alpha')).toBe(true)
  }, 60_000)
})

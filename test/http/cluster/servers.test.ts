import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Log, MemoryLog } from '@findling/cluster'
import { FindlingError } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refuseUnready, worstOf } from '../../../adapters/http/src/cluster/readiness.ts'
import { AwayLog } from './away-log.ts'
import { openServer, type Server } from './servers.ts'

async function folderOfTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-servers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

async function twoServers(log: Log = new MemoryLog()) {
  const store = await folderOfTest()
  const [one, other] = await Promise.all(['a', 'b'].map(name => openServer(log, name, { store })))
  return { one: one!, other: other!, store, log }
}

const shop = {
  Name: 'shop',
  IdField: 'id',
  TagField: 'tag',
  InterpretedFields: ['title'],
  NGramCount: 3,
  SampleDocument: { id: '1', title: 'Lamp', tag: 't' },
}

describe('servers of a cluster', () => {
  it('have the same data, whichever of them is asked to write it, as soon as a request tells its position', async () => {
    const { one, other } = await twoServers()
    const created = await one.call('POST', '/api/DataSets', shop)
    expect([created.status, await created.text()]).toEqual([201, expect.any(String)])
    const stored = await one.call('POST', '/api/Documents', { id: '1', title: 'Desk lamp', tag: 't' })
    expect(stored.status).toBe(201)
    const position = stored.headers.get('Findling-Position')!
    expect(Number(position)).toBeGreaterThan(0)
    expect(await other.ask('GET', '/api/Documents/1', undefined, { 'Findling-Position': position })).toEqual({
      id: '1',
      title: 'Desk lamp',
      tag: 't',
    })
    for (const document of [
      { id: '2', title: 'Hose', tag: 't' },
      { id: '3', title: 'Nail', tag: 't' },
    ])
      await other.ask('POST', '/api/Documents', document)
    await other.ask('POST', '/api/Tags/Bulk', { Tags: [{ Id: 't', Name: 'Tools', ParentId: null }] })
    await other.ask('DELETE', '/api/Documents/3')
    const latest = { 'Findling-Read': 'latest' }
    const list = { Pagination: { Limit: 10 }, Filter: { Query: 'title:*' }, FieldList: ['id'] }
    const { Items } = await one.ask('POST', '/api/Documents/Filter', list, latest)
    expect(Items).toEqual([{ id: '1' }, { id: '2' }])
    expect(await one.ask('GET', '/api/Tags/t', undefined, latest)).toMatchObject({ Name: 'Tools' })
    expect((await one.node.engine.digest()).digest).toBe((await other.node.engine.digest()).digest)
  })

  it('refuse a position that they do not reach, and headers that say nothing', async () => {
    const { one } = await twoServers()
    const ahead = await one.call('GET', '/api/DataSets', undefined, { 'Findling-Position': '999999' })
    expect([ahead.status, ahead.headers.get('X-Error-Code')]).toEqual([503, 'BEHIND'])
    for (const [header, value] of [
      ['Findling-Position', '-1'],
      ['Findling-Position', '1e3'],
      ['Findling-Position', '9'.repeat(400)],
      ['Findling-Read', 'newest'],
    ] as const) {
      const refused = await one.call('GET', '/api/DataSets', undefined, { [header]: value })
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining(header)])
    }
  })

  it('have one secret, one identity, and keys that are good on all of them until one removes them', async () => {
    const store = await folderOfTest()
    const log = new MemoryLog()
    const servers = await Promise.all(
      ['a', 'b', 'c'].map(name => openServer(log, name, { store, seed: null })),
    )
    expect(servers.filter(({ newSecret }) => newSecret !== undefined)).toHaveLength(1)
    expect(new Set(servers.map(({ instanceId }) => instanceId)).size).toBe(1)
    const first = servers.find(({ newSecret }) => newSecret !== undefined)!.newSecret!
    for (const server of servers) {
      await server.node.latest()
      const reply = await server.call('GET', '/api/DataSets', undefined, {
        Authorization: `Findling ${first}`,
      })
      expect(reply.status).toBe(200)
    }
    const [one, other] = servers
    const owner = { Authorization: `Findling ${first}` }
    const { Id, Key } = await one!.ask('POST', '/api/Keys', { Name: 'page', Scopes: ['Read'] }, owner)
    const withKey = { Authorization: `Findling ${Key}`, 'Findling-Read': 'latest' }
    await other!.node.latest()
    const statusAt = async (server: Server) =>
      (await server.call('GET', '/api/DataSets', undefined, withKey)).status
    await expect.poll(() => statusAt(other!)).toBe(200)
    await other!.call('DELETE', `/api/Keys/${Id}`, undefined, owner)
    await one!.node.latest()
    await expect.poll(() => statusAt(one!)).toBe(401)
  })

  it('give a key no other text that another has just removed', async () => {
    const { one, other } = await twoServers()
    const { Id } = await one.ask('POST', '/api/Keys', { Name: 'page', Scopes: ['Read'] })
    await other.node.latest()
    const [exchanged, removed] = await Promise.all([
      one.call('POST', `/api/Keys/${Id}/Exchange`, { KeepOldHours: 0 }),
      other.call('DELETE', `/api/Keys/${Id}`),
    ])
    expect([200, 404]).toContain(exchanged.status)
    expect(removed.status).toBeLessThan(300)
    await Promise.all([one.node.latest(), other.node.latest()])
    for (const { ask } of [one, other]) await expect.poll(() => ask('GET', '/api/Keys')).toEqual([])
  })

  it('say that they are not ready while the log is away, and go on answering of the past', async () => {
    const log = new AwayLog()
    const { one } = await twoServers(log)
    await one.ask('POST', '/api/DataSets', shop)
    expect((await one.call('GET', '/ready')).status).toBe(200)
    log.isAway = true
    await expect.poll(async () => (await one.call('GET', '/ready')).status).toBe(503)
    const refused = await one.call('POST', '/api/Documents', { id: '1', title: 'Lamp', tag: 't' })
    expect([refused.status, refused.headers.get('X-Error-Code')]).toEqual([503, 'LOG_AWAY'])
    expect((await one.call('GET', '/api/DataSets')).status).toBe(200)
    expect((await one.call('GET', '/health')).status).toBe(200)
    const metrics = await (await one.call('GET', '/metrics')).text()
    expect(metrics).toMatch(/findling_cluster_following\{node="a"\} 0/)
    log.isAway = false
    await expect.poll(async () => (await one.call('GET', '/ready')).status).toBe(200)
    await one.ask('POST', '/api/Documents', { id: '1', title: 'Lamp', tag: 't' })
  })
})

describe('a server with several nodes', () => {
  const fine = { position: 5, head: 5, lag: 0, isReady: true, loading: 0, commands: 1, failure: null }
  const node = (status: Partial<typeof fine> | { failure: Error }) => ({
    readyLag: 100,
    status: () => ({ ...fine, ...status }),
  })
  const told = (...others: ReturnType<typeof node>[]) => {
    try {
      refuseUnready(worstOf(node({}), () => others))
      return 'ready'
    } catch (error) {
      return (error as Error).message
    }
  }

  it('is as ready as the last of them', () => {
    expect(told()).toBe('ready')
    expect(told(node({}), node({ lag: 90 }))).toBe('ready')
    expect(told(node({ lag: 300 }), node({ lag: 200 }), node({}))).toContain('300 ms behind')
    expect(told(node({ lag: 300 }), node({ isReady: false, position: 2 }))).toContain('2 of 5 entries')
    expect(told(node({}), node({ isReady: false, loading: 2 }))).toContain('models of services; 2 are left')
    // One that cannot reach its log for a moment hides no other that cannot answer yet.
    expect(told(node({ isReady: false, lag: 50 }), node({ isReady: false, loading: 2 }))).toContain(
      '2 are left',
    )
    const failure = new FindlingError('LOG_DIVERGED', 'The log is another one.')
    expect(told(node({ isReady: false, position: 2 }), node({ failure }), node({ lag: 300 }))).toContain(
      'LOG_DIVERGED',
    )
  })
})

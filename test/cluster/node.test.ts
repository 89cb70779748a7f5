import { Engine, FindlingError } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ClusterNode, type Log, MemoryLog, type NodeOptions } from '../../adapters/cluster/src/index.ts'
import { leaveCluster } from '../../adapters/http/src/cluster/open-node.ts'
import { codeOf, failureOf, memoryDatabase } from '../engine/engines.ts'
import { givenIn } from '../operations/given.ts'

async function opened(log: Log, options: Partial<NodeOptions> = {}): Promise<ClusterNode> {
  const node = await ClusterNode.open({ log, ...options })
  onTestFinished(() => node.close())
  return node
}

const create = { type: 'createDataset', dataset: 'products' } as const
const lamp = { type: 'insert', dataset: 'products', document: { id: 'p1', title: 'Desk lamp' } } as const

describe('nodes of a cluster', () => {
  it('have what was written to any of them, once they have reached its position', async () => {
    const log = new MemoryLog()
    const [one, other] = [await opened(log), await opened(log)]
    const { position } = await one.write([create])
    await other.reach(position)
    const written = await other.write([lamp, { type: 'put', namespace: 'notes', key: 'a', value: 1 }])
    expect(written).toEqual({
      position: 2,
      results: [
        { id: 'p1', seq: 2 * 2 ** 20 + 1 },
        { id: 'a', seq: null },
      ],
    })
    await one.reach(written.position)
    const found = one.engine.datasets.get('products')
    expect((await found.search('lamp')).hits.map(({ id }) => id)).toEqual(['p1'])
    const records = await Promise.all(
      [one, other].map(({ engine }) => engine.datasets.get('products').documents.record('p1')),
    )
    expect(records[0]).toEqual(records[1])
    await other.write([{ type: 'delete', dataset: 'products', id: 'p1' }])
    await one.latest()
    expect(found.documents.count).toBe(0)
    const ready = { isReady: true, loading: 0, isAway: false, commands: 2, failure: null }
    expect(one.status).toEqual({ position: 3, head: 3, lag: 0, ...ready })
  })

  it('decide alike, and tell the caller what was refused', async () => {
    const log = new MemoryLog()
    const [one, other] = [await opened(log), await opened(log)]
    await one.write([create])
    await other.latest()
    // Both have seen no such document.
    const outcomes = await Promise.allSettled([one.write([lamp]), other.write([lamp])])
    const refused = outcomes.filter(outcome => outcome.status === 'rejected')
    expect(refused.map(({ reason }) => reason.code)).toEqual(['DOCUMENT_EXISTS'])
    expect(await codeOf(() => one.write([{ ...lamp, dataset: 'none' }]))).toBe('DATASET_NOT_FOUND')
    const { results } = await one.write(
      [lamp, { type: 'upsert', dataset: 'products', document: { id: 'p2' } }],
      { each: true },
    )
    expect(results.map(({ error }) => error?.code)).toEqual(['DOCUMENT_EXISTS', undefined])
    await other.latest()
    expect(other.engine.datasets.get('products').documents.count).toBe(2)
  })

  it('have what jobs of any of them write', async () => {
    const log = new MemoryLog()
    const [one, other] = [await opened(log), await opened(log)]
    await one.write([create, { type: 'createDataset', dataset: 'archive' }])
    const { documents, tags } = one.engine.datasets.get('products')
    await one.write([{ type: 'createTag', dataset: 'products', tag: { id: 't', name: 'Tag' } }])
    const rows = await documents.bulk(
      Array.from({ length: 300 }, (_, i) => ({ id: `p${i}`, title: `Lamp ${i}`, price: i, tag: ['t'] })),
    )
    expect(rows.every(({ status }) => status === 'stored')).toBe(true)
    expect(await documents.updateWhere({ price: { lt: 100 } }, { stock: 1 }).finished).toBe(100)
    await documents.move(['p1', 'p2'], one.engine.datasets.get('archive').documents).finished
    const { cleaning } = await tags.remove('t', { cleanDocuments: true })
    await cleaning
    await other.latest()
    expect(await givenIn(other.engine)).toEqual(await givenIn(one.engine))
    const moved = await other.engine.datasets.get('archive').documents.get('p1')
    expect(moved).toMatchObject({ stock: 1, price: 1 })
    expect(await other.engine.datasets.get('products').documents.get('p5')).toMatchObject({ tag: [] })
  })

  it('answer in the shape of what they were asked', async () => {
    const node = await opened(new MemoryLog())
    await node.write([create])
    const put = (id: string) => ({ type: 'upsert', dataset: 'products', document: { id } }) as const
    const { results } = await node.write([{ type: 'together', operations: [put('a'), put('b')] }, put('c')])
    expect(results.map(({ id, results }) => results?.map(one => one.id) ?? id)).toEqual([['a', 'b'], 'c'])
  })

  it('take many writes into one entry, each with its own outcome', async () => {
    const log = new MemoryLog()
    const node = await opened(log)
    await node.write([create])
    const writes = Array.from({ length: 60 }, (_, i) =>
      node.write([{ type: 'insert', dataset: 'products', document: { id: `p${i % 50}` } }]).then(
        ({ position }) => position,
        ({ code }) => code,
      ),
    )
    const outcomes = await Promise.all(writes)
    expect(outcomes.filter(outcome => outcome === 'DOCUMENT_EXISTS')).toHaveLength(10)
    expect((await log.head()).position).toBeLessThan(5)
  })

  it('go on where they were, and join behind', async () => {
    const log = new MemoryLog()
    const store = memoryDatabase()
    const first = await ClusterNode.open({ log, store })
    await first.write([create])
    await first.write([lamp])
    await first.close()
    const other = await opened(log)
    await other.write([{ type: 'upsert', dataset: 'products', document: { id: 'p2' } }])
    const again = await opened(log, { store })
    await again.latest()
    expect(again.engine.datasets.get('products').documents.count).toBe(2)
    expect(again.status.position).toBe(3)
  })

  it('notice that the log has lost its end, or is another, and change nothing any more', async () => {
    const log = new MemoryLog()
    const store = memoryDatabase()
    const first = await ClusterNode.open({ log, store })
    await first.write([create])
    await first.write([lamp])
    await first.close()
    expect(await codeOf(() => ClusterNode.open({ log: new MemoryLog(), store }))).toBe('LOG_DIVERGED')
    log.lose(1)
    expect(await codeOf(() => ClusterNode.open({ log, store }))).toBe('LOG_DIVERGED')
    const other = await opened(log)
    await other.write([{ type: 'put', namespace: 'notes', key: 'a', value: 1 }])
    expect(await codeOf(() => ClusterNode.open({ log, store }))).toBe('LOG_DIVERGED')

    // One that follows when it happens, behind a connection that was lost.
    let connections = 0
    const third = await opened(counted(log, () => connections))
    await third.latest()
    log.lose(1)
    connections++
    await log.append('another', Buffer.from('{"v":1,"commands":[]}'))
    while (!third.status.failure) await new Promise(resolve => setTimeout(resolve, 5))
    expect(third.status).toMatchObject({ isReady: false, failure: { code: 'LOG_DIVERGED' } })
    expect(await codeOf(() => third.write([lamp]))).toBe('LOG_DIVERGED')
    expect(third.engine.datasets.has('products')).toBe(true)
  })

  it('refuse a store that has datasets of its own', async () => {
    const store = memoryDatabase()
    const alone = await Engine.open({ store })
    await alone.datasets.create('mine')
    await alone.close()
    const { code, details } = await failureOf(() => opened(new MemoryLog(), { store }))
    expect([code, details.field]).toEqual(['INVALID_ARGUMENT', 'store'])
    const left = memoryDatabase()
    const log = new MemoryLog()
    const node = await ClusterNode.open({ log, store: left })
    await node.write([create])
    await node.close()
    const again = await Engine.open({ store: left })
    await leaveCluster(again)
    await again.datasets.get('products').documents.insert({ id: 'p9' })
    await again.close()
    expect(await codeOf(() => opened(log, { store: left }))).toBe('INVALID_ARGUMENT')
  })

  it('refuse a store that has entries of its own, and none that has only those of a node', async () => {
    const store = memoryDatabase()
    const alone = await Engine.open({ store })
    await alone.namespace('program').put('k', 1)
    await alone.close()
    expect(await codeOf(() => opened(new MemoryLog(), { store }))).toBe('INVALID_ARGUMENT')
    const [log, own] = [new MemoryLog(), memoryDatabase()]
    // Before the first entry of the log.
    const node = await ClusterNode.open({ log, store: own })
    await node.engine.namespace('mine', { local: true }).put('k', 1)
    await node.close()
    const again = await opened(log, { store: own })
    expect(await again.engine.namespace('mine', { local: true }).get('k')).toBe(1)
  })

  it('stop at an entry of a later version, and of somebody else', async () => {
    for (const [data, code] of [
      ['{"v":3,"commands":[]}', 'FORMAT_UNSUPPORTED'],
      ...['{"v":1}', '{"v":0,"commands":[]}', '{"v":1.5,"commands":[]}', '{"commands":[]}'].map(
        data => [data, 'STORE_CORRUPT'] as const,
      ),
      ['{"v":2,"commands":[{"operations":[],"each":true,"compare":7}]}', 'STORE_CORRUPT'],
      ['no entry', 'STORE_CORRUPT'],
    ]) {
      const log = new MemoryLog()
      const node = await opened(log)
      await node.write([create])
      await log.append('other', Buffer.from(data!))
      expect(await codeOf(() => node.reach(2))).toBe(code)
      expect(node.status.position).toBe(1)
    }
  })

  it('are behind when they do not catch up in time, and away with their log', async () => {
    const log = new MemoryLog()
    const node = await opened(log)
    expect(await codeOf(() => node.reach(1, { patience: 20 }))).toBe('BEHIND')
    const away = new FindlingError('LOG_AWAY', 'It does not answer.')
    let isAway = false
    const flaky = new Proxy(new MemoryLog(log), {
      get(of, name) {
        const member = Reflect.get(of, name)
        if (typeof member !== 'function') return member
        if (isAway && (name === 'append' || name === 'read' || name === 'head'))
          return () => Promise.reject(away)
        return member.bind(of)
      },
    })
    const other = await opened(flaky)
    await other.write([create])
    isAway = true
    expect(await codeOf(() => other.write([lamp]))).toBe('LOG_AWAY')
    await node.write([lamp])
    expect(other.engine.datasets.get('products').documents.count).toBe(0)
    isAway = false
    await other.latest()
    expect(other.engine.datasets.get('products').documents.count).toBe(1)
  })

  it('refuse what would be something else behind the log', async () => {
    const node = await opened(new MemoryLog())
    await node.write([create])
    const write = (price: unknown) =>
      node.write([{ type: 'upsert', dataset: 'products', document: { id: 'a', price } }])
    const other = { ...lamp, toJSON: () => ({ type: 'upsert', dataset: 7 }) }
    expect(await codeOf(() => node.write([other]))).toBe('INVALID_ARGUMENT')
    for (const price of [Number.NaN, 1n, () => 1, new Map(), new Uint8Array(2)]) {
      const { code, details } = await failureOf(() => write(price))
      expect([code, details.field]).toEqual(['INVALID_ARGUMENT', 'price'])
    }
    const inItself: unknown[] = []
    inItself.push(inItself)
    expect(await codeOf(() => write(inItself))).toBe('INVALID_ARGUMENT')
    const loose = node.write.bind(node) as (operations: unknown) => Promise<unknown>
    for (const [operation, field] of [
      [{ type: 'delete', dataset: 'products', id: 'a', ifSeq: -1 }, '[0].ifSeq'],
      [{ type: 'insert', dataset: 'products', document: null }, '[0].document'],
      [{ type: 'nothing' }, '[0].type'],
      [{ type: 'createService' }, '[0].service'],
      [null, '[0]'],
    ]) {
      const { code, details } = await failureOf(() => loose([operation]))
      expect([code, details.field]).toEqual(['INVALID_ARGUMENT', field])
    }
    const ids = Array.from({ length: 100_001 }, (_, i) => i)
    const clean = { type: 'cleanDocuments', dataset: 'products', ids } as const
    expect(await codeOf(() => node.write([clean]))).toBe('TOO_LARGE')
    await write(new Date(0))
    expect(await node.engine.datasets.get('products').documents.get('a')).toMatchObject({
      price: '1970-01-01T00:00:00.000Z',
    })
  })

  it('answer what they have taken before they close, and take no more', async () => {
    const node = await ClusterNode.open({ log: new MemoryLog() })
    const writes = [node.write([create]), node.write([lamp])]
    const closing = node.close()
    expect(await codeOf(() => node.write([lamp]))).toBe('CLOSED')
    expect((await Promise.all(writes)).map(({ position }) => position)).toEqual([1, 2])
    await closing
  })
})

function counted(log: MemoryLog, connections: () => number): Log {
  const own = new MemoryLog(log)
  return new Proxy(own, {
    get(of, name) {
      if (name === 'connections') return connections()
      const member = Reflect.get(of, name)
      return typeof member === 'function' ? member.bind(of) : member
    },
  })
}

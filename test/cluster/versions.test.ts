import { readFile } from 'node:fs/promises'
import { Engine, type JsonObject } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import { versions } from '../../adapters/cluster/src/commands.ts'
import {
  ClusterNode,
  compareNodes,
  MemoryLog,
  MemoryShared,
  type NodeOptions,
  upgradeCluster,
} from '../../adapters/cluster/src/index.ts'
import { documentKey } from '../../src/store/keyspace.ts'
import { codeOf, failureOf, memoryDatabase, temporaryFolder } from '../engine/engines.ts'
import { plant, withRaw } from '../store/raw-store.ts'

const create = { type: 'createDataset', dataset: 'products' } as const
const lamp = (id: string) =>
  ({ type: 'upsert', dataset: 'products', document: { id, title: 'Desk lamp' } }) as const
const older = { commandsVersion: 1 }

function cluster() {
  const [log, shared] = [new MemoryLog(), new MemoryShared()]
  const node = async (name: string, options: Partial<NodeOptions> = {}) => {
    const opened = await ClusterNode.open({ log, shared, name, ...options })
    onTestFinished(() => opened.close())
    return opened
  }
  return { log, shared, node }
}

const versionIn = async (log: MemoryLog, position: number) =>
  JSON.parse(Buffer.from((await log.read(position - 1))[0]!.data).toString()).v

describe('nodes of two versions', () => {
  it('follow each other, by what both know, until all are of the newer one and are told so', async () => {
    const { log, shared, node } = cluster()
    const store = memoryDatabase()
    const [one, two] = [await node('one', older), await node('two', { ...older, store })]
    await one.write([create])
    await two.latest()
    await two.close()
    const renewed = await node('two', { store })
    const { position } = await renewed.write([lamp('p1')])
    await one.reach(position)
    await renewed.reach((await one.write([lamp('p2')])).position)
    expect(one.engine.datasets.get('products').documents.count).toBe(2)
    expect(await versionIn(log, position)).toBe(1)
    expect([one.status.commands, renewed.status.commands]).toEqual([1, 1])

    const ifValue = { type: 'put', namespace: 'notes', key: 'a', value: 1, ifValue: 0 } as const
    expect(await codeOf(() => renewed.write([ifValue]))).toBe('FORMAT_UNSUPPORTED')
    // What announces settings is left out then.
    await renewed.engine.datasets.get('products').reconfigure({ interpretedFields: ['title', 'id'] })
    await one.latest()
    expect(one.engine.datasets.get('products').settings.interpretedFields).toEqual(['title', 'id'])

    const failure = await failureOf(() => upgradeCluster(log, shared))
    expect([failure.code, failure.details.field]).toEqual(['FORMAT_UNSUPPORTED', 'nodes'])
    expect(failure.message).toContain('one (')
    const unversed = await failureOf(() => compareNodes(log, shared))
    expect([unversed.code, unversed.details.received]).toEqual(['FORMAT_UNSUPPORTED', '1'])

    await one.close()
    expect(await upgradeCluster(log, shared)).toEqual({ from: 1, to: 2 })
    expect(renewed.status.commands).toBe(2)
    expect(await versionIn(log, (await renewed.write([lamp('p3')])).position)).toBe(2)
    expect(await upgradeCluster(log, shared)).toEqual({ from: 2, to: 2 })
    // What it joined as lasts.
    await renewed.close()
    expect((await node('two', { store })).status.commands).toBe(2)
  })

  it('part, once what is written is too new for one of them', async () => {
    const { log, shared, node } = cluster()
    await (await node('one')).write([create])
    const late = await node('two', older)
    await expect.poll(() => late.status.failure?.code).toBe('FORMAT_UNSUPPORTED')
    expect(late.status.failure!.message).toContain('Upgrade the node')
    expect((await failureOf(() => late.write([lamp('p1')]))).code).toBe('FORMAT_UNSUPPORTED')
    await expect
      .poll(async () => (await failureOf(() => upgradeCluster(log, shared))).details.field)
      .toBe('nodes')
  })

  it('begin a log with the newest version of its first writer, and with none that others may not know', async () => {
    const { log, node } = cluster()
    const [one, two] = [await node('one', older), await node('two')]
    expect(two.status.commands).toBe(2)
    await one.write([create])
    await two.write([lamp('p1')])
    await one.latest()
    expect(await versionIn(log, 2)).toBe(1)
    // One that comes later writes before it has read anything.
    const three = await node('three')
    await three.write([lamp('p2')])
    await one.latest()
    expect(one.engine.datasets.get('products').documents.count).toBe(2)
  })
})

describe('a log that was written by a release', () => {
  const all = Array.from({ length: versions.newest }, (_, i) => versions.oldest + i)

  it.each(all)('with commands of version %i becomes what it became then', async version => {
    const file = new URL(`../fixtures/cluster-log-v${version}.jsonl`, import.meta.url)
    const [held, ...entries] = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    let at = 0
    const log = new MemoryLog({ clock: () => at })
    for (const entry of entries) {
      at = entry.at
      await log.append(entry.batch, Buffer.from(JSON.stringify(entry.data)))
    }
    const node = await ClusterNode.open({ log, commandsVersion: version })
    onTestFinished(() => node.close())
    await node.latest()
    expect(node.status).toMatchObject({ position: entries.length, commands: version })
    const { datasets, services, digest } = held
    // An engine takes numbers for itself.
    expect(await node.engine.digest()).toMatchObject({ datasets, services, digest })
    expect(held.datasets.length).toBeGreaterThan(1)
  })
})

describe('nodes that are compared', () => {
  it('hold the same', async () => {
    const { log, shared, node } = cluster()
    const nodes = [await node('one'), await node('two'), await node('three')]
    await nodes[0]!.write([create])
    // While others write: at one place of the log all are alike.
    const writing = Promise.all(Array.from({ length: 40 }, (_, i) => nodes[i % 3]!.write([lamp(`w${i}`)])))
    const { position, nodes: compared, isSame } = await compareNodes(log, shared)
    await writing
    expect(isSame).toBe(true)
    expect(compared.map(({ name, differs }) => [name, differs])).toEqual([
      ['one', []],
      ['three', []],
      ['two', []],
    ])
    expect(compared[0]!.digest!.datasets.map(({ name }) => name)).toEqual(['products'])
    expect(position).toBeGreaterThan(1)
    expect(await shared.list('digest')).toEqual([])
  })

  it('are named with what differs, and not changed', async () => {
    const { log, shared, node } = cluster()
    const store = memoryDatabase()
    const broken = await node('broken', { store })
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    await one.write([lamp('p1')])
    await broken.latest()
    await broken.close()
    await alter(store)
    const altered = await node('broken', { store })
    await Promise.all([altered.latest(), two.latest()])
    const { nodes, isSame } = await compareNodes(log, shared)
    expect(isSame).toBe(false)
    expect(nodes.map(({ name, differs }) => [name, differs])).toEqual([
      [
        'broken',
        [
          { dataset: 'products', parts: ['content'] },
          { dataset: 'other', parts: ['unknown'] },
        ].toReversed(),
      ],
      ['one', []],
      ['two', []],
    ])
    expect((await compareNodes(log, shared)).isSame).toBe(false)
    expect(altered.status.failure).toBeNull()
  })

  it('are named when they do not tell, and nobody is compared where none runs', async () => {
    const { log, shared, node } = cluster()
    expect((await failureOf(() => compareNodes(log, shared))).code).toBe('INVALID_ARGUMENT')
    await (await node('one')).write([create])
    await shared.put('node', 'gone', {
      position: 1,
      behind: 0,
      isReady: true,
      commands: 2,
      writes: 2,
      version: '0.1.0',
      startedAt: 1,
    })
    const { nodes, isSame } = await compareNodes(log, shared, { patience: 300 })
    expect([isSame, nodes.map(({ name, digest }) => [name, digest !== undefined])]).toEqual([
      false,
      [
        ['gone', false],
        ['one', true],
      ],
    ])
  })
})

describe('nodes that have still to count', () => {
  it('are waited for before the place in the log is chosen, so that no write waits for them', async () => {
    const { log, shared, node } = cluster()
    const one = await node('one')
    await one.write([create])
    await expect.poll(async () => (await one.peers())[0]!.isCounting).toBe(false)
    const row = { ...((await shared.get('node', 'one'))!.value as JsonObject), isCounting: true }
    await shared.put('node', 'two', row)
    const { position } = await log.head()
    const comparing = compareNodes(log, shared, { patience: 60_000 })
    await new Promise(resolve => setTimeout(resolve, 300))
    expect((await log.head()).position).toBe(position)
    await shared.delete('node', 'two')
    expect(await comparing).toMatchObject({ position: position + 1, isSame: true })
  })

  it('say why they cannot, and go on following', async () => {
    const { log, shared, node } = cluster()
    const store = await temporaryFolder()
    const damaged = await node('damaged', { store })
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    await one.write([lamp('p1')])
    await damaged.latest()
    await damaged.close()
    await damage(store)
    const again = await node('damaged', { store })
    await Promise.all([again.latest(), two.latest()])
    for (let i = 0; i < 2; i++) {
      const { nodes, isSame } = await compareNodes(log, shared)
      expect(isSame).toBe(false)
      expect(nodes.map(({ name, digest, failure }) => [name, digest !== undefined, failure])).toEqual([
        ['damaged', false, expect.stringMatching(/damaged|checksum/)],
        ['one', true, undefined],
        ['two', true, undefined],
      ])
    }
    const { position } = await one.write([lamp('p2')])
    await again.reach(position)
    expect(again.status).toMatchObject({ failure: null, isReady: true })
  })

  it('are not the same where none can', async () => {
    const { log, shared, node } = cluster()
    const store = await temporaryFolder()
    const damaged = await node('damaged', { store })
    await damaged.write([create])
    await damaged.write([lamp('p1')])
    await damaged.close()
    await damage(store)
    await node('damaged', { store })
    const { nodes, isSame } = await compareNodes(log, shared)
    expect([isSame, nodes.map(({ differs }) => differs)]).toEqual([false, [[]]])
  })
})

/** A document that cannot be read, of a store of which an earlier version has not counted the documents. */
async function damage(folder: string): Promise<void> {
  await withRaw(folder, async db => {
    const checkpoint = JSON.parse(Buffer.from((await db.get('checkpoint'))!).toString('utf8', 4))
    for (const [, counts] of checkpoint.counts) delete counts.content
    await plant(db, 'checkpoint', checkpoint)
    const [dataset] = checkpoint.counts[0]
    const key = documentKey(dataset, 'p1')
    const value = Buffer.from((await db.get(key))!)
    value[value.length - 3]! ^= 1
    await db.put(key, value)
  })
}

/** Changes a store of a node behind the log's back. */
async function alter(store: NodeOptions['store']): Promise<void> {
  await using engine = await Engine.open({ store })
  await engine.datasets.get('products').documents.upsert({ id: 'p1', title: 'Another' })
  await engine.datasets.create('other')
}

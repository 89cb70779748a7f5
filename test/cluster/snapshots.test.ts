import { cp, open, readdir, readFile, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  ClusterNode,
  MemoryLog,
  MemoryShared,
  type NodeOptions,
  type Shared,
  SnapshotTurn,
} from '../../adapters/cluster/src/index.ts'
import { codeOf, failureOf, temporaryFolder } from '../engine/engines.ts'
import { givenIn } from '../operations/given.ts'

/** Nodes in folders of their own that share one for snapshots. */
async function cluster() {
  const folder = await temporaryFolder()
  /** Milliseconds by which the clock that nodes share has been put forward. */
  const passed = { time: 0 }
  const [log, shared] = [new MemoryLog(), new MemoryShared({ clock: () => Date.now() + passed.time })]
  const snapshots = join(folder, 'snapshots')
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
  const node = async (name: string, options: Partial<NodeOptions> = {}): Promise<ClusterNode> => {
    const node = await ClusterNode.open({
      ...{ log, shared, name, logger, store: join(folder, name), snapshots: { folder: snapshots } },
      ...options,
    })
    onTestFinished(() => node.close())
    return node
  }
  return { folder, log, shared, snapshots, warnings, node, passed }
}

const create = { type: 'createDataset', dataset: 'products' } as const

async function write(node: ClusterNode, from: number, count = 5): Promise<void> {
  for (let i = from; i < from + count; i++)
    await node.write([{ type: 'upsert', dataset: 'products', document: { id: `p${i}`, title: 'Lamp' } }])
}

async function expectAlike(one: ClusterNode, other: ClusterNode): Promise<void> {
  await Promise.all([one.latest(), other.latest()])
  expect(await givenIn(other.engine)).toEqual(await givenIn(one.engine))
}

/** The same, failing from the nth call on. */
function failingAt<Of extends object>(of: Of, at: { calls: number }): Of {
  return new Proxy(of, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...values: unknown[]) => {
        if (at.calls-- <= 0) throw new Error('cut off')
        return await member.apply(target, values)
      }
    },
  })
}

describe('snapshots', () => {
  it('are what new nodes begin with, when the log is cut behind the second newest', async () => {
    const { log, node, snapshots } = await cluster()
    const one = await node('one')
    await one.write([create])
    await write(one, 0)
    const first = await one.snapshot()
    expect(first).toMatchObject({ position: 6, node: 'one' })
    expect((await log.head()).first).toBe(1)
    await write(one, 5)
    const second = await one.snapshot()
    expect((await log.head()).first).toBe(first.position)
    await write(one, 10)
    await one.snapshot()
    expect((await log.head()).first).toBe(second.position)
    expect((await one.snapshots()).map(({ position }) => position)).toEqual([16, 11])
    expect((await readdir(snapshots)).length).toBe(2)
    await write(one, 15)
    const two = await node('two')
    expect(two.status.position).toBeGreaterThanOrEqual(16)
    await expectAlike(one, two)
    await write(two, 20)
    await expectAlike(one, two)
  })

  it('are taken when it is time, if there is something new, by one node at a time', async () => {
    const { node, folder, snapshots } = await cluster()
    const options = { snapshots: { folder: snapshots, every: 100, keep: 3 } }
    const nodes = await Promise.all(['one', 'two', 'three'].map(name => node(name, options)))
    await nodes[0]!.write([create])
    const positions = async () => (await nodes[0]!.snapshots()).map(({ position }) => position)
    await expect.poll(positions).toEqual([1])
    await new Promise(resolve => setTimeout(resolve, 250))
    expect(await positions()).toEqual([1])
    for (let i = 0; i < 4; i++) {
      await write(nodes[0]!, i, 1)
      await expect.poll(async () => (await positions())[0]).toBe(i + 2)
    }
    await expect.poll(positions).toEqual([5, 4, 3])
    await expect.poll(() => readdir(join(folder, 'snapshots'))).toHaveLength(3)
  })

  it('of nodes that have a turn in common are one after the other, also where one of them fails or is closed', async () => {
    const turn = new SnapshotTurn()
    const [taking, most] = [new Set<string>(), { at: 0 }]
    const nodes = await Promise.all(
      ['one', 'two', 'three'].map(async name => {
        const { node, shared, snapshots } = await cluster()
        const lease: Shared['lease'] = async (what, ...more) => {
          if (what === 'snapshots') most.at = Math.max(most.at, taking.add(name).size)
          return await shared.lease(what, ...more)
        }
        const release: Shared['release'] = async (what, ...more) => {
          if (what === 'snapshots') taking.delete(name)
          await shared.release(what, ...more)
        }
        const watched = new Proxy(shared, {
          get: (of, member) =>
            member === 'lease' ? lease : member === 'release' ? release : Reflect.get(of, member).bind(of),
        })
        return await node(name, { shared: watched, snapshots: { folder: snapshots, turn } })
      }),
    )
    for (const node of nodes) {
      await node.write([create])
      await write(node, 0)
    }
    expect((await Promise.all(nodes.map(node => node.snapshot()))).map(({ position }) => position)).toEqual([
      6, 6, 6,
    ])
    expect(most.at).toBe(1)
    let letGo = () => {}
    const signal = new AbortController().signal
    const held = turn.take(() => new Promise<void>(resolve => (letGo = resolve)), signal)
    const refused = codeOf(() => nodes[0]!.snapshot())
    const taken = nodes[1]!.snapshot()
    await nodes[0]!.close()
    expect(await refused).toBe('CLOSED')
    expect(await codeOf(() => turn.take(() => Promise.resolve(), AbortSignal.abort()))).toBe('CLOSED')
    expect(await nodes[1]!.snapshots()).toHaveLength(1)
    letGo()
    await held
    expect(await taken).toMatchObject({ position: 6 })
    await expect(turn.take(() => Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
    expect(await nodes[2]!.snapshot()).toMatchObject({ position: 6 })
  })

  it('wanted by two nodes at once are one after the other, or one for both', async () => {
    const { node, snapshots } = await cluster()
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    await write(one, 0)
    await two.latest()
    const taken = await Promise.all([one.snapshot(), two.snapshot(), one.snapshot()])
    const registered = await one.snapshots()
    for (const { position } of taken) expect(position).toBe(6)
    expect(registered.length).toBeLessThanOrEqual(2)
    for (const { name } of registered) await Engine.verifyBackup(join(snapshots, name))
  })

  it('that are damaged are passed over for the one before', async () => {
    const { node, snapshots, warnings, log } = await cluster()
    const one = await node('one')
    await one.write([create])
    await one.snapshot()
    await write(one, 0)
    const newest = await one.snapshot()
    const [layer] = (await readdir(join(snapshots, newest.name))).filter(name => name.startsWith('layer'))
    const path = join(snapshots, newest.name, layer!)
    const file = await open(path, 'r+')
    const { size } = await file.stat()
    await file.write(Buffer.from([0xff, 0xfe]), 0, 2, size >> 1)
    await file.close()
    await expectAlike(one, await node('two'))
    expect(warnings.filter(message => message.includes(newest.name))).toHaveLength(1)
    // The log is not cut behind what nobody could read.
    await rm(join(snapshots, newest.name), { recursive: true })
    const { first } = await log.head()
    await write(one, 5)
    await one.snapshot()
    expect((await log.head()).first).toBe(first)
    for (const { name } of await one.snapshots())
      await rm(join(snapshots, name), { recursive: true, force: true })
    await log.cut(3)
    expect(await codeOf(() => node('three'))).toBe('LOG_CUT')
  })

  it('that were cut off at any call leave what nodes can join from, and nothing for good', async () => {
    const { node, shared, snapshots, passed } = await cluster()
    const one = await node('one')
    await one.write([create])
    await one.snapshot()
    await write(one, 0)
    await one.snapshot()
    let isOver = false
    for (let calls = 0; !isOver; calls++) {
      const at = { calls: Number.POSITIVE_INFINITY }
      const dying = await node(`dying-${calls}`, { shared: failingAt<Shared>(shared, at) })
      await write(one, 10 * calls, 2)
      await dying.latest()
      at.calls = calls
      isOver = await dying.snapshot().then(
        () => at.calls > 0,
        () => false,
      )
      await dying.close()
      // What it held is over by itself.
      passed.time += 61_000
      const joined = await node(`joined-${calls}`)
      await expectAlike(one, joined)
      await joined.close()
      for (const { name } of await one.snapshots()) await Engine.verifyBackup(join(snapshots, name))
      await one.snapshot()
      expect((await readdir(snapshots)).sort()).toEqual(
        (await one.snapshots()).map(({ name }) => name).sort(),
      )
    }
  })

  it('that were cut off at any file are nothing that nodes join from, and go with the next', async () => {
    const { node, snapshots } = await cluster()
    const one = await node('one')
    await one.write([create])
    await write(one, 0)
    const { name } = await one.snapshot()
    const whole = join(snapshots, name)
    const files = await readdir(whole)
    for (const [i, part] of [[], ...files.map(file => [file]), files].entries()) {
      const left = `${whole.slice(0, -1)}${'ghi'[i] ?? 'j'}`
      for (const file of part) await cp(join(whole, file), join(left, file))
      const [last] = part.slice(-1)
      if (last) await truncate(join(left, last), (await readFile(join(left, last))).length - 3)
    }
    expect((await readdir(snapshots)).length).toBeGreaterThan(2)
    const two = await node('two')
    await expectAlike(one, two)
    await write(one, 5)
    const next = await one.snapshot()
    expect((await readdir(snapshots)).sort()).toEqual([name, next.name].sort())
  })
})

describe('a node', () => {
  it('joins while others write and cut the log', async () => {
    const { node, log, shared } = await cluster()
    const one = await node('one')
    await one.write([create])
    await one.snapshot()
    let isOver = false
    let written = 0
    const writing = (async () => {
      for (; !isOver; written += 5) await write(one, written)
    })()
    const cutting = (async () => {
      while (!isOver) await one.snapshot()
    })()
    for (const name of ['two', 'three', 'four']) {
      const joined = await node(name)
      await joined.latest()
      expect(joined.status.failure).toBeNull()
    }
    isOver = true
    await Promise.all([writing, cutting])
    await expect.poll(async () => (await shared.list('snapshot-claim')).length).toBe(0)
    await one.snapshot()
    expect((await log.head()).first).toBeGreaterThan(1)
    await expectAlike(one, await node('five'))
  })

  it('keeps what it loads until it has caught up, also from nodes that remove snapshots', async () => {
    const { node, log, shared } = await cluster()
    const one = await node('one')
    await one.write([create])
    await one.snapshot()
    await write(one, 0)
    let resume = () => {}
    const held = new Promise<void>(resolve => {
      resume = resolve
    })
    // It opens, and reads nothing yet.
    const slow = new Proxy(new MemoryLog(log), {
      get(of, name) {
        const member = Reflect.get(of, name)
        if (typeof member !== 'function') return member
        if (name === 'read') return (after: number) => held.then(() => of.read(after))
        return member.bind(of)
      },
    })
    const two = await node('two', { log: slow })
    expect(two.status.position).toBe(1)
    for (let i = 1; i < 4; i++) {
      await write(one, 5 * i)
      await one.snapshot()
    }
    expect((await one.snapshots()).map(({ position }) => position)).toEqual([21, 16, 1])
    expect((await log.head()).first).toBe(1)
    resume()
    await expectAlike(one, two)
    await expect.poll(async () => (await shared.list('snapshot-claim')).length).toBe(0)
    await write(one, 30)
    await one.snapshot()
    expect((await one.snapshots()).map(({ position }) => position)).toEqual([26, 21])
  })

  it('sets a store aside that cannot follow, and joins anew', async () => {
    const { node, log, folder, warnings } = await cluster()
    const one = await node('one')
    const two = await node('two')
    await one.write([create])
    await two.latest()
    await two.close()
    await write(one, 0)
    await one.snapshot()
    await write(one, 5)
    await one.snapshot()
    // Further behind than the log reaches back.
    const again = await node('two')
    await expectAlike(one, again)
    expect(await readdir(folder)).toContain('two.aside-1-1')
    expect(warnings).toHaveLength(1)
    // Ahead of a log that has lost its end.
    await write(again, 10)
    const { position } = again.status
    await one.close()
    await again.close()
    log.lose(position - 2)
    const third = await node('two')
    expect(await readdir(folder)).toContain(`two.aside-${position}-1`)
    await third.latest()
    expect(third.status).toMatchObject({ position: position - 2, failure: null })
    await expectAlike(third, await node('one'))
    const kept = await Engine.open({ store: join(folder, 'two.aside-1-1') })
    expect(kept.datasets.has('products')).toBe(true)
    await kept.close()
  })

  it('begins with nothing that is the own of the node which has taken the snapshot', async () => {
    const { node, log } = await cluster()
    const one = await node('one', { analytics: { mode: 'full' } })
    await one.write([create])
    await write(one, 0)
    await one.engine.namespace('program').put('k', 'shared')
    await one.engine.namespace('mine', { local: true }).put('k', 'own')
    const products = one.engine.datasets.get('products')
    await products.search('lamp')
    await products.optimize().finished
    // One that is under way while the snapshot is taken.
    const end = new AbortController()
    const about = { kind: 'my-app:wait', description: 'Waiting' }
    const waiting = one.engine.startJob(about, async function* ({ signal }) {
      while (!signal.aborted && !end.signal.aborted) {
        await new Promise(resolve => setTimeout(resolve, 5))
        yield { done: 0, total: 1, phase: 'waiting' }
      }
    })
    for (let i = 0; i < 2; i++) {
      await one.snapshot()
      await write(one, 5)
    }
    expect((await log.head()).first).toBeGreaterThan(1)
    const two = await node('two', { analytics: { mode: 'full' } })
    await expectAlike(one, two)
    expect(await two.engine.namespace('program').get('k')).toBe('shared')
    expect(await two.engine.namespace('mine', { local: true }).get('k')).toBeUndefined()
    expect(two.engine.jobs()).toEqual([])
    const calls = async ({ engine }: ClusterNode) => (await engine.analytics.overview()).calls
    expect([await calls(one), await calls(two)]).toEqual([1, 0])
    expect(one.engine.jobs().map(({ kind }) => kind)).toContain('optimize')
    end.abort()
    await waiting.finished
  })

  it('joins from no snapshot of an end that the log has lost', async () => {
    const { node, log } = await cluster()
    const one = await node('one')
    await one.write([create])
    await one.snapshot()
    await write(one, 0)
    await one.snapshot()
    await one.close()
    log.lose(3)
    const two = await node('two')
    await two.latest()
    expect(two.status.position).toBe(3)
    await write(two, 10)
    await two.snapshot()
    expect((await two.snapshots()).map(({ position }) => position)).toEqual([8, 1])
    await expectAlike(two, await node('three'))
  })

  it('replays the log where there is no snapshot yet', async () => {
    const { node } = await cluster()
    const one = await node('one')
    await one.write([create])
    await write(one, 0)
    await expectAlike(one, await node('two'))
  })

  it('hears of the others, and not of those that have gone', async () => {
    const { node } = await cluster()
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    await two.latest()
    const peers = async () => (await two.peers()).map(({ name }) => name)
    await expect.poll(peers).toEqual(['one', 'two'])
    const [, own] = await two.peers()
    expect(own).toMatchObject({ name: 'two', position: 1, behind: 0, isReady: true, knows: 2, writes: 2 })
    expect(own!.version).toMatch(/^\d+\.\d+\.\d+/)
    expect(Math.abs(own!.startedAt - Date.now())).toBeLessThan(60_000)
    await one.close()
    expect(await peers()).toEqual(['two'])
  })

  it('refuses options that mean nothing', async () => {
    const [log, shared] = [new MemoryLog(), new MemoryShared()]
    const loose = (options: object) => () => ClusterNode.open({ log, ...options } as NodeOptions)
    const snapshots = { folder: 'snapshots' }
    for (const [field, options] of [
      ['shared', { snapshots }],
      ['shared', { name: 'one' }],
      ['name', { shared, name: '' }],
      ['store', { shared, snapshots }],
      ['snapshots.folder', { shared, store: 's', snapshots: {} }],
      ['snapshots.keep', { shared, store: 's', snapshots: { ...snapshots, keep: 1 } }],
      ['snapshots.every', { shared, store: 's', snapshots: { ...snapshots, every: 1.5 } }],
      ['snapshots.often', { shared, store: 's', snapshots: { ...snapshots, often: true } }],
    ] as const) {
      const { code, details } = await failureOf(loose(options))
      expect([code, details.field]).toEqual(['INVALID_ARGUMENT', field])
    }
    const node = await ClusterNode.open({ log, shared })
    onTestFinished(() => node.close())
    expect(await codeOf(() => node.snapshot())).toBe('INVALID_ARGUMENT')
    expect(await node.peers()).toHaveLength(1)
  })
})

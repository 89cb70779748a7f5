import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine, type JsonObject } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  ClusterNode,
  type Log,
  MemoryLog,
  MemoryShared,
  type RecoveryOutlook,
  recover,
  type Shared,
} from '../../adapters/cluster/src/index.ts'
import { ownNamespaces } from '../../adapters/http/src/commands/cluster-recovery.ts'
import { codeOf, failureOf, temporaryFolder } from '../engine/engines.ts'
import { answersOf, givenIn } from '../operations/given.ts'

describe('what a server opens as its own', () => {
  it('is in no snapshot of a store that becomes the beginning of a log', async () => {
    const folder = new URL('../../adapters/http/src/', import.meta.url)
    const sources = await readdir(folder, { recursive: true })
    const opened = new Set<string>()
    for (const file of sources.filter(name => name.endsWith('.ts')))
      for (const [, name] of (await readFile(new URL(file, folder), 'utf8')).matchAll(
        /namespace\('([\w-]+)', \{ local: true \}\)/g,
      ))
        if (name !== 'findling-cluster') opened.add(name!)
    expect([...opened].sort()).toEqual(ownNamespaces)
    const { folder: stores, node, recovered } = await cluster()
    await fillAlone(join(stores, 'one'))
    {
      await using engine = await Engine.open({ store: join(stores, 'one') })
      await engine.namespace('counts').put('calls', 7)
      await engine.namespace('shared').put('key', 8)
    }
    await recovered('one')
    const [one, two] = [await node('one'), await node('two')]
    const of = async ({ engine }: ClusterNode) => [
      await engine.namespace('counts').get('calls'),
      await engine.namespace('shared').get('key'),
    ]
    expect([await of(one), await of(two)]).toEqual([
      [7, 8],
      [undefined, 8],
    ])
  })
})

/** Nodes in folders of their own, whose log may be lost. */
async function cluster() {
  const folder = await temporaryFolder()
  /** Milliseconds by which the clock that nodes share has been put forward. */
  const passed = { time: 0 }
  const at = {
    log: new MemoryLog(),
    shared: new MemoryShared({ clock: () => Date.now() + passed.time }),
  }
  const snapshots = { folder: join(folder, 'snapshots') }
  const warnings: string[] = []
  const logger = { warn: (_: object, message: string) => void warnings.push(message), error: () => {} }
  const node = async (name: string, commandsVersion?: number): Promise<ClusterNode> => {
    const log = new MemoryLog(at.log)
    const { shared } = at
    const store = join(folder, name)
    const node = await ClusterNode.open({
      log,
      shared,
      name,
      logger,
      store,
      snapshots,
      ...(commandsVersion && { commandsVersion }),
    })
    onTestFinished(() => node.close())
    return node
  }
  const seen: RecoveryOutlook[] = []
  const recovered = (
    name: string,
    { log = new MemoryLog(at.log) as Log, shared = at.shared as Shared } = {},
  ) =>
    recover({ log, shared, snapshots, name, own: ['counts'], store: join(folder, name) }, outlook => {
      seen.push(outlook)
      return true
    })
  return { folder, at, passed, node, recovered, seen, warnings, snapshots }
}

const create = { type: 'createDataset', dataset: 'products' } as const

async function write(node: ClusterNode, from: number, count = 5): Promise<number> {
  for (let i = from; i < from + count; i++)
    await node.write([{ type: 'upsert', dataset: 'products', document: { id: `p${i}`, title: 'Lamp' } }])
  return node.status.position
}

async function expectAlike(one: ClusterNode, ...others: ClusterNode[]): Promise<void> {
  await one.latest()
  for (const other of others) {
    await other.latest()
    expect(await givenIn(other.engine)).toEqual(await givenIn(one.engine))
    expect((await other.engine.digest()).digest).toBe((await one.engine.digest()).digest)
  }
}

/** The same, which ends at the nth of all calls: before it, or before its answer. */
function endingAt<Of extends object>(of: Of, left: { calls: number; isAnswerLost: boolean }): Of {
  return new Proxy(of, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...values: unknown[]) => {
        left.calls--
        if (left.calls < 0 && !(left.calls === -1 && left.isAnswerLost)) throw new Error('cut off')
        const answer = await member.apply(target, values)
        if (left.calls < 0) throw new Error('cut off')
        return answer
      }
    },
  })
}

const kinds = ['lamp', 'hose', 'nail', 'chair'] as const

/** An engine without a log, with all that it may have made for itself. */
async function fillAlone(store: string): Promise<void> {
  await using engine = await Engine.open({ store })
  const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
  await products.tags.replaceAll(kinds.map(id => ({ id, name: id })))
  await products.documents.bulk(
    Array.from({ length: 80 }, (_, i) => ({
      id: `d${i}`,
      title: `${['Brass', 'Oak', 'Steel', 'Garden'][(i * 7) % 4]} ${kinds[i % 4]!} desk ${i % 9}`,
      tag: [kinds[i % 4]!],
    })),
  )
  await products.classifier()
  const { id } = await engine.services.create({ type: 'classifier', name: 'Kinds' })
  const service = engine.services.get(id)
  await service.prepare({ dataset: 'products' })
  await service.activate()
  await products.search('brass lamp')
  await engine.namespace('notes').put('motto', 'light')
}

describe('a store that becomes the beginning of its log', () => {
  it('may have been alone: nodes that join answer alike, with its models', async () => {
    const { folder, node, recovered, seen } = await cluster()
    await fillAlone(join(folder, 'one'))
    expect(await codeOf(() => node('one'))).toBe('INVALID_ARGUMENT')
    const begun = await recovered('one')
    expect(seen).toEqual([
      {
        log: { position: 0, first: 1 },
        store: { position: undefined, datasets: 1, documents: 80 },
        ...{ isOfLog: false, lost: undefined, isWhole: false, followedBy: [] },
      },
    ])
    expect(begun).toMatchObject({ position: 1_000_000, snapshot: { position: 1_000_000, node: 'one' } })
    const [one, two] = [await node('one'), await node('two')]
    await expectAlike(one, two)
    expect(two.engine.services.list()).toMatchObject([{ name: 'Kinds', status: 'active' }])
    expect(await two.engine.datasets.get('products').savedClassifier()).toBeDefined()
    const answers = await answersOf(one.engine)
    expect(await answersOf(two.engine)).toEqual(answers)
    expect(JSON.stringify(answers)).toContain('"lamp"')
    // The constants of the ranking, which the engine alone had made for itself, are learnt once for all.
    const ranking = (of: ClusterNode) => of.engine.datasets.get('products').ranking
    await ranking(one).learn(undefined)
    await expectAlike(one, two)
    expect(await answersOf(two.engine)).toEqual(await answersOf(one.engine))
    expect(await write(two, 0)).toBeGreaterThan(1_000_005)
    await expectAlike(one, two)
  })

  it('is what the others join anew from when the log was lost, and positions go on', async () => {
    const { folder, at, node, recovered, seen, warnings } = await cluster()
    const before = [await node('one'), await node('two'), await node('three')]
    await before[0]!.write([create])
    await write(before[0]!, 0)
    await before[0]!.snapshot()
    const old = await write(before[1]!, 5)
    await expectAlike(before[0]!, ...before.slice(1))
    const given = await givenIn(before[0]!.engine)
    const numbers = (of: ClusterNode) => of.engine.digest().then(({ seq }) => seq)
    const newest = await numbers(before[0]!)
    for (const one of before) await one.close()
    at.log = new MemoryLog()
    // Whoever is first there must not begin with nothing.
    for (const name of ['two', 'one']) expect(await codeOf(() => node(name))).toBe('LOG_DIVERGED')
    expect(warnings).toEqual([])
    const begun = await recovered('one')
    expect(seen[0]).toMatchObject({ isOfLog: false, store: { position: old }, lost: undefined })
    expect(begun!.left).toHaveLength(1)
    const after = [await node('two'), await node('three'), await node('one')]
    await expectAlike(after[0]!, ...after.slice(1))
    expect(await givenIn(after[2]!.engine)).toEqual(given)
    expect(warnings.filter(message => message.includes('.aside-'))).toHaveLength(2)
    expect(await readdir(folder)).toEqual(
      expect.arrayContaining([`two.aside-${old}-1`, `three.aside-${old}-1`, 'one']),
    )
    expect(await write(after[1]!, 20)).toBeGreaterThan(old)
    expect(await numbers(after[1]!)).toBeGreaterThan(newest)
    await expectAlike(after[0]!, ...after.slice(1))
  })

  it('says what of the log it does not have', async () => {
    const { at, node, recovered, seen } = await cluster()
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    const position = await write(one, 0)
    await two.latest()
    await two.close()
    await write(one, 5)
    await one.close()
    // A store that is behind, and then one that has what the log has lost.
    await recovered('two')
    expect(seen[0]).toMatchObject({
      ...{ isOfLog: true, isWhole: false, log: { position: position + 5 } },
      lost: { first: position + 1, last: position + 5 },
    })
    const later = await node('two')
    expect(later.engine.datasets.get('products').documents.count).toBe(5)
    await write(later, 50)
    const { position: ahead } = later.status
    await later.close()
    at.log.lose(ahead - 2)
    const begun = await recovered('two')
    expect(seen[1]).toMatchObject({
      ...{ isOfLog: false, isWhole: false, store: { position: ahead, documents: 10 } },
      lost: { first: ahead - 4, last: ahead - 2 },
    })
    expect(begun!.position).toBe(2_000_000)
    expect((await node('two')).engine.datasets.get('products').documents.count).toBe(10)
  })

  it('is that after whatever it was cut off at, once it is done again', async () => {
    let ends = 0
    for (const isAnswerLost of [false, true]) {
      for (let calls = 0; ; calls++) {
        const { at, passed, node, recovered } = await cluster()
        const [one, two] = [await node('one'), await node('two')]
        await one.write([create])
        await write(one, 0, 2)
        await two.latest()
        const { position } = two.status
        await one.write([{ type: 'delete', dataset: 'products', id: 'p0' }])
        await one.close()
        await two.close()
        at.log.lose(position)
        const left = { calls, isAnswerLost }
        const ending = {
          log: endingAt(new MemoryLog(at.log) as Log, left),
          shared: endingAt(at.shared, left),
        }
        const isWhole = await recovered('one', ending).then(
          () => true,
          () => false,
        )
        ends++
        // A lease of a process that has ended is over.
        passed.time += 60_000
        const again = await recovered('one')
        const [first, second] = [await node('one'), await node('two')]
        await expectAlike(first, second)
        expect(first.engine.datasets.get('products').documents.count).toBe(1)
        expect(first.status.position).toBe(again!.position)
        await write(second, 10, 1)
        await expectAlike(first, second)
        await first.close()
        await second.close()
        // Only what is of no consequence is still cut off then.
        if (isWhole && left.calls >= 0) break
      }
    }
    expect(ends).toBeGreaterThan(20)
  })

  it('has commands of the version that its log had, and the newest where it had none', async () => {
    const { folder, node, recovered } = await cluster()
    const old = await node('one', 1)
    await old.write([create])
    await old.close()
    const behind = await node('two', 1)
    await write(behind, 0, 1)
    await behind.close()
    await recovered('one')
    const [one, two] = [await node('one'), await node('two', 1)]
    await write(one, 10, 2)
    await expectAlike(one, two)
    expect([one.status.commands, two.status.commands]).toEqual([1, 1])
    await fillAlone(join(folder, 'three'))
    await one.close()
    await two.close()
    await recovered('three')
    expect((await node('three')).status.commands).toBe(2)
  })

  it('stops a node that follows the log unheard of, and nothing that it writes then counts', async () => {
    const { at, node, recovered } = await cluster()
    const one = await node('one')
    const unheard = await ClusterNode.open({ log: new MemoryLog(at.log), patience: 1000 })
    onTestFinished(() => unheard.close())
    await one.write([create])
    await write(one, 0)
    await unheard.latest()
    await one.close()
    await write(unheard, 10)
    await recovered('one')
    const late = { type: 'insert', dataset: 'products', document: { id: 'late' } } as const
    expect(await codeOf(() => unheard.write([late]))).toBe('LOG_DIVERGED')
    await expect.poll(() => unheard.status.failure?.code).toBe('LOG_DIVERGED')
    const again = await node('one')
    await write(again, 20, 1)
    const { documents } = again.engine.datasets.get('products')
    expect([documents.count, await documents.get('late')]).toEqual([6, undefined])
    expect(unheard.engine.datasets.get('products').documents.count).toBe(10)
  })

  it('is set aside by no node that is started before it was done again', async () => {
    const { folder, at, node, recovered } = await cluster()
    await fillAlone(join(folder, 'one'))
    const log = new MemoryLog(at.log)
    log.begin = async () => {
      throw new Error('cut off')
    }
    await expect(recovered('one', { log })).rejects.toThrow('cut off')
    expect(await codeOf(() => node('one'))).toBe('INVALID_ARGUMENT')
    expect(await readdir(folder)).toEqual(['one'])
    await recovered('one')
    expect((await node('one')).engine.datasets.get('products').documents.count).toBe(80)
  })

  it('is without tags that were still to leave its documents, once it is wanted', async () => {
    const { folder, at, node, recovered, snapshots } = await cluster()
    const store = join(folder, 'one')
    await fillAlone(store)
    {
      const engine = await Engine.open({ store })
      const tags = engine.datasets.get('products').tags
      await engine.write([{ type: 'declareDeadTags', dataset: 'products', tags: ['chair'] }])
      expect(await tags.list()).toHaveLength(4)
      await engine.close()
    }
    const content = async () => {
      await using engine = await Engine.open({ store, writeThrough: { write: async () => [] } })
      return (await engine.digest()).digest
    }
    const before = await content()
    await recover({ ...at, snapshots, store }, () => false)
    expect(await content()).toBe(before)
    await recovered('one')
    const [one, two] = [await node('one'), await node('two')]
    await expectAlike(one, two)
    const { documents } = two.engine.datasets.get('products')
    expect(await documents.get('d3')).toMatchObject({ tag: [] })
    expect(await documents.get('d2')).toMatchObject({ tag: ['nail'] })
  })

  it('has nothing to be done with it where it has all of the log', async () => {
    const { at, node, recovered, seen } = await cluster()
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    const position = await write(one, 0)
    await one.close()
    const taken = await recovered('one')
    expect(seen[0]).toMatchObject({ isWhole: true, lost: undefined, followedBy: ['two'] })
    expect(taken).toMatchObject({ position, snapshot: { position }, left: [] })
    expect((await recovered('one'))!.snapshot.name).toBe(taken!.snapshot.name)
    expect(await at.log.head()).toEqual({ position, first: 1 })
    await expectAlike(two, await node('one'))
  })

  it('is that only where it is wanted, and nobody follows the log', async () => {
    const { folder, at, node, recovered, snapshots, passed } = await cluster()
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    await write(one, 0)
    await two.latest()
    const options = { ...at, snapshots, name: 'one', store: join(folder, 'one') }
    expect(await codeOf(() => recover(options, () => true))).toBe('STORE_LOCKED')
    await two.close()
    await write(one, 5)
    await one.close()
    const head = await at.log.head()
    expect(await recover({ ...options, store: join(folder, 'two') }, () => false)).toBeUndefined()
    expect(await at.log.head()).toEqual(head)
    const again = await node('one')
    const { code, message } = await failureOf(() => recovered('two'))
    expect([code, message]).toEqual(['LOG_IN_USE', expect.stringContaining('one')])
    await again.close()
    for (const store of ['none', 'snapshots'])
      expect(await codeOf(() => recovered(store))).toBe('INVALID_ARGUMENT')
    expect(await readdir(folder)).not.toContain('none')
    await (await Engine.open({ store: join(folder, 'empty') })).close()
    expect(await codeOf(() => recovered('empty'))).toBe('INVALID_ARGUMENT')
    // As it was, it can still follow.
    passed.time += 60_000
    await expectAlike(await node('one'), await node('two'))
    expect(await readdir(folder)).toEqual(['empty', 'one', 'two'])
  })

  it('is that of no log that is written to by nodes that were away, or while it is decided', async () => {
    const { folder, at, node, recovered, snapshots } = await cluster()
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    await write(one, 0)
    await two.latest()
    await one.close()
    await write(two, 5)
    await two.peers()
    const row = (await at.shared.get('node', 'two'))!.value as JsonObject
    // As it has told while it did not reach the log.
    await at.shared.put('node', 'two', { ...row, isReady: false })
    const { code, message } = await failureOf(() => recovered('one'))
    expect([code, message]).toEqual(['LOG_IN_USE', expect.stringContaining('two')])
    await at.shared.put('node', 'two', { ...row, isReady: false, failure: 'LOG_DIVERGED' })
    const lateAt: number[] = []
    const options = { log: new MemoryLog(at.log), shared: at.shared, snapshots, store: join(folder, 'one') }
    const late = await codeOf(() => recover(options, async () => lateAt.push(await write(two, 10, 1)) > 0))
    expect([late, (await at.log.head()).position]).toEqual(['LOG_IN_USE', lateAt[0]])
    // It is as it was.
    await expectAlike(two, await node('one'))
  })

  it('is one of two, and the other one stays as it was', async () => {
    const { folder, at, node, recovered, warnings } = await cluster()
    const [one, two] = [await node('one'), await node('two')]
    await one.write([create])
    const position = await write(one, 0)
    await two.latest()
    await one.close()
    await two.close()
    at.log.lose(position - 1)
    const outcomes = await Promise.all(
      ['one', 'two'].map(name =>
        recovered(name).then(
          () => name,
          ({ code }) => code as string,
        ),
      ),
    )
    expect(outcomes).toContain('LOG_DIVERGED')
    const [begun] = outcomes.filter(outcome => outcome !== 'LOG_DIVERGED')
    const nodes = [await node('one'), await node('two')]
    await expectAlike(nodes[0]!, nodes[1]!)
    const other = begun === 'one' ? 'two' : 'one'
    expect(warnings.join()).toContain(`${other}.aside-${position}-1`)
    expect(await readdir(folder)).toContain(`${other}.aside-${position}-1`)
  })
})

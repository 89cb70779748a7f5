import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { sealText } from '../../src/store/checksum.ts'
import { FIRST_DATASET } from '../../src/store/dataset-number.ts'
import { Store } from '../../src/store/store.ts'
import type { Mutation } from '../../src/store/transaction.ts'
import { FaultyLevel } from '../contract/faulty-level.ts'
import { codeOf, collected, expectHealthy, openEngine } from '../engine/engines.ts'
import { keysOf } from './raw-store.ts'

async function start(options: { memoryBudget?: number } = {}) {
  const db = new FaultyLevel()
  const engine = await openEngine({ store: db, ...options })
  const items = await engine.datasets.create('items')
  return { db, engine, items, documents: items.documents }
}

const gate = () => {
  let open!: () => void
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { open, opened }
}

describe('concurrent writes', () => {
  it('of one stretch of code become one batch', async () => {
    const { db, documents } = await start()
    const before = db.batches.length
    await Promise.all(Array.from({ length: 400 }, (_, i) => documents.insert({ id: i })))
    expect(db.batches.length - before).toBe(1)
    expect(documents.count).toBe(400)
  })

  it('gather while a batch is being written', async () => {
    const { db, documents } = await start()
    const before = db.batches.length
    const { open, opened } = gate()
    db.beforeBatch = () => opened
    const first = documents.insert({ id: 'first' })
    const later: Promise<unknown>[] = []
    for (let i = 0; i < 50; i++) {
      await Promise.resolve()
      later.push(documents.insert({ id: i }))
    }
    open()
    await Promise.all([first, ...later])
    expect(db.batches.length - before).toBeLessThanOrEqual(2)
    expect(documents.count).toBe(51)
  })

  it('that change nothing cost no batch', async () => {
    const { db, documents } = await start()
    const before = db.batches.length
    await expect(documents.update('nobody', { n: 1 })).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' })
    expect(await documents.delete('nobody')).toBe(false)
    expect(db.batches.length).toBe(before)
  })

  it('are acknowledged after their batch, not before', async () => {
    const { db, documents } = await start()
    const { open, opened } = gate()
    db.beforeBatch = () => opened
    let acknowledged = false
    const write = documents.insert({ id: 'a' }).then(() => {
      acknowledged = true
    })
    for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
    expect([acknowledged, await documents.get('a'), documents.count]).toEqual([false, undefined, 0])
    open()
    await write
    expect([await documents.get('a'), documents.count]).toEqual([{ id: 'a' }, 1])
  })

  it('hold no more than the memory budget allows', async () => {
    const { db, engine, documents } = await start({ memoryBudget: 32 * 2 ** 20 })
    const { open, opened } = gate()
    db.beforeBatch = () => opened
    const text = 'x'.repeat(2 ** 20)
    const writes = Array.from({ length: 20 }, (_, id) => documents.insert({ id, text }))
    const outcomes = Promise.allSettled(writes)
    open()
    const refused = (await outcomes).filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 'WRITE_QUEUE_FULL' } })
    expect(documents.count).toBe(20 - refused.length)
    await documents.insert({ id: 'after', text })
    await expectHealthy(engine)
  })
})

describe('a write', () => {
  it('larger than what may wait is refused, alone and together', async () => {
    const { engine, documents } = await start({ memoryBudget: 32 * 2 ** 20 })
    const text = (megabytes: number) => 'x'.repeat(megabytes * 2 ** 20)
    const insert = (id: string) =>
      ({ type: 'insert', dataset: 'items', document: { id, text: text(3) } }) as const
    const larger = [
      () => documents.insert({ id: 'a', text: text(8) }),
      () => engine.write([insert('a'), insert('b'), insert('c')]),
      () => engine.namespace('own').put('a', text(8)),
    ]
    for (const call of larger) expect(await codeOf(call)).toBe('TOO_LARGE')
    await documents.insert({ id: 'fits', text: text(7) })
    const rows = await documents.bulk(Array.from({ length: 3 }, (_, id) => ({ id, text: text(3) })))
    expect(rows.map(({ status }) => status)).toEqual(['stored', 'stored', 'stored'])
    await expectHealthy(engine)
  })
})

describe('a job', () => {
  it('starts while no more writes are let in, and runs when there is room', async () => {
    const { db, engine, documents } = await start({ memoryBudget: 32 * 2 ** 20 })
    const { open, opened } = gate()
    db.beforeBatch = () => opened
    const filling: Promise<unknown>[] = []
    for (const size of [2 ** 20, 2 ** 12, 2 ** 6]) {
      const text = 'x'.repeat(size)
      for (let n = 0; n < 300; n++) filling.push(documents.insert({ id: `${size} ${n}`, text }))
    }
    const outcomes = Promise.allSettled(filling)
    const job = documents.import([{ id: 'imported' }])
    open()
    expect((await outcomes).some(({ status }) => status === 'rejected')).toBe(true)
    expect(await job.finished).toMatchObject({ stored: 1, failed: 0 })
    await expectHealthy(engine)
  })
})

describe('a batch that fails', () => {
  it('says why, but not where', async () => {
    const { db, engine, documents } = await start()
    const full = new Error('IO error: /srv/shop/000005.ldb: No space left on device')
    db.failNext = full
    const refused: unknown = await documents.insert({ id: 'a' }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'STORE_FAILED', cause: full })
    expect(String(refused)).toContain('The store could not write (No space left on device), so it accepts')
    expect(engine.failure).toBe(refused)
  })

  it('names no path of an error of Node.js, or of another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'findling-'))
    const notAFile: unknown = await writeFile(folder, '').catch((error: unknown) => error)
    rmSync(folder, { recursive: true })
    expect(String(notAFile)).toContain(folder)
    const cases: [unknown, string][] = [
      [notAFile, ' (illegal operation on a directory)'],
      [new Error('IO error: /srv/000005.ldb: Input/output error'), ' (Input/output error)'],
      [new Error("cannot write '/srv/shop/000005.ldb'"), ''],
      [new Error('cannot write C:\\shop\\000005.ldb'), ''],
      ['/srv/shop', ''],
    ]
    for (const [error, reason] of cases) {
      const { db, documents } = await start()
      db.failNext = error as Error
      const refused: unknown = await documents.insert({ id: 'a' }).catch((error: unknown) => error)
      expect(String(refused)).toContain(`The store could not write${reason}, so it accepts`)
    }
  })

  it('fails its writers and stops all writing until a reopen, which has what was acknowledged', async () => {
    const { db, engine, documents } = await start()
    await documents.insert({ id: 'kept', title: 'lamp' })
    expect(engine.failure).toBeUndefined()
    const full = new Error('the disk is full')
    db.failNext = full
    const outcomes = await Promise.allSettled([documents.insert({ id: 'a' }), documents.insert({ id: 'b' })])
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'STORE_FAILED' } })
    }
    expect(await codeOf(() => documents.insert({ id: 'c' }))).toBe('STORE_FAILED')
    expect(await codeOf(() => engine.datasets.remove('items'))).toBe('STORE_FAILED')
    expect(engine.failure).toMatchObject({ code: 'STORE_FAILED', cause: full })
    expect(await documents.get('kept')).toEqual({ id: 'kept', title: 'lamp' })
    await engine.close()
    const again = await openEngine({ store: db })
    const { documents: kept } = again.datasets.get('items')
    expect((await collected(kept.scan())).map(({ id }) => id)).toEqual(['kept'])
    expect((await again.datasets.get('items').search('lamp')).hits).toHaveLength(1)
    await kept.insert({ id: 'a' })
    await expectHealthy(again)
  })
})

describe('a damaged document', () => {
  it('costs the writes beside one to it nothing', async () => {
    const { db, engine, documents } = await start()
    await documents.bulk([{ id: 'good' }, { id: 'bad' }])
    const key = (await keysOf(db)).find(one => one.startsWith('d/') && one.endsWith('/bad'))!
    await db.put(key, Buffer.from('not what was written'), { valueEncoding: 'view' })
    const outcomes = await Promise.allSettled([
      documents.update('good', { n: 1 }),
      documents.update('bad', { n: 1 }),
      documents.insert({ id: 'new' }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { code: 'STORE_CORRUPT' } })
    const rows = await documents.bulk([{ id: 'bad' }, { id: 'more' }])
    expect(rows.map(({ status }) => status)).toEqual(['failed', 'stored'])
    expect((await engine.doctor()).faults.map(({ kind }) => kind)).toContain('damaged-value')
  })
})

describe('counts', () => {
  it('equal a recount after any writes, also those that were refused', async () => {
    const id = fc.constantFrom('a', 'b', 'c', '/', '\u{1f600}')
    const write = fc.oneof(
      fc.record({
        type: fc.constant('insert' as const),
        dataset: fc.constant('items'),
        document: fc.record({ id }),
      }),
      fc.record({
        type: fc.constant('update' as const),
        dataset: fc.constant('items'),
        id,
        patch: fc.record({ id }),
      }),
      fc.record({ type: fc.constant('delete' as const), dataset: fc.constant('items'), id }),
    )
    const runs = fc.array(fc.array(write, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(runs, async groups => {
        const engine = await Engine.open()
        await engine.datasets.create('items')
        await Promise.allSettled(groups.map(group => engine.write(group)))
        await expectHealthy(engine)
        await engine.close()
      }),
      { numRuns: 40 },
    )
  })
})

describe('what is to be done once a write is durable', () => {
  it('is done before anybody hears of the commit, and not for what was refused', async () => {
    const store = await Store.open({
      store: undefined,
      durability: 'process',
      memoryBudget: 2 ** 26,
      onDamage: () => undefined,
    })
    const order: string[] = []
    store.onCommit(() => {
      order.push('told')
      return new Map()
    })
    const writing = (name: string, isRefused = false): Mutation<void> => ({
      reads: [],
      bytes: 0,
      apply(transaction) {
        transaction.whenDurable(() => order.push(name))
        transaction.put(`n/test/${name}`, sealText(`n/test/${name}`, name))
        transaction.changes.push({
          dataset: FIRST_DATASET,
          seq: transaction.nextSeq(),
          id: name,
          ...unchanged,
        })
        if (isRefused) throw new Error('refused')
      },
    })
    const writes = [writing('first'), writing('second', true), writing('third')].map(mutation =>
      store.write(mutation).then(
        () => order.push('answered'),
        () => order.push('refused'),
      ),
    )
    await Promise.all(writes)
    expect(order).toEqual(['refused', 'first', 'third', 'told', 'answered', 'answered'])
    await store.close()
  })
})

const unchanged = { kind: 'content', before: null, document: null } as const

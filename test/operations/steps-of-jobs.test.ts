import { setImmediate as breathe } from 'node:timers/promises'
import fc from 'fast-check'
import {
  type Engine,
  type EngineOptions,
  FindlingError,
  type ImportReport,
  type JsonObject,
  type WriteOperation,
  type WriteOutcome,
} from 'findling'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { codeOf, collected, expectHealthy, failureOf, memoryDatabase, openEngine } from '../engine/engines.ts'

interface Entry {
  readonly operations: readonly WriteOperation[]
  readonly at: number
}

/** A log in memory, in the order of which one engine writes all that it writes. */
class Log {
  readonly entries: Entry[] = []
  engine!: Engine
  /** What others write before a step of a job has its turn. */
  between: (step: readonly WriteOperation[]) => readonly WriteOperation[] | undefined = () => undefined

  readonly write = async (operations: readonly WriteOperation[]): Promise<readonly WriteOutcome[]> => {
    const others = this.between(operations)
    if (others) await this.append(others)
    return await this.append(operations)
  }

  /** As JSON, as it would be for other engines. */
  async append(operations: readonly WriteOperation[]) {
    const entry = JSON.parse(JSON.stringify({ operations, at: 1_700_000_000_000 + this.entries.length }))
    this.entries.push(entry)
    return await applied(this.engine, entry, this.entries.length)
  }

  async replayed(options: EngineOptions = {}): Promise<Engine> {
    const engine = await openEngine(options)
    for (const [i, entry] of this.entries.entries()) await applied(engine, entry, i + 1)
    return engine
  }
}

const applied = (engine: Engine, { operations, at }: Entry, position: number) =>
  engine.write(operations, { each: true, at, seqFrom: position * 2 ** 20 })

async function openLogged(options: EngineOptions = {}) {
  const log = new Log()
  log.engine = await openEngine({ ...options, writeThrough: log })
  return { log, engine: log.engine }
}

/** All that users see of datasets and documents, numbers and times included. */
async function stateOf(engine: Engine): Promise<unknown> {
  const states = []
  for (const { name, settings, createdAt } of engine.datasets.list()) {
    const { documents, tags } = engine.datasets.get(name)
    states.push({
      name,
      settings,
      createdAt,
      records: await collected(documents.scan()),
      changes: await collected(documents.changes()),
      tags: await tags.list(),
    })
  }
  return states
}

/** The same without numbers and times. */
async function contentsOf(engine: Engine): Promise<unknown> {
  const contents = []
  for (const { name, settings } of engine.datasets.list()) {
    const { documents, tags } = engine.datasets.get(name)
    const records = await collected(documents.scan())
    contents.push({
      name,
      settings,
      documents: records.map(({ document }) => document),
      tags: await tags.list(),
    })
  }
  return contents
}

const idsOf = (step: readonly WriteOperation[]) => step.flatMap(one => ('id' in one ? [String(one.id)] : []))

const many = (count: number, more: (i: number) => JsonObject = () => ({})) =>
  Array.from({ length: count }, (_, i) => ({
    id: `p${i}`,
    title: `Lamp ${i}`,
    price: i % 10,
    tag: [`t${i % 3}`],
    ...more(i),
  }))

/** A lamp of that very name must be cheap. */
const Cheap = z
  .looseObject({ id: z.string(), title: z.string().optional(), price: z.number().optional() })
  .refine(({ title, price }) => title !== 'Lamp' || price === undefined || price <= 3)

async function openShop() {
  const { log, engine } = await openLogged()
  await log.append([
    { type: 'createDataset', dataset: 'products' },
    { type: 'createDataset', dataset: 'archive' },
  ])
  await log.append([
    { type: 'createTag', dataset: 'products', tag: { id: 't0', name: 'Desk' } },
    { type: 'createTag', dataset: 'products', tag: { id: 't1', name: 'Floor' } },
  ])
  const products = engine.datasets.get('products')
  const archive = engine.datasets.get('archive')
  return { log, engine, products, archive }
}

async function expectSame(log: Log): Promise<void> {
  const replayed = await log.replayed()
  expect(await stateOf(replayed)).toEqual(await stateOf(log.engine))
  await expectHealthy(replayed)
  await expectHealthy(log.engine)
}

describe('steps of jobs that somebody else writes', () => {
  it('of bulk make the same documents in every engine, and the same report', async () => {
    const { log, products } = await openShop()
    const rows = [...many(1200), { id: 'p0', title: 'Again' }, { title: 'No id' } as never]
    const results = await products.documents.bulk(rows)
    expect(results.at(-1)).toMatchObject({ status: 'failed', error: { code: 'INVALID_DOCUMENT' } })
    expect(results[0]!.status).toBe('superseded')
    expect(results.filter(({ status }) => status === 'stored')).toHaveLength(1200)
    const [again] = await products.documents.bulk([{ id: 'p1' }], { mode: 'insert' })
    expect(again!.error?.code).toBe('DOCUMENT_EXISTS')
    expect(products.settings.interpretedFields).toEqual(['title'])
    // What nobody could accept is not written down.
    const written = log.entries.flatMap(({ operations }) => operations)
    expect(written.filter(({ type }) => type === 'upsert')).toHaveLength(1201)
    await expectSame(log)
  })

  it('of an import with paths of tags make the same documents and tags, while others make tags', async () => {
    const { log, products } = await openShop()
    let others = 0
    log.between = step => {
      if (others > 0 || step[0]!.type !== 'createTag') return undefined
      others++
      return [
        { type: 'createTag', dataset: 'products', tag: { id: 'Garden', name: 'Garden' } },
        { type: 'removeTag', dataset: 'products', id: 't0' },
      ]
    }
    const rows = many(700, i => ({ path: `Garden > Hoses ${i % 4}` }))
    const report = await products.documents.import(rows, { tagPath: 'path' })
    expect(report).toMatchObject({ stored: 700, replaced: 0, failed: 0, tags: 4 })
    expect(await products.tags.get('Garden > Hoses 3')).toMatchObject({ parentId: 'Garden' })
    expect((await products.documents.get('p3'))?.tag).toContain('Garden > Hoses 3')
    await expectSame(log)
  })

  it('of an import that updates report what changed nothing, which is decided when it is applied', async () => {
    const { log, products } = await openShop()
    await products.documents.bulk(many(20))
    const before = log.entries.length
    const rows = [
      { id: 'p1', price: 1 },
      { id: 'p1', price: 2 },
      { id: 'p1', price: 1 },
      { id: 'p2', price: 2 },
      { id: 'none', price: 3 },
      { id: 'p3', price: 99 },
    ]
    const report = await products.documents.import(rows, { mode: 'update' })
    expect(report).toMatchObject({ stored: 5, unchanged: 2, failed: 1 })
    expect(report.errors).toMatchObject([{ id: 'none', code: 'DOCUMENT_NOT_FOUND' }])
    const written = log.entries.slice(before).flatMap(({ operations }) => operations)
    expect(written.map(one => 'id' in one && one.id)).toEqual(['p1', 'p1', 'p1', 'p2', 'none', 'p3'])
    const next = await products.documents.import([{ id: 'p4' }, { id: 'new' }, { id: 'new' }])
    expect(next).toMatchObject({ stored: 3, replaced: 2 })
    await expectSame(log)
  })

  it('of updateWhere and deleteWhere leave out what no longer matches when its turn comes', async () => {
    const { log, products } = await openShop()
    await products.documents.bulk(many(1000))
    let times = 0
    log.between = step => {
      const [first, second, third, fourth] = idsOf(step)
      if (!first || !second || !third || !fourth || times++ > 3) return undefined
      return [
        { type: 'update', dataset: 'products', id: first, patch: { price: 0 } },
        { type: 'update', dataset: 'products', id: second, patch: { note: 'still matches' } },
        { type: 'delete', dataset: 'products', id: third },
        { type: 'upsert', dataset: 'products', document: { id: `q${times}`, price: 9 } },
      ]
    }
    const updated = await products.documents.updateWhere({ price: { gte: 5 } }, { dear: true })
    expect(updated).toBe(500 - 3 * 2)
    expect(times).toBe(3)
    const kept = await collected(products.documents.scan())
    for (const { id, document } of kept)
      expect([id, document.dear ?? false]).toEqual([id, Number(document.price) >= 5 && id.startsWith('p')])
    times = 0
    const deleted = await products.documents.deleteWhere({ dear: true })
    // Of 494 in three slices, one of each had another price by then, and one was gone.
    expect(deleted).toBe(494 - 3)
    expect((await collected(products.documents.scan())).filter(({ document }) => document.dear)).toEqual([])
    await expectSame(log)
  })

  it('of copy and move take the documents as they are by then, under the rules of the target', async () => {
    const { log, engine, products } = await openShop()
    await log.append([
      {
        type: 'createDataset',
        dataset: 'strict',
        definition: {
          idField: 'title',
          schema: {
            type: 'object',
            properties: { title: { type: 'string' }, price: { type: 'number', maximum: 8 } },
          },
        },
      },
    ])
    const strict = engine.datasets.get('strict')
    await products.documents.bulk(many(500))
    let times = 0
    log.between = step => {
      const [first, second] = idsOf(step)
      if (!first || !second || times++ > 0) return undefined
      return [
        { type: 'update', dataset: 'products', id: first, patch: { title: 'Renamed' } },
        { type: 'delete', dataset: 'products', id: second },
      ]
    }
    const ids = many(500).map(({ id }) => id)
    const moved = await products.documents.move([...ids, 'none'], strict.documents)
    expect(moved).toMatchObject({ transferred: 449, missing: 2 })
    expect(moved.failed).toHaveLength(50)
    expect(await strict.documents.get('Renamed')).toMatchObject({ id: 'p0', price: 0 })
    expect(products.documents.count).toBe(50)
    times = 0
    const left = (await collected(products.documents.scan())).map(({ id }) => id)
    const copied = await products.documents.copy(left, engine.datasets.get('archive').documents)
    expect(copied).toEqual({ transferred: 49, missing: 1, failed: [] })
    expect(await engine.datasets.get('archive').documents.get(left[0]!)).toMatchObject({ title: 'Renamed' })
    await expectSame(log)
  })

  it('of cleaning take dead tags out of documents, whose times stay', async () => {
    const { log, products } = await openShop()
    await products.documents.bulk(many(900))
    const before = await products.documents.record('p0')
    let times = 0
    log.between = step => {
      const [first] = step
      if (first!.type !== 'cleanDocuments' || times++ > 0) return undefined
      // One has lost it by itself, one has another beside it, and the tag that all have is made again.
      return [
        { type: 'update', dataset: 'products', id: 'p0', patch: { tag: [] } },
        { type: 'update', dataset: 'products', id: 'p3', patch: { tag: ['t0', 't1'] } },
      ]
    }
    const { removed, cleaning } = await products.tags.remove('t0', { cleanDocuments: true })
    expect([removed, await cleaning]).toEqual([['t0'], 299])
    expect((await products.documents.get('p3'))?.tag).toEqual(['t1'])
    const p6 = await products.documents.record('p6')
    expect(p6).toMatchObject({ document: { tag: [] }, modifiedAt: before!.modifiedAt })
    // Those of t2 have never been tags.
    expect(await products.tags.cleanDocuments()).toBe(300)
    expect(log.entries.at(-1)!.operations).toEqual([
      { type: 'forgetDeadTags', dataset: 'products', tags: ['t2'] },
    ])
    await expectSame(log)
  })

  it('give the texts of files, which no other engine reads', async () => {
    const { log, engine } = await openLogged()
    const schema = { type: 'object', properties: { id: { type: 'string' }, file: { type: 'attachment' } } }
    const definition = { interpretedFields: ['file'], schema }
    await log.append([
      { type: 'createDataset', dataset: 'manuals', definition },
      { type: 'createDataset', dataset: 'others', definition },
      { type: 'createDataset', dataset: 'texts' },
    ])
    const [manuals, others, texts] = ['manuals', 'others', 'texts'].map(name => engine.datasets.get(name))
    const page = (words: string) => Buffer.from(`<title>Manual</title><p>${words}`).toString('base64')
    const broken = Buffer.from('%PDF-1.4 cut off').toString('base64')
    const rows = await manuals!.documents.bulk([
      { id: 'a', file: page('prune the roses') },
      { id: 'b', file: page('water the tulips') },
      { id: 'c', file: broken },
    ])
    expect(rows.map(({ status }) => status)).toEqual(['stored', 'stored', 'failed'])
    await manuals!.documents.updateWhere({ id: 'b' }, { file: page('mow the lawn') })
    await manuals!.documents.import([{ id: 'a', file: page('prune the hedge') }], { mode: 'update' })
    await manuals!.documents.copy(['a', 'b'], others!.documents)
    // Here it is a text like any other, which is read where it is a file.
    await texts!.documents.bulk([
      { id: 't', file: page('rake the leaves') },
      { id: 'u', file: broken },
    ])
    const moved = await texts!.documents.move(['t', 'u'], others!.documents)
    expect(moved).toMatchObject({ transferred: 1, failed: [{ id: 'u', code: 'INVALID_DOCUMENT' }] })

    const extractor = {
      extract: () => Promise.reject(new Error('a file was read again')),
      sheet: () => Promise.reject(new Error('a file was read again')),
      close: async () => {},
      share: () => extractor,
    }
    const replayed = await log.replayed({ extractor: extractor as never })
    expect(await stateOf(replayed)).toEqual(await stateOf(engine))
    const found = async (query: string) =>
      (await replayed.datasets.get('others').search(query)).hits.map(({ id }) => id)
    expect([await found('hedge'), await found('lawn'), await found('leaves')]).toEqual([['a'], ['b'], ['t']])
  })

  it('make of every random job what it makes by itself', async () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const tag = fc.uniqueArray(fc.constantFrom('x', 'y', 'z'))
    const document = fc.record({ id, title: fc.constantFrom('Lamp', 'Hose'), price: fc.nat(5), tag })
    const where = fc.oneof(
      fc.record({ price: fc.record({ gte: fc.nat(5) }) }),
      fc.record({ title: fc.constantFrom('Lamp', 'Hose') }),
      fc.constantFrom('lamp', 'price:[1 TO 3]', 'hose OR tag:x'),
    )
    type Call = (engine: Engine) => PromiseLike<unknown>
    const products = (engine: Engine) => engine.datasets.get('products')
    const counted = ({ reading: _, errors, ...counts }: ImportReport) => ({
      ...counts,
      errors: errors.map(({ line, code }) => ({ line, code })),
    })
    const documents = fc.array(fc.oneof(document, fc.record({ title: fc.constant('none') })), {
      maxLength: 8,
    })
    const call: fc.Arbitrary<Call> = fc.oneof(
      fc.tuple(documents, fc.constantFrom('upsert' as const, 'insert' as const)).map(
        ([rows, mode]): Call =>
          async engine =>
            (await products(engine).documents.bulk(rows as never, { mode })).map(
              ({ row, id, status, error }) => ({ row, id, status, code: error?.code }),
            ),
      ),
      fc.tuple(documents, fc.constantFrom('upsert' as const, 'insert' as const, 'update' as const)).map(
        ([rows, mode]): Call =>
          async engine =>
            counted(await products(engine).documents.import(rows, { mode, tagPath: 'title' })),
      ),
      fc.tuple(where, fc.record({ price: fc.nat(5) })).map(
        ([where, patch]): Call =>
          engine =>
            products(engine).documents.updateWhere(where, patch),
      ),
      // Breaks a rule of some.
      fc.tuple(where).map(
        ([where]): Call =>
          engine =>
            engine.datasets.get('strict').documents.updateWhere(where, { price: 4 }),
      ),
      where.map(
        (where): Call =>
          engine =>
            products(engine).documents.deleteWhere(where),
      ),
      fc.tuple(fc.uniqueArray(id, { minLength: 1 }), fc.constantFrom('copy' as const, 'move' as const)).map(
        ([ids, how]): Call =>
          async engine => {
            const target = engine.datasets.get('strict').documents
            const { transferred, missing, failed } = await products(engine).documents[how](ids, target)
            return { transferred, missing, failed: failed.map(({ id, code }) => ({ id, code })) }
          },
      ),
      fc.constant<Call>(engine => products(engine).tags.cleanDocuments()),
      fc.constantFrom('x', 'Lamp').map(
        (id): Call =>
          async engine =>
            await (await products(engine).tags.remove(id, { cleanDocuments: true })).cleaning,
      ),
    )
    const outcomeOf = async (call: Call, engine: Engine): Promise<unknown> => {
      try {
        return await call(engine)
      } catch (error) {
        return error instanceof FindlingError ? error.code : error
      }
    }
    const start: readonly WriteOperation[] = [
      { type: 'createDataset', dataset: 'products' },
      { type: 'createDataset', dataset: 'strict', definition: { interpretedFields: ['title'] } },
    ]
    const tagX: WriteOperation = { type: 'createTag', dataset: 'products', tag: { id: 'x', name: 'X' } }
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 8 }), async calls => {
        const { log, engine } = await openLogged()
        const plain = await openEngine()
        await log.append(start)
        await log.append([tagX])
        await plain.write(start)
        await plain.write([tagX])
        for (const one of [engine, plain]) one.datasets.get('strict', Cheap)
        for (const call of calls) expect(await outcomeOf(call, engine)).toEqual(await outcomeOf(call, plain))
        expect(await contentsOf(engine)).toEqual(await contentsOf(plain))
        const replayed = await log.replayed()
        expect(await stateOf(replayed)).toEqual(await stateOf(engine))
        for (const one of [engine, plain, replayed]) await one.close()
      }),
      { numRuns: 60 },
    )
  })

  it('are whole when one of them fails, and the job ends with its error', async () => {
    const { log, products, archive } = await openShop()
    await products.documents.bulk(many(1000))
    const before = log.entries.length
    const down = new FindlingError('STORE_FAILED', 'the log is away')
    log.between = () => {
      if (log.entries.length === before + 2) throw down
      return undefined
    }
    const ids = many(1000).map(({ id }) => id)
    const job = products.documents.updateWhere({ price: { gte: 0 } }, { seen: true })
    expect(await failureOf(() => job)).toBe(down)
    expect(job.state).toMatchObject({ status: 'failed', error: { code: 'STORE_FAILED' } })
    const seen = (await collected(products.documents.scan())).filter(({ document }) => document.seen)
    expect(seen).toHaveLength(400)
    for (const call of [
      () => products.documents.deleteWhere({ price: { gte: 0 } }),
      () => products.documents.move(ids, archive.documents),
      () => products.documents.bulk(many(10)),
      () => products.documents.import(many(10)),
      () => products.tags.cleanDocuments(),
      () => products.tags.remove('t0', { cleanDocuments: true }),
    ])
      expect(await failureOf(call)).toBe(down)
    expect([products.documents.count, archive.documents.count]).toEqual([1000, 0])
    expect(await products.tags.get('t0')).toBeDefined()
    await expectSame(log)
  })

  it('end where the job would break a rule, and none of that step is written', async () => {
    const { log, engine } = await openLogged()
    await log.append([
      { type: 'createDataset', dataset: 'lamps', definition: { interpretedFields: ['title'] } },
    ])
    const { documents } = engine.datasets.get('lamps', Cheap)
    await documents.bulk([...many(300), { id: 'q', title: 'Lamp', price: 0 }])
    const before = log.entries.length
    const { code } = await failureOf(() => documents.updateWhere({ price: { lt: 9 } }, { price: 4 }))
    expect(code).toBe('INVALID_DOCUMENT')
    // The first slice was, the one with the lamp that must be cheap was not.
    expect(log.entries.slice(before).map(({ operations }) => operations.length)).toEqual([200])
    expect(await documents.get('q')).toMatchObject({ price: 0 })
    await expectSame(log)
  })

  it('stop between two of them when the job is cancelled', async () => {
    const { log, products } = await openShop()
    await products.documents.bulk(many(2000))
    const before = log.entries.length
    const job = products.documents.deleteWhere({ price: { gte: 0 } })
    log.between = () => {
      job.cancel()
      return undefined
    }
    expect(await codeOf(() => job)).toBe('CANCELLED')
    const count = products.documents.count
    expect(2000 - count).toBe(200 * (log.entries.length - before))
    expect(count).toBeGreaterThan(0)
    log.between = step => {
      if (step[0]!.type === 'cleanDocuments') cleaning.cancel()
      return undefined
    }
    const cleaning = products.tags.cleanDocuments()
    expect(await codeOf(() => cleaning)).toBe('CANCELLED')
    while (log.entries.at(-1)!.operations[0]!.type !== 'forgetDeadTags') await breathe()
    await expectSame(log)
    // It is over for good.
    const entries = log.entries.length
    expect(await products.tags.resumeCleaning()).toBe(0)
    expect(log.entries).toHaveLength(entries)
  })

  it('of a cleaning are not resumed when the store is opened, but when somebody asks for it', async () => {
    const store = memoryDatabase()
    const operations: WriteOperation[] = [
      { type: 'createTag', dataset: 'products', tag: { id: 't0', name: 'Desk' } },
      { type: 'createTag', dataset: 'products', tag: { id: 'low', name: 'Low', parentId: 't0' } },
      ...many(6).map(document => ({ type: 'upsert' as const, dataset: 'products', document })),
      { type: 'removeTag', dataset: 'products', id: 't0', force: true, cleanDocuments: true },
    ]
    const first = await openEngine({ store })
    await first.datasets.create('products')
    const results = await first.write(operations, { each: true })
    expect(results.at(-1)).toMatchObject({ removed: ['t0', 'low'] })
    await first.close()
    const { log, engine } = await openLogged({ store })
    expect(engine.jobs({ status: ['running'] })).toEqual([])
    const { documents, tags } = engine.datasets.get('products')
    expect((await documents.get('p0'))?.tag).toEqual(['t0'])
    expect(await tags.resumeCleaning()).toBe(2)
    expect((await documents.get('p0'))?.tag).toEqual([])
    expect(log.entries.map(({ operations: [one] }) => one!.type)).toEqual([
      'cleanDocuments',
      'forgetDeadTags',
    ])
  })

  it('have outcomes that are checked', async () => {
    for (const write of [async () => [], async () => 'done', async () => [7]]) {
      const engine = await openEngine({ writeThrough: { write: write as never } })
      await engine.write([{ type: 'createDataset', dataset: 'products' }], { seqFrom: 1000 })
      const { documents } = engine.datasets.get('products')
      const { code, details } = await failureOf(() => documents.bulk([{ id: 'a' }]))
      expect([code, String(details.field).replace('[0]', '')]).toEqual(['INVALID_ARGUMENT', 'writeThrough'])
    }
    expect(await failureOf(() => openEngine({ writeThrough: 'log' as never }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'writeThrough' },
    })
  })

  it('may be of documents that a zod object changes', async () => {
    const { log, engine } = await openLogged()
    const schema = z.object({ id: z.string(), title: z.string().trim(), stock: z.number().default(0) })
    const products = await engine.datasets.create('products', { schema })
    await products.documents.bulk([{ id: 'a', title: ' Lamp ' }])
    await products.documents.import([{ id: 'b', title: ' Hose' }])
    await products.documents.updateWhere({ stock: 0 }, { stock: 3 })
    expect(await products.documents.getMany(['a', 'b'])).toEqual([
      { id: 'a', title: 'Lamp', stock: 3 },
      { id: 'b', title: 'Hose', stock: 3 },
    ])
    expect(log.entries.map(({ operations: [one] }) => one!.type)).toEqual([
      'createDataset',
      'upsert',
      'upsert',
      'update',
    ])
  })
})

describe('operations of engine.write for steps of jobs', () => {
  it('are refused by what is stored, and say what is wrong', async () => {
    const engine = await openEngine()
    await engine.datasets.create('one')
    await engine.datasets.create('two', { idField: 'sku' })
    const { documents } = engine.datasets.get('one')
    const { seq } = await documents.insert({ id: 'a', sku: 'A1', tag: ['x'] })
    const copy = { type: 'copy', dataset: 'one', id: 'a', to: 'two' } as const
    const refused: [operation: WriteOperation, code: string, field: string][] = [
      [{ ...copy, to: 'one' }, 'INVALID_ARGUMENT', 'to'],
      [{ ...copy, to: 'none' }, 'DATASET_NOT_FOUND', 'to'],
      [{ ...copy, id: 'none', as: 'A1' }, 'DOCUMENT_NOT_FOUND', 'id'],
      [{ ...copy, as: 'A1', ifSeq: seq + 1 }, 'SEQUENCE_MISMATCH', 'ifSeq'],
      [copy, 'INVALID_DOCUMENT', 'sku'],
      [{ ...copy, as: '' }, 'INVALID_ARGUMENT', 'as'],
      [{ type: 'cleanDocuments', dataset: 'one', ids: ['a', ' '] }, 'INVALID_ARGUMENT', 'ids[1]'],
      [{ type: 'declareDeadTags', dataset: 'one', tags: [''] }, 'INVALID_ARGUMENT', 'tags[0]'],
      [{ type: 'forgetDeadTags', dataset: 'none', tags: [] }, 'DATASET_NOT_FOUND', 'dataset'],
      [{ type: 'createDataset', dataset: 'A!' }, 'INVALID_ARGUMENT', 'dataset'],
      [{ type: 'createDataset', dataset: 'one' }, 'DATASET_EXISTS', 'dataset'],
      [{ type: 'removeDataset', dataset: 'A!' }, 'INVALID_ARGUMENT', 'dataset'],
      [{ type: 'removeDataset', dataset: 'none' }, 'DATASET_NOT_FOUND', 'dataset'],
      [{ type: 'renameDataset', dataset: 'none', to: 'three' }, 'DATASET_NOT_FOUND', 'dataset'],
      [{ type: 'renameDataset', dataset: 'one', to: 'A!' }, 'INVALID_ARGUMENT', 'to'],
      [{ type: 'renameDataset', dataset: 'one', to: 'two' }, 'DATASET_EXISTS', 'to'],
      [{ type: 'swapDatasets', dataset: 'one', with: 'none' }, 'DATASET_NOT_FOUND', 'with'],
      [{ type: 'configureDataset', dataset: 'none', settings: {} }, 'DATASET_NOT_FOUND', 'dataset'],
      [{ type: 'prepareDataset', dataset: 'none', settings: {} }, 'DATASET_NOT_FOUND', 'dataset'],
    ]
    for (const [operation, code, field] of refused) {
      const [outcome] = await engine.write([operation], { each: true })
      expect([operation, outcome!.error?.code, outcome!.error?.details.field]).toEqual([
        operation,
        code,
        field,
      ])
    }
    const outcomes = await engine.write([
      { ...copy, as: 'A1', ifSeq: seq },
      { type: 'cleanDocuments', dataset: 'one', ids: ['a'] },
      { type: 'declareDeadTags', dataset: 'one', tags: ['x'] },
      { type: 'cleanDocuments', dataset: 'one', ids: ['a', 'none'] },
      { type: 'forgetDeadTags', dataset: 'one', tags: ['x'] },
    ])
    expect(outcomes[0]).toMatchObject({ id: 'A1' })
    expect([outcomes[1]!.changed, outcomes[3]!.changed]).toEqual([0, 1])
    expect(await engine.datasets.get('two').documents.get('A1')).toMatchObject({ id: 'a', tag: ['x'] })
    expect((await documents.get('a'))?.tag).toEqual([])
  })

  it('choose no fields by documents that are all refused', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const { documents } = await engine.datasets.create('one')
    await documents.bulk([{ id: 'a' }, { id: 'b' }])
    const rows = [
      { id: 'a', title: 'Lamp' },
      { id: 'b', title: 'Hose' },
    ]
    await engine.write(
      rows.map(document => ({ type: 'insert', dataset: 'one', document })),
      { each: true },
    )
    await documents.bulk(rows, { mode: 'insert' })
    await engine.close()
    const again = await openEngine({ store })
    expect(again.datasets.get('one').settings.interpretedFields).toEqual([])
  })

  it('take a file only with its text', async () => {
    const engine = await openEngine()
    const schema = { type: 'object', properties: { id: { type: 'string' }, file: { type: 'attachment' } } }
    await engine.datasets.create('texts')
    await engine.datasets.create('manuals', { interpretedFields: ['file'], schema } as never)
    const file = Buffer.from('<p>prune the roses').toString('base64')
    await engine.datasets.get('texts').documents.insert({ id: 'a', file })
    const move = { type: 'move', dataset: 'texts', id: 'a', to: 'manuals' } as const
    const [{ error }] = (await engine.write([move], { each: true })) as [{ error: FindlingError }]
    expect([error.code, error.details.field]).toEqual(['INVALID_DOCUMENT', 'file'])
    expect(engine.datasets.get('texts').documents.count).toBe(1)
    await engine.write([{ ...move, texts: { file: 'prune the roses' } }])
    expect((await engine.datasets.get('manuals').search('roses')).hits.map(({ id }) => id)).toEqual(['a'])
    await expectHealthy(engine)
  })
})

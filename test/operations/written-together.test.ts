import fc from 'fast-check'
import { type Engine, type ErrorCode, FindlingError, type WriteOperation } from 'findling'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  temporaryFolder,
} from '../engine/engines.ts'

const lampTag = { id: 'light', name: 'Lighting' }
const lamp = { id: 'p1', title: 'Desk lamp', tag: ['light'] }

async function openShop(store = memoryDatabase()) {
  const engine = await openEngine({ store })
  const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
  return { engine, store, products }
}

/** All that users see of what is written, numbers and times aside. */
async function contentsOf(engine: Engine): Promise<unknown> {
  const datasets = []
  for (const { name, settings } of engine.datasets.list()) {
    const { documents, tags } = engine.datasets.get(name)
    const all = await collected(documents.scan())
    datasets.push({
      name,
      settings,
      documents: all.map(({ document }) => document),
      tags: await tags.list(),
    })
  }
  const services = engine.services
    .list()
    .map(({ id, name, alias, dataset }) => ({ id, name, alias, dataset }))
  services.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { datasets, services, notes: await collected(engine.namespace('notes').entries()) }
}

describe('a call of very many writes', () => {
  const many = (title: string): WriteOperation[] =>
    Array.from({ length: 5_000 }, (_, i) => ({
      type: 'upsert',
      dataset: 'products',
      document: { id: `d${i}`, title },
    }))

  it.each([{}, { each: true }])(
    'is decided before later calls, in the datasets of its moment: %j',
    async options => {
      const { engine, products } = await openShop()
      const next = await engine.datasets.create('next', { interpretedFields: ['title'] })
      const written = engine.write(many('first'), options)
      const again = products.documents.upsert({ id: 'd4999', title: 'second' })
      const swapped = engine.datasets.swap('products', 'next')
      await Promise.all([written, again, swapped])
      expect([products.documents.count, next.documents.count]).toEqual([0, 5_000])
      expect((await next.documents.get('d4999'))?.title).toBe('second')
    },
  )

  it('is stored before the engine is closed', async () => {
    const { engine, store } = await openShop()
    const written = engine.write(many('first'))
    await engine.close()
    await written
    const again = await openEngine({ store })
    expect(again.datasets.get('products').documents.count).toBe(5_000)
  })
})

describe('very many documents that are read', () => {
  it('are refused as by a closed engine if it is closed meanwhile', async () => {
    const engine = await openEngine()
    const { documents } = await engine.datasets.create('products')
    await documents.bulk(Array.from({ length: 5_000 }, (_, id) => ({ id, text: 'lamp '.repeat(50) })))
    const ids = Array.from({ length: 50_000 }, (_, i) => i % 5_000)
    const reading = documents.getMany(ids).then(
      () => 'read',
      ({ code }) => code,
    )
    await new Promise(resolve => setImmediate(resolve))
    await engine.close()
    expect(['read', 'CLOSED']).toContain(await reading)
  })
})

describe('engine.write', () => {
  it('changes datasets, tags, services and entries with documents, or nothing at all', async () => {
    const { engine, store, products } = await openShop()
    const all: WriteOperation[] = [
      { type: 'createDataset', dataset: 'archive', definition: { interpretedFields: ['name'] } },
      { type: 'createTag', dataset: 'products', tag: { id: 'light', name: 'Lighting' } },
      { type: 'createTag', dataset: 'products', tag: { id: 'desk', name: 'For desks', parentId: 'light' } },
      { type: 'insert', dataset: 'products', document: lamp },
      { type: 'createService', service: { id: 'shop', type: 'search', name: 'Shop search' } },
      { type: 'put', namespace: 'notes', key: 'position', value: 7 },
    ]
    const before = await contentsOf(engine)
    const last: WriteOperation = {
      type: 'insert',
      dataset: 'products',
      document: { ...lamp, title: 'Another' },
    }
    expect(await codeOf(() => engine.write([...all, last]))).toBe('DOCUMENT_EXISTS')
    expect(await contentsOf(engine)).toEqual(before)
    // What was planned is forgotten with it.
    expect(await products.tags.create({ id: 'light', name: 'Light' })).toMatchObject({ isLeaf: true })
    await products.tags.remove('light')

    const results = await engine.write(all)
    expect(results.map(({ id }) => id)).toEqual(['archive', 'light', 'desk', 'p1', 'shop', 'position'])
    expect(results.map(({ seq }) => typeof seq)).toEqual([
      'object',
      'object',
      'object',
      'number',
      'object',
      'object',
    ])
    expect((await products.tags.get('desk'))?.path.map(({ name }) => name)).toEqual(['Lighting'])
    await engine.datasets.get('archive').documents.insert({ id: 'a', name: 'Old hose' })
    const contents = await contentsOf(engine)
    await engine.close()
    const again = await openEngine({ store })
    expect(await contentsOf(again)).toEqual(contents)
    expect((await again.datasets.get('archive').search('hose')).hits.map(({ id }) => id)).toEqual(['a'])
    await expectHealthy(again)
  })

  it('renames, swaps and removes datasets', async () => {
    const { engine, products } = await openShop()
    const next = await engine.datasets.create('next')
    await products.documents.insert(lamp)
    await next.documents.insert({ id: 'n1', title: 'New' })
    await engine.write([
      { type: 'swapDatasets', dataset: 'products', with: 'next' },
      { type: 'renameDataset', dataset: 'next', to: 'before' },
      { type: 'put', namespace: 'notes', key: 'position', value: 8 },
    ])
    expect(engine.datasets.list().map(({ name }) => name)).toEqual(['before', 'products'])
    expect(await products.documents.get('n1')).toBeDefined()
    expect((await engine.datasets.get('before').search('lamp')).hits).toHaveLength(1)
    await engine.write([{ type: 'removeDataset', dataset: 'before' }])
    expect(engine.datasets.has('before')).toBe(false)
    const two: WriteOperation[] = [
      { type: 'removeDataset', dataset: 'products' },
      { type: 'delete', dataset: 'products', id: 'n1' },
    ]
    expect(await codeOf(() => engine.write(two))).toBe('DATASET_NOT_FOUND')
    expect(await products.documents.get('n1')).toBeDefined()
    await expectHealthy(engine)
  })

  it('writes to the data that has a name before the call, and removes what has it after a swap', async () => {
    const { engine, products } = await openShop()
    await engine.datasets.create('next')
    const written: WriteOperation[] = [
      { type: 'swapDatasets', dataset: 'products', with: 'next' },
      { type: 'insert', dataset: 'products', document: { id: 'n1', title: 'New' } },
      { type: 'createTag', dataset: 'products', tag: { id: 'new', name: 'New' } },
      { type: 'configureDataset', dataset: 'products', settings: { stopWords: ['new'] } },
    ]
    await engine.write(written)
    const before = engine.datasets.get('next')
    expect([await before.documents.get('n1'), await before.tags.get('new')]).not.toContain(undefined)
    expect([before.settings.stopWords, products.settings.stopWords]).toEqual([['new'], []])
    await engine.write([
      { type: 'swapDatasets', dataset: 'products', with: 'next' },
      { type: 'removeDataset', dataset: 'next' },
    ])
    expect(await products.documents.get('n1')).toBeDefined()
    expect(engine.datasets.has('next')).toBe(false)
  })

  it('configures a dataset at once, which what was begun by its settings of before does not undo', async () => {
    const { engine, store, products } = await openShop()
    await products.documents.bulk(
      Array.from({ length: 3000 }, (_, i) => ({ id: `p${i}`, title: `Lamp ${i}`, maker: `Maker ${i % 7}` })),
    )
    expect((await products.search('maker')).total.count).toBe(0)
    const job = products.reconfigure({ interpretedFields: ['title', 'other'] })
    const configure = { type: 'configureDataset', dataset: 'products' } as const
    await engine.write([{ ...configure, settings: { interpretedFields: ['title', 'maker'] } }])
    expect(await codeOf(() => job.finished)).toBe('DATASET_BUSY')
    expect(products.settings.interpretedFields).toEqual(['title', 'maker'])
    expect((await products.search('maker')).total.count).toBe(3000)
    await engine
      .write([{ ...configure, settings: { synonyms: { make: ['maker'] } as never } }])
      .catch(() => {})
    const { index } = engine.memory().datasets[0]!
    await engine.write([{ ...configure, settings: { stopWords: ['lamp'] } }])
    // What queries alone are about leaves the index where it is; topics and typos may still be prepared in it.
    expect(index).toBeGreaterThan(0)
    expect(engine.memory().datasets[0]!.index).toBeGreaterThanOrEqual(index)
    expect(products.settings).toMatchObject({ stopWords: ['lamp'], interpretedFields: ['title', 'maker'] })
    const refused = await failureOf(() => engine.write([{ ...configure, settings: { idField: 'sku' } }]))
    expect([refused.code, refused.details.field]).toEqual(['INVALID_ARGUMENT', 'idField'])
    await engine.close()
    const again = await openEngine({ store })
    expect((await again.datasets.get('products').search('maker')).total.count).toBe(3000)
    await expectHealthy(again)
  })

  it('with each, accepts what it can in one commit and says why it refuses the rest', async () => {
    const { engine, products } = await openShop()
    await products.documents.insert(lamp)
    const { seq } = (await products.documents.record('p1'))!
    const outcomes = await engine.write(
      [
        { type: 'insert', dataset: 'products', document: { id: 'p1' } },
        { type: 'update', dataset: 'products', id: 'p1', patch: { title: 'Lamp' }, ifSeq: seq },
        { type: 'update', dataset: 'products', id: 'p1', patch: { title: 'Late' }, ifSeq: seq },
        { type: 'insert', dataset: 'nowhere', document: { id: 'p1' } },
        { type: 'insert', dataset: 'products', document: { title: 'without an id' } },
        { type: 'createTag', dataset: 'products', tag: { id: 'desk', name: 'Desks', parentId: 'none' } },
        { type: 'createTag', dataset: 'products', tag: { id: 'desk', name: 'Desks' } },
        { type: 'createDataset', dataset: 'products' },
        { type: 'put', namespace: 'not a name', key: 'a', value: 1 },
        { type: 'put', namespace: 'notes', key: 'position', value: 9 },
      ],
      { each: true },
    )
    expect(outcomes.map(outcome => outcome.error?.code ?? 'done')).toEqual([
      'DOCUMENT_EXISTS',
      'done',
      'SEQUENCE_MISMATCH',
      'DATASET_NOT_FOUND',
      'INVALID_DOCUMENT',
      'TAG_PARENT_NOT_FOUND',
      'done',
      'DATASET_EXISTS',
      'INVALID_ARGUMENT',
      'done',
    ])
    expect((await products.documents.record('p1'))?.seq).toBe(seq + 1)
    expect(await engine.namespace('notes').get('position')).toBe(9)
    await expectHealthy(engine)
  })

  it('decides writes that belong together as one, beside others', async () => {
    const { engine, products } = await openShop()
    const put = (id: string) => ({ type: 'insert', dataset: 'products', document: { id } }) as const
    const outcomes = await engine.write(
      [
        { type: 'together', operations: [put('a'), put('b')] },
        {
          type: 'together',
          operations: [put('c'), { type: 'createTag', dataset: 'products', tag: lampTag }, put('a')],
        },
        { type: 'together', operations: [{ type: 'createTag', dataset: 'products', tag: lampTag }] },
        { type: 'together', operations: [put('d'), { type: 'delete', dataset: 'nowhere', id: 'd' }] },
        put('e'),
      ],
      { each: true },
    )
    expect(
      outcomes.map(one => (one.error ? one.error.code : (one.results?.map(({ id }) => id) ?? one.id))),
    ).toEqual([['a', 'b'], 'DOCUMENT_EXISTS', ['light'], 'DATASET_NOT_FOUND', 'e'])
    const stored = await collected(products.documents.scan())
    expect(stored.map(({ document }) => document.id)).toEqual(['a', 'b', 'e'])
  })

  it('with a time and a number given, writes the same in every engine, once', async () => {
    const written = async (others: number) => {
      const { engine, products } = await openShop()
      // What an engine keeps for itself takes numbers as well.
      for (let i = 0; i < others; i++) await engine.namespace('own').put('count', i)
      const write = (seqFrom: number) =>
        engine.write(
          [
            { type: 'upsert', dataset: 'products', document: lamp },
            { type: 'update', dataset: 'products', id: 'p1', patch: { price: seqFrom } },
            { type: 'createDataset', dataset: `made-${seqFrom}` },
          ],
          { at: 1_700_000_000_000 + seqFrom, seqFrom },
        )
      await write(1000)
      for (let i = 0; i < others; i++) await engine.namespace('own').put('count', i)
      await write(2000)
      const { code, details } = await failureOf(() => write(2000))
      expect([code, details.field]).toEqual(['SEQUENCE_MISMATCH', 'seqFrom'])
      const made = engine.datasets.list().filter(({ name }) => name.startsWith('made'))
      return [await products.documents.record('p1'), made.map(({ name, createdAt }) => ({ name, createdAt }))]
    }
    const [record, made] = await written(0)
    expect(record).toMatchObject({ seq: 2002, modifiedAt: 1_700_000_002_000 })
    expect(made).toContainEqual({ name: 'made-1000', createdAt: 1_700_000_001_000 })
    expect(await written(5)).toEqual([record, made])
  })

  it('refuses the same a second time also where no document changes, and goes by nothing of its own', async () => {
    const { engine, store, products } = await openShop()
    await products.documents.insert(lamp)
    await engine.datasets.create('next')
    const swap: WriteOperation[] = [{ type: 'swapDatasets', dataset: 'products', with: 'next' }]
    await engine.write(swap, { seqFrom: 1000 })
    expect(await codeOf(() => engine.write(swap, { seqFrom: 1000 }))).toBe('SEQUENCE_MISMATCH')
    expect(engine.datasets.get('next').documents.count).toBe(1)
    const service = await engine.services.create({ type: 'search', name: 'Search' })
    await service.prepare({ dataset: 'next' })
    const remove: WriteOperation[] = [{ type: 'removeDataset', dataset: 'next' }]
    expect(await codeOf(() => engine.write(remove))).toBe('DATASET_IN_USE')
    await service.activate()
    await engine.write(remove, { seqFrom: 2000 })
    expect(engine.datasets.has('next')).toBe(false)
    expect(await codeOf(() => service.search('lamp'))).toBe('DATASET_NOT_FOUND')
    await engine.close()
    const again = await openEngine({ store })
    expect(again.services.get(service.id).status).toBe('active')
    expect(await codeOf(() => again.services.get(service.id, 'search').search('lamp'))).toBe(
      'DATASET_NOT_FOUND',
    )
    await expectHealthy(again)
    await again.services.get(service.id).remove()
    await expectHealthy(again)
  })

  it('gives numbers that a reopened store, its change log and its backups know', async () => {
    const folder = await temporaryFolder()
    const engine = await openEngine({ store: folder })
    const products = await engine.datasets.create('products')
    await products.documents.insert({ id: 'before' })
    await engine.write([{ type: 'insert', dataset: 'products', document: lamp }], { seqFrom: 2 ** 40 })
    const { seq } = await products.documents.insert({ id: 'after' })
    expect(seq).toBe(2 ** 40 + 2)
    await engine.backup(`${folder}-backup`, { note: 'position 1' })
    await engine.close()
    const again = await openEngine({ store: folder })
    const { documents } = again.datasets.get('products')
    expect((await documents.record('p1'))?.seq).toBe(2 ** 40 + 1)
    const changes = await collected(documents.changes({ since: 2 ** 40 }))
    expect(changes.map(({ id }) => id)).toEqual(['p1', 'after'])
    await expectHealthy(again)
  })

  it('keeps the order of the calls where the texts of files are given, and reads no file', async () => {
    const engine = await openEngine()
    const manuals = await engine.datasets.create('manuals', {
      interpretedFields: ['file'],
      schema: {
        type: 'object',
        properties: { id: { type: 'string' }, file: { type: 'attachment' } },
      },
    })
    // No file that could be read.
    const file = Buffer.from('%PDF-1.4 cut off').toString('base64')
    const texts = { file: 'how to prune roses' }
    const [, second] = await Promise.all([
      engine.write([{ type: 'upsert', dataset: 'manuals', document: { id: 'a', file }, texts }]),
      engine.write([{ type: 'update', dataset: 'manuals', id: 'a', patch: { file }, texts }]),
    ])
    expect(second.map(({ id }) => id)).toEqual(['a'])
    expect((await manuals.search('roses')).hits.map(({ id }) => id)).toEqual(['a'])
    expect(await codeOf(() => manuals.documents.fileTexts({ id: 'a', file }))).toBe('INVALID_DOCUMENT')
    const page = Buffer.from('<title>Roses</title><p>Water them').toString('base64')
    expect(Object.keys(await manuals.documents.fileTexts({ id: 'a', file: page }))).toEqual(['file'])
  })

  it('creates services by an id that nobody has, and that can be had again when it is free', async () => {
    const { engine, products } = await openShop()
    await products.documents.insert(lamp)
    const create: WriteOperation = {
      type: 'createService',
      service: { id: 'shop', type: 'search', name: 'Search', alias: 'main' },
    }
    await engine.write([create], { at: 5 })
    expect(engine.services.get('main').info()).toMatchObject({ id: 'shop', createdAt: 5, status: 'new' })
    expect(await codeOf(() => engine.write([create]))).toBe('SERVICE_EXISTS')
    expect(await codeOf(() => engine.services.create({ id: 'a/b', type: 'search', name: 'a' }))).toBe(
      'INVALID_ARGUMENT',
    )
    await engine.services.get('shop', 'search').prepare({ dataset: 'products' })
    await engine.write([{ type: 'updateService', id: 'shop', changes: { name: 'Shop' } }])
    expect(engine.services.get('shop').info()).toMatchObject({ name: 'Shop', status: 'prepared' })
    const remove = { type: 'removeService', id: 'shop' } as const
    expect(await codeOf(() => engine.write([remove, create]))).toBe('SERVICE_EXISTS')
    expect(engine.services.get('shop').status).toBe('prepared')
    await Promise.all([engine.write([remove])])
    await engine.write([create])
    expect(engine.services.get('shop').status).toBe('new')
    await engine.services.get('shop', 'search').prepare({ dataset: 'products' })
    expect(engine.services.get('shop').status).toBe('prepared')
    expect(await codeOf(() => engine.write([{ ...remove, id: 'none' }]))).toBe('SERVICE_NOT_FOUND')
    await expectHealthy(engine)
  })

  it('refuses what it cannot be, by its name', async () => {
    const { engine } = await openShop()
    const loose = engine.write.bind(engine) as (...given: unknown[]) => Promise<unknown>
    const refused: [operations: unknown, options: unknown, field: string][] = [
      [[{ type: 'createDataset' }], {}, '[0].dataset'],
      [[{ type: 'put', namespace: 'a', key: 'b', more: 1 }], {}, '[0].more'],
      [[{ type: 'put', namespace: 'a', key: '', value: 1 }], {}, ''],
      [[{ type: 'removeTag', dataset: 'products', id: 'a', force: 'yes' }], {}, '[0].force'],
      [[], { at: 'now' }, 'at'],
      [[], { at: -1 }, 'at'],
      [[], { seqFrom: 1.5 }, 'seqFrom'],
      [[], { seqFrom: Number.MAX_SAFE_INTEGER + 1 }, 'seqFrom'],
      [[], { each: 'yes' }, 'each'],
      [[], { once: true }, 'once'],
    ]
    for (const [operations, options, field] of refused) {
      const { code, details } = await failureOf(() => loose(operations, options))
      expect([code, details.field]).toEqual(['INVALID_ARGUMENT', field || details.field])
    }
  })
})

const name = fc.constantFrom('one', 'two', 'three')
const id = fc.constantFrom('a', 'b', 'c')
const document = fc.record({ id, title: fc.constantFrom('Lamp', 'Hose', 'Rake'), tag: fc.constant(['x']) })
const operation: fc.Arbitrary<WriteOperation> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('insert' as const), dataset: name, document }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('upsert' as const), dataset: name, document }) },
  fc.record({
    type: fc.constant('update' as const),
    dataset: name,
    id,
    patch: fc.record({ price: fc.nat(9) }),
  }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), dataset: name, id }) },
  fc.record({
    type: fc.constant('put' as const),
    namespace: fc.constant('notes'),
    key: id,
    value: fc.nat(9),
  }),
  { weight: 2, arbitrary: fc.record({ type: fc.constant('createDataset' as const), dataset: name }) },
  fc.record({ type: fc.constant('removeDataset' as const), dataset: name }),
  fc.record({ type: fc.constant('renameDataset' as const), dataset: name, to: name }),
  fc.record({ type: fc.constant('swapDatasets' as const), dataset: name, with: name }),
  fc.record({
    type: fc.constant('configureDataset' as const),
    dataset: name,
    settings: fc.record({ stopWords: fc.subarray(['lamp', 'hose']) }),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('createTag' as const),
      dataset: name,
      tag: fc.record({ id, name: id, parentId: fc.option(id) }),
    }),
  },
  fc.record({
    type: fc.constant('updateTag' as const),
    dataset: name,
    id,
    change: fc.record({ parentId: fc.option(id) }),
  }),
  fc.record({ type: fc.constant('removeTag' as const), dataset: name, id, force: fc.boolean() }),
  fc.record({ type: fc.constantFrom('copy' as const, 'move' as const), dataset: name, id, to: name }),
  fc.record({
    type: fc.constantFrom('declareDeadTags' as const, 'forgetDeadTags' as const),
    dataset: name,
    tags: fc.subarray(['x', 'a', 'b']),
  }),
  fc.record({
    type: fc.constant('cleanDocuments' as const),
    dataset: name,
    ids: fc.subarray(['a', 'b', 'c']),
  }),
  fc.record({
    type: fc.constant('replaceTags' as const),
    dataset: name,
    tags: fc.uniqueArray(fc.record({ id, name: id }), { selector: tag => tag.id }),
  }),
  fc.record({
    type: fc.constant('createService' as const),
    service: fc.record({ id, type: fc.constant('search' as const), name: id, alias: fc.option(name) }),
  }),
  fc.record({
    type: fc.constant('updateService' as const),
    id,
    changes: fc.record({ alias: fc.option(name) }),
  }),
  fc.record({ type: fc.constant('removeService' as const), id }),
)

/** The same operation by the methods that there are for it. */
async function byMethod(engine: Engine, one: WriteOperation): Promise<unknown> {
  switch (one.type) {
    case 'insert':
      return await engine.datasets.get(one.dataset).documents.insert(one.document as never)
    case 'upsert':
      return await engine.datasets.get(one.dataset).documents.upsert(one.document as never)
    case 'update':
      return await engine.datasets.get(one.dataset).documents.update(one.id, one.patch)
    case 'delete':
      return await engine.datasets.get(one.dataset).documents.delete(one.id)
    case 'copy':
    case 'move':
      return await transferred(engine, one)
    case 'declareDeadTags':
    case 'forgetDeadTags':
    case 'cleanDocuments':
    case 'prepareDataset':
      return await engine.write([one])
    case 'put':
      return await engine.namespace(one.namespace).put(one.key, one.value)
    case 'createDataset':
      return await engine.datasets.create(one.dataset)
    case 'removeDataset':
      return await engine.datasets.remove(one.dataset)
    case 'renameDataset':
      return await engine.datasets.rename(one.dataset, one.to)
    case 'swapDatasets':
      return await engine.datasets.swap(one.dataset, one.with)
    case 'configureDataset':
      return await engine.datasets.get(one.dataset).reconfigure(one.settings).finished
    case 'createTag':
      return await engine.datasets.get(one.dataset).tags.create(one.tag)
    case 'updateTag':
      return await engine.datasets.get(one.dataset).tags.update(one.id, one.change)
    case 'removeTag':
      return await engine.datasets.get(one.dataset).tags.remove(one.id, { force: one.force ?? false })
    case 'replaceTags':
      return await engine.datasets.get(one.dataset).tags.replaceAll(one.tags)
    case 'createService':
      return await engine.services.create(one.service as never)
    case 'updateService':
      return await engine.services.get(one.id).update(one.changes)
    case 'activateService':
      return await engine.services.get(one.id).activate(one.settings)
    case 'deactivateService':
      return await engine.services.get(one.id).deactivate()
    case 'removeService':
      return await engine.services.get(one.id).remove()
    case 'together':
      throw new Error('there is no method for several writes')
  }
}

/** Refused as the report of the job says. */
async function transferred(
  engine: Engine,
  { type, dataset, id, to }: Extract<WriteOperation, { type: 'copy' | 'move' }>,
): Promise<void> {
  const target = engine.datasets.get(to).documents
  const { missing, failed } = await engine.datasets.get(dataset).documents[type]([id], target)
  if (missing > 0) throw new FindlingError('DOCUMENT_NOT_FOUND', 'missing')
  if (failed.length > 0) throw new FindlingError(failed[0]!.code as ErrorCode, failed[0]!.message)
}

const codeOfRefused = (call: () => Promise<unknown>): Promise<string> =>
  call().then(
    () => 'done',
    error => error.code,
  )

describe('writes of an engine', () => {
  it('one by one are what the methods do', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 25 }), async operations => {
        const [one, other] = [await openEngine(), await openEngine()]
        for (const operation of operations) {
          const [outcome] = await one.write([operation], { each: true })
          const expected = await codeOfRefused(() => byMethod(other, operation))
          expect([operation, outcome!.error?.code ?? 'done']).toEqual([operation, expected])
        }
        expect(await contentsOf(one)).toEqual(await contentsOf(other))
        await one.close()
        await other.close()
      }),
      { numRuns: 60 },
    )
  })

  it('together are all made, or leave everything as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
        async groups => {
          const store = memoryDatabase()
          const [one, other] = [await openEngine({ store }), await openEngine()]
          for (const given of groups) {
            // What follows them in one call is written to the data that had the name before.
            const moves = ({ type }: WriteOperation) => type === 'renameDataset' || type === 'swapDatasets'
            const group = [...given.filter(one => !moves(one)), ...given.filter(moves)]
            const before = await contentsOf(one)
            const code = await codeOfRefused(() => one.write(group))
            if (code !== 'done') expect(await contentsOf(one)).toEqual(before)
            else for (const operation of group) await byMethod(other, operation)
          }
          const contents = await contentsOf(one)
          expect(contents).toEqual(await contentsOf(other))
          await one.close()
          await other.close()
          // Without cleaning what was declared meanwhile.
          const again = await openEngine({ store, writeThrough: { write: async () => [] } })
          expect(await contentsOf(again)).toEqual(contents)
          await expectHealthy(again)
          await again.close()
        },
      ),
      { numRuns: 60 },
    )
  })
})

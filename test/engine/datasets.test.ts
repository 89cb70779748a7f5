import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  memoryDatabase,
  openEngine,
  temporaryFolder,
} from './engines.ts'

const lamp = { id: '1', title: 'Brass desk lamp', desc: 'With a green shade', price: 45 }

describe('create', () => {
  it('needs a name only', async () => {
    const engine = await openEngine()
    const { settings, schema, name } = await engine.datasets.create('products')
    expect(name).toBe('products')
    expect(settings).toMatchObject({ idField: 'id', tagField: 'tag', interpretedFields: [] })
    expect(settings).toMatchObject({ nGramCount: 3, validation: 'lenient', language: 'english' })
    expect(schema.source).toBe('none')
  })

  it('reads the text fields of a sample', async () => {
    const engine = await openEngine()
    const products = await engine.datasets.create('products', { sample: { ...lamp, tag: 'lamps' } })
    expect(products.settings.interpretedFields).toEqual(['title', 'desc'])
    await products.documents.insert(lamp)
    expect((await products.search('shade')).hits.map(({ id }) => id)).toEqual(['1'])
    expect(
      await codeOf(() => products.documents.insert({ ...lamp, id: '2', title: { en: 'Lamp' } as never })),
    ).toBe('INVALID_DOCUMENT')
  })

  it('holds documents to the types of a JSON schema', async () => {
    const engine = await openEngine()
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' }, title: { type: 'string' }, price: { type: 'double' } },
    }
    const products = await engine.datasets.create('products', { schema })
    await products.documents.insert({ id: '1', title: 'Lamp', price: 4.5 })
    const wrong = await failureOf(() => products.documents.insert({ id: '2', title: 'Lamp', price: 'cheap' }))
    expect(wrong).toMatchObject({
      code: 'INVALID_DOCUMENT',
      details: { field: 'price', received: '"cheap"' },
    })
  })

  it('holds documents to a zod object, again when it is given to get() after a reopen', async () => {
    const store = memoryDatabase()
    const type = z.object({ id: z.string(), title: z.string().min(3), price: z.number().positive() })
    const engine = await openEngine({ store })
    const products = await engine.datasets.create('products', { schema: type })
    await products.documents.insert({ id: '1', title: 'Lamp', price: 5 })
    expect(await codeOf(() => products.documents.insert({ id: '2', title: 'La', price: 5 }))).toBe(
      'INVALID_DOCUMENT',
    )
    expect(await codeOf(() => products.documents.update('1', { price: -1 }))).toBe('INVALID_DOCUMENT')
    await engine.close()

    const again = await openEngine({ store })
    const untyped = again.datasets.get('products')
    await untyped.documents.insert({ id: '3', title: 'La', price: 5 })
    const typed = again.datasets.get('products', type)
    expect(await codeOf(() => typed.documents.insert({ id: '4', title: 'La', price: 5 }))).toBe(
      'INVALID_DOCUMENT',
    )
  })

  it('lets nobody change settings and schema that are handed out', async () => {
    const engine = await openEngine()
    const products = await engine.datasets.create('products', { sample: lamp })
    const weights = products.settings.weights.title!
    expect(() => Object.assign(weights, { weight: 50 })).toThrow(TypeError)
    expect(() => products.settings.interpretedFields.push('price')).toThrow(TypeError)
    expect(() => products.schema.root.properties?.pop()).toThrow(TypeError)
    await products.reconfigure({ interpretedFields: ['desc'] }).finished
    expect(() => engine.datasets.list()[0]!.settings.interpretedFields.push('price')).toThrow(TypeError)
    expect(products.settings.interpretedFields).toEqual(['desc'])
  })

  it('takes no second zod object for a dataset that one checks already', async () => {
    const engine = await openEngine()
    const type = z.object({ id: z.string(), title: z.string().min(3) })
    const products = await engine.datasets.create('products', { schema: type })
    expect(engine.datasets.get('products', type).settings).toBe(products.settings)
    const other = z.object({ id: z.string() })
    expect(await failureOf(() => engine.datasets.get('products', other))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'schema' },
    })
    expect(await codeOf(() => products.documents.insert({ id: '1', title: 'x' }))).toBe('INVALID_DOCUMENT')
  })

  it('says that a zod object with asynchronous checks cannot be used', async () => {
    const engine = await openEngine()
    const schema = z.object({ id: z.string().refine(async () => true) })
    const { documents } = await engine.datasets.create('products', { schema })
    const expected = { code: 'INVALID_ARGUMENT', details: { field: 'schema' } }
    expect(await failureOf(() => documents.insert({ id: '1' }))).toMatchObject(expected)
    expect(await documents.bulk([{ id: '1' }])).toMatchObject([{ status: 'failed', error: expected }])
  })

  it('holds strict datasets to every rule and lenient ones to an id', async () => {
    const engine = await openEngine()
    const sample = { id: '1', tag: 'a', title: 'Lamp' }
    const strict = await engine.datasets.create('strict', { sample, validation: 'strict' })
    const lenient = await engine.datasets.create('lenient', { sample })
    const cases: [document: object, strict: string, lenient: string][] = [
      [{ id: '1', tag: 'a', title: 'Lamp' }, 'stored', 'stored'],
      [{ id: '2', tag: 'a', title: 'Lamp', color: 'red' }, 'INVALID_DOCUMENT', 'stored'],
      [{ id: '3', title: 'Lamp' }, 'INVALID_DOCUMENT', 'stored'],
      [{ id: '4', tag: 'a' }, 'INVALID_DOCUMENT', 'stored'],
      [{ tag: 'a', title: 'Lamp' }, 'INVALID_DOCUMENT', 'INVALID_DOCUMENT'],
    ]
    for (const [document, ...expected] of cases) {
      const rows = [
        ...(await strict.documents.bulk([document as never])),
        ...(await lenient.documents.bulk([document as never])),
      ]
      expect(rows.map(({ status, error }) => error?.code ?? status)).toEqual(expected)
    }
  })

  it('gives a name once, also to two who ask at the same time', async () => {
    const engine = await openEngine()
    const both = await Promise.allSettled([
      engine.datasets.create('products'),
      engine.datasets.create('products'),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await codeOf(() => engine.datasets.create('products'))).toBe('DATASET_EXISTS')
    expect(engine.datasets.list()).toHaveLength(1)
  })

  it('takes names that objects have members of', async () => {
    const store = memoryDatabase()
    const names = ['__proto__', 'constructor', 'hasOwnProperty', 'toString']
    const engine = await openEngine({ store })
    for (const name of names) {
      const dataset = await engine.datasets.create(name)
      await dataset.documents.insert({ id: name, title: name })
    }
    await engine.close()
    const again = await openEngine({ store })
    expect(again.datasets.list().map(({ name }) => name)).toEqual([...names].sort())
    for (const name of names)
      expect(await again.datasets.get(name).documents.get(name)).toMatchObject({ title: name })
  })
})

describe('get and list', () => {
  it('tell what there is, by name, after a reopen as before', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store, clock: () => 1_700_000_000_000 })
    await engine.datasets.create('toys', {
      interpretedFields: ['name'],
      language: 'none',
      weights: { name: { b: 0.2 } },
    })
    const books = await engine.datasets.create('books', { sample: { id: 1, title: 'x' } })
    await books.documents.bulk([
      { id: 1, title: 'One' },
      { id: 2, title: 'Two' },
    ])
    const listed = engine.datasets.list()
    expect(listed.map(({ name, documents, createdAt }) => [name, documents, createdAt])).toEqual([
      ['books', 2, 1_700_000_000_000],
      ['toys', 0, 1_700_000_000_000],
    ])
    await engine.close()
    const again = await openEngine({ store })
    expect(again.datasets.list()).toEqual(listed)
    expect(again.datasets.get('toys').settings).toEqual(listed[1]!.settings)
  })

  it('refuse a name that no dataset has', async () => {
    const engine = await openEngine()
    expect(engine.datasets.has('nothing')).toBe(false)
    await engine.datasets.create('something')
    expect(engine.datasets.has('something')).toBe(true)
    expect(await failureOf(() => engine.datasets.get('nothing'))).toMatchObject({
      code: 'DATASET_NOT_FOUND',
      details: { field: 'name', received: '"nothing"' },
    })
  })
})

describe('rename', () => {
  it('leaves documents and tags with the dataset and frees the old name, of which handles answer as there being none', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('before')
    await dataset.documents.insert(lamp)
    await dataset.tags.create({ id: 'lamps', name: 'Lamps' })
    await engine.datasets.rename('before', 'after')
    expect(dataset.name).toBe('before')
    expect(await codeOf(() => dataset.search('lamp'))).toBe('DATASET_NOT_FOUND')
    expect(await codeOf(() => engine.datasets.get('before'))).toBe('DATASET_NOT_FOUND')
    await engine.datasets.create('before')
    await engine.close()

    const again = await openEngine({ store })
    const renamed = again.datasets.get('after')
    expect(await renamed.documents.get('1')).toEqual(lamp)
    expect(await renamed.tags.get('lamps')).toMatchObject({ name: 'Lamps' })
    expect((await renamed.search('lamp')).hits).toHaveLength(1)
    expect(again.datasets.get('before').documents.count).toBe(0)
  })

  it('refuses a taken name, and takes its own', async () => {
    const engine = await openEngine()
    await engine.datasets.create('one')
    await engine.datasets.create('two')
    expect(await codeOf(() => engine.datasets.rename('one', 'two'))).toBe('DATASET_EXISTS')
    await engine.datasets.rename('one', 'one')
    expect(engine.datasets.list().map(({ name }) => name)).toEqual(['one', 'two'])
  })
})

describe('renames, swaps and removals that are asked for at once', () => {
  it('are done one after the other, each by the names that the one before has left', async () => {
    const engine = await openEngine()
    const { datasets } = engine
    await datasets.create('shop')
    const renamed = await Promise.allSettled(
      ['one', 'two', 'three'].map(name => datasets.rename('shop', name)),
    )
    expect(renamed.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
    expect(renamed[1]).toMatchObject({ reason: { code: 'DATASET_NOT_FOUND' } })
    expect(datasets.list().map(({ name }) => name)).toEqual(['one'])
    const gone = await Promise.allSettled([datasets.rename('one', 'shop'), datasets.remove('one')])
    expect(gone).toMatchObject([{ status: 'fulfilled' }, { reason: { code: 'DATASET_NOT_FOUND' } }])
    expect(datasets.list().map(({ name }) => name)).toEqual(['shop'])
  })

  it('say of a dataset that was removed right behind its creation that there is none', async () => {
    const { datasets } = await openEngine()
    await datasets.create('next')
    const removed = [datasets.remove('next')]
    const created = codeOf(() => datasets.create('next'))
    removed.push(datasets.remove('next'))
    await Promise.all(removed)
    expect([await created, datasets.has('next')]).toEqual(['DATASET_NOT_FOUND', false])
  })

  it('remove the data of before, not those that have just been put in their place', async () => {
    const engine = await openEngine()
    const { datasets } = engine
    await (await datasets.create('live')).documents.insert({ id: '1', title: 'Old lamp' })
    await (await datasets.create('next')).documents.insert({ id: '1', title: 'New lamp' })
    await Promise.all([datasets.swap('live', 'next'), datasets.remove('next')])
    expect(datasets.list().map(({ name }) => name)).toEqual(['live'])
    expect(await datasets.get('live').documents.get('1')).toMatchObject({ title: 'New lamp' })
    await expectHealthy(engine)
  })
})

describe('swap', () => {
  it('exchanges the data of two names; handles go by the name; both survive a reopen', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const live = await engine.datasets.create('live')
    const next = await engine.datasets.create('next', { language: 'none' })
    const { documents, tags } = live
    await documents.insert({ id: '1', title: 'Old lamp' })
    await next.documents.insert({ id: '1', title: 'New lamp' })
    await next.tags.create({ id: 'new', name: 'New' })
    await engine.datasets.swap('live', 'next')
    expect([live.name, next.name]).toEqual(['live', 'next'])
    expect(await documents.get('1')).toMatchObject({ title: 'New lamp' })
    expect(await next.documents.get('1')).toMatchObject({ title: 'Old lamp' })
    expect((await live.search('lamp')).hits.map(({ document }) => document.title)).toEqual(['New lamp'])
    expect(await live.complete('new')).toMatchObject([{ kind: 'tag' }, { text: 'New lamp' }])
    expect((await tags.list()).map(({ id }) => id)).toEqual(['new'])
    expect([live.settings.language, next.settings.language]).toEqual(['none', 'english'])
    await documents.insert({ id: '2', title: 'Second' })
    expect([live.documents.count, next.documents.count]).toEqual([2, 1])
    await engine.close()
    const again = await openEngine({ store })
    const { hits } = await again.datasets.get('live').search('lamp')
    expect(hits.map(({ document }) => document.title)).toEqual(['New lamp'])
  })

  it('lets jobs and bulks under way end with the data they began with', async () => {
    const engine = await openEngine()
    const live = await engine.datasets.create('live')
    const next = await engine.datasets.create('next')
    let swapped: Promise<void> | undefined
    async function* rows() {
      for (let id = 1; id <= 2500; id++) {
        if (id === 1200) await engine.datasets.swap('live', 'next')
        yield { id, title: `Lamp ${id}` }
      }
    }
    expect(await live.documents.import(rows())).toMatchObject({ stored: 2500 })
    expect([live.documents.count, next.documents.count]).toEqual([0, 2500])
    function* more() {
      for (let id = 1; id <= 1500; id++) {
        if (id === 700) swapped = engine.datasets.swap('live', 'next')
        yield { id: `b${id}`, title: `Sofa ${id}` }
      }
    }
    await live.documents.bulk(more())
    await swapped
    expect([live.documents.count, next.documents.count]).toEqual([2500, 1500])
  })

  it('moves the zod object with the data that it checks', async () => {
    const engine = await openEngine()
    const short = z.object({ id: z.string(), title: z.string().max(5) })
    const long = z.object({ id: z.string(), title: z.string().min(6) })
    const live = await engine.datasets.create('live', { schema: short })
    await engine.datasets.create('next', { schema: long })
    await engine.datasets.swap('live', 'next')
    expect(await codeOf(() => live.documents.insert({ id: '1', title: 'short' }))).toBe('INVALID_DOCUMENT')
    await live.documents.insert({ id: '1', title: 'not so short' })
    expect(await codeOf(() => engine.datasets.get('live', short))).toBe('INVALID_ARGUMENT')
  })

  it('changes nothing when one of them is not there', async () => {
    const engine = await openEngine()
    await engine.datasets.create('live')
    expect(await codeOf(() => engine.datasets.swap('live', 'gone'))).toBe('DATASET_NOT_FOUND')
    expect(engine.datasets.list().map(({ name }) => name)).toEqual(['live'])
  })
})

describe('remove', () => {
  it('refuses writes that were asked for when it had begun, by the name of the dataset', async () => {
    const engine = await openEngine()
    const { documents, tags } = await engine.datasets.create('shop')
    const removing = engine.datasets.remove('shop')
    const late = [
      () => documents.insert({ id: '1' }),
      () => documents.delete('1'),
      () => documents.update('1', {}),
      () => documents.bulk([{ id: '1' }]),
      () => tags.create({ id: 't', name: 'Tag' }),
    ].map(failureOf)
    for (const failure of await Promise.all(late)) {
      expect(failure.code).toBe('DATASET_NOT_FOUND')
      expect(failure.message).toContain('shop')
    }
    await removing
  })

  it('leaves no key behind, and the name may be given again', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const kept = await engine.datasets.create('kept')
    await kept.documents.insert(lamp)
    await engine.close()
    const before = await dataKeys(store)

    const again = await openEngine({ store })
    const gone = await again.datasets.create('gone')
    await gone.documents.bulk([lamp, { ...lamp, id: '2' }])
    await gone.documents.delete('2')
    await gone.tags.create({ id: 'lamps', name: 'Lamps' })
    await gone.reconfigure({ interpretedFields: ['desc'] }).finished
    await again.datasets.remove('gone')
    expect(again.datasets.list().map(({ name }) => name)).toEqual(['kept'])
    const anew = await again.datasets.create('gone')
    expect([anew.documents.count, await anew.tags.list(), (await anew.search('shade')).hits]).toEqual([
      0,
      [],
      [],
    ])
    await expectHealthy(again)
    await again.datasets.remove('gone')
    await again.close()
    expect(await dataKeys(store)).toEqual(before)
  })

  it('ends what handles can do, until there is one of the name again', async () => {
    const engine = await openEngine()
    const gone = await engine.datasets.create('gone')
    const other = await engine.datasets.create('other')
    await gone.documents.insert(lamp)
    await other.documents.insert(lamp)
    await gone.search('lamp')
    await engine.datasets.remove('gone')
    const calls: (() => unknown)[] = [
      () => gone.search('lamp', { documents: false }),
      () => gone.documents.get('1'),
      () => gone.documents.insert({ ...lamp, id: '2' }),
      () => gone.documents.deleteWhere({}),
      () => collected(gone.documents.scan()),
      () => collected(gone.documents.changes()),
      () => gone.documents.import([{ id: '3' }]).finished,
      () => other.documents.copy(['1'], gone.documents).finished,
      () => gone.tags.list(),
      () => gone.reconfigure({ language: 'none' }).finished,
    ]
    for (const call of calls) expect(await codeOf(call)).toBe('DATASET_NOT_FOUND')
    expect(await other.documents.get('1')).toEqual(lamp)
    await engine.datasets.create('gone')
    const { documents, tags } = gone
    await documents.insert({ ...lamp, title: 'Another lamp' })
    await tags.create({ id: 1, name: 'Lamps' })
    expect((await gone.search('another')).hits.map(({ id }) => id)).toEqual(['1'])
    expect([gone.documents.count, (await tags.list()).length]).toEqual([1, 1])
  })
})

/** Keys of everything but jobs and the journal, whose number tells nothing. */
async function dataKeys(store: ReturnType<typeof memoryDatabase>): Promise<string[]> {
  return (await store.keys().all()).filter(key => !/^[jp]\//.test(key))
}

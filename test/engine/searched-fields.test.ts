import { describe, expect, it } from 'vitest'
import { codeOf, expectHealthy, failureOf, memoryDatabase, openEngine, temporaryFolder } from './engines.ts'

const ids = ({ hits }: { hits: { id: string }[] }) => hits.map(({ id }) => id)

describe('a dataset made with a name only', () => {
  it('searches the text fields of its first document, the title first', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    expect(shop.settings.interpretedFields).toEqual([])
    await shop.documents.insert({
      id: 1,
      description: 'Green glass shade',
      name: 'Brass lamp',
      tag: 'lamps',
      price: 9,
    })
    expect(shop.settings.interpretedFields).toEqual(['name', 'description'])
    expect(shop.settings.weights.name!.weight).toBeGreaterThan(shop.settings.weights.description!.weight)
    expect(ids(await shop.search('lamp'))).toEqual(['1'])
    expect(ids(await shop.search('glass'))).toEqual(['1'])
    expect((await shop.complete('bra')).map(({ text }) => text)).toEqual(['Brass lamp'])
    expect((await shop.search('lamps')).words[0]).toMatchObject({ kind: 'stem' })
  })

  it('takes the shortest text of several words for the title where no field has the name of one', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    await shop.documents.bulk([
      { id: 1, color: 'red', story: 'A long story about a lamp', what: 'Desk lamp' },
      { id: 2, color: 'blue', story: 'Another story, longer than that', what: 'Garden hose' },
    ])
    expect(shop.settings.interpretedFields).toEqual(['what', 'color', 'story'])
  })

  it('never takes a number, date, code or address for the title, and searches only codes among them, as they stand', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    const row = (i: number) => ({
      id: i,
      Preis: `${i},90 EUR`,
      Bestand: `${i % 7}`,
      EAN: `40063813339${10 + i}`,
      Nr: `AB-${1000 + i}`,
      Seit: `0${1 + (i % 9)}.05.2024`,
      Bild: `https://bilder.example/${i}.jpg`,
      Langtext: `Ein sehr schöner Stuhl aus Eiche, der lange hält und Nummer ${i} trägt`,
      Bez: `Stuhl Eiche ${i}`,
    })
    await shop.documents.bulk(Array.from({ length: 60 }, (_, i) => row(i)))
    expect(shop.settings.interpretedFields).toEqual(['Bez', 'EAN', 'Nr', 'Langtext'])
    expect(shop.settings.typoTolerance.disableOnFields).toEqual(['EAN', 'Nr'])
    expect(ids(await shop.search('4006381333920'))).toEqual(['10'])
    expect(ids(await shop.search('4006381333929x'))).toEqual([])
    expect(ids(await shop.search('AB-1012'))[0]).toBe('12')
    expect(ids(await shop.search('90'))).toEqual([])
    await expectHealthy(engine)
  })

  it('does not search prices because some of many are told on request', async () => {
    const engine = await openEngine()
    const rows = Array.from({ length: 60 }, (_, i) => ({
      id: i,
      title: `Oak chair ${i}`,
      price: i % 20 === 0 ? 'on request' : i + 0.5,
      stock: i % 30 === 0 ? '-' : i,
    }))
    const shop = await engine.datasets.create('shop')
    await shop.documents.bulk(rows)
    expect(shop.settings.interpretedFields).toEqual(['title'])
    for (const [dataset, options] of [
      ['written', {}],
      ['accepted', { each: true }],
    ] as const) {
      const written = await engine.datasets.create(dataset)
      await engine.write(
        rows.map(document => ({ type: 'insert', dataset, document })),
        options,
      )
      expect(written.settings.interpretedFields).toEqual(['title'])
    }
  })

  it('takes the first 16 fields that are worth searching, and goes on examining these, however many there are', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    await shop.documents.insert({ id: 1, name: 'Brass lamp', ean: '4006381333900' })
    const row = (i: number) => ({
      id: i,
      ...Object.fromEntries(Array.from({ length: 100 }, (_, f) => [`since${f}`, `0${1 + (f % 9)}.05.2024`])),
      ...Object.fromEntries(Array.from({ length: 900 }, (_, f) => [`note${f}`, `a note of ${f + i} words`])),
      ean: `40063813339${10 + i}`,
      name: `Lamp of brass ${i}`,
    })
    await shop.documents.bulk(Array.from({ length: 30 }, (_, i) => row(i)))
    expect(shop.settings.interpretedFields).toEqual([
      'name',
      'ean',
      ...Array.from({ length: 14 }, (_, f) => `note${f}`),
    ])
    expect(shop.settings.typoTolerance.disableOnFields).toEqual(['ean'])
  })

  it('takes time that grows with the number of fields, where few of them are worth searching', async () => {
    const engine = await openEngine()
    const insert = async (fields: number) => {
      const shop = await engine.datasets.create(`shop${fields}`)
      const since = Array.from({ length: fields }, (_, f) => [`since${f}`, `0${1 + (f % 9)}.05.2024`])
      const document = { id: 1, ...Object.fromEntries(since), title: 'Brass lamp' }
      const begun = performance.now()
      await shop.documents.insert(document)
      return { took: performance.now() - begun, found: shop.settings.interpretedFields }
    }
    const few = await insert(2_000)
    expect(few.found).toEqual(['title'])
    const many = await insert(32_000)
    // Of so many, most are searched without being examined.
    expect(many.found).toHaveLength(16)
    expect(many.took).toBeLessThan(64 * Math.max(few.took, 20))
  })

  it('knows names of titles in several languages, but not those of brands and categories', async () => {
    const engine = await openEngine()
    for (const [i, [title, others]] of (
      [
        ['Artikelbezeichnung', ['Hersteller-Name']],
        ['désignation', ['Nom de catégorie']],
        ['product_name', ['brandName', 'category name']],
        ['Название', ['Категория']],
        ['titolo', ['marca']],
        ['Benämning', ['Varumärke']],
      ] as const
    ).entries()) {
      const shop = await engine.datasets.create(`shop${i}`)
      const rest = Object.fromEntries(others.map(name => [name, 'Two words']))
      await shop.documents.insert({ id: 1, ...rest, text: 'Lamp', [title]: 'A lamp with a shade of brass' })
      expect(shop.settings.interpretedFields[0]).toBe(title)
    }
  })

  it('lets a bulk decide by its first rows, and later documents add fields', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    await shop.documents.bulk([
      { id: 1, color: 'deep red' },
      { id: 2, title: 'Desk lamp' },
    ])
    expect(shop.settings.interpretedFields).toEqual(['title', 'color'])
    await shop.documents.insert({
      id: 3,
      title: 'Hose',
      details: { material: 'brass' },
      badges: ['new', 'sale'],
    })
    await shop.documents.update(1, { note: 'discontinued' })
    expect(shop.settings.interpretedFields).toEqual(['title', 'color', 'details.material', 'badges', 'note'])
    for (const [query, found] of [
      ['brass', '3'],
      ['sale', '3'],
      ['lamp', '2'],
      ['red', '1'],
      ['discontinued', '1'],
    ] as const)
      expect([query, ids(await shop.search(query))]).toEqual([query, [found]])
    await expectHealthy(engine)
  })

  it('waits for a text, whatever comes before', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    await shop.documents.bulk(Array.from({ length: 1200 }, (_, id) => ({ id, price: id })))
    expect(ids(await shop.search('lamp'))).toEqual([])
    expect(await shop.info()).toMatchObject({ documents: 1200, unsearchable: 1200 })
    await shop.documents.insert({ id: 'first', label: 'Desk lamp' })
    expect(ids(await shop.search('lamp'))).toEqual(['first'])
    expect(await shop.info()).toMatchObject({ documents: 1201, unsearchable: 1200 })
  })

  it('adds no field from the 1,000th document on', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    const rows = (from: number, field: string) =>
      Array.from({ length: 500 }, (_, i) => ({ id: from + i, title: 'Lamp', [field]: `${field} text` }))
    await shop.documents.bulk(rows(0, 'first'))
    await shop.documents.bulk(rows(500, 'second'))
    await shop.documents.bulk(rows(1000, 'third'))
    expect(shop.settings.interpretedFields).toEqual(['title', 'first', 'second'])
    expect((await shop.search('second', { total: 'exact' })).total.count).toBe(500)
    expect(ids(await shop.search('third'))).toEqual([])
  })

  it('stores whatever comes under the fields that it found', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    await shop.documents.insert({ id: 1, name: 'Lamp' })
    await shop.documents.insert({ id: 2, name: { en: 'Hose', de: 'Schlauch' } })
    expect(await shop.documents.get(2)).toEqual({ id: 2, name: { en: 'Hose', de: 'Schlauch' } })
    expect(ids(await shop.search('schlauch'))).toEqual(['2'])
  })

  it('leaves the fields alone once reconfigure has named them', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    await shop.documents.insert({ id: 1, name: 'Lamp', note: 'old' })
    await shop.reconfigure({ language: 'none' })
    await shop.documents.insert({ id: 2, name: 'Hose', extra: 'brass' })
    expect(shop.settings).toMatchObject({ interpretedFields: ['name', 'note', 'extra'], language: 'none' })
    await shop.reconfigure({ interpretedFields: ['name'] })
    await shop.documents.insert({ id: 3, name: 'Sofa', other: 'velvet' })
    expect(shop.settings.interpretedFields).toEqual(['name'])
    expect([ids(await shop.search('brass')), ids(await shop.search('velvet'))]).toEqual([[], []])
  })

  it('finds the same fields and documents after a reopen, and goes on finding', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const shop = await engine.datasets.create('shop')
    await shop.documents.insert({ id: 1, name: 'Lamp' })
    await shop.search('lamp')
    await shop.documents.insert({ id: 2, name: 'Hose', story: 'brass nozzle' })
    await engine.close()
    const again = await openEngine({ store })
    const same = again.datasets.get('shop')
    expect(same.settings.interpretedFields).toEqual(['name', 'story'])
    expect([ids(await same.search('nozzle')), ids(await same.search('lamp'))]).toEqual([['2'], ['1']])
    await same.documents.insert({ id: 3, name: 'Sofa', fabric: 'velvet' })
    expect(ids(await same.search('velvet'))).toEqual(['3'])
    await expectHealthy(again)
  })

  it('has documents and fields both or neither after a crash', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const shop = await engine.datasets.create('shop')
    await shop.documents.insert({ id: 1, name: 'Lamp' })
    await shop.documents.insert({ id: 2, story: 'brass nozzle' })
    const crashed = memoryDatabase()
    for await (const [key, value] of store.iterator()) await crashed.put(key, value)
    const again = await openEngine({ store: crashed })
    expect(again.datasets.get('shop').settings.interpretedFields).toEqual(['name', 'story'])
    expect(ids(await again.datasets.get('shop').search('nozzle'))).toEqual(['2'])
    await expectHealthy(again)
  })

  it('learns from writes that are refused nothing', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    await shop.documents.insert({ id: 1, name: 'Lamp' })
    expect(await codeOf(() => shop.documents.insert({ id: 1, story: 'brass' }))).toBe('DOCUMENT_EXISTS')
    expect(shop.settings.interpretedFields).toEqual(['name'])
  })

  it('sees every write that came before a search, however many fields these brought at once', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop')
    const word = (i: number) => `word${'klmnopqrst'[Math.floor(i / 10)]}${'klmnopqrst'[i % 10]}`
    const writes = Array.from({ length: 40 }, (_, i) =>
      shop.documents.insert({ id: i, name: `Lamp ${i}`, [`f${i % 12}`]: word(i) }),
    )
    const found = writes.map(async (write, i) => {
      await write
      return ids(await shop.search(word(i), { typoTolerance: 0 }))
    })
    expect(await Promise.all(found)).toEqual(writes.map((_, i) => [String(i)]))
    await expectHealthy(engine)
  })
})

describe('documents that no search finds', () => {
  it('are told of where new settings leave no other', async () => {
    const told: [details: object, message: string][] = []
    const logger = { warn: (...entry: [object, string]) => told.push(entry), error: () => {} }
    const engine = await openEngine({ logger })
    const shop = await engine.datasets.create('shop')
    await shop.reconfigure({ interpretedFields: ['titel'] })
    await shop.reconfigure({ interpretedFields: ['title'] })
    await shop.documents.bulk(['Lamp', 'Hose'].map((title, id) => ({ id, title, desc: id ? 'Green' : '' })))
    await shop.reconfigure({ interpretedFields: ['desc'] })
    expect(told).toEqual([])
    await shop.reconfigure({ interpretedFields: ['titel', 'name'] })
    expect(ids(await shop.search('lamp'))).toEqual([])
    const again = shop.reconfigure({ interpretedFields: ['nom'] })
    again.cancel()
    await again.catch(() => {})
    await shop.optimize()
    await shop.reconfigure({ markup: false })
    expect(told).toEqual([
      [
        { dataset: 'shop', fields: ['titel', 'name'] },
        'No document of shop has a word in the searched fields (titel, name), so no search for words finds any.',
      ],
    ])
  })

  it('are counted, and told of once', async () => {
    const told: [details: object, message: string][] = []
    const logger = { warn: (...entry: [object, string]) => told.push(entry), error: () => {} }
    const engine = await openEngine({ logger })
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
    await shop.documents.insert({ id: 1, title: 'Lamp' })
    expect([await shop.info(), told]).toMatchObject([{ unsearchable: 0 }, []])
    await shop.documents.bulk([
      { id: 2, name: 'Hose' },
      { id: 3, name: 'Sofa' },
    ])
    await shop.documents.insert({ id: 4, name: 'Chair' })
    expect((await shop.info()).unsearchable).toBe(3)
    await shop.documents.delete(3)
    expect((await shop.info()).unsearchable).toBe(2)
    expect(told).toEqual([
      [
        { dataset: 'shop', id: '2', fields: ['title', 'desc'] },
        'A document of shop has none of the searched fields (title, desc), so no search finds it. There may be more such documents; only the first is reported.',
      ],
    ])
  })
})

describe('fields of lists of objects', () => {
  const variants = [{ name: 'Brass lamp' }, { name: 'Shade of glass' }, { sku: 7 }]

  it('are searched and highlighted', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'variants.name'] })
    await shop.documents.insert({ id: 1, title: 'Lamp', variants })
    await shop.documents.insert({ id: 2, title: 'Deep', groups: [{ items: [{ name: 'x' }] }] })
    expect(ids(await shop.search('glass'))).toEqual(['1'])
    expect(ids(await shop.search('"brass lamp"'))).toEqual(['1'])
    const [hit] = (await shop.search('glass', { highlight: true })).hits
    expect(hit!.highlights).toEqual({
      'variants.name': [
        {
          item: 1,
          text: 'Shade of glass',
          start: 0,
          ranges: [{ start: 9, end: 14 }],
          before: false,
          after: false,
        },
      ],
    })
    await shop.reconfigure({ interpretedFields: ['title', 'groups.items.name'] })
    expect(ids(await shop.search('x'))).toEqual(['2'])
  })

  it('may be named beside a sample or schema that has them, and no others', async () => {
    const engine = await openEngine()
    const { datasets } = engine
    const sample = { id: 1, title: 'Lamp', variants }
    await datasets.create('sample', { sample, interpretedFields: ['title', 'variants.name'] })
    const item = { type: 'object', properties: { name: { type: 'string' } } }
    const schema = {
      type: 'object',
      properties: { id: { type: 'string' }, variants: { type: 'array', items: item } },
    }
    const typed = await datasets.create('schema', { schema, interpretedFields: ['variants.name'] })
    await typed.documents.insert({ id: 'a', variants })
    expect(ids(await typed.search('glass'))).toEqual(['a'])
    for (const path of ['variants', 'variants.color'])
      for (const source of [{ sample }, { schema }])
        expect(
          await failureOf(() => datasets.create('other', { ...source, interpretedFields: [path] })),
        ).toMatchObject({
          code: 'INVALID_ARGUMENT',
          details: { field: path },
        })
  })
})

describe('settings that would do nothing', () => {
  it('are refused: no field at all', async () => {
    const engine = await openEngine()
    const refused = {
      code: 'INVALID_ARGUMENT',
      details: { field: 'interpretedFields', received: 'an empty list' },
    }
    expect(await failureOf(() => engine.datasets.create('shop', { interpretedFields: [] }))).toMatchObject(
      refused,
    )
    const shop = await engine.datasets.create('shop', { interpretedFields: ['title'] })
    expect(await failureOf(() => shop.reconfigure({ interpretedFields: [] }))).toMatchObject(refused)
  })

  it('are refused: signals on fields of text', async () => {
    const engine = await openEngine()
    const { datasets } = engine
    const sample = { id: 1, title: 'Lamp', price: 5, added: '2024-01-01', sold: true }
    const pivot = { pivot: 5, boost: 1 }
    const recency = { halfLifeDays: 5, boost: 1 }
    await datasets.create('good', { sample, signals: { price: pivot, added: recency } })
    const bad = [
      { sample, signals: { title: pivot } },
      { sample, signals: { sold: recency } },
      { interpretedFields: ['title'], signals: { title: pivot } },
    ]
    for (const definition of bad) {
      const field = `signals.${Object.keys(definition.signals)[0]}`
      const failure = await failureOf(() => datasets.create('bad', definition as never))
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
    }
    const shop = await datasets.create('shop')
    await shop.documents.insert({ id: 1, title: 'Lamp' })
    expect(await codeOf(() => shop.reconfigure({ signals: { title: pivot } }))).toBe('INVALID_ARGUMENT')
  })
})

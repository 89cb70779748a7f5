import { type Database, type DatasetDefinition, Engine, type EngineOptions, type OwnAnalyzer } from 'findling'
import { describe, expect, it } from 'vitest'
import { examineFolder } from '../../src/folder-doctor.ts'
import { codeOf, expectHealthy, failureOf, memoryDatabase, openEngine, temporaryFolder } from './engines.ts'

const own = (name: string, version = 1): OwnAnalyzer => {
  return { name, version, url: new URL(`../analysis/modules/${name}.mjs`, import.meta.url).href }
}

const drives = [
  { id: '1', title: 'SSD, 2 TB' },
  { id: '2', title: 'HDDs for servers' },
  { id: '3', title: 'Garden hose' },
]

async function withDrives(options: Pick<EngineOptions, 'store'> = {}): Promise<Engine> {
  const engine = await openEngine({ ...options, analyzers: [own('drives')] })
  const items = await engine.datasets.create('items', { analyzer: 'drives' })
  await items.documents.bulk(drives)
  return engine
}

const found = async (engine: Engine, query: string, dataset = 'items') =>
  (await engine.datasets.get(dataset).search(query)).hits.map(({ id }) => id).sort()

describe('a dataset with an analyzer of its own', () => {
  it('is searched, marked and filtered by the words that it finds', async () => {
    const engine = await openEngine({ analyzers: [own('chinese'), own('drives')] })
    const settings: DatasetDefinition = {
      analyzer: 'chinese',
      language: 'none',
      interpretedFields: ['title'],
    }
    const chinese = await engine.datasets.create('chinese', settings)
    const pairs = await engine.datasets.create('pairs', { language: 'none', interpretedFields: ['title'] })
    const text = '北京大学生前来应聘'
    for (const { documents } of [chinese, pairs]) await documents.insert({ id: '1', title: text, desc: text })
    const [word] = [...new Intl.Segmenter('zh', { granularity: 'word' }).segment(text)]
    const { hits } = await chinese.search(word!.segment, { highlight: { marks: true } })
    expect(hits[0]?.highlights?.title?.[0]?.html).toBe(
      `<mark>${word!.segment}</mark>${text.slice(word!.segment.length)}`,
    )
    // A word elsewhere, but here two characters of another.
    const across = '学生'
    expect(await found(engine, across, 'pairs')).toEqual(['1'])
    expect(await found(engine, across, 'chinese')).toEqual([])
    expect(await chinese.count(`title:${word!.segment}`)).toBe(1)
    expect(await chinese.count(`desc:${word!.segment}`)).toBe(1)
    expect(await chinese.count(`desc:${across}`)).toBe(0)
    expect(await pairs.count(`desc:${across}`)).toBe(1)
  })

  it('has what words share from it, or from its language', async () => {
    const engine = await withDrives()
    expect(await found(engine, 'drives')).toEqual(['1', '2'])
    expect(await found(engine, 'hoses')).toEqual(['3'])
    const service = await engine.services.create({ type: 'search', name: 'Items' })
    await service.prepare({ dataset: 'items' })
    await service.activate()
    expect((await service.search('drive')).hits.map(({ id }) => id).sort()).toEqual(['1', '2'])
  })

  it('keeps it over a reopen, a backup, a rename and a swap, and gives it to datasets made like it', async () => {
    const store = await temporaryFolder()
    const first = await withDrives({ store })
    await first.datasets.rename('items', 'drives')
    const backup = await temporaryFolder()
    await first.backup(backup)
    await first.close()
    const elsewhere = `${await temporaryFolder()}/restored`
    await Engine.restore(backup, elsewhere)
    for (const place of [store, elsewhere]) {
      const engine = await openEngine({ store: place, analyzers: [own('drives'), own('chinese')] })
      expect(engine.datasets.get('drives').settings.analyzer).toEqual(own('drives'))
      expect(await found(engine, 'drive', 'drives')).toEqual(['1', '2'])
      const copy = await engine.datasets.create('copy', engine.datasets.get('drives').settings)
      await copy.documents.bulk(drives)
      await engine.datasets.swap('copy', 'drives')
      expect(await found(engine, 'drive', 'copy')).toEqual(['1', '2'])
      expect(await found(engine, 'drive', 'drives')).toEqual(['1', '2'])
      await expectHealthy(engine)
    }
  })

  it('may get another one, or none, with new settings', async () => {
    const engine = await withDrives()
    const items = engine.datasets.get('items')
    await items.reconfigure({ interpretedFields: ['title'] })
    expect(items.settings.analyzer).toEqual(own('drives'))
    await items.reconfigure({ analyzer: null })
    expect(items.settings).not.toHaveProperty('analyzer')
    expect(await found(engine, 'drive')).toEqual([])
    await items.reconfigure({ analyzer: 'drives' })
    expect(await found(engine, 'drive')).toEqual(['1', '2'])
    expect(await codeOf(() => items.reconfigure({ analyzer: 'nobody' }))).toBe('INVALID_ARGUMENT')
    expect(await found(engine, 'drive')).toEqual(['1', '2'])
  })

  it('learns which fields are searched as others do, in a place where the module lies elsewhere', async () => {
    const store = memoryDatabase()
    const first = await openEngine({ store, analyzers: [own('drives')] })
    await first.datasets.create('items', { analyzer: 'drives' })
    await first.close()
    const moved = { ...own('drives'), url: `${own('drives').url}?moved` }
    const engine = await openEngine({ store, analyzers: [moved] })
    const items = engine.datasets.get('items')
    await items.documents.bulk(drives)
    expect(items.settings).toMatchObject({ interpretedFields: ['title'], analyzer: moved })
    expect(await found(engine, 'drive')).toEqual(['1', '2'])
  })
})

describe('a classifier of such a dataset', () => {
  const rows = [
    { id: '1', title: 'ssd quick', tag: 'storage' },
    { id: '2', title: 'hdd large', tag: 'storage' },
    { id: '3', title: 'hose green', tag: 'garden' },
    { id: '4', title: 'spade green', tag: 'garden' },
  ]
  const likeliest = (engine: Engine, text: string) =>
    engine.datasets
      .get('items')
      .classify(text, { limit: 1 })
      .then(([best]) => best?.tagId)

  async function trained(store: Database): Promise<Engine> {
    const engine = await openEngine({ store, analyzers: [own('signs')] })
    const items = await engine.datasets.create('items', { analyzer: 'signs', language: 'none' })
    await items.documents.bulk(rows.map(row => ({ ...row, title: row.title.replace('green', 'c++') })))
    await items.classifier()
    return engine
  }

  it('learns the words that the analyzer finds, in its threads, and answers by them after a reopen', async () => {
    const store = memoryDatabase()
    const engine = await trained(store)
    expect(await likeliest(engine, 'c++')).toBe('garden')
    // Without the analyzer, this would be the same word.
    expect(await engine.datasets.get('items').classify('c')).toEqual([])
    const service = await engine.services.create({ type: 'classifier', name: 'Tags', alias: 'tags' })
    await service.prepare({ dataset: 'items' })
    await service.activate()
    const learnt: string[] = []
    await service.exportDictionaries(async dictionaries => {
      for await (const { keywords } of dictionaries) learnt.push(...keywords.map(({ text }) => text))
    })
    expect(learnt).toContain('c++')
    await engine.close()
    const again = await openEngine({ store, analyzers: [own('signs')] })
    expect(await likeliest(again, 'c++')).toBe('garden')
    const [best] = await again.services.get('tags', 'classifier').recommend('c++', { limit: 1 })
    expect(best?.tagId).toBe('garden')
  })

  it('is not there without the very version that it was trained with, until it is trained again', async () => {
    const store = memoryDatabase()
    await (await trained(store)).close()
    const analyzers = [own('signs', 2)]
    const engine = await openEngine({ store, analyzers, accept: ['ANALYZER_CHANGED'] })
    const error = await failureOf(() => likeliest(engine, 'c++'))
    expect(error.code).toBe('ANALYZER_MISSING')
    expect(error.message).toContain('The classifier needs the analyzer signs, version 1')
    await engine.datasets.get('items').classifier()
    expect(await likeliest(engine, 'c++')).toBe('garden')
  })

  it('goes on by the analyzer that it was trained with when the dataset has another', async () => {
    const store = memoryDatabase()
    const engine = await trained(store)
    await engine.datasets.get('items').reconfigure({ analyzer: null })
    expect(await likeliest(engine, 'c++')).toBe('garden')
    await engine.close()
    const again = await openEngine({ store, analyzers: [own('signs')] })
    expect(await likeliest(again, 'c++')).toBe('garden')
    await again.close()
    const without = await openEngine({ store })
    expect(await codeOf(() => likeliest(without, 'c++'))).toBe('ANALYZER_MISSING')
  })
})

describe('a store with such a dataset', () => {
  it('does not open without the analyzer, and the error says what to give', async () => {
    const store = memoryDatabase()
    await (await withDrives({ store })).close()
    const error = await failureOf(() => Engine.open({ store, analyzers: [own('chinese')] }))
    expect(error.code).toBe('ANALYZER_MISSING')
    expect(error.message).toContain(
      "expected { name: 'drives', version: 1, url } among the analyzers of Engine.open",
    )
    expect(error.details).toMatchObject({ dataset: 'items', analyzer: 'drives', version: 1 })
    const engine = await openEngine({ store, analyzers: [own('drives')] })
    expect(await found(engine, 'drive')).toEqual(['1', '2'])
  })

  it('opens with another version only where that is accepted, and then has its index built anew', async () => {
    const store = memoryDatabase()
    await (await withDrives({ store })).close()
    const changed = { ...own('chinese', 2), name: 'drives' }
    const error = await failureOf(() => Engine.open({ store, analyzers: [changed] }))
    expect(error.code).toBe('ANALYZER_CHANGED')
    expect(error.message).toContain("version 1, or accept: ['ANALYZER_CHANGED'] to have the index rebuilt")
    const accepting = await openEngine({ store, analyzers: [changed], accept: ['ANALYZER_CHANGED'] })
    expect(await found(accepting, 'drive')).toEqual([])
    expect(await found(accepting, 'ssd')).toEqual(['1'])
    await expectHealthy(accepting)
    await accepting.close()
    const again = await openEngine({ store, analyzers: [changed] })
    expect(again.datasets.get('items').settings.analyzer).toEqual(changed)
    expect(await found(again, 'ssd')).toEqual(['1'])
    await again.close()
    expect(await codeOf(() => Engine.open({ store, analyzers: [own('drives')] }))).toBe('ANALYZER_CHANGED')
  })

  it('loads no code that only the store names', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store, analyzers: [own('drives')] })
    const settings = { analyzer: { ...own('drives'), url: 'data:text/javascript,process.exit(1)' } }
    const items = await engine.datasets.create('items', settings)
    expect(items.settings.analyzer).toEqual(own('drives'))
  })

  it('is examined by the doctor of folders without it', async () => {
    const folder = await temporaryFolder()
    await (await withDrives({ store: folder })).close()
    const report = await examineFolder(folder)
    expect(report).toMatchObject({ outcome: 'whole', messages: [], report: { datasets: 1, documents: 3 } })
  })
})

describe('an analyzer', () => {
  it.each([
    ['a name that is taken', [own('drives'), own('drives')]],
    ['no name', [{ ...own('drives'), name: '' }]],
    ['a name of other signs', [{ ...own('drives'), name: 'a@b' }]],
    ['no version', [{ name: 'drives', url: own('drives').url }]],
    ['a version of 0', [own('drives', 0)]],
    ['no url', [{ name: 'drives', version: 1 }]],
    ['something more', [{ ...own('drives'), stem: 'x' }]],
  ])('with %s is refused', async (_, analyzers) => {
    expect(await codeOf(() => Engine.open({ analyzers: analyzers as OwnAnalyzer[] }))).toBe(
      'INVALID_ARGUMENT',
    )
  })

  it.each(['no-functions', 'no-default', 'throwing', 'nobody'])(
    'whose module is of no use is told when the engine is opened: %s',
    async name => {
      const error = await failureOf(() => Engine.open({ analyzers: [own(name)] }))
      expect(error.code).toBe('ANALYZER_FAILED')
      expect(error.message).toContain(`The analyzer ${name}, version 1, of file:`)
      expect(error.details).toMatchObject({ analyzer: name, version: 1, expected: expect.any(String) })
    },
  )

  it('is named by datasets only if the engine has it', async () => {
    const engine = await openEngine({ analyzers: [own('drives'), own('chinese')] })
    for (const [analyzer, expected] of [
      ['drivs', 'drives, chinese'],
      ['__proto__', 'drives, chinese'],
      [{ ...own('drives'), version: 2 }, 'version 1, which Engine.open was given'],
      [{ name: 5 }, 'drives, chinese'],
      [5, 'drives, chinese'],
      [[], 'drives, chinese'],
    ] as const) {
      const error = await failureOf(() => engine.datasets.create('items', { analyzer: analyzer as never }))
      expect(error.code).toBe('INVALID_ARGUMENT')
      expect(error.message).toContain('analyzer')
      expect(error.message).toContain(expected)
    }
    expect(engine.datasets.list()).toEqual([])
    const without = await openEngine()
    const { message } = await failureOf(() => without.datasets.create('items', { analyzer: 'drives' }))
    expect(message).toBe(
      'dataset settings: analyzer is "drives"; expected the name of an analyzer that Engine.open was given, but none was given',
    )
  })
})

describe('an analyzer that is at fault', () => {
  const faults = [
    ['throws', 'failed with Error: out of order'],
    ['nothing', 'failed with TypeError'],
    ['numbers', 'a term of type number'],
    ['nulls', 'failed with TypeError'],
    ['objects', 'a term of type object'],
    ['spaces', 'the term "two words"'],
    ['controls', 'the term "\\u0000family"'],
    ['surrogates', 'the term "\\ud83d"'],
    ['outside', 'a word from 0 to'],
    ['backwards', 'a word from 3 to 1'],
    ['halves', 'a word from 0.5 to 2'],
    ['unordered', 'a word from 0 to 1'],
    ['endless', 'more than 32768 words'],
    ['million', 'more than 32768 words'],
    ['later', 'failed with TypeError'],
  ] as const

  it.each(faults)('is named where it %s, and goes on when the text is gone', async (fault, expected) => {
    const store = memoryDatabase()
    const engine = await openEngine({ store, analyzers: [own('faulty')] })
    const items = await engine.datasets.create('items', { analyzer: 'faulty', interpretedFields: ['title'] })
    const others = await engine.datasets.create('others', { interpretedFields: ['title'] })
    await items.documents.insert({ id: '1', title: 'a good lamp' })
    await others.documents.insert({ id: '1', title: 'a good lamp' })
    const asked = await failureOf(() => items.search(`lamp does ${fault}`))
    expect(asked.code).toBe('ANALYZER_FAILED')
    expect(asked.message).toContain('The analyzer faulty, version 1')
    expect(asked.message).toContain(expected)
    expect(await found(engine, 'lamp')).toEqual(['1'])
    // The document is stored. Nobody can say where it is to be found.
    await items.documents.insert({ id: '2', title: `this does ${fault}` })
    expect(await codeOf(() => items.search('lamp'))).toBe('ANALYZER_FAILED')
    expect(await codeOf(() => items.optimize().finished)).toBe('ANALYZER_FAILED')
    expect(await found(engine, 'lamp', 'others')).toEqual(['1'])
    expect(await items.documents.get('2')).toBeDefined()
    await items.documents.upsert({ id: '2', title: `${'words '.repeat(3000)} does ${fault}` })
    expect(await codeOf(() => items.search('lamp'))).toBe('ANALYZER_FAILED')
    await items.documents.delete('2')
    expect(await found(engine, 'lamp')).toEqual(['1'])
    await items.optimize()
    expect(await found(engine, 'lamp')).toEqual(['1'])
    await expectHealthy(engine)
  })

  it.each([
    ['stemthrows', 'failed with no error'],
    ['stemnumber', 'a stem of type number'],
    ['stemspace', 'the term "a b"'],
  ])('is named where its stems are: %s', async (word, expected) => {
    const engine = await openEngine({ analyzers: [own('faulty')] })
    const items = await engine.datasets.create('items', { analyzer: 'faulty', interpretedFields: ['title'] })
    await items.documents.bulk([
      { id: '1', title: 'a good lamp' },
      { id: '2', title: word },
    ])
    const error = await failureOf(() => items.search('lamp'))
    expect(error.code).toBe('ANALYZER_FAILED')
    expect(error.message).toContain(expected)
    await items.documents.delete('2')
    expect(await found(engine, 'lamp')).toEqual(['1'])
  })

  it('that never says the same twice breaks nothing', async () => {
    const store = await temporaryFolder()
    let engine = await openEngine({ store, analyzers: [own('fickle')] })
    await engine.datasets.create('items', { analyzer: 'fickle', interpretedFields: ['title'] })
    for (let round = 0; round < 3; round++) {
      const items = engine.datasets.get('items')
      const rows = Array.from({ length: 300 }, (_, i) => ({
        id: `${i % 200}`,
        title: `Lamp number ${i} of ${round}`,
      }))
      await items.documents.bulk(rows)
      for (let i = 0; i < 20; i++) {
        const { hits } = await items.search('"lamp number" of glass -brass', {
          highlight: true,
          prefix: true,
        })
        for (const { id } of hits) expect(Number(id)).toBeLessThan(200)
        await items.suggest('lamp number')
        await items.count('title:"lamp number" OR title:lam*')
      }
      await items.optimize()
      await expectHealthy(engine)
      await engine.close()
      engine = await openEngine({ store, analyzers: [own('fickle')] })
    }
    expect(engine.datasets.get('items').documents.count).toBe(200)
    await expectHealthy(engine)
  })
})

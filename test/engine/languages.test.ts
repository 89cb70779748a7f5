import type { Dataset } from 'findling'
import { describe, expect, it } from 'vitest'
import { languageOf } from '../../src/analysis/language-codes.ts'
import { type Language, languages } from '../../src/analysis/languages.ts'
import { expectHealthy, failureOf, openEngine, temporaryFolder } from './engines.ts'

const products = [
  { id: 'houses', title: 'Zwei Häuser am See' },
  { id: 'house', title: 'Ein Haus im Wald' },
  { id: 'shops', title: 'Shops and houses' },
]

const isCoded = (name: Language): boolean =>
  'ar da de el en es fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr uk'
    .split(' ')
    .some(code => languageOf(code) === name)

const idsOf = async (dataset: Dataset, query: string) =>
  (await dataset.search(query, { typoTolerance: 0 })).hits.map(({ id }) => id).sort()

describe('the language of a dataset', () => {
  const finds: [language: Language, query: string, ids: string[]][] = [
    ['german', 'hauses', ['house', 'houses']],
    ['english', 'hauses', []],
    ['none', 'hauses', []],
    ['german', 'shop', []],
    ['english', 'shop', ['shops']],
    ['none', 'shop', []],
    ['none', 'shops', ['shops']],
  ]
  it.each(finds)('%s says which forms of %s are found', async (language, query, ids) => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { language })
    await dataset.documents.bulk(products)
    expect(await idsOf(dataset, query)).toEqual(ids)
  })

  it('may be given by its code, with a country or without', async () => {
    const engine = await openEngine()
    const codes = ['de', 'de-AT', 'DE', 'de_CH', 'nb-NO'] as const
    for (const [i, code] of codes.entries()) {
      const { settings } = await engine.datasets.create(`products${i}`, { language: code as 'de' })
      expect(settings.language).toBe(i === 4 ? 'norwegian' : 'german')
    }
    const dataset = engine.datasets.get('products0')
    await dataset.reconfigure({ language: 'fr-CA' }).finished
    expect(dataset.settings.language).toBe('french')
    for (const language of ['xx', 'deutsch', 'de-', '', 'd', 'constructor', 'de'.repeat(1e6)])
      expect(
        await failureOf(() => engine.datasets.create('wrong', { language: language as 'de' })),
      ).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'language' } })
  })

  it('has a code where its forms are known', () => {
    expect([...new Set(languages)].filter(name => name !== 'none').every(isCoded)).toBe(true)
  })

  it('can be changed: the index is built anew in a worker thread', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products')
    await dataset.documents.bulk(products)
    expect(await idsOf(dataset, 'haus')).toEqual(['house'])
    await dataset.reconfigure({ language: 'german' }).finished
    expect(await idsOf(dataset, 'haus')).toEqual(['house', 'houses'])
    await dataset.documents.upsert({ id: 'more', title: 'Hausen' })
    expect(await idsOf(dataset, 'haus')).toEqual(['house', 'houses', 'more'])
    await dataset.reconfigure({ language: 'english' }).finished
    expect(await idsOf(dataset, 'haus')).toEqual(['house'])
    await expectHealthy(engine)
  })

  it('stays with what is stored', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products', { language: 'german' })
    await dataset.documents.bulk(products)
    expect(await idsOf(dataset, 'haus')).toEqual(['house', 'houses'])
    await engine.close()
    const warnings: string[] = []
    const listen = (_: object, message: string) => void warnings.push(message)
    const again = await openEngine({ store, logger: { warn: listen, error: listen } })
    const reopened = again.datasets.get('products')
    expect(reopened.settings.language).toBe('german')
    expect(await idsOf(reopened, 'haus')).toEqual(['house', 'houses'])
    expect(warnings).toEqual([])
    expect(again.jobs()).toEqual([])
    await expectHealthy(again)
  })

  it('of every kind is known to the worker thread', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', { language: 'none' })
    await dataset.documents.bulk(products)
    for (const language of languages) {
      await dataset.reconfigure({ language }).finished
      expect(await idsOf(dataset, 'see')).toEqual(['houses'])
    }
  })

  it('does not change how the words of a tag are counted', async () => {
    const engine = await openEngine()
    for (const language of ['german', 'none'] as const) {
      const dataset = await engine.datasets.create(language, { language })
      await dataset.tags.create({ id: 'home', name: 'Home' })
      await dataset.documents.insert({ id: '1', title: 'Haus, Häuser, hauses', tag: 'home' })
      expect(await dataset.tags.counts()).toEqual(new Map([['home', { documents: 1, words: 3 }]]))
    }
  })

  it('is refused when it is not one of those that are known, which are named', async () => {
    const engine = await openEngine()
    for (const language of ['klingon', 'German', '', null, 5, '__proto__', 'constructor', ['german']]) {
      const failure = await failureOf(() => engine.datasets.create('products', { language } as never))
      expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field: 'language' } })
      for (const known of languages) expect(failure.message).toContain(`"${known}"`)
    }
    const own = await failureOf(() => engine.datasets.create('products', { language: 'Deutsch' } as never))
    expect(own.message).toMatch(/\(here it is german\)$/)
    expect(engine.datasets.list()).toEqual([])
  })
})

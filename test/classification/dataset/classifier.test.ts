import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Dataset, JsonObject } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, expectHealthy, failureOf, openEngine, temporaryFolder } from '../../engine/engines.ts'
import { learn, loaded } from '../model/learnt.ts'
import { fill, products } from './products.ts'

const fixture = (file: string) =>
  readFileSync(new URL(`../../fixtures/catalogue/${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

async function catalogue(documents: JsonObject[]): Promise<Dataset> {
  const engine = await openEngine()
  const dataset = await engine.datasets.create('catalogue', { interpretedFields: ['title', 'description'] })
  await dataset.tags.replaceAll(fixture('tags.jsonl'))
  await dataset.documents.bulk(documents)
  return dataset
}

async function small(documents: { id: string | number; title?: string; tag?: unknown }[]): Promise<Dataset> {
  const engine = await openEngine()
  const dataset = await engine.datasets.create('items', { interpretedFields: ['title'] })
  await dataset.documents.bulk(documents as never)
  return dataset
}

/** Of the documents whose value comes again, the share that has the tag of the first of them. */
function naiveTelling(
  documents: readonly { id: string; tag: string; path: string }[],
  field: 'path',
): number {
  const sorted = [...documents].sort((a, b) => (a.id < b.id ? -1 : 1))
  const repeated = sorted.filter(one => sorted.filter(other => other[field] === one[field]).length > 1)
  const same = repeated.filter(one => one.tag === sorted.find(other => other[field] === one[field])!.tag)
  return same.length / repeated.length
}

describe('a classifier of a dataset', () => {
  it('says what one does that learns from the same documents in one thread', async () => {
    const all = fixture('products.jsonl').filter((_, i) => i % 12 === 0)
    const dataset = await catalogue(all)
    const byId = [...all].sort((a, b) => (a.id < b.id ? -1 : 1))
    const inner = new Set(fixture('tags.jsonl').map(({ parentId }) => parentId))
    const ids = [...new Set<string>(byId.flatMap(({ tag }) => tag))].filter(id => !inner.has(id))
    const examples = byId.map(({ title, description, tag }) => ({
      texts: [title, description],
      tags: tag.flatMap((id: string) => (ids.includes(id) ? [ids.indexOf(id)] : [])),
    }))
    const plain = loaded(learn(examples, ids.length))
    const classifier = await dataset.classifier({ parallel: 1 })
    const parallel = await dataset.classifier({ parallel: 3 })
    for (const { title } of byId.slice(0, 40)) {
      const wanted = plain.recommend(title).map(({ tag, ...rest }) => ({ tagId: ids[tag], ...rest }))
      const found = await classifier.recommend(title)
      expect(found.map(({ tag: _, ...rest }) => rest)).toEqual(wanted)
      expect(await parallel.recommend(title)).toEqual(found)
      expect(found[0]!.tag!.path.length).toBeGreaterThan(0)
    }
    for (const text of [byId[0].title, byId[1].description, '']) {
      for (const { tagId, margin, explanation } of await classifier.recommend(text, { explain: true })) {
        const { bias, evidence } = explanation!
        expect(evidence.reduce((sum, { weight }) => sum + weight, bias)).toBeCloseTo(margin, 6)
        expect(classifier.explain(text, tagId)).toEqual(explanation)
      }
    }
  })

  it('learns from some of the searched fields alone, also when it is asked what it doubts', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title', 'path'] })
    const words = { tools: ['drill', 'hammer', 'saw'], clothes: ['scarf', 'glove', 'hat'] }
    const of = (tag: 'tools' | 'clothes', i: number) => `${words[tag][i % 3]} ${words[tag][(i + 1) % 3]}`
    await dataset.documents.bulk(
      Array.from({ length: 120 }, (_, i) => {
        const tag = i % 2 === 0 ? 'tools' : 'clothes'
        return { id: `d${i}`, title: of(tag, i), path: `Shop > ${tag}`, tag }
      }),
    )
    await dataset.documents.upsert({
      id: 'wrong',
      title: of('tools', 0),
      path: 'Shop > clothes',
      tag: 'clothes',
    })
    const doubts = async (fields: string[]) =>
      (await (await dataset.classifier({ fields })).doubtful()).map(({ id }) => id)
    expect(await doubts(['title'])).toContain('wrong')
    const classifier = await dataset.classifier({ fields: ['title'] })
    expect(await classifier.recommend('shop')).toEqual([])
    classifier.add({ title: 'drill', path: 'Newword', tag: 'tools' })
    expect((await classifier.evaluate()).accuracy).toBeGreaterThan(0.9)
    const failure = await failureOf(() => dataset.classifier({ fields: ['title', 'pth'] }))
    expect(failure.code).toBe('INVALID_ARGUMENT')
    expect(failure.details.field).toBe('fields[1]')
    expect(failure.message).toContain('path')
  })

  it('tells a searched field that alone tells the tag, until it is trained without it', async () => {
    const store = join(await temporaryFolder(), 'store')
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title', 'path', 'brand'] })
    const all = products(300).map((product, i) => {
      const kind = product.tag.slice(0, -2)
      const path = i % 50 === 0 ? 'Shop > Mixed' : `Shop > All > ${kind}`
      return { ...product, path, brand: ['Lux', 'Sol', 'Helio'][i % 3]! }
    })
    await dataset.documents.bulk(all)
    const right = naiveTelling(all, 'path')
    const classifier = await dataset.classifier()
    const { tellingFields } = classifier.facts
    expect(tellingFields.map(({ field }) => field)).toEqual(['path'])
    expect(tellingFields[0]!.share).toBeCloseTo(right, 12)
    expect(right).toBeGreaterThan(0.95)
    expect(JSON.parse(JSON.stringify(classifier))).toEqual({ documents: 300, tags: 6, tellingFields })
    expect((await classifier.evaluate()).tellingFields).toEqual(tellingFields)
    const without = await dataset.classifier({ fields: ['title', 'brand'] })
    expect(without.facts.tellingFields).toEqual([])
    expect(JSON.stringify(without)).toBe('{"documents":300,"tags":6}')
    expect((await without.evaluate()).tellingFields).toEqual([])
    await dataset.classifier({ fields: ['path'] })
    await engine.close()
    const again = await openEngine({ store })
    const saved = (await again.datasets.get('items').savedClassifier())!
    expect(saved.facts.tellingFields).toEqual(tellingFields)
  })

  it('tells no field of a catalogue whose fields describe the products', async () => {
    const dataset = await catalogue(fixture('products.jsonl').filter((_, i) => i % 5 === 0))
    expect((await dataset.classifier()).facts.tellingFields).toEqual([])
  })

  it('survives a restart, a rename and new settings', async () => {
    const store = join(await temporaryFolder(), 'store')
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title'] })
    await fill(dataset, 300)
    expect(await dataset.savedClassifier()).toBeUndefined()
    const trained = await dataset.classifier({ nGrams: [1, 3] })
    const before = await trained.recommend('a kettle word3')
    await engine.datasets.rename('items', 'things')
    await engine.close()
    const again = await openEngine({ store })
    const things = again.datasets.get('things')
    await things.reconfigure({ language: 'german' })
    const found = (await things.savedClassifier())!
    expect(await found.recommend('a kettle word3')).toEqual(before)
    expect(found.facts).toEqual(trained.facts)
    await expectHealthy(again)
  })

  it('answers only below given tags, or among given ones', async () => {
    const dataset = await catalogue(fixture('products.jsonl').slice(0, 200))
    const classifier = await dataset.classifier()
    const all = await classifier.recommend('steel', { limit: 0 })
    const root = all[1]!.tag!.path[0]!.id
    const below = await classifier.recommend('steel', { limit: 0, below: [root] })
    expect(below).toEqual(all.filter(({ tag }) => tag!.path.some(({ id }) => id === root)))
    const only = await classifier.recommend('steel', { tags: [all[1]!.tagId], renormalise: true })
    expect(only).toEqual([{ ...all[1], score: 1 }])
  })

  it('learns those tags that are asked for', async () => {
    const dataset = await small(products(60))
    await dataset.tags.replaceAll([
      { id: 'lamp-0', name: 'Lamps' },
      { id: 'chair-0', name: 'Chairs' },
    ])
    const { facts } = await dataset.classifier({ tags: ['lamp-0', 'chair-0', 'lamp-0'] })
    expect(facts).toMatchObject({ tags: ['lamp-0', 'chair-0'], documents: 20 })
    const unknown = await failureOf(() => dataset.classifier({ tags: ['lamp-0', 'none'] }))
    expect([unknown.code, unknown.details.field]).toEqual(['TAG_NOT_FOUND', 'tags[1]'])
  })

  it.each([
    ['no documents', []],
    ['documents without text', [{ id: 1, tag: 'a' }]],
    ['documents without tags', [{ id: 1, title: 'lamp' }]],
  ])('recommends nothing when it has learnt from %s', async (_, documents) => {
    const classifier = await (await small(documents)).classifier()
    expect(await classifier.recommend('lamp')).toEqual([])
    expect(classifier.facts.tags).toEqual([])
    expect(await codeOf(() => classifier.explain('lamp', 'a'))).toBe('TAG_NOT_FOUND')
  })

  it('recommends the only tag there is', async () => {
    const classifier = await (await small([{ id: 1, title: 'red lamp', tag: 'a' }])).classifier()
    expect(await classifier.recommend('lamp')).toMatchObject([{ tagId: 'a', score: 1, tag: null }])
    expect(await classifier.recommend('\ud800 __proto__')).toEqual([])
  })

  it('counts documents that are added, in memory alone', async () => {
    const dataset = await small(products(60))
    const classifier = await dataset.classifier()
    const scoreOf = async (one: typeof classifier) =>
      (await one.recommend('word7', { tags: ['lamp-0'] }))[0]!.score
    const before = await scoreOf(classifier)
    for (let i = 0; i < 20; i++) classifier.add({ title: 'word7', tag: 'lamp-0' })
    expect(await scoreOf(classifier)).toBeGreaterThan(before)
    expect(await scoreOf((await dataset.savedClassifier())!)).toBe(before)
  })

  it('tells how good it is, and finds tags that were exchanged', async () => {
    const documents = products(300).map((one, i) => (i === 42 ? { ...one, tag: 'novel-0' } : one))
    const classifier = await (await small(documents)).classifier()
    const quality = await classifier.evaluate()
    expect(quality.accuracy).toBeGreaterThan(0.95)
    const [first] = await classifier.doubtful({ limit: 1 })
    expect(first).toMatchObject({ id: 'p00042', tagId: 'novel-0', likelier: 'lamp-0' })
  })

  it('answers by the one that was trained last, which the dataset keeps', async () => {
    const store = join(await temporaryFolder(), 'store')
    const engine = await openEngine({ store, memoryBudget: 32 * 2 ** 20 })
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title'] })
    await fill(dataset, 60)
    expect(await codeOf(() => dataset.classify('lamp'))).toBe('NOT_TRAINED')
    const taken = () => engine.memory().datasets[0]!.classifiers
    expect(taken()).toBe(0)
    const first = await dataset.classifier()
    const own = taken()
    expect(own).toBeGreaterThan(10_000)
    const asked = await Promise.all(['lamp', 'chair'].map(text => dataset.classify(text, { limit: 0 })))
    expect(asked).toEqual(await first.recommendMany(['lamp', 'chair'], { limit: 0 }))
    expect(taken()).toBe(2 * own)
    first.add({ title: 'lamp', tag: 'chair-0' })
    expect(await dataset.classify('lamp', { limit: 0 })).toEqual(asked[0])
    await fill(dataset, 60, 1)
    await dataset.classifier()
    expect(await dataset.classify('lamp', { limit: 1 })).toMatchObject([{ tagId: 'lamp-1' }])
    await engine.close()
    const again = await openEngine({ store })
    const found = await again.datasets.get('items').classify('lamp', { limit: 1 })
    expect(found).toMatchObject([{ tagId: 'lamp-1' }])
    await again.datasets.remove('items')
    expect(again.memory().total).toBe(0)
  })

  it('refuses what it cannot read', async () => {
    const dataset = await small(products(12))
    expect(await codeOf(() => dataset.classifier({ nGrams: [7] }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => dataset.classifier({ compression: 3 as never }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => dataset.classifier({ unknown: 1 } as never))).toBe('INVALID_ARGUMENT')
    const job = dataset.classifier()
    expect(await codeOf(() => dataset.classifier())).toBe('DATASET_BUSY')
    const classifier = await job
    expect(await codeOf(() => classifier.recommend('a'.repeat(100_001)))).toBe('INVALID_ARGUMENT')
    expect(await failureOf(() => classifier.recommend(5 as never))).toMatchObject({
      message: 'text is 5; expected text',
    })
    expect(await failureOf(() => classifier.recommendMany(['a', 5 as never]))).toMatchObject({
      message: 'texts: [1] is 5; expected text',
    })
    expect(await codeOf(() => classifier.recommend('a', { limit: -1 }))).toBe('INVALID_ARGUMENT')
    for (const count of [0, 101])
      expect(await codeOf(() => classifier.recommend('a', { limit: count, explain: true }))).toBe(
        'INVALID_ARGUMENT',
      )
    expect(await codeOf(() => classifier.recommend('a', { below: ['none'] }))).toBe('TAG_NOT_FOUND')
    expect(await codeOf(() => classifier.keywords('lamp-0', 3))).toBe('INVALID_ARGUMENT')
  })

  it('refuses more tags than it can learn', async () => {
    const tag = Array.from({ length: 65_536 }, (_, i) => i)
    const dataset = await small([{ id: 1, title: 'lamp', tag }])
    expect(await codeOf(() => dataset.classifier())).toBe('TOO_LARGE')
  })
})

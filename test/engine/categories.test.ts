import type { Dataset, Engine, JsonObject, SearchOptions } from 'findling'
import { describe, it } from 'vitest'
import { keysOf } from '../store/raw-store.ts'
import { expectHealthy, memoryDatabase, openEngine } from './engines.ts'

const tags = [
  { id: 'home', name: 'Home', parentId: null },
  { id: 'pans', name: 'Pans', parentId: 'home' },
  { id: 'lamps', name: 'Lamps', parentId: 'home' },
  { id: 'tents', name: 'Tents', parentId: null },
  { id: 'rare', name: 'Rare lamps', parentId: 'lamps' },
]
const words: Record<string, string[]> = {
  pans: 'frying pan oven lid induction steel handle'.split(' '),
  lamps: 'lamp shade bulb light desk steel switch'.split(' '),
  tents: 'tent rope hook ground canvas steel pegs'.split(' '),
}
const kinds = Object.keys(words)

/** Titles of three kinds that share a word. Of each hundred, one lamp has a tag that few documents have. */
const catalogue = Array.from({ length: 1500 }, (_, i) => {
  const kind = kinds[i % 3]!
  const picked = Array.from({ length: 4 }, (_, n) => words[kind]![(i * 5 + n * (1 + (i % 3))) % 7]!)
  return { id: `d${i}`, title: picked.join(' '), tag: i % 300 === 1 ? 'rare' : kind, shown: i % 2 === 0 }
})

async function made(engine: Engine, documents: readonly JsonObject[] = catalogue): Promise<Dataset> {
  const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
  for (const tag of tags) await dataset.tags.create(tag)
  await dataset.documents.bulk(documents)
  return dataset
}

const categoriesOf = async (dataset: Dataset, query: string, options: SearchOptions = {}) =>
  (await dataset.search(query, options)).categories

async function learnt(dataset: Dataset): Promise<void> {
  while (!(await dataset.info()).categories) await new Promise(resolve => setTimeout(resolve, 20))
}

/** Asked for before what is to be learnt is written: on a busy machine, it may be learnt before the write has returned. */
async function learning(engine: Engine): Promise<void> {
  while (!engine.jobs().some(({ kind }) => kind === 'categories')) await new Promise(setImmediate)
}

async function withoutJobs(engine: Engine): Promise<void> {
  while (engine.jobs().some(({ endedAt }) => endedAt === null))
    await new Promise(resolve => setTimeout(resolve, 5))
}

// Together, as they mostly wait until a dataset rests.
describe.concurrent('categories of queries', () => {
  it('are told and count in the ranking once there are enough documents, after a restart as before', async ({
    expect,
    onTestFinished,
  }) => {
    const store = memoryDatabase()
    const engine = await openEngine({ store }, onTestFinished)
    const dataset = await made(engine, catalogue.slice(0, 900))
    expect(await categoriesOf(dataset, 'frying pan')).toBeUndefined()
    expect((await dataset.info()).categories).toBeNull()
    await dataset.documents.bulk(catalogue.slice(900))
    await learnt(dataset)
    const { categories } = await dataset.info()
    expect(categories).toMatchObject({ tags: 3, weigh: true })
    expect(categories!.accuracy).toBeGreaterThan(0.95)

    const [best, ...others] = (await categoriesOf(dataset, 'frying pan with lid'))!
    expect(best).toMatchObject({ tag: 'pans', path: ['Home', 'Pans'] })
    expect(best!.probability).toBeGreaterThan(0.8)
    for (const { probability } of others) expect(probability).toBeLessThanOrEqual(best!.probability)
    // Its few documents count for the tag above it.
    expect((await categoriesOf(dataset, 'lamp bulb'))![0]!.tag).toBe('lamps')
    expect(await categoriesOf(dataset, 'zzqxv')).toBeUndefined()
    expect(await categoriesOf(dataset, '')).toBeUndefined()
    // What is not wanted says nothing of what is.
    expect((await categoriesOf(dataset, 'steel lamp -tent -canvas -rope'))![0]!.tag).toBe('lamps')

    await withoutJobs(engine)
    const queries = ['steel lamp', 'steel', 'rope steel', 'light']
    const answers = () => Promise.all(queries.map(query => dataset.search(query, { explain: true })))
    const before = await answers()
    await expectHealthy(engine)
    await engine.close()
    const again = await openEngine({ store }, onTestFinished)
    const reopened = await again.datasets.get('products')
    // What needs less of the index comes first.
    await reopened.search('steel light', { categories: false })
    const after = await Promise.all(queries.map(query => reopened.search(query, { explain: true })))
    expect(after).toEqual(before)
    await withoutJobs(again)
    expect(again.jobs().filter(({ kind }) => kind === 'categories')).toEqual([])
  })

  it('raise documents by what explanations say, and nothing where they are turned off', async ({
    expect,
    onTestFinished,
  }) => {
    const engine = await openEngine({}, onTestFinished)
    const dataset = await made(engine)
    await learnt(dataset)
    await withoutJobs(engine)
    for (const query of ['steel lamp', 'steel', 'canvas lid']) {
      const { hits, categories } = await dataset.search(query, { explain: true, limit: 24 })
      const likely = new Map(categories!.map(({ tag, probability }) => [tag, probability]))
      const plain = await dataset.search(query, { explain: true, limit: 1000, categories: false })
      expect(plain.categories).toBeUndefined()
      const unraised = new Map(plain.hits.map(({ id, score }) => [id, score]))
      for (const { id, score, document, explanation } of hits) {
        const { tag } = document as (typeof catalogue)[number]
        const { categoryFactor, topicFactor, titleFactor, negationFactor, words } = explanation!
        const share = likely.get(tag === 'rare' ? 'lamps' : tag) ?? 0
        // Less likely ones than those that are told count, too.
        expect(Math.abs(categoryFactor - (1 + share / 4))).toBeLessThan(0.05 / 4 + 1e-9)
        const byWords = words.reduce((sum, word) => sum + word.score, 0)
        expect(score).toBeCloseTo(byWords * titleFactor * negationFactor * categoryFactor * topicFactor, 4)
        expect(score).toBeGreaterThanOrEqual(unraised.get(id)! - 1e-9 - (topicFactor > 1 ? score : 0))
      }
      for (const { explanation } of plain.hits) expect(explanation!.categoryFactor).toBe(1)
      const scores = hits.map(({ score }) => score)
      expect(scores).toEqual([...scores].sort((a, b) => b - a))
    }
    // An order takes the place of the score.
    const sorted = await dataset.search('steel lamp', { sort: ['title'], explain: true })
    expect(sorted.categories![0]!.tag).toBe('lamps')
    for (const { explanation } of sorted.hits) expect(explanation!.categoryFactor).toBe(1)

    await dataset.reconfigure({ categories: false }).finished
    expect(await categoriesOf(dataset, 'lamp bulb')).toBeUndefined()
    expect((await dataset.info()).categories).toBeNull()
    await dataset.reconfigure({ categories: true }).finished
    expect((await categoriesOf(dataset, 'lamp bulb'))![0]!.tag).toBe('lamps')
  })

  it('tell nothing to those who do not see all documents and their tags', async ({
    expect,
    onTestFinished,
  }) => {
    const engine = await openEngine({}, onTestFinished)
    const dataset = await made(engine)
    await learnt(dataset)
    await withoutJobs(engine)
    const seen = (options: SearchOptions) => dataset.search('steel lamp', { limit: 50, ...options })
    expect((await seen({ visibleFields: ['title', 'tag'] })).categories).toBeDefined()
    for (const part of [{ visible: 'shown:true' }, { visibleFields: ['title'] }]) {
      const answer = await seen(part)
      expect(answer.categories).toBeUndefined()
      expect({ ...answer, queryId: '' }).toEqual({
        ...(await seen({ ...part, categories: false })),
        queryId: '',
      })
    }
  })

  it('serve classification where no classifier was trained', async ({ expect, onTestFinished }) => {
    const engine = await openEngine({}, onTestFinished)
    const dataset = await made(engine)
    await learnt(dataset)
    const [best] = await dataset.classify('a frying pan')
    expect(best).toMatchObject({ tagId: 'pans' })
    await dataset.documents.upsert({ id: 'new', title: 'a frying hammer', tag: 'rare', shown: true })
    await dataset.classifier({ tags: ['rare'] })
    expect((await dataset.classify('a frying pan')).map(({ tagId }) => tagId)).toEqual(['rare'])
  })

  it('are learnt again when documents have doubled, by other settings, and where what was stored is damaged', async ({
    expect,
    onTestFinished,
  }) => {
    const store = memoryDatabase()
    const engine = await openEngine({ store }, onTestFinished)
    const dataset = await made(engine)
    await learnt(dataset)
    expect(await categoriesOf(dataset, 'saw blade')).toBeUndefined()
    await dataset.tags.create({ id: 'saws', name: 'Saws', parentId: null })
    const saws = Array.from({ length: 1600 }, (_, i) => {
      return {
        id: `s${i}`,
        title: `saw blade ${['teeth', 'wood', 'metal'][i % 3]}`,
        tag: 'saws',
        shown: true,
      }
    })
    await dataset.documents.bulk(saws)
    while (!(await categoriesOf(dataset, 'saw blade'))) await new Promise(resolve => setTimeout(resolve, 20))
    expect((await categoriesOf(dataset, 'saw blade'))![0]!.tag).toBe('saws')

    await dataset.reconfigure({ language: 'german' }).finished
    await learnt(dataset)
    expect((await categoriesOf(dataset, 'saw blade'))![0]!.tag).toBe('saws')
    await withoutJobs(engine)
    await engine.close()

    const [blob] = (await keysOf(store)).filter(key => key.startsWith('g/') && key.includes('/b/'))
    const bytes = Uint8Array.from((await store.get(blob!)) as Uint8Array)
    bytes[bytes.length >> 1]! ^= 1
    await store.put(blob!, bytes)
    const warnings: string[] = []
    const logger = { error() {}, warn: (_: object, message: string) => void warnings.push(message) }
    const again = await openEngine({ store, logger }, onTestFinished)
    const reopened = await again.datasets.get('products')
    expect((await reopened.search('saw blade')).hits).toHaveLength(10)
    await learnt(reopened)
    expect((await categoriesOf(reopened, 'saw blade'))![0]!.tag).toBe('saws')
    expect(warnings).toEqual(['The categories of queries cannot be read. They will be learnt again.'])
    await withoutJobs(again)
    await expectHealthy(again)
    await again.datasets.remove('products')
    expect((await keysOf(store)).filter(key => key.startsWith('g/'))).toEqual([])
  })

  it('are gone with the documents, and written down as nothing where nothing can be learnt', async ({
    expect,
    onTestFinished,
  }) => {
    const store = memoryDatabase()
    const engine = await openEngine({ store }, onTestFinished)
    const dataset = await made(engine)
    await learnt(dataset)
    await withoutJobs(engine)
    const version = await dataset.version()
    for (const { id } of catalogue.slice(0, 600)) await dataset.documents.delete(id)
    expect(await categoriesOf(dataset, 'frying pan')).toBeUndefined()
    expect((await dataset.info()).categories).toBeNull()
    const untagged = catalogue.map(({ tag: _, ...document }) => document)
    const again = untagged.map(one => ({ ...one, id: `u${one.id}` }))
    await Promise.all([learning(engine), dataset.documents.bulk([...untagged, ...again])])
    await withoutJobs(engine)
    expect(await categoriesOf(dataset, 'frying pan')).toBeUndefined()
    expect(await dataset.version()).not.toBe(version)
    await expectHealthy(engine)
    await engine.close()

    const reopened = await openEngine({ store }, onTestFinished)
    await (await reopened.datasets.get('products')).search('pan')
    await new Promise(resolve => setTimeout(resolve, 1200))
    expect(reopened.jobs().filter(({ kind }) => kind === 'categories')).toEqual([])
  })

  it('are learnt as soon as there is a tree of tags, and found among very many of one document', async ({
    expect,
    onTestFinished,
  }) => {
    const engine = await openEngine({}, onTestFinished)
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
    await dataset.documents.bulk(catalogue)
    // Longer than it is watched whether documents come or go.
    for (
      const end = Date.now() + 1500;
      Date.now() < end;
      await new Promise(resolve => setTimeout(resolve, 20))
    ) {
      expect(await categoriesOf(dataset, 'frying pan')).toBeUndefined()
      expect(engine.jobs().some(({ kind }) => kind === 'categories')).toBe(false)
    }
    for (const tag of tags) await dataset.tags.create(tag)
    while (!(await categoriesOf(dataset, 'frying pan'))) await new Promise(resolve => setTimeout(resolve, 20))
    await withoutJobs(engine)

    // More than there are classes.
    const many = Array.from({ length: 50_000 }, (_, i) => `t${i}`)
    await dataset.documents.upsert({ id: 'many', title: 'steel lamp', tag: [...many, 'lamps'] })
    const { hits } = await dataset.search('steel lamp', { explain: true, limit: 1000 })
    const { explanation } = hits.find(({ id }) => id === 'many')!
    expect(explanation!.categoryFactor).toBeGreaterThan(1)
  })

  it('are learnt of titles that repeat, too', async ({ expect, onTestFinished }) => {
    const engine = await openEngine({}, onTestFinished)
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title', 'desc'] })
    for (const tag of tags) await dataset.tags.create(tag)
    const variants = catalogue.map(({ id, tag }, i) => {
      const title = `${words[kinds[i % 3]!]![i % 2]} ${words[kinds[i % 3]!]![2]}`
      return { id, title, desc: `${['red', 'blue', 'green'][(i % 7) % 3]} ${i % 11} cm`, tag }
    })
    await dataset.documents.bulk(variants)
    await learnt(dataset)
    const [best] = (await categoriesOf(dataset, 'frying oven'))!
    expect(best).toMatchObject({ tag: 'pans', path: ['Home', 'Pans'] })
  })

  it('are not learnt of documents without tags, nor of those of one tag', async ({
    expect,
    onTestFinished,
  }) => {
    const engine = await openEngine({}, onTestFinished)
    const ofOneTag = catalogue.map(document => ({ ...document, tag: 'pans' }))
    const [dataset] = await Promise.all([made(engine, ofOneTag), learning(engine)])
    await withoutJobs(engine)
    expect((await dataset.info()).categories).toBeNull()
    expect(await categoriesOf(dataset, 'frying pan')).toBeUndefined()
  })

  it('are not learnt of more tags than can be told apart, of which nobody has to hear', async ({
    expect,
    onTestFinished,
  }) => {
    const warnings: string[] = []
    const logger = { error() {}, warn: (_: object, message: string) => void warnings.push(message) }
    const engine = await openEngine({ logger }, onTestFinished)
    const ofManyTags = catalogue.map((document, i) => ({
      ...document,
      tag: Array.from({ length: 50 }, (_, n) => `t${50 * i + n}`),
    }))
    const [dataset] = await Promise.all([made(engine, ofManyTags), learning(engine)])
    await withoutJobs(engine)
    expect((await dataset.info()).categories).toBeNull()
    expect(warnings).toEqual([])
  })
})

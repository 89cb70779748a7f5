import * as fc from 'fast-check'
import type { Dataset, Engine, JsonObject, VectorOptions } from 'findling'
import { describe, expect, it } from 'vitest'
import { random } from '../../bench/random.ts'
import { parseSettings, refuseUseless } from '../../src/datasets/schema/dataset-settings.ts'
import { memoryDatabase, openEngine, temporaryFolder } from './engines.ts'

const lamps: JsonObject[] = [
  { id: 'red', title: 'Red lamp', brand: 'Norda', price: 30, embedding: [1, 0, 0] },
  { id: 'blue', title: 'Blue lamp', brand: 'Norda', price: 20, embedding: [0.9, 0.3, 0] },
  { id: 'stool', title: 'Wooden stool', brand: 'Elmo', price: 40, embedding: [0, 2, 0] },
  { id: 'bench', title: 'Wooden bench', brand: 'Elmo', price: 60, embedding: [0, 1, 1] },
  { id: 'new', title: 'New wooden lamp', price: 10 },
]

const settings = { interpretedFields: ['title'], vectors: { embedding: { dimensions: 3 } } }

async function opened(engine?: Engine): Promise<Dataset> {
  const dataset = await (engine ?? (await openEngine())).datasets.create('products', settings)
  await dataset.documents.bulk(lamps)
  return dataset
}

const idsOf = ({ hits }: { hits: readonly { id: string }[] }) => hits.map(({ id }) => id)

const cosine = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, one, i) => sum + one * b[i]!, 0) / Math.hypot(...a) / Math.hypot(...b)

describe('a search with a vector alone', () => {
  it('finds the nearest documents, nearest first, with their similarity as the score', async () => {
    const dataset = await opened()
    const { hits, total } = await dataset.search('', { vector: { value: [2, 0.2, 0], nearest: 3 } })
    expect(hits.map(({ id }) => id)).toEqual(['red', 'blue', 'stool'])
    expect(total).toEqual({ count: 3, exact: true })
    for (const [i, vector] of [
      [1, 0, 0],
      [0.9, 0.3, 0],
      [0, 2, 0],
    ].entries()) {
      expect(hits[i]!.similarity).toBeCloseTo(cosine([2, 0.2, 0], vector), 4)
      expect(hits[i]!.score).toBe(hits[i]!.similarity)
    }
  })

  it('takes typed arrays, a least similarity, pages, and no more than there are', async () => {
    const dataset = await opened()
    const value = new Float32Array([1, 0, 0])
    expect(idsOf(await dataset.search('', { vector: { value } }))).toEqual(['red', 'blue', 'bench', 'stool'])
    expect(idsOf(await dataset.search(' ', { vector: { value, least: 0.5 } }))).toEqual(['red', 'blue'])
    const paged = await dataset.search('', { vector: { value, nearest: 3 }, limit: 2, offset: 2 })
    expect([idsOf(paged), paged.total.count]).toEqual([['bench'], 3])
  })

  it('finds only what the filter accepts, however near others are, and counts, orders and groups that', async () => {
    const dataset = await opened()
    const vector = { value: [1, 0, 0], nearest: 2 }
    const filtered = await dataset.search('', { vector, filter: 'brand:Elmo', facets: ['brand', 'price'] })
    expect(idsOf(filtered)).toEqual(['bench', 'stool'])
    expect(filtered.facets!.brand!.values).toEqual([{ value: 'Elmo', count: 2 }])
    expect(filtered.facets!.price!.stats).toMatchObject({ min: 40, max: 60 })
    const sorted = await dataset.search('', { vector: { ...vector, nearest: 3 }, sort: ['price'] })
    expect(idsOf(sorted)).toEqual(['blue', 'red', 'bench'])
    const grouped = await dataset.search('', { vector: { value: [1, 0, 0] }, groupBy: 'brand' })
    expect(grouped.hits.map(({ id, group }) => [id, group!.documents])).toEqual([
      ['red', 2],
      ['bench', 2],
    ])
  })

  it('respects what is hidden, pinned or not visible', async () => {
    const dataset = await opened()
    const vector = { value: [1, 0, 0], nearest: 2 }
    expect(idsOf(await dataset.search('', { vector, hidden: ['red'] }))).toEqual(['blue', 'bench'])
    const pinned = await dataset.search('', { vector, pinned: [{ id: 'new', position: 1 }] })
    expect(pinned.hits.map(({ id, pinned }) => [id, pinned])).toEqual([
      ['new', true],
      ['red', undefined],
      ['blue', undefined],
    ])
    expect(pinned.total.count).toBe(3)
    expect(idsOf(await dataset.search('', { vector, visible: 'brand:Elmo' }))).toEqual(['bench', 'stool'])
    const visibleFields = ['title', 'embedding']
    expect(idsOf(await dataset.search('', { vector, visibleFields }))).toEqual(['red', 'blue'])
    await expect(dataset.search('', { vector, visibleFields: ['title'] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'vector' },
    })
  })
})

describe('a search for what is like a document', () => {
  it('compares its vector, and finds the others', async () => {
    const dataset = await opened()
    const like = await dataset.search('', { vector: { like: 'red' } })
    const given = await dataset.search('', { vector: { value: [1, 0, 0] }, hidden: ['red'] })
    expect(idsOf(like)).toEqual(['blue', 'bench', 'stool'])
    expect(like.hits).toEqual(given.hits)
    const hidden = await dataset.search('', {
      vector: { like: 'red' },
      hidden: ['blue'],
      filter: 'price:>50',
    })
    expect(idsOf(hidden)).toEqual(['bench'])
    const both = await dataset.search('lamp', { vector: { like: 'red', nearest: 1 } })
    expect(idsOf(both)).toEqual(['blue', 'new'])
  })

  it('follows the document, and knows ids that are numbers', async () => {
    const dataset = await opened()
    await dataset.documents.upsert({ id: 7, title: 'Chair', embedding: [0, 0, 3] })
    expect(idsOf(await dataset.search('', { vector: { like: 7, least: 0.1 } }))).toEqual(['bench'])
    await dataset.documents.upsert({ id: 7, title: 'Chair', embedding: [0.9, 0, 0] })
    expect(idsOf(await dataset.search('', { vector: { like: '7', nearest: 1 } }))).toEqual(['red'])
  })

  it('refuses a document that is missing, is not visible, or has no vector, and says so', async () => {
    const dataset = await opened()
    const refused = (vector: object, more = {}) =>
      dataset.search('', { vector: vector as VectorOptions, ...more }).then(
        ({ hits }) => hits,
        ({ code, details }) => [code, details.field, details.expected],
      )
    const missing = ['DOCUMENT_NOT_FOUND', 'vector.like', 'the id of a document that exists']
    expect(await refused({ like: 'none' })).toEqual(missing)
    expect(await refused({ like: 'red' }, { visible: 'brand:Elmo' })).toEqual(missing)
    expect(await refused({ like: 'stool' }, { visible: 'brand:Elmo' })).toMatchObject([{ id: 'bench' }])
    expect(await refused({ like: 'new' })).toEqual([
      'INVALID_ARGUMENT',
      'vector.like',
      'the id of a document that has a vector in embedding',
    ])
    expect(await refused({ like: 'red', value: [1, 0, 0] })).toEqual([
      'INVALID_ARGUMENT',
      'vector.like',
      'none with a value',
    ])
    expect(await refused({})).toEqual([
      'INVALID_ARGUMENT',
      'vector.value',
      'a list of 3 numbers, or the id of a document in like',
    ])
    expect((await refused({ like: {} })).slice(0, 2)).toEqual(['INVALID_ARGUMENT', 'vector.like'])
    const visibleFields = ['title']
    expect((await refused({ like: 'red' }, { visibleFields })).slice(0, 2)).toEqual([
      'INVALID_ARGUMENT',
      'vector',
    ])
  })
})

describe('a search with a text and a vector', () => {
  it('finds what either finds, and combines both scores', async () => {
    const dataset = await opened()
    const vector = { value: [1, 0, 0], nearest: 1 }
    const found = await dataset.search('wooden', { vector })
    expect(idsOf(found).sort()).toEqual(['bench', 'new', 'red', 'stool'])
    expect(found.total).toEqual({ count: 4, exact: true })
    expect(found.words).toMatchObject([{ word: 'wooden', kind: 'exact' }])
    const scores = new Map(found.hits.map(({ id, score }) => [id, score]))
    // The nearest document lacks the word; another has no vector, and is scored by its text alone.
    expect(scores.get('red')).toBeCloseTo(0.3, 6)
    expect(scores.get('new')).toBeGreaterThan(0.7)
    const text = await dataset.search('wooden')
    const best = text.hits[0]!.score
    for (const { id, score } of text.hits.filter(({ id }) => id !== 'new'))
      expect(scores.get(id)).toBeCloseTo((0.7 * score) / best, 6)
  })

  it('is in the order of the text at ratio 0, and begins with the nearest at 1', async () => {
    const dataset = await opened()
    const value = [1, 0.1, 0]
    const text = idsOf(await dataset.search('wooden lamp'))
    const all = await dataset.search('wooden lamp', { vector: { value, ratio: 0 } })
    expect(idsOf(all)).toEqual(text)
    await dataset.documents.delete('new')
    const nearest = await dataset.search('wooden lamp', { vector: { value, ratio: 1 } })
    expect(idsOf(nearest).slice(0, 2)).toEqual(['red', 'blue'])
  })

  it('corrects typos, highlights, relaxes and filters as ever', async () => {
    const dataset = await opened()
    const vector = { value: [0, 1, 0], nearest: 1 }
    const found = await dataset.search('wodden', { vector, highlight: true, filter: 'price:>30' })
    expect(idsOf(found)).toEqual(['stool', 'bench'])
    expect(found.words[0]!.kind).toBe('typo')
    expect(found.hits[1]!.highlights!.title![0]!.ranges).toEqual([{ start: 0, end: 6 }])
    const relaxed = await dataset.search('wooden stool nowhere', { vector, operator: 'and', relax: true })
    expect(relaxed.relaxed).toEqual(['nowhere'])
    expect(idsOf(relaxed)).toEqual(['stool'])
    const none = await dataset.search('nowhere', { vector, typoTolerance: 0 })
    expect(none.hits.map(({ id, score }) => [id, score])).toEqual([['stool', expect.closeTo(0.3, 6)]])
  })

  it('finds nothing that the text excludes, however near it is', async () => {
    const dataset = await opened()
    const vector = { value: [1, 0.1, 0], nearest: 2 }
    expect(idsOf(await dataset.search('wooden -lamp', { vector })).sort()).toEqual(['bench', 'stool'])
    expect(idsOf(await dataset.search('-lamp', { vector }))).toEqual(['stool', 'bench'])
    expect(idsOf(await dataset.search('-"red lamp"', { vector }))).toEqual(['blue', 'stool'])
    const plain = await dataset.search('wooden -lamp', { vector, exclusion: false })
    expect(idsOf(plain)).toContain('red')
    const seen = await dataset.search('-wooden', { vector, visible: 'brand:Norda', hidden: ['red'] })
    expect(idsOf(seen)).toEqual(['blue'])
    const counted = await dataset.search('wooden -bench', { vector: { value: [0, 1, 1] }, facets: ['brand'] })
    expect(counted.facets!.brand!.values).toEqual([
      { value: 'Norda', count: 2 },
      { value: 'Elmo', count: 1 },
    ])
  })

  it('gives pages that neither overlap nor leave anything out, with more matches than are ranked at first', async () => {
    // Topics that are trained between two pages would change scores.
    const dataset = await (await openEngine()).datasets.create('products', { ...settings, topics: false })
    const words = ['oak', 'oak table', 'small oak table', 'table']
    const documents = Array.from({ length: 2500 }, (_, i) => ({
      id: String(i),
      title: words[i % 4]!,
      ...(i % 3 > 0 && { embedding: [1, i % 50, i % 7] }),
    }))
    await dataset.documents.bulk(documents)
    const seen: string[] = []
    let last = Number.POSITIVE_INFINITY
    for (let offset = 0; offset < 2500; offset += 500) {
      const options = { vector: { value: [1, 20, 3] }, limit: 500, offset, documents: false } as const
      const { hits, total } = await dataset.search('oak table', options)
      expect(total.count).toBe(2500)
      for (const { id, score } of hits) {
        expect(score).toBeLessThanOrEqual(last)
        last = score
        seen.push(id)
      }
    }
    expect(new Set(seen).size).toBe(2500)
  })
})

describe('vectors', () => {
  it('follow every write, and are there after a restart', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await opened(engine)
    const nearest = async (of = dataset) => idsOf(await of.search('', { vector: { value: [1, 0, 0] } }))
    expect(await nearest()).toEqual(['red', 'blue', 'bench', 'stool'])
    await dataset.documents.update('new', { embedding: [1, 0.01, 0] })
    await dataset.documents.update('blue', { embedding: null })
    await dataset.documents.delete('stool')
    await dataset.documents.upsert({ id: 'red', title: 'Red lamp', embedding: [-1, 0, 0] })
    const after = ['new', 'bench', 'red']
    expect(await nearest()).toEqual(after)
    await dataset.documents.update('bench', { price: 61 })
    expect(await nearest()).toEqual(after)
    await engine.close()
    const again = await openEngine({ store })
    expect(await nearest(again.datasets.get('products'))).toEqual(after)
    expect(again.memory().datasets[0]!.vectors).toBeGreaterThan(0)
  })

  it('are those nearest after a restart, too, where lists of numbers are long enough to be stored apart', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
    const list = (seed: number, length: number) => Array.from({ length }, (_, i) => Math.sin(seed + i * seed))
    const documents = Array.from({ length: 60 }, (_, i) => ({
      id: `${i}`,
      title: 'thing',
      of: { text: i % 7 === 0 ? Array<number>(40).fill(0) : list(i + 1, i % 11 === 0 ? 39 : 40) },
      // Not the field of this name in the object.
      'of.text': list(i + 100, 40),
      ...(i % 3 === 0 ? {} : { short: list(i + 200, 8) }),
      ...(i % 5 === 0 ? { words: list(1, 50).map(String) } : {}),
    }))
    await dataset.documents.bulk(documents)
    await dataset.reconfigure({ vectors: { 'of.text': { dimensions: 40 }, short: { dimensions: 8 } } })
    const answers = async ({ datasets }: Engine) => {
      const [long, short] = [list(3, 40), list(4, 8)]
      const of = (field: string, value: number[]) =>
        datasets.get('products').search('', { vector: { field, value }, limit: 100 })
      return [idsOf(await of('of.text', long)), idsOf(await of('short', short))]
    }
    const nearest = (value: number[], of: (document: (typeof documents)[number]) => number[] | undefined) =>
      documents
        .filter(document => of(document)?.length === value.length && of(document)!.some(one => one !== 0))
        .sort((a, b) => cosine(of(b)!, value) - cosine(of(a)!, value))
        .map(({ id }) => id)
    const expected = [
      nearest(list(3, 40), document => document.of.text),
      nearest(list(4, 8), document => document.short),
    ]
    expect(await answers(engine)).toEqual(expected)
    await engine.close()
    const again = await openEngine({ store })
    expect(await answers(again)).toEqual(expected)
    expect(await again.datasets.get('products').documents.get('5')).toEqual(documents[5])
  })

  it('are those nearest by a plain scan, whatever is written, filtered and asked', async () => {
    const vector = fc
      .array(fc.integer({ min: -20, max: 20 }), { minLength: 3, maxLength: 3 })
      .filter(values => values.some(value => value !== 0))
    const write = fc.record({
      id: fc.integer({ min: 0, max: 40 }).map(String),
      document: fc.option(
        fc.record({ price: fc.integer({ min: 0, max: 9 }), embedding: fc.option(vector, { freq: 4 }) }),
        { freq: 5 },
      ),
    })
    const asked = fc.record({
      value: vector,
      nearest: fc.integer({ min: 1, max: 50 }),
      from: fc.integer({ min: 0, max: 9 }),
    })
    const engine = await openEngine()
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(write, { maxLength: 15 }), asked), { maxLength: 6 }),
        async rounds => {
          const dataset = await engine.datasets.create(`run-${run++}`, settings)
          const model = new Map<string, { price: number; embedding: number[] | null }>()
          for (const [writes, { value, nearest, from }] of rounds) {
            for (const { id, document } of writes) {
              if (document) {
                model.set(id, document)
                await dataset.documents.upsert({ id, title: 'thing', ...document })
              } else if (model.delete(id)) await dataset.documents.delete(id)
            }
            const options = { vector: { value, nearest }, filter: `price:>=${from}`, limit: 100 }
            const { hits, total } = await dataset.search('', options)
            const expected = [...model]
              .flatMap(([id, { price, embedding }]) =>
                embedding && price >= from ? [{ id, similarity: cosine(embedding, value) }] : [],
              )
              .sort((a, b) => b.similarity - a.similarity)
            expect(total.count).toBe(Math.min(nearest, expected.length))
            for (const [i, { id, similarity }] of hits.entries()) {
              expect(similarity).toBeCloseTo(expected[i]!.similarity, 4)
              expect(similarity).toBeCloseTo(expected.find(one => one.id === id)!.similarity, 4)
            }
          }
          await engine.datasets.remove(dataset.name)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('are those nearest where most are nearly the same, or none is near', async () => {
    const dataset = await (await openEngine()).datasets.create('products', {
      vectors: { embedding: { dimensions: 40 } },
    })
    const next = random(7)
    const some = () => Array.from({ length: 40 }, () => next() - 0.5)
    const centres = Array.from({ length: 12 }, some)
    const made = Array.from({ length: 3000 }, (_, i) =>
      i % 3 === 0 ? some() : centres[i % 12]!.map(one => one + (next() - 0.5) * 10 ** -(1 + (i % 4))),
    )
    await dataset.documents.bulk(made.map((embedding, i) => ({ id: `${i}`, title: 'thing', embedding })))
    for (const value of [...centres, ...Array.from({ length: 12 }, some)]) {
      const all = made.map(one => cosine(one, value)).sort((a, b) => b - a)
      for (const [nearest, least] of [[1], [17], [700], [1000, 0.2], [1000, all[3]! - 1e-4]] as const) {
        const vector = { value, nearest, ...(least !== undefined && { least }) }
        const { hits } = await dataset.search('', { vector, limit: 1000 })
        const expected = all.filter(one => one >= (least ?? -1)).slice(0, nearest)
        expect(hits.length).toBe(expected.length)
        for (const [i, { id, similarity }] of hits.entries()) {
          expect(Math.abs(similarity! - cosine(made[Number(id)]!, value))).toBeLessThan(2e-5)
          expect(Math.abs(similarity! - expected[i]!)).toBeLessThan(2e-5)
        }
      }
    }
  })

  it('are found while others write', async () => {
    const dataset = await opened()
    let isOver = false
    const writing = (async () => {
      for (let i = 0; i < 300; i++)
        await dataset.documents.upsert({ id: `w${i % 90}`, title: 'Written lamp', embedding: [i, 1, i % 5] })
      isOver = true
    })()
    let searches = 0
    while (!isOver) {
      const { hits } = await dataset.search('', { vector: { value: [0, 0.01, 1], nearest: 1 } })
      expect(hits).toHaveLength(1)
      searches++
      await new Promise(setImmediate)
    }
    await writing
    expect(searches).toBeGreaterThan(0)
    const { total } = await dataset.search('', { vector: { value: [1, 0, 0], nearest: 1000 } })
    expect(total.count).toBe(94)
  })

  it('are read long before an import ends that began at the same time', async () => {
    const engine = await openEngine({ store: await temporaryFolder() })
    const vectors = { embedding: { dimensions: 64 } }
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'], vectors })
    const embedding = Array.from({ length: 64 }, (_, i) => Number(Math.sin(i).toFixed(6)))
    let [rows, isFound] = [0, false]
    const lamps = function* (most: number) {
      for (rows = 0; rows < most && !isFound; rows++)
        yield { id: String(rows), title: 'Lamp', embedding: [rows, ...embedding.slice(1)] }
    }
    await dataset.documents.import(lamps(6000))
    const importing = dataset.documents.import(lamps(40_000)).finished
    await dataset.search('', { vector: { value: embedding } })
    isFound = true
    await importing
    expect(rows).toBeLessThan(20_000)
  }, 60_000)

  it('are not waited for by a search that is cancelled, and are read all the same', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products', settings)
    const documents = Array.from({ length: 20_000 }, (_, i) => {
      return { id: String(i), title: 'Lamp', embedding: [1, i, 1] }
    })
    await dataset.documents.bulk(documents)
    const taken = () => engine.memory().datasets[0]!.vectors
    const vector = { value: [1, 0, 0] }
    const cancelling = new AbortController()
    const cancelled = dataset.search('', { vector, signal: cancelling.signal })
    const reading = dataset.search('', { vector, limit: 1 })
    setImmediate(() => cancelling.abort())
    await expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' })
    const early = taken()
    expect(idsOf(await reading)).toEqual(['0'])
    expect(early).toBeLessThan(taken() / 2)
  })

  it('can be declared later, for documents that have them already, and given up again', async () => {
    const engine = await openEngine({ store: await temporaryFolder() })
    const dataset = await engine.datasets.create('products', { interpretedFields: ['title'] })
    await dataset.documents.bulk([...lamps, { id: 'odd', title: 'Odd lamp', embedding: [1, 2] }])
    expect(await dataset.count('embedding:2')).toBe(2)
    await dataset.reconfigure({ vectors: settings.vectors })
    expect(dataset.settings.vectors).toEqual(settings.vectors)
    // A list of another length was stored before anybody said how long they are.
    expect(idsOf(await dataset.search('', { vector: { value: [1, 0, 0] } }))).not.toContain('odd')
    expect(await dataset.count('_exists_:embedding')).toBe(5)
    expect(await dataset.count('-_exists_:embedding')).toBe(1)
    await expect(dataset.count('embedding:2')).rejects.toMatchObject({ code: 'QUERY_INVALID' })
    await expect(dataset.search('', { groupBy: 'embedding' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    expect(() => dataset.reconfigure({ groupBy: 'embedding' })).toThrow('groupBy is "embedding"')
    expect(() => dataset.reconfigure({ vectors: { embedding: { dimensions: 4 } } })).toThrow(
      'vectors.embedding.dimensions is 4; expected 3',
    )
    await dataset.reconfigure({ vectors: {} })
    expect(dataset.settings.vectors).toBeUndefined()
    expect(await dataset.count('embedding:2')).toBe(2)
  })

  it('may be of several models, in nested fields', async () => {
    const vectors = { 'v.small': { dimensions: 2 }, 'v.large': { dimensions: 4 } }
    const dataset = await (await openEngine()).datasets.create('products', { ...settings, vectors })
    await dataset.documents.bulk([
      { id: 'a', title: 'A', v: { small: [1, 0], large: [0, 0, 0, 1] } },
      { id: 'b', title: 'B', v: { small: [0, 1], large: [1, 0, 0, 0] } },
    ])
    const first = async (field: string, value: number[]) =>
      idsOf(await dataset.search('', { vector: { field, value, nearest: 1 } }))[0]
    expect(await first('v.small', [1, 0.2])).toBe('a')
    expect(await first('v.large', [1, 0.2, 0, 0])).toBe('b')
    await expect(dataset.search('', { vector: { value: [1, 0] } })).rejects.toMatchObject({
      details: { field: 'vector.field', expected: 'one of v.small, v.large' },
    })
  })
})

it('do not keep a store from opening that was grouped by them before that was refused', () => {
  const stored = { interpretedFields: ['title'], groupBy: 'v', vectors: { v: { dimensions: 2 } } }
  const settings = parseSettings(stored)
  expect(settings.groupBy).toBe('v')
  expect(() => refuseUseless(settings, undefined)).toThrow(
    'groupBy is "v"; expected a field that holds no vectors',
  )
})

describe('a wrong vector', () => {
  it.each([
    ['too short', [1, 2], 'embedding', 'null, or a list of 3 numbers'],
    ['no list', 'a', 'embedding', 'null, or a list of 3 numbers'],
    ['with something else in it', [1, '2', 3], 'embedding[1]', 'a number'],
    ['of zeros', [0, -0, 0], 'embedding', 'null, or one number other than 0'],
  ])('%s is refused in a document, which is not stored', async (_, embedding, field, expected) => {
    const dataset = await opened()
    const refused = { code: 'INVALID_DOCUMENT', details: { field, expected } }
    await expect(dataset.documents.upsert({ id: 'x', embedding })).rejects.toMatchObject(refused)
    await expect(dataset.documents.update('new', { embedding })).rejects.toMatchObject(refused)
    expect(await dataset.count('_exists_:embedding')).toBe(4)
    expect(await dataset.count()).toBe(5)
  })

  it.each([
    [{ value: [1, 0] }, 'vector.value'],
    [{ value: [] }, 'vector.value'],
    [{ value: [0, 0, 0] }, 'vector.value'],
    [{ value: [1, 0, Number.NaN] }, 'vector.value[2]'],
    [{ value: [1, 0, Number.POSITIVE_INFINITY] }, 'vector.value[2]'],
    [{ value: new Float32Array([1, Number.NaN, 0]) }, 'vector.value[1]'],
    [{ value: new Float64Array(5_000_000).fill(1) }, 'vector.value'],
    [{ value: '1,0,0' }, 'vector.value'],
    [{ value: [1, 0, 0], field: '__proto__' }, 'vector.field'],
    [{ value: [1, 0, 0], field: 'title' }, 'vector.field'],
    [{ value: [1, 0, 0], nearest: 0 }, 'vector.nearest'],
    [{ value: [1, 0, 0], nearest: 1001 }, 'vector.nearest'],
    [{ value: [1, 0, 0], ratio: 1.1 }, 'vector.ratio'],
    [{ value: [1, 0, 0], least: -2 }, 'vector.least'],
    [{ value: [1, 0, 0], k: 10 }, 'vector.k'],
    [{}, 'vector.value'],
    [null, 'vector'],
  ])('is refused in a search by its name: %j', async (vector, field) => {
    const dataset = await opened()
    const searching = dataset.search('', { vector } as never)
    await expect(searching).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
  })

  it('is refused with options that it excludes, and where no field has vectors', async () => {
    const engine = await openEngine()
    const dataset = await opened(engine)
    const vector = { value: [1, 0, 0] }
    const refusal = (field: string) => ({ code: 'INVALID_ARGUMENT', details: { field } })
    await expect(dataset.search('', { vector, explain: true })).rejects.toMatchObject(refusal('explain'))
    await expect(dataset.search('', { vector, cursor: true })).rejects.toMatchObject(refusal('cursor'))
    await expect(dataset.search('', { groupBy: 'embedding' })).rejects.toMatchObject(refusal('groupBy'))
    const plain = await engine.datasets.create('plain')
    await expect(plain.search('', { vector })).rejects.toMatchObject(refusal('vector'))
  })

  it.each([
    [{ id: { dimensions: 3 } }, 'vectors'],
    [{ title: { dimensions: 3 } }, 'vectors'],
    [{ 'a..b': { dimensions: 3 } }, 'vectors'],
    [{ a: { dimensions: 0 } }, 'vectors.a.dimensions'],
    [{ a: { dimensions: 4097 } }, 'vectors.a.dimensions'],
    [{ a: { dimensions: 2.5 } }, 'vectors.a.dimensions'],
    [{ a: 3 }, 'vectors.a'],
    [Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`v${i}`, { dimensions: 2 }])), 'vectors'],
    [JSON.parse('{ "__proto__": { "dimensions": 0 } }') as object, 'vectors.__proto__.dimensions'],
  ])('setting is refused: %j', async (vectors, field) => {
    const engine = await openEngine()
    const creating = engine.datasets.create('products', { interpretedFields: ['title'], vectors } as never)
    await expect(creating).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
    expect(engine.datasets.has('products')).toBe(false)
  })
})

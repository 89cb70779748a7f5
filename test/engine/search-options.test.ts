import { afterEach, describe, expect, it } from 'vitest'
import { type Dataset, Engine, type SearchOptions } from '../../src/index.ts'
import { afterBlock, openEngine } from './engines.ts'

const engines: Engine[] = []

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close()
})

const now = Date.UTC(2030, 0, 1)

const products = [
  {
    id: '1',
    title: 'Noise cancelling headphones',
    desc: 'Wireless, thirty hours of battery.',
    popularity: 5,
  },
  {
    id: '2',
    title: 'Headphones',
    desc: 'They make no noise at all. Cancelling an order is free.',
    popularity: 900,
  },
  { id: '3', title: 'Garden hose', desc: 'Of rubber, with a brass nozzle.', made: '2029-12-31' },
  { id: '4', title: 'Garden chair', desc: 'Of oak; chairs like this one last.', made: '2019-12-31' },
]

async function open(settings: object = {}): Promise<Dataset> {
  const engine = await Engine.open({ clock: () => now })
  engines.push(engine)
  const dataset = await engine.datasets.create('products', settings)
  await dataset.documents.bulk(products)
  return dataset
}

const ids = async (dataset: Dataset, query: string, options: SearchOptions = {}): Promise<string[]> =>
  (await dataset.search(query, options)).hits.map(({ id }) => id)

describe('a phrase', () => {
  it('must stand as it is quoted', async () => {
    const dataset = await open()
    expect(await ids(dataset, 'noise cancelling')).toEqual(['1', '2'])
    expect(await ids(dataset, '"noise cancelling"')).toEqual(['1'])
    expect(await ids(dataset, '"cancelling noise"')).toEqual([])
    expect(await ids(dataset, '"noise cancelling" hose')).toEqual(['1'])
  })

  it('may have as many words between as its slop says', async () => {
    const dataset = await open()
    expect(await ids(dataset, '"hours battery"')).toEqual([])
    expect(await ids(dataset, '"hours battery"~1')).toEqual(['1'])
  })

  it('does not begin at an inch mark', async () => {
    const dataset = await open()
    await dataset.documents.insert({ id: '5', title: '27" monitor, 30" wide' })
    expect(await ids(dataset, '30" monitor 27"')).toEqual(['5'])
  })
})

describe('the last word', () => {
  it('may be the beginning of one when asked', async () => {
    const dataset = await open()
    expect(await ids(dataset, 'garden ho', { prefix: true, operator: 'and' })).toEqual(['3'])
    expect(await ids(dataset, 'ho', { typoTolerance: 0 })).toEqual([])
  })
})

describe('fields', () => {
  it('are searched alone when listed', async () => {
    const dataset = await open()
    expect(await ids(dataset, 'noise', { fields: ['title'] })).toEqual(['1'])
    expect(await ids(dataset, 'noise', { fields: ['desc'] })).toEqual(['2'])
  })

  it('take other weights for one search', async () => {
    const dataset = await open()
    expect(await ids(dataset, 'noise', { fields: { desc: 50 } })).toEqual(['2', '1'])
    expect(await ids(dataset, 'noise', { fields: { title: 0 } })).toEqual(['2'])
    expect(await ids(dataset, 'noise')).toEqual(['1', '2'])
  })

  it.each([
    [{ fields: ['titel'] }, 'fields[0]', 'did you mean "title"?'],
    [{ fields: { desc: -1 } }, 'fields.desc', 'a number from 0 to 100'],
    [{ fields: JSON.parse('{"__proto__": 1}') }, 'fields.__proto__', 'an interpreted field'],
    [{ highlight: { fields: ['price'] } }, 'highlight.fields[0]', 'an interpreted field'],
    [{ total: 'about' }, 'total', 'exact'],
    [{ total: 'atLeast' }, 'total', 'estimate'],
    [{ prefix: 'yes' }, 'prefix', 'true or false'],
  ])('and options %j that cannot be are refused by name', async (options, field, accepted) => {
    const dataset = await open()
    const refused = await dataset.search('noise', options as SearchOptions).catch(error => error)
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', details: { field } })
    expect(refused.message).toContain(accepted)
  })
})

describe('the total', () => {
  it('counts all matches when exact, and says when it does not', async () => {
    const dataset = await open()
    const some = { limit: 1, documents: false } as const
    expect((await dataset.search('garden', some)).total).toEqual({ count: 2, exact: true })
    const searched = { ...some, fields: ['title', 'desc'] } as const
    expect((await dataset.search('garden', searched)).total).toMatchObject({ exact: false })
    expect((await dataset.search('garden', { ...searched, total: 'exact' })).total.exact).toBe(true)
    expect((await dataset.search('garden', { ...some, total: 'exact' })).total).toEqual({
      count: 2,
      exact: true,
    })
    expect((await dataset.search('garden')).total).toEqual({ count: 2, exact: true })
  })

  describe('of a search with a filter', () => {
    const afterwards = afterBlock()
    /** Words go with tags: of 12,000 documents a sixth are of the garden, most of them chairs; elsewhere hardly any are. */
    const furniture = (async () => {
      const engine = await openEngine({}, afterwards)
      const dataset = await engine.datasets.create('furniture')
      await dataset.documents.bulk(
        Array.from({ length: 12_000 }, (_, i) => {
          const tag = i % 6 === 0 ? 'garden' : 'house'
          const thing = i % 7 < (tag === 'garden' ? 5 : 1) ? 'chair' : 'table'
          return { id: `f${i}`, title: `${thing} ${i % 4 === 0 ? 'folding' : 'fixed'} model ${i}`, tag }
        }),
      )
      return dataset
    })()

    it.each<[string, SearchOptions]>([
      ['chair', { tags: ['garden'] }],
      ['chair', { tags: ['house'] }],
      ['chair', { filter: { tag: 'garden' }, operator: 'and' }],
      ['folding chair', { tags: ['garden'] }],
      ['folding chair', { tags: ['house'] }],
      ['folding chair', { tags: ['house'], operator: 'and' }],
      ['chair', { tags: ['garden'], fields: ['title'] }],
      // Hundreds of models, each in one document, and a word in many.
      ['chair model 11', { tags: ['garden'], prefix: true }],
    ])('is estimated well, for %j with %j', async (text, options) => {
      const dataset = await furniture
      const { total } = await dataset.search(text, { ...options, limit: 1 })
      const { count } = (await dataset.search(text, { ...options, limit: 1, total: 'exact' })).total
      expect(Math.abs(total.count / count - 1)).toBeLessThan(0.15)
      if (total.exact) expect(total.count).toBe(count)
    })

    it('is exact where facets have counted what was found', async () => {
      const dataset = await furniture
      const asked = { facets: ['tag'], limit: 1, tags: ['garden'] }
      const { total, facets } = await dataset.search('folding chair', asked)
      expect(total).toEqual({ count: facets?.tag?.values[0]?.count, exact: true })
    })

    it('is the same with facets as counted without, with pinned and hidden documents, too', async () => {
      const dataset = await furniture
      const curations = [
        {
          pinned: [
            { id: 'f1', position: 1 },
            { id: 'f6', position: 3 },
          ],
          hidden: ['f12', 'f2'],
        },
      ]
      await dataset.reconfigure({ curations })
      for (const text of ['chair', 'folding chair', 'chair -folding', 'xyz', ''])
        for (const more of [
          {},
          { tags: ['garden'] },
          { operator: 'and' },
          { offset: 3 },
          { groupBy: 'tag' },
        ]) {
          const asked = { limit: 2, ...more } as SearchOptions
          const counted = (await dataset.search(text, { ...asked, total: 'exact' })).total
          expect((await dataset.search(text, { ...asked, facets: ['tag'] })).total).toEqual(counted)
        }
    })
  })
})

describe('highlights', () => {
  const marked = (text: string, ranges: { start: number; end: number }[]) =>
    ranges.map(({ start, end }) => text.slice(start, end))

  it('mark other forms and what a typo was taken for, a phrase as one', async () => {
    const dataset = await open()
    const { hits } = await dataset.search('gardn chair', { highlight: true, limit: 1 })
    const { title, desc } = hits[0]!.highlights!
    expect(marked(title![0]!.text, title![0]!.ranges)).toEqual(['Garden', 'chair'])
    expect(marked(desc![0]!.text, desc![0]!.ranges)).toEqual(['chairs'])
    const [phrase] = (await dataset.search('"noise cancelling"', { highlight: true })).hits
    const [inTitle] = phrase!.highlights!.title!
    expect(marked(inTitle!.text, inTitle!.ranges)).toEqual(['Noise cancelling'])
  })

  it('come without documents, too', async () => {
    const dataset = await open()
    const { hits } = await dataset.search('hose', { highlight: { fields: ['title'] }, documents: false })
    expect(hits).toMatchObject([{ id: '3', highlights: { title: [{ text: 'Garden hose' }] } }])
    expect(hits[0]).not.toHaveProperty('document')
  })
})

describe('an explanation', () => {
  it('adds up to the score', async () => {
    const dataset = await open({ signals: { popularity: { pivot: 100, boost: 1 } } })
    const { hits } = await dataset.search('cancelling headphons noise', { explain: true })
    expect(hits.length).toBe(2)
    for (const { score, explanation } of hits) {
      const { words, titleFactor, signals } = explanation!
      const sum = words.reduce((all, word) => all + word.score, 0)
      const factors = signals.reduce((all, { factor }) => all * factor, titleFactor)
      expect(Math.abs(sum * factors - score)).toBeLessThan(1e-6)
    }
  })

  it('names fields, forms and signals', async () => {
    const dataset = await open({ signals: { popularity: { pivot: 100, boost: 1 } } })
    const [hit] = (await dataset.search('chair', { explain: true })).hits
    const { words, signals } = hit!.explanation!
    expect(signals).toEqual([{ field: 'popularity', factor: 1 }])
    expect(words[0]!.expansions[0]).toMatchObject({
      kind: 'stem',
      surfaces: ['chair', 'chairs'],
      fields: [
        { field: 'title', occurrences: 1, length: 2 },
        { field: 'desc', occurrences: 1, length: 7 },
      ],
    })
  })
})

describe('signals', () => {
  it('let the popular and the new come first, unless a search does without', async () => {
    const settings = {
      interpretedFields: ['title'],
      signals: { popularity: { pivot: 100, boost: 5 }, made: { halfLifeDays: 30, boost: 2 } },
    }
    const dataset = await open(settings)
    expect(await ids(dataset, 'headphones')).toEqual(['2', '1'])
    expect(await ids(dataset, 'garden')).toEqual(['3', '4'])
    await dataset.documents.update('1', { popularity: 1_000_000 })
    await dataset.documents.update('4', { made: '2029-12-30', popularity: 1e9 })
    expect(await ids(dataset, 'garden')).toEqual(['4', '3'])
    expect(await ids(dataset, 'garden', { signals: false })).toEqual(['3', '4'])
  })
})

describe('completion', () => {
  it('offers titles and tags, in spite of a typo, as they are now', async () => {
    const dataset = await open()
    await dataset.tags.create({ id: 'g', name: 'Gardening' })
    const texts = async (text: string) => (await dataset.complete(text)).map(one => one.text)
    expect(await texts('gard')).toEqual(['Gardening', 'Garden hose', 'Garden chair'])
    expect(await texts('hedp')).toEqual(['Headphones', 'Noise cancelling headphones'])
    await dataset.documents.delete('3')
    await dataset.documents.insert({ id: '6', title: 'Garden gnome' })
    expect(await texts('gard')).toEqual(['Gardening', 'Garden chair', 'Garden gnome'])
  })

  it('refuses what is no text, and too much', async () => {
    const dataset = await open()
    for (const refused of [dataset.complete(7 as never), dataset.complete('a', { limit: 1000 })])
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

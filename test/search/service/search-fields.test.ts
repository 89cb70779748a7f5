import * as fc from 'fast-check'
import {
  type Dataset,
  Engine,
  type JsonObject,
  type SearchService,
  type SearchServiceSettings,
} from 'findling'
import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf, failureOf, openEngine } from '../../engine/engines.ts'

type Search = NonNullable<SearchServiceSettings['search']>

const words = ['oak', 'brass', 'lamp', 'red', 'blue', 'desk', '7', 'true']
const fields = ['title', 'desc', 'color', 'specs.made', 'size', 'sold', 'notes']

/** Documents of random words, in fields with and without an index of them. */
function someDocuments(count: number): JsonObject[] {
  let state = 11
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const text = (length: number) => Array.from({ length }, () => words[next(6)]).join(' ')
  return Array.from({ length: count }, (_, id) => ({
    id: `d${id}`,
    tag: next(2) === 0 ? ['a'] : [],
    title: text(1 + next(2)),
    desc: text(next(3)),
    color: text(next(2)),
    specs: { made: text(1) },
    size: next(9),
    sold: next(2) === 0,
    // Longer than what is kept of a text beside the index.
    notes: [text(next(3)), next(9) === 0 ? `${text(1)} ${'x'.repeat(5000)}` : ''],
  }))
}

const documents = someDocuments(120)

/** The words of a field, as a person would read them. */
function wordsIn(document: JsonObject, field: string): string[] {
  const value = field.split('.').reduce<unknown>((one, name) => (one as JsonObject)[name], document)
  return [value].flat().flatMap(one => String(one).split(' '))
}

let shop: Dataset<JsonObject>
let service: SearchService

beforeAll(async () => {
  const engine = await Engine.open()
  shop = await engine.datasets.create<JsonObject>('shop', {
    sample: documents[0]!,
    interpretedFields: ['title', 'desc'],
  })
  await shop.documents.bulk(documents)
  service = await engine.services.create({ type: 'search', name: 'Shop' })
  await service.prepare({ dataset: 'shop' })
  await service.activate({ search: { limit: 1000 } })
  return () => engine.close()
})

const found = async (text: string, search: Search) => {
  const { hits, total } = await service.search(text, { search })
  expect(total).toBe(hits.length)
  return hits.map(({ id }) => id)
}

const idsOf = (meant: (document: JsonObject) => boolean) =>
  documents.filter(meant).map(({ id }) => id as string)

describe('fields that are not interpreted', () => {
  it('are searched as somebody would who reads all documents', async () => {
    const asked = fc.record({
      typed: fc.uniqueArray(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }),
      fields: fc.uniqueArray(fc.constantFrom(...fields), { minLength: 1, maxLength: 4 }),
      operator: fc.constantFrom('or' as const, 'and' as const),
      type: fc.constantFrom('match' as const, 'query' as const),
    })
    let matches = 0
    await fc.assert(
      fc.asyncProperty(asked, async ({ typed, fields, operator, type }) => {
        const one = (document: JsonObject, word: string) =>
          fields.some(field => wordsIn(document, field).includes(word))
        const expected = idsOf(document =>
          operator === 'and'
            ? typed.every(word => one(document, word))
            : typed.some(word => one(document, word)),
        )
        matches += expected.length
        const search = { type, fields, operator, typoTolerance: 0 } as const
        expect((await found(typed.join(' '), search)).sort()).toEqual(expected.sort())
      }),
      { numRuns: 150 },
    )
    expect(matches).toBeGreaterThan(1000)
  })

  it.each(['', ' ', '!', '-lamp', '-"red lamp"'])('find nothing by %j, which has no word', async text => {
    for (const operator of ['or', 'and'] as const)
      for (const fields of [['color'], ['title', 'color'], ['title']])
        expect(await found(text, { fields, operator })).toEqual([])
  })

  it('find words as they are, while those that are interpreted forgive typos and forms', async () => {
    const both = { fields: ['title', 'color'] }
    const inTitle = idsOf(document => wordsIn(document, 'title').includes('lamp'))
    expect((await found('lmap', both)).sort()).toEqual(inTitle.sort())
    expect((await found('lamps', both)).sort()).toEqual(inTitle.sort())
    expect(await found('lmap', { fields: ['color'] })).toEqual([])
    const inBoth = idsOf(one => [...wordsIn(one, 'title'), ...wordsIn(one, 'color')].includes('lamp'))
    expect(inBoth.length).toBeGreaterThan(inTitle.length)
    expect((await found('lamp', both)).sort()).toEqual(inBoth.sort())
  })

  it('heed phrases and what must be missing', async () => {
    const places = { fields: ['color', 'specs.made'] }
    const inBoth = (one: JsonObject) => [...wordsIn(one, 'color'), ...wordsIn(one, 'specs.made')]
    const without = idsOf(one => inBoth(one).includes('red') && !inBoth(one).includes('oak'))
    expect(without.length).toBeGreaterThan(3)
    expect((await found('red -oak', places)).sort()).toEqual(without.sort())
    const phrase = idsOf(one => `${(one.notes as string[])[0]} `.includes('red blue '))
    expect((await found('"red blue"', { fields: ['notes'] })).sort()).toEqual(phrase.sort())
    expect(phrase.length).toBeGreaterThan(0)
  })

  it('add their boost to scores, and so come to the front', async () => {
    const scoresOf = async (fields: string[], text = 'brass') =>
      new Map((await service.search(text, { search: { fields } })).hits.map(({ id, score }) => [id, score]))
    const [plain, boosted] = [await scoresOf(['title', 'color']), await scoresOf(['title', 'color^90'])]
    const isFound = new Set(idsOf(one => wordsIn(one, 'color').includes('brass')))
    for (const [id, score] of boosted) expect(score - plain.get(id)!).toBeCloseTo(isFound.has(id) ? 89 : 0, 6)
    expect(new Set([...boosted.keys()].slice(0, isFound.size))).toEqual(isFound)
    expect([...(await scoresOf(['title', 'color^0'])).keys()]).toEqual([
      ...(await scoresOf(['title'])).keys(),
    ])
  })

  it('go with filters, orders, facets and weights', async () => {
    const search: Search = {
      fields: ['title', 'color'],
      filter: { query: 'size:>4', tags: ['a'] },
      order: { field: 'size', direction: 'desc' },
      facets: ['sold'],
    }
    const expected = documents.filter(
      one =>
        [...wordsIn(one, 'title'), ...wordsIn(one, 'color')].includes('oak') &&
        (one.size as number) > 4 &&
        (one.tag as string[]).includes('a'),
    )
    expect(expected.length).toBeGreaterThan(3)
    const { hits, facets } = await service.search<JsonObject>('oak', {
      search: { ...search, responseFields: ['*'] },
    })
    expect(hits.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort())
    const sizes = hits.map(({ document }) => document.size as number)
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    const sold = expected.filter(one => one.sold === true).length
    expect(facets!.sold!.values.find(({ value }) => value === true)?.count ?? 0).toBe(sold)
    const weights = [{ query: 'size:3', value: 500 }]
    const [first] = (
      await service.search<JsonObject>('oak', {
        search: { fields: ['color', 'title'], weights, responseFields: ['*'] },
      })
    ).hits
    expect(first!.document.size).toBe(3)
  })

  it('find what texts without a word find elsewhere', async () => {
    for (const text of ['?!', ' ', '-oak'])
      expect((await found(text, { fields: ['color'] })).length).toBe(
        (await found(text, { fields: ['title'] })).length,
      )
  })

  it.each<[string, Search, string]>([
    ['there is no such field', { fields: ['title', 'colour'] }, 'search.fields[1]'],
    ['the boost is none', { fields: ['color^x'] }, 'search.fields[0]'],
    ['the boost is too large', { fields: ['color^101'] }, 'search.fields[0]'],
    ['scores are to be explained', { fields: ['color'], explain: true }, 'search.explain'],
  ])('are refused where %s', async (_, search, field) => {
    const refused = { code: 'INVALID_ARGUMENT', details: { field } }
    expect(await failureOf(() => service.search('oak', { search }))).toMatchObject(refused)
    await service.deactivate()
    expect(await failureOf(() => service.activate({ search }))).toMatchObject(refused)
    await service.activate({ search: { limit: 1000 } })
  })

  it('are answered within the time that is given, and let others have their turn', async () => {
    const engine = await openEngine()
    const open = await engine.datasets.create<JsonObject>('open', { interpretedFields: ['title'] })
    const note = 'so many words that nobody keeps them beside an index '.repeat(400)
    await open.documents.bulk(
      Array.from({ length: 600 }, (_, id) => ({ id: `${id}`, title: 'oak', note: `${note} ${id}` })),
    )
    const slow = await engine.services.create({ type: 'search', name: 'Slow' })
    await slow.prepare({ dataset: 'open' })
    await slow.activate()
    const search = { fields: ['title', 'note'], limit: 1 }
    expect(await codeOf(() => slow.search('599', { search }, { timeout: 1 }))).toBe('SEARCH_TIMEOUT')
    const signal = AbortSignal.abort()
    expect(await codeOf(() => slow.search('599', { search }, { signal }))).toBe('CANCELLED')
    const ended: string[] = []
    const long = slow.search('599', { search }).then(({ hits }) => ended.push(hits[0]!.id))
    for (let i = 0; i < 5; i++) {
      await open.search('oak', { limit: 1 })
      ended.push('short')
    }
    await long
    expect(ended).toEqual([...Array<string>(5).fill('short'), '599'])
  })

  it('are no more than a condition may ask for', async () => {
    const many = Array.from({ length: 1100 }, (_, i) => `w${i.toString(36)}`).join(' ')
    expect(
      await codeOf(() => service.search(many, { search: { fields: ['title', 'color'], operator: 'and' } })),
    ).toBe('QUERY_INVALID')
  })
})

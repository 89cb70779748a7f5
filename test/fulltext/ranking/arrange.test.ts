import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryAnswer, QueryOptions } from '../../../src/fulltext/searching/text-query.ts'
import type { WordRules } from '../../../src/fulltext/words/word-rules.ts'

const analyzer = analyzerFor('english')
const fields = [
  { weight: 3, b: 0.5 },
  { weight: 1, b: 0.6 },
]
const words = 'red lamp oak chair chairs desk garden hose brass x10 x11 without'.split(' ')
const everything = 1000

interface Shop {
  index: FulltextIndex
  brands: Map<string, string | number>
  /** All words of a document, with a bar between its fields. */
  texts: Map<string, string[]>
}

interface Written {
  id: number
  title: string[]
  text: string[]
  brand: string | number | undefined
}

const text = fc.array(fc.constantFrom(...words), { maxLength: 4 })
const brand = fc.constantFrom(undefined, 'a', 'b', 'c', 1, 2)
const write = fc.record({ id: fc.nat(150), title: text, text, brand })

/** Documents in several segments, some of them written again or removed. */
function shopOf(writes: readonly Written[], removed: readonly number[]): Shop {
  const index = new FulltextIndex({ analyzer, fields, tailDocuments: 40 })
  const brands = new Map<string, string | number>()
  const texts = new Map<string, string[]>()
  for (const { id, title, text, brand } of writes) {
    const columns =
      brand === undefined
        ? []
        : [
            {
              name: 'brand',
              kind: typeof brand === 'string' ? ('text' as const) : ('number' as const),
              value: brand,
            },
          ]
    index.add(String(id), [title.join(' '), text.join(' ')], columns)
    brands.delete(String(id))
    texts.set(String(id), [...title, '|', ...text])
    if (brand !== undefined) brands.set(String(id), brand)
  }
  for (const id of removed.map(String)) {
    if (!index.remove(id)) continue
    brands.delete(id)
    texts.delete(id)
  }
  return { index, brands, texts }
}

const shop = fc
  .tuple(fc.array(write, { minLength: 1, maxLength: 400 }), fc.array(fc.nat(150), { maxLength: 20 }))
  .map(([writes, removed]) => shopOf(writes, removed))

const query = fc.record({
  text: fc.array(fc.constantFrom(...words, 'lmap', '"red lamp"'), { maxLength: 4 }).map(all => all.join(' ')),
  operator: fc.constantFrom('or' as const, 'and' as const),
})

const page = fc.record({ offset: fc.nat(20), limit: fc.nat(12) })
const ids = fc.array(fc.nat(160).map(String), { maxLength: 12 })
const pins = fc.array(fc.record({ id: fc.nat(160).map(String), position: fc.integer({ min: 1, max: 20 }) }), {
  maxLength: 6,
})
const group = fc.option(fc.record({ path: fc.constant('brand'), limit: fc.integer({ min: 1, max: 3 }) }), {
  nil: undefined,
})

/** What is found without any settings, all of it in order. */
function plain(index: FulltextIndex, { text, operator }: { text: string; operator: 'or' | 'and' }): string[] {
  const { hits } = index.search(text, { operator, typoTolerance: 2, limit: everything })
  return hits.map(({ id }) => id)
}

interface Arranged {
  hidden: readonly string[]
  pinned: readonly { id: string; position: number }[]
  groupBy: { path: string; limit: number } | undefined
}

/** The same, done to the whole list. */
function arranged(all: readonly string[], shop: Shop, { hidden, pinned, groupBy }: Arranged): string[] {
  const shown = new Map<string, number>()
  for (const { id, position } of pinned)
    if (shop.index.has(id) && !hidden.includes(id) && !shown.has(id)) shown.set(id, position)
  const counts = new Map<string | number, number>()
  const isFull = (id: string) => {
    const brand = shop.brands.get(id)
    if (!groupBy || brand === undefined) return false
    const before = counts.get(brand) ?? 0
    counts.set(brand, before + 1)
    return before >= groupBy.limit
  }
  for (const id of shown.keys()) isFull(id)
  const list = all.filter(id => !hidden.includes(id) && !shown.has(id)).filter(id => !isFull(id))
  const inOrder = [...shown].sort(([, a], [, b]) => a - b)
  for (const [id, position] of inOrder) {
    let place = position - 1
    while (place < list.length && shown.has(list[place]!)) place++
    list.splice(place, 0, id)
  }
  return list
}

const rules = (some: Partial<WordRules>): WordRules => ({
  stopWords: [],
  synonyms: [],
  exactWords: [],
  exactCodes: false,
  exactFields: [false, false],
  ...some,
})

const isIn = (answer: QueryAnswer) => new Set(answer.hits.map(({ id }) => id))

describe('a page', () => {
  it('is part of one list, whatever is pinned, hidden and grouped', () => {
    fc.assert(
      fc.property(
        shop,
        query,
        page,
        ids,
        pins,
        group,
        (shop, query, { offset, limit }, hidden, pinned, groupBy) => {
          const { index } = shop
          const options: QueryOptions = {
            operator: query.operator,
            typoTolerance: 2,
            offset,
            limit,
            explain: true,
          }
          const wanted = arranged(plain(index, query), shop, { hidden, pinned, groupBy })
          const { hits, total } = index.search(query.text, { ...options, hidden, pinned, groupBy })
          expect(hits.map(({ id }) => id)).toEqual(wanted.slice(offset, offset + limit))
          const counted = index.search(query.text, { ...options, hidden, pinned, groupBy, count: true }).total
          expect(counted).toEqual({ count: wanted.length, exact: true })
          if (total.exact || groupBy) expect(total).toEqual(counted)
          expect(total.count).toBeGreaterThanOrEqual(
            Math.min(wanted.length, hits.length && offset + hits.length),
          )
          for (const { score, explanation } of hits) {
            const { words, titleFactor, negationFactor, topicFactor } = explanation!
            const sum = words.reduce((all, word) => all + word.score, 0)
            expect(sum * titleFactor * negationFactor * topicFactor).toBeCloseTo(score, 4)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('tells of each hit how many matches have its value', () => {
    fc.assert(
      fc.property(shop, query, pins, (shop, query, pinned) => {
        const all = plain(shop.index, query)
        const groupBy = { path: 'brand', limit: 1 }
        const { hits } = shop.index.search(query.text, {
          operator: query.operator,
          typoTolerance: 2,
          limit: everything,
          pinned,
          groupBy,
        })
        for (const { id, group, pinned } of hits) {
          const value = shop.brands.get(id)
          const documents = all.filter(other => shop.brands.get(other) === value).length
          if (value === undefined) expect(group).toBeUndefined()
          else if (!pinned || documents > 0) expect(group).toEqual({ value, documents })
        }
      }),
      { numRuns: 100 },
    )
  })

  it('has the score that a document has without being pinned, or 0', () => {
    fc.assert(
      fc.property(shop, query, pins, (shop, { text, operator }, pinned) => {
        const options: QueryOptions = { operator, typoTolerance: 2, limit: everything }
        const scores = new Map(shop.index.search(text, options).hits.map(({ id, score }) => [id, score]))
        // Those further down are not looked at for their titles.
        const first = new Set([...scores.keys()].slice(0, 16))
        for (const hit of shop.index.search(text, { ...options, pinned }).hits) {
          if (!hit.pinned) continue
          if (!scores.has(hit.id)) expect(hit.score).toBe(0)
          else if (first.has(hit.id)) expect(hit.score).toBeCloseTo(scores.get(hit.id)!, 6)
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('rules of words', () => {
  const options: QueryOptions = { operator: 'or', typoTolerance: 0, limit: everything }

  it('find with synonyms the documents in which one of the texts stands', () => {
    const alternatives = [['desk'], ['garden', 'hose'], ['oak', 'brass', 'lamp']]
    fc.assert(
      fc.property(shop, fc.subarray(alternatives), ({ index, texts: all }, texts) => {
        const synonyms = [{ root: 'sofa', synonyms: texts.map(text => text.join(' ')) }]
        const stand = (own: string[]) =>
          texts.some(text => ` ${own.join(' ')} `.includes(` ${text.join(' ')} `))
        const wanted = new Set([...all].filter(([, own]) => stand(own)).map(([id]) => id))
        const given = texts.length > 0 ? rules({ synonyms }) : undefined
        expect(isIn(index.search('sofa', { ...options, rules: given }))).toEqual(wanted)
        const withChair = new Set([...wanted].filter(id => isIn(index.search('chair', options)).has(id)))
        expect(isIn(index.search('sofa chair', { ...options, rules: given, operator: 'and' }))).toEqual(
          withChair,
        )
      }),
      { numRuns: 100 },
    )
  })

  it('answer without stop words as if they had not been typed', () => {
    fc.assert(
      fc.property(shop, query, fc.subarray(words), ({ index }, { text, operator }, stopWords) => {
        const typed = text.match(/"[^"]*"|\S+/g) ?? []
        const left = typed.filter(word => !stopWords.includes(word)).join(' ')
        const ruled = index.search(text, { ...options, operator, rules: rules({ stopWords }) })
        const wanted = index.search(left === '' ? text : left, { ...options, operator })
        expect(ruled.hits).toEqual(wanted.hits)
        expect(ruled.total).toEqual(wanted.total)
      }),
      { numRuns: 100 },
    )
  })

  it('find no typo in a field in which there are none', () => {
    fc.assert(
      fc.property(shop, fc.constantFrom('lmap', 'gardne', 'x12', 'lamp'), ({ index }, typed) => {
        const tolerant: QueryOptions = { ...options, typoTolerance: 2 }
        const weights = [0, 1]
        const inTexts = isIn(index.search(typed, { ...tolerant, weights }))
        const ruled = index.search(typed, { ...tolerant, rules: rules({ exactFields: [true, false] }) })
        const inTitles = isIn(index.search(typed, { ...options, weights: [1, 0] }))
        expect(isIn(ruled)).toEqual(new Set([...inTexts, ...inTitles]))
        const none = { ...tolerant, rules: rules({ exactFields: [true, true] }) }
        expect(isIn(index.search(typed, none))).toEqual(isIn(index.search(typed, options)))
      }),
      { numRuns: 100 },
    )
  })
})

describe('relaxing', () => {
  it('keeps as many of the rarest words as some document has together', () => {
    const typed = fc.uniqueArray(
      fc.constantFrom('red', 'lamp', 'oak', 'desk', 'garden', 'hose', 'unheard', 'of'),
      {
        minLength: 1,
        maxLength: 7,
      },
    )
    fc.assert(
      fc.property(shop, typed, ({ index }, list) => {
        const options: QueryOptions = { operator: 'and', typoTolerance: 0, limit: everything }
        const answer = index.search(list.join(' '), { ...options, relax: true })
        const order = [...answer.words].sort((a, b) => b.idf - a.idf).map(({ word }) => word)
        let kept = order.length
        while (kept > 0 && index.search(order.slice(0, kept).join(' '), options).hits.length === 0) kept--
        const left = kept === 0 ? list : list.filter(word => order.indexOf(word) < kept)
        expect(answer.relaxed).toEqual(list.filter(word => !left.includes(word)))
        const wanted = index.search(left.join(' '), options)
        expect(answer.hits).toEqual(wanted.hits)
        expect(answer.total).toEqual(wanted.total)
      }),
      { numRuns: 100 },
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'
import { compact } from '../../../src/fulltext/segments/compaction.ts'
import { IndexBlobs } from '../index-blobs.ts'
import { NaiveIndex } from '../naive-index.ts'

// Without lengths, so that scores by words are the same in all histories.
const fields = [
  { weight: 4, b: 0 },
  { weight: 1, b: 0 },
]
const english = { analyzer: analyzerFor('english'), fields }

function hits(index: FulltextIndex, query: string, options: Partial<QueryOptions> = {}) {
  const search = { limit: 1000, operator: 'or', typoTolerance: 2, explain: true, ...options } as const
  return index.search(query, search).hits
}

const titlesOf = (prefix: string, count: number, title: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => [`${prefix}${i}`, title(i)] as const)

function indexOf(
  titles: readonly (readonly [string, string | string[]])[],
  options = english,
): FulltextIndex {
  const index = new FulltextIndex(options)
  for (const [id, title] of titles) index.add(id, [title, undefined])
  return index
}

const shop = [
  ...titlesOf('a', 12, () => 'oak lamp shade'),
  ...titlesOf('b', 4, () => 'oak lamp 40 w'),
  ...titlesOf('c', 4, () => 'oak desk lamps'),
  ...titlesOf('d', 4, () => 'oak lamp brass'),
  ...titlesOf('e', 40, () => 'brass'),
]

/** A number without digits. */
const letters = (number: number) => [...number.toString()].map(digit => 'abcdefghij'[Number(digit)]).join('')

/** By id, what is left of the word's impact. */
const factors = (index: FulltextIndex, query: string, options: Partial<QueryOptions> = {}) =>
  new Map(
    hits(index, query, options).map(({ id, explanation }) => [
      id,
      explanation!.words[0]!.expansions[0]!.headFactor,
    ]),
  )

const left = (titles: number, documents: number) =>
  Math.round(64 * (1 - 0.3 * Math.sqrt(titles / (documents + 3)))) / 64

describe('a query of one word', () => {
  const index = indexOf(shop)

  it('finds the thing before what goes with it', () => {
    for (const query of ['lamp', 'lmap']) {
      const places = hits(index, query).map(({ id }) => id[0])
      expect(places.slice(-12), query).toEqual(Array(12).fill('a'))
    }
    const plain = indexOf(shop, { analyzer: analyzerFor('none'), fields })
    expect(hits(plain, 'lamp')[0]!.id).toBe('a0')
  })

  it('weighs how much of what has the word behind it has it there', () => {
    const found = factors(index, 'lamp')
    expect(found.get('b0')).toBe(1)
    expect(found.get('c0')).toBe(1)
    expect(found.get('d0')).toBe(left(4, 44))
    expect(found.get('a0')).toBe(left(12, 12))
    expect(found.get('a0')).toBeLessThan(found.get('d0')!)
  })

  it('explains its scores', () => {
    for (const { score, explanation } of hits(index, 'lamp')) {
      const { words, titleFactor } = explanation!
      expect(titleFactor).toBe(1)
      expect(words.reduce((sum, word) => sum + word.score, 0)).toBeCloseTo(score, 6)
    }
  })

  it('does not look behind a word that few documents have, or that is being typed', () => {
    const few = indexOf(shop.slice(0, 23))
    for (const factor of factors(few, 'lamp').values()) expect(factor).toBe(1)
    for (const factor of factors(index, 'lam', { prefix: true }).values()) expect(factor).toBe(1)
  })

  it('does not look at titles that are not searched, nor at several words', () => {
    const both = new FulltextIndex(english)
    for (const [id, title] of shop) both.add(id, [title, 'lamp'])
    for (const factor of factors(both, 'lamp', { weights: [0, 1] }).values()) expect(factor).toBe(1)
    expect(factors(both, 'lamp', { weights: [3, 1] }).get('a0')).toBe(left(12, 12))
    expect(new Set(factors(index, 'lamp oak').values())).toEqual(new Set([1]))
  })

  it('looks at the first place of the word, and not beyond the end of a text', () => {
    const texts = indexOf([...shop, ['list', ['oak lamp', 'shade']], ['twice', 'lamp oak lamp shade']])
    expect(factors(texts, 'lamp').get('list')).toBe(1)
    expect(factors(texts, 'lamp').get('twice')).toBe(left(1, 26))
  })

  it('gives a document the same score on every page, among whatever others', () => {
    const all = hits(index, 'lamp')
    const scores = new Map(all.map(({ id, score }) => [id, score]))
    expect(new Set(scores.values()).size).toBe(4)
    for (const limit of [1, 7, 19]) {
      const paged: typeof all = []
      for (let offset = 0; offset < all.length; offset += limit)
        paged.push(...hits(index, 'lamp', { limit, offset }))
      expect(paged).toEqual(all)
    }
    for (const letter of 'abcd') {
      const hidden = shop.flatMap(([id]) => (id[0] === letter ? [] : [id]))
      const found = hits(index, 'lamp', { hidden, limit: 3 })
      expect(found).toHaveLength(3)
      for (const { id, score } of found) expect(score).toBe(scores.get(id))
    }
  })
})

describe('what stands behind a word', () => {
  it('takes no room in a language that does not use it', () => {
    const followers = (['english', 'none'] as const).map(language => {
      const contents = new IndexBlobs().save(indexOf(shop, { analyzer: analyzerFor(language), fields }))
      return contents.segments.map(({ shape }) => shape.followers)
    })
    expect(followers[0]!.every(count => count > 0)).toBe(true)
    expect(followers[1]!.every(count => count === 0)).toBe(true)
  })

  it('is known beyond 65,535 different words that have stood there', () => {
    const half = 33_000
    const replaced = indexOf(titlesOf('x', half, i => `lamp old${letters(i)}`))
    const expected = indexOf([])
    expect(factors(replaced, 'lamp').get('x0')).toBeLessThan(1)
    for (const [id, title] of titlesOf('x', half, i => `lamp ${i % 3 ? 'shade' : `new${letters(i)}`}`))
      for (const index of [replaced, expected]) index.add(id, [title, undefined])
    for (const [id, title] of titlesOf('y', half - 1_000, i => `lamp more${letters(i)}`))
      for (const index of [replaced, expected]) index.add(id, [title, undefined])
    expect(factors(replaced, 'lamp')).toEqual(factors(expected, 'lamp'))
  })

  const word = fc.constantFrom('lamp', 'lamps', 'lamb', 'shade', 'oak', 'brass', '40w')
  const title = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' '))
  const text = fc.oneof(title, fc.array(title, { maxLength: 2 }), fc.constant(undefined))
  const step = fc.oneof(
    { weight: 12, arbitrary: fc.record({ id: fc.nat(60), title: text, desc: text }) },
    { weight: 4, arbitrary: fc.record({ remove: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.constant('merge' as const) },
    { weight: 1, arbitrary: fc.constant('reload' as const) },
    { weight: 3, arbitrary: fc.constant('search' as const) },
  )

  it('is known as if all had been counted anew, whatever the index went through', () => {
    let lessened = 0
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 160, size: 'max' }), steps => {
        let index = new FulltextIndex({ ...english, tailDocuments: 8 })
        const naive = new NaiveIndex(english.analyzer, fields)
        const blobs = new IndexBlobs()
        // Enough for the factors to be looked at in every run.
        for (const [id, title] of titlesOf('lasting', 24, i => (i < 8 ? 'lamp shade' : 'oak lamp'))) {
          index.add(id, [title, undefined])
          naive.add(id, [title, undefined])
        }
        for (const step of [...steps, 'search']) {
          if (step === 'merge')
            for (let task = index.planCompaction(); task; task = index.planCompaction())
              index.adopt(compact(task))
          else if (step === 'reload') index = blobs.load({ ...english, tailDocuments: 8 }, blobs.save(index))
          else if (step === 'search') {
            for (const query of ['lamp', 'shade', 'brass', 'lapm', 'lamq'])
              for (const weights of [undefined, [1, 2]]) {
                const search = { operator: 'or', typoTolerance: 2, weights } as const
                const found = hits(index, query, { weights })
                const expected = naive.search([query], search)
                expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
                for (const [i, { score }] of found.entries())
                  expect(score / expected[i]!.score).toBeCloseTo(1, 10)
                for (const factor of factors(index, query).values()) if (factor < 1) lessened++
                expect(hits(index, query, { weights, limit: 5, offset: 2 })).toEqual(found.slice(2, 7))
              }
          } else if (typeof step === 'object' && 'remove' in step)
            expect(index.remove(`d${step.remove}`)).toBe(naive.remove(`d${step.remove}`))
          else if (typeof step === 'object') {
            index.add(`d${step.id}`, [step.title, step.desc])
            naive.add(`d${step.id}`, [step.title, step.desc])
          }
        }
      }),
      { numRuns: 6, endOnFailure: true },
    )
    expect(lessened).toBeGreaterThanOrEqual(6 * 8)
  })
})

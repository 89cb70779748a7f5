import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import type { Signal } from '../../src/fulltext/ranking/signal-factors.ts'
import type { ScoreExplanation } from '../../src/fulltext/reordering/explanation.ts'
import type { ScoredId } from '../../src/fulltext/reordering/hit-list.ts'
import type { FieldText } from '../../src/fulltext/segments/token-list.ts'
import { made } from './made-searches.ts'
import { NaiveIndex, type NaiveSearch, type QueryPart, TITLE_DEPTH, typed } from './naive-index.ts'
import { inColumns, valuesFor } from './signal-values.ts'

const analyzer = analyzerFor('english')
const fields = [
  { weight: 3, b: 0.5 },
  { weight: 1, b: 0.6 },
]
const signals: Signal[] = inColumns([
  { kind: 'saturation', pivot: 10, boost: 0.5 },
  { kind: 'recency', halfLife: 86_400_000, boost: 0.3 },
])

const numbers = fc.tuple(
  fc.constantFrom(Number.NaN, -5, 0, 1, 10, 1e9, Infinity),
  fc.constantFrom(Number.NaN, -Infinity, 0, 1e12 - 86_400_000, 1e12, 2e12),
)
const documents = fc.array(fc.tuple(made.texts, made.texts, numbers, fc.boolean()), {
  minLength: 1,
  maxLength: 60,
  size: 'max',
})

/** How many searches found something by it: a test that reaches none proves nothing. */
const reached = new Map<string, number>()

/** An index some documents of which were removed again, and the definition beside it. */
class Pair {
  readonly index = new FulltextIndex({ analyzer, fields, signals })
  readonly naive = new NaiveIndex(analyzer, fields, signals)

  constructor(made: readonly [FieldText, FieldText, readonly number[], boolean][]) {
    for (const [i, [title, body, values]] of made.entries()) {
      this.index.add(`d${i}`, [title, body], valuesFor(signals, values))
      this.naive.add(`d${i}`, [title, body], values)
    }
    this.index.search('', { limit: 1, operator: 'or', typoTolerance: 0 })
    for (const [i, [, , , isRemoved]] of made.entries()) {
      if (!isRemoved || i % 2 === 0) continue
      this.index.remove(`d${i}`)
      this.naive.remove(`d${i}`)
    }
  }

  expectSame(parts: readonly QueryPart[], search: NaiveSearch): void {
    const expected = this.naive.search(parts, search, this.index.save().contents.pin.averages)
    const { hits, words, total } = this.index.search(typed(parts), { ...search, limit: 1000 })
    expect(words).toEqual(this.naive.words(parts, search))
    expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    expectScores(hits, expected)
    expect(total).toEqual({ count: expected.length, exact: true })
    if (hits.length === 0) return
    for (const { kind } of words) count(kind)
    count(search.operator)
    if (parts.some(part => typeof part !== 'string')) count('phrase')
    if (words.length > 4 && words.some(({ word }) => word === 'without')) count('function word beside others')
    if (words.length > 1 && words.some(({ word }) => word === 'not')) count('negation')
    if (hits.length > TITLE_DEPTH) count('beyond the title depth')
  }
}

function count(what: string): void {
  reached.set(what, (reached.get(what) ?? 0) + 1)
}

function expectScores(hits: readonly ScoredId[], expected: readonly { score: number }[]): void {
  for (const [i, { score }] of hits.entries()) expect(score / expected[i]!.score).toBeCloseTo(1, 10)
}

function expectWhole({ score, explanation }: ScoredId): void {
  const { words, titleFactor, negationFactor, signalFactors } = explanation as ScoreExplanation
  expect(explanation!.score).toBe(score)
  for (const { word, occurrences, idf, share, expansions, score: ofWord } of words) {
    expect(word).not.toBe('')
    for (const { weight, impact, score: ofExpansion } of expansions)
      expect((occurrences * idf * share * weight * impact) / ofExpansion).toBeCloseTo(1, 6)
    expect(expansions.reduce((sum, part) => sum + part.score, 0) / ofWord).toBeCloseTo(1, 6)
  }
  const factors = signalFactors.reduce((product, factor) => product * factor, titleFactor * negationFactor)
  expect((words.reduce((sum, word) => sum + word.score, 0) * factors) / score).toBeCloseTo(1, 6)
}

describe('search', () => {
  it('finds what its definition finds, with the same scores and in the same order', () => {
    fc.assert(
      fc.property(documents, made.parts, made.search, (documents, parts, search) => {
        new Pair(documents).expectSame(parts, search)
      }),
      { numRuns: 800, endOnFailure: true },
    )
    const kinds = ['exact', 'stem', 'typo', 'prefix', 'compound', 'none']
    for (const what of [
      ...kinds,
      'or',
      'and',
      'phrase',
      'negation',
      'function word beside others',
      'beyond the title depth',
    ])
      expect(reached.get(what), what).toBeGreaterThan(0)
  })

  it('of some hits gives those of all that stand there, however many are counted', () => {
    const places = fc.record({ offset: fc.nat(70), limit: fc.nat(70) })
    fc.assert(
      fc.property(
        documents,
        made.parts,
        made.search,
        places,
        (documents, parts, search, { offset, limit }) => {
          const { index } = new Pair(documents)
          const query = typed(parts)
          const all = index.search(query, { ...search, limit: 1000 }).hits
          const page = index.search(query, { ...search, limit, offset })
          expect(page.hits).toEqual(all.slice(offset, offset + limit))
          expect(page.total.count).toBeLessThanOrEqual(documents.length)
          if (page.hits.length > 0) expect(page.total.count).toBeGreaterThanOrEqual(offset + page.hits.length)
          if (page.total.exact) expect(page.total.count).toBe(all.length)
          const counted = index.search(query, { ...search, limit, offset, count: true })
          expect(counted.total).toEqual({ count: all.length, exact: true })
        },
      ),
      { numRuns: 200 },
    )
  })

  it('explains scores by parts that make them up', () => {
    fc.assert(
      fc.property(documents, made.parts, made.search, (documents, parts, search) => {
        const { index } = new Pair(documents)
        const { hits } = index.search(typed(parts), { ...search, limit: 1000, explain: true })
        for (const hit of hits) expectWhole(hit)
      }),
      { numRuns: 200 },
    )
  })

  it('weighs fields as the index does when told so', () => {
    fc.assert(
      fc.property(documents, made.parts, made.search, (documents, parts, search) => {
        const { index } = new Pair(documents)
        const own = index.search(typed(parts), { ...search, weights: undefined, limit: 1000 })
        expect(index.search(typed(parts), { ...search, weights: [3, 1], limit: 1000 })).toEqual(own)
      }),
      { numRuns: 150 },
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { MatchVisitor } from '../../../src/fulltext/matching/match-visitor.ts'
import { EVERYTHING, type MatchOptions, type TextQuery } from '../../../src/fulltext/searching/text-query.ts'
import { inColumns, valuesFor } from '../signal-values.ts'

const words = ['lamp', 'lamps', 'red', 'chair', 'sofa', 'oak', 'desk', 'lampe']
const options = {
  analyzer: analyzerFor('english'),
  fields: [
    { weight: 3, b: 0.5 },
    { weight: 1, b: 0.6 },
  ],
  signals: inColumns([{ kind: 'saturation', pivot: 10, boost: 1 }]),
  tailDocuments: 64,
}

/** An index of several segments, some documents gone and some without a word that is asked for. */
function example(seed: number): FulltextIndex {
  const index = new FulltextIndex(options)
  for (let i = 0; i < 600; i++) {
    const text = words.filter((_, w) => (Math.imul(i + seed, 2654435761 + 97 * w) >>> 28) % 5 === 0)
    const values = valuesFor(options.signals, [i % 30])
    index.add(`d${i}`, [text.join(' '), `${text.toReversed().join(' ')} number${i}`], values)
  }
  for (let i = 0; i < 600; i += 7) index.remove(`d${i}`)
  return index
}

const examples = [0, 1, 2, 3].map(example)

/** Hears of all, each score being of use to it. */
class EveryMatch implements MatchVisitor {
  readonly threshold = 1
  readonly scores = new Map<number, number>()

  offer(score: number, document: number): void {
    expect(this.scores.has(document)).toBe(false)
    this.scores.set(document, score)
  }
}

const visited = (index: FulltextIndex, query: TextQuery, asked: MatchOptions) => {
  const visitor = new EveryMatch()
  index.visit(query, asked, visitor)
  return new Map([...visitor.scores].map(([document, score]) => [index.idOf(document), score]))
}

const everyHit = { limit: 1000, offset: 0 }

const asked = fc.record({
  operator: fc.constantFrom('or', 'and'),
  typoTolerance: fc.constantFrom(0, 2),
  prefix: fc.boolean(),
  signals: fc.boolean(),
  weights: fc.constantFrom(undefined, [1, 1], [0, 1], [2, 0]),
})
const query = fc.oneof(
  fc
    .array(fc.constantFrom(...words, 'lmap', 'cha', 'number7'), { minLength: 1, maxLength: 4 })
    .map(all => all.join(' ')),
  fc.constantFrom('"red lamp"', '"lamp red" chair', '"oak desk"~2', ''),
)

describe('a visitor that wants all matches', () => {
  it('hears of each document that a search for all of them finds, once', () => {
    fc.assert(
      fc.property(fc.nat(3), query, asked, (seed, text, how) => {
        const index = examples[seed]!
        const { hits, total } = index.search(text, { ...how, ...everyHit })
        const found = visited(index, text, how)
        expect([...found.keys()].sort()).toEqual(hits.map(({ id }) => id).sort())
        expect(total).toEqual({ count: found.size, exact: true })
        const { total: counted } = index.search(text, { ...how, limit: 1, count: true })
        expect(counted).toEqual({ count: found.size, exact: true })
      }),
      { numRuns: 150 },
    )
  })

  it('is told the scores that hits have but for how words stand in the title', () => {
    const index = example(1)
    for (const text of ['lamp', 'lmap', 'oak desk', 'red lamp chair', '"red lamp"']) {
      for (const operator of ['or', 'and'] as const) {
        const how = { operator, typoTolerance: 2 } as const
        const found = visited(index, text, how)
        const { hits } = index.search(text, { ...how, ...everyHit, explain: true })
        expect(hits.length).toBeGreaterThan(5)
        const plain = hits.map(
          ({ id, score, explanation }) => [id, score / explanation!.titleFactor] as const,
        )
        // Visitors are told steps, of which the query has so many to a score of 1.
        const steps = found.get(plain[0]![0])! / plain[0]![1]
        for (const [id, score] of plain) expect(found.get(id)! / (score * steps)).toBeCloseTo(1, 10)
      }
    }
  })
})

describe('the query for everything', () => {
  const how = { operator: 'and', typoTolerance: 2 } as const

  it('is matched by every living document and by no other', () => {
    const index = example(2)
    index.add('wordless', [undefined, undefined])
    const found = visited(index, EVERYTHING, how)
    expect(found.size).toBe(index.size)
    expect(found.has('wordless')).toBe(true)
    for (const id of found.keys()) expect(index.has(id)).toBe(true)
    expect(index.search(EVERYTHING, { ...how, limit: 3, count: true }).total).toEqual({
      count: index.size,
      exact: true,
    })
  })

  it('ranks by signals, equals by id', () => {
    const index = example(3)
    const { hits, words } = index.search(EVERYTHING, { ...how, ...everyHit, explain: true })
    const expected = Array.from({ length: 600 }, (_, i) => ({ id: `d${i}`, signal: i % 30 }))
      .filter((_, i) => i % 7 !== 0)
      .sort((a, b) => b.signal - a.signal || (a.id < b.id ? -1 : 1))
    expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    expect(words).toEqual([])
    for (const [i, { score, explanation }] of hits.entries()) {
      expect(score).toBeCloseTo(1 + expected[i]!.signal / (expected[i]!.signal + 10), 12)
      expect(explanation).toMatchObject({ words: [], signalFactors: [score], titleFactor: 1 })
    }
  })

  it('is not asked by an empty text', () => {
    const index = example(4)
    for (const text of ['', ' ', '""', '…'])
      expect(index.search(text, { ...how, ...everyHit }).hits).toEqual([])
  })
})

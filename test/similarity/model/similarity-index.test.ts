import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SimilarDocument } from '../../../src/similarity/model/aspects.ts'
import { type NearDocument, SimilarityIndex } from '../../../src/similarity/model/similarity-index.ts'
import { reweighed } from '../../../src/similarity/model/weighed-hits.ts'
import { NaiveSimilarity } from './naive-similarity.ts'
import { drain, manyDocuments, someDocument, someId, someText } from './shop.ts'

const idsOf = (hits: readonly NearDocument[]): string[] => hits.map(({ id }) => id)

function indexOf(documents: Iterable<readonly [string, SimilarDocument]>): SimilarityIndex {
  const index = new SimilarityIndex()
  for (const [id, document] of documents) index.add(id, document)
  drain(index.refresh())
  return index
}

/** The hits are the best of these scores, in their order. */
function expectBest(hits: readonly NearDocument[], scores: ReadonlyMap<string, number>, count: number): void {
  const wanted = [...scores.values()].filter(score => score > 1e-6).sort((a, b) => b - a)
  expect(hits).toHaveLength(Math.min(count, wanted.length))
  for (const [at, { id, score }] of hits.entries()) {
    expect(Math.abs(score - wanted[at]!)).toBeLessThan(2e-6)
    expect(Math.abs(score - scores.get(id)!)).toBeLessThan(2e-6)
  }
  expect(new Set(idsOf(hits)).size).toBe(hits.length)
}

type Step =
  | { readonly add: [string, SimilarDocument] }
  | { readonly remove: string }
  | { readonly refresh: true }

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.tuple(someId, someDocument).map((add): Step => ({ add })) },
    { weight: 2, arbitrary: someId.map((remove): Step => ({ remove })) },
    { weight: 1, arbitrary: fc.constant<Step>({ refresh: true }) },
  ),
  { minLength: 20, maxLength: 120 },
)

function replayed(history: readonly Step[]): { index: SimilarityIndex; naive: NaiveSimilarity } {
  const index = new SimilarityIndex()
  const naive = new NaiveSimilarity()
  for (const step of history) {
    if ('add' in step) {
      index.add(...step.add)
      naive.add(...step.add)
    } else if ('remove' in step) {
      expect(index.remove(step.remove)).toBe(naive.documents.has(step.remove))
      naive.remove(step.remove)
    } else {
      drain(index.refresh())
      naive.weigh()
    }
  }
  return { index, naive }
}

describe('nearest', () => {
  it('finds what a comparison with every document finds, after any history', () => {
    fc.assert(
      fc.property(
        steps,
        someDocument,
        someText,
        fc.integer({ min: 0, max: 12 }),
        (history, query, text, count) => {
          const { index, naive } = replayed(history)
          expect(index.size).toBe(naive.documents.size)
          expectBest(index.nearest(query, { count }), naive.scoresOf(query), count)
          expectBest(index.nearest(text, { count }), naive.scoresOfText(text), count)
          const [id] = naive.documents.keys()
          if (id === undefined) return
          const scores = new Map(
            [...naive.documents].map(([other, document]) => [
              other,
              other === id ? 0 : naive.score(naive.documents.get(id)!, document),
            ]),
          )
          expectBest(index.nearest({ id }, { count }), scores, count)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('leaves no document out that it did not meet, among many', () => {
    const documents = manyDocuments(1_000)
    const index = indexOf(documents.slice(0, 950))
    const naive = new NaiveSimilarity()
    for (const [id, document] of documents.slice(0, 950)) naive.add(id, document)
    naive.weigh()
    for (const [id, document] of documents.slice(950)) {
      index.add(id, document)
      naive.add(id, document)
    }
    for (const [, query] of documents.filter((_, at) => at % 500 === 7)) {
      const scores = naive.scoresOf(query)
      expectBest(index.nearest(query, { count: 1 }), scores, 1)
      expectBest(index.nearest(query, { count: 100 }), scores, 100)
      const likest = [...scores].filter(([, score]) => score >= 0.3).map(([id]) => id)
      expect(idsOf(index.nearest(query, { count: 1_000, least: 0.3 })).sort()).toEqual(likest.sort())
    }
  })

  it('scores the own text of a document 1 and names it first: as title, as everything, as document', () => {
    const documents = manyDocuments(150)
    const index = indexOf(documents)
    for (const [id, document] of documents) {
      for (const query of [document, document.title, `${document.title}\n${document.body}`]) {
        const [first] = index.nearest(query, { count: 1 })
        expect(first!.score).toBe(1)
        expect(index.scores(query, [id])).toEqual([1])
      }
    }
    expect(index.nearest({ id: 'm7' }, { count: 1 })[0]!.id).not.toBe('m7')
  })

  it('scores in 0 to 1, alike from both sides', () => {
    fc.assert(
      fc.property(steps, history => {
        const { index } = replayed(history)
        const ids = index.ids()
        const scores = ids.map(id => index.scores({ id }, ids))
        for (const [a, row] of scores.entries()) {
          for (const [b, score] of row.entries()) {
            expect(score).toBeGreaterThanOrEqual(0)
            expect(score).toBeLessThanOrEqual(1)
            expect(Math.abs(score - scores[b]![a]!)).toBeLessThan(2e-6)
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  it('compares documents without a title by their words alone', () => {
    const index = indexOf([
      ['a', { title: '', body: 'oak table' }],
      ['b', { title: 'oak table', body: '' }],
      ['c', { title: '', body: '' }],
      ['d', { title: '!', body: '?' }],
    ])
    expect(index.nearest({ title: '', body: 'table oak' })).toEqual([
      { id: 'a', score: 1 },
      { id: 'b', score: 1 },
    ])
    expect(index.nearest({ id: 'c' })).toEqual([])
    expect(index.nearest('')).toEqual([])
    expect(index.nearest({ id: 'unknown' })).toEqual([])
    expect(index.scores({ id: 'a' }, ['b', 'unknown'])).toEqual([1, 0])
  })

  it('makes a text longer by words that no document has', () => {
    const index = indexOf([['a', { title: 'oak table', body: '' }]])
    expect(index.nearest('oak table')[0]!.score).toBe(1)
    expect(index.nearest('oak table zebra')[0]!.score).toBeLessThan(0.9)
  })

  it('lets nothing through that is not accepted, and finds the best of what is', () => {
    const documents = manyDocuments(1_500)
    const index = indexOf(documents.slice(0, 1_400))
    for (const [id, document] of documents.slice(1_400)) index.add(id, document)
    const accepted = (id: string) => Number(id.slice(1)) % 7 === 3
    for (const [id] of documents.filter((_, at) => at % 100 === 0)) {
      for (const diversity of [0, 0.4]) {
        const hits = index.nearest({ id }, { count: 20, accepts: accepted, diversity })
        expect(hits).toHaveLength(20)
        expect(hits.every(hit => accepted(hit.id) && hit.id !== id)).toBe(true)
      }
      const all = index.nearest({ id }, { count: 1_500 }).filter(hit => accepted(hit.id))
      expect(index.nearest({ id }, { count: 20, accepts: accepted })).toEqual(all.slice(0, 20))
    }
  })

  it('answers with documents that differ when asked to', () => {
    const index = indexOf([
      ['red', { title: 'cast iron skillet red', body: '' }],
      ['red too', { title: 'cast iron skillet red', body: '' }],
      ['red again', { title: 'cast iron skillet red', body: '' }],
      ['pan', { title: 'cast iron griddle pan', body: '' }],
      ['far', { title: 'wool sock', body: '' }],
    ])
    const query = 'cast iron skillet red'
    expect(idsOf(index.nearest(query, { count: 3 }))).toEqual(['red', 'red again', 'red too'])
    const hits = index.nearest(query, { count: 2, diversity: 0.5 })
    expect(idsOf(hits)).toEqual(['red', 'pan'])
    expect(hits[1]!.score).toBe(index.scores(query, ['pan'])[0])
  })

  it('orders equal documents by id', () => {
    const index = indexOf(['c', 'a', 'b'].map(id => [id, { title: 'oak table', body: '' }] as const))
    expect(idsOf(index.nearest('oak table', { count: 2 }))).toEqual(['a', 'b'])
  })

  it('has words choose among very many documents, and scores those as it scores all', () => {
    const index = new SimilarityIndex()
    for (let i = 0; i < 50_100; i++) index.add(`n${i}`, { title: `part ${i % 997} no ${i}`, body: '' })
    drain(index.refresh())
    const accepts = (id: string) => Number(id.slice(1)) % 2 === 0
    for (const number of [7, 4_000, 50_099]) {
      const query = { title: `Part ${number % 997} no ${number}`, body: '' }
      const hits = index.nearest(query, { count: 20 })
      expect(hits[0]).toEqual({ id: `n${number}`, score: 1 })
      expect(hits.map(({ score }) => score)).toEqual(index.scores(query, idsOf(hits)))
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a))
      const others = index.nearest(query, { count: 20, accepts, diversity: 0.2 })
      expect(others).toHaveLength(20)
      expect(others.every(({ id }) => accepts(id))).toBe(true)
      const like = idsOf(index.allLike(`n${number}`, 0.2))
      expect(like.length).toBeGreaterThan(0)
      expect(index.scores({ id: `n${number}` }, like).every(score => score >= 0.2)).toBe(true)
    }
  })

  it('takes ids and texts of any kind', () => {
    const index = indexOf([
      ['__proto__', { title: 'toString constructor', body: '\ud800 lone' }],
      ['', { title: 'x'.repeat(100_000), body: 'word '.repeat(20_000) }],
    ])
    expect(idsOf(index.nearest('constructor'))).toEqual(['__proto__'])
    expect(idsOf(index.nearest('word'))).toEqual([''])
    expect(index.remove('__proto__')).toBe(true)
    expect(index.remove('toString')).toBe(false)
    expect(index.nearest('constructor')).toEqual([])
  })
})

describe('refresh', () => {
  it('takes in what is added and removed between its pieces', () => {
    const documents = manyDocuments(1_200)
    const index = indexOf(documents.slice(0, 1_000))
    const pieces = index.refresh()
    let step = 0
    for (let { done } = pieces.next(); !done; { done } = pieces.next()) {
      const [id, document] = documents[1_000 + step]!
      index.add(id, document)
      index.add(`m${step}`, { title: `moved m${step}`, body: '' })
      index.remove(`m${900 + step}`)
      expect(idsOf(index.nearest(`moved m${step}`, { count: 1 }))).toEqual([`m${step}`])
      step++
    }
    expect(step).toBeGreaterThan(2)
    expect(index.size).toBe(1_000)
    for (let i = 0; i < step; i++) {
      expect(index.has(`m${900 + i}`)).toBe(false)
      expect(idsOf(index.nearest(documents[1_000 + i]![1], { count: 1 }))).toEqual([`m${1_000 + i}`])
      expect(index.nearest(`moved m${i}`, { count: 1 })).toEqual([{ id: `m${i}`, score: 1 }])
    }
  })

  it('changes nothing when it is left', () => {
    const index = indexOf(manyDocuments(600))
    index.add('new', { title: 'w1x new', body: '' })
    const before = index.nearest('w1x w2x w3x new')
    const pieces = index.refresh()
    pieces.next()
    pieces.return()
    expect(index.nearest('w1x w2x w3x new')).toEqual(before)
  })

  it('is due after many changes, and gives back the room of what is gone', () => {
    const index = indexOf(manyDocuments(2_000))
    expect(index.isStale).toBe(false)
    for (let i = 0; i < 1_900; i++) index.remove(`m${i}`)
    expect(index.isStale).toBe(true)
    const before = index.bytes
    drain(index.refresh())
    expect(index.isStale).toBe(false)
    expect(index.bytes).toBeLessThan(before / 4)
    expect(index.nearest({ id: 'm1950' }, { count: 200 }).length).toBeLessThanOrEqual(99)
  })

  it('leaves out features that are rare, within each tag and at all', () => {
    const documents: [string, SimilarDocument][] = [
      ['a', { title: 'oak lamp', body: '', tags: ['x'] }],
      ['b', { title: 'oak lamp', body: 'once', tags: ['x', 'y'] }],
      ['c', { title: 'brass lamp lamp', body: '', tags: ['y'] }],
      ['d', { title: 'brass lamp', body: '', tags: ['z'] }],
    ]
    const both = new SimilarityIndex({ leavesOut: (inTag, inAll) => inTag <= 1 && inAll <= 2 })
    for (const [id, document] of documents) both.add(id, document)
    drain(both.refresh())
    const naive = new NaiveSimilarity()
    for (const [id, document] of documents) naive.add(id, document)
    const left = ['once', 'brass', 'brass lamp', 'lamp lamp']
    const trigrams = [' br', 'bra', 'ras', 'ass', 'ss ', 's l']
    naive.weigh((feature, aspect) => (aspect === 1 ? [...trigrams, 'p l'] : left).includes(feature))
    for (const [id, document] of documents) {
      const query = { title: document.title, body: document.body }
      expectBest(both.nearest(query), naive.scoresOf(query), 10)
      expect(both.scores(query, [id])).toEqual([1])
    }
    expect(both.nearest('brass once zebra')).toEqual([])
  })

  it('keep no document from being found, once, however many of its words are left out', () => {
    const index = new SimilarityIndex({ leavesOut: (_, inAll) => inAll <= 3 })
    const rare = [...'abcdefghijklmnopqrstuvwxyz'].map(letter => letter.repeat(3)).join(' ')
    for (const id of ['a', 'b', 'c']) index.add(id, { title: 'lamp', body: `lamp ${rare}` })
    for (const id of ['d', 'e']) index.add(id, { title: 'lamp', body: 'lamp' })
    drain(index.refresh())
    for (const id of ['a', 'e']) {
      const others = ['a', 'b', 'c', 'd', 'e'].filter(other => other !== id)
      expect(index.nearest({ id })).toEqual(others.map(other => ({ id: other, score: 1 })))
      expect(new Set(index.allLike(id, 0).map(near => near.id))).toEqual(new Set(others))
    }
  })
})

describe('explain', () => {
  it('tells the shared features, of which the parts are the score', () => {
    const documents = manyDocuments(200)
    const index = indexOf(documents)
    const [[, one], [, other]] = [documents[3]!, documents[4]!]
    const { score, features } = index.explainer(one)(other)
    expect(Math.abs(score - index.scores(one, ['m4'])[0]!)).toBeLessThan(2e-6)
    expect(features.reduce((sum, { part }) => sum + part, 0)).toBeCloseTo(score, 9)
    expect(features.map(({ part }) => part)).toEqual(features.map(({ part }) => part).sort((a, b) => b - a))
  })

  it('names words, pairs and characters as they stand in both', () => {
    const index = indexOf([['a', { title: 'oak table', body: 'sturdy' }]])
    const { features } = index.explainer({ title: 'Oak Tables', body: 'sturdy' })({
      title: 'oak table',
      body: 'sturdy',
    })
    const of = (name: string) => features.filter(({ aspect }) => aspect === name).map(({ text }) => text)
    expect(of('title words')).toEqual(['oak'])
    expect(of('all words').sort()).toEqual(['oak', 'sturdy'])
    expect(of('title characters').sort()).toEqual([' oa', ' ta', 'abl', 'ak ', 'ble', 'k t', 'oak', 'tab'])
    expect(index.explainer({ title: 'oak', body: '' })({ title: '', body: '' })).toEqual({
      score: 0,
      features: [],
    })
  })

  it('names the words that all of some documents have, rare ones first', () => {
    const index = indexOf([
      ...manyDocuments(50).map(([id, { title, body }]) => [id, { title: `${title} lamp`, body }] as const),
      ['a', { title: 'lamp QZ-777', body: 'brass' }],
      ['b', { title: 'brass qz777 lamp', body: '' }],
    ])
    const documents = [
      { title: 'lamp QZ-777', body: 'brass' },
      { title: 'brass qz777 lamp', body: '' },
    ]
    expect(drain(index.sharedWords(documents))).toEqual(['777', 'brass', 'qz', 'qz777', 'lamp'])
    expect(drain(index.sharedWords(documents, 1))).toEqual(['777'])
    expect(drain(index.sharedWords([]))).toEqual([])
  })
})

describe('weights', () => {
  const hits = [0.9, 0.5, 0.5, 0.1].map((score, at) => ({ id: `d${at}`, score }))

  it('only reorder: the same documents with the same scores', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 10_000, noNaN: true }), { minLength: 4, maxLength: 4 }),
        weights => {
          const answer = reweighed(hits, id => weights[Number(id.slice(1))]!)
          expect(
            answer.map(({ id, score }) => ({ id, score })).sort((a, b) => (a.id < b.id ? -1 : 1)),
          ).toEqual(hits)
          for (const [at, { weighed, score, id }] of answer.entries()) {
            expect(Number.isFinite(weighed)).toBe(true)
            if (at > 0) expect(weighed).toBeLessThanOrEqual(answer[at - 1]!.weighed)
            const weight = weights[Number(id.slice(1))]!
            if (weight < 100) expect(weighed / ((1 + score) ** (1 + weight) - 1)).toBeCloseTo(1, 9)
          }
        },
      ),
    )
  })

  it('keep the order while they are alike, and lift what has one', () => {
    expect(idsOf(reweighed(hits, () => 3))).toEqual(['d0', 'd1', 'd2', 'd3'])
    expect(idsOf(reweighed(hits, id => (id === 'd2' ? 2 : 0)))).toEqual(['d2', 'd0', 'd1', 'd3'])
    expect(idsOf(reweighed(hits, id => ({ d3: 10_000, d1: 9_000 })[id] ?? 0))).toEqual([
      'd1',
      'd3',
      'd0',
      'd2',
    ])
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex, type IndexOptions } from '../../../src/fulltext/fulltext-index.ts'
import { questionOf } from '../../../src/fulltext/searching/known-answers.ts'
import { EVERYTHING, type QueryOptions, type TextQuery } from '../../../src/fulltext/searching/text-query.ts'
import { compact } from '../../../src/fulltext/segments/compaction.ts'
import { trainTopics } from '../../../src/fulltext/topics/training.ts'
import { inColumns, valuesFor } from '../signal-values.ts'

const options: IndexOptions = {
  analyzer: analyzerFor('english'),
  fields: [
    { weight: 4, b: 0.5 },
    { weight: 1, b: 0.7 },
  ],
}
const KEPT = 2 ** 16
/** For all answers of a test. */
const ENOUGH = 2 ** 24

const words = ['lamp', 'lamps', 'desk', 'oak', 'brass', 'chair', 'x9', 'runner', 'running', 'café', 'sofa']
const queries: TextQuery[] = [
  ...[
    'lamp',
    'desk lamp',
    'oak brass chair',
    'lmap',
    'sof',
    '"desk lamp"',
    'lamp -oak',
    'zzz',
    'cafe',
    'brass sofa',
  ],
  EVERYTHING,
]
const ways: readonly Partial<QueryOptions>[] = [
  {},
  { operator: 'and' },
  { operator: 'and', relax: true },
  { prefix: true },
  { typoTolerance: 0 },
  { limit: 3, offset: 2 },
  { exclusion: false, count: true },
  { topics: false },
]

function asked(index: FulltextIndex, query: TextQuery, way: Partial<QueryOptions>, answerBytes?: number) {
  return index.search(query, { ...base, ...way }, answerBytes)
}

const base = { limit: 10, operator: 'or', typoTolerance: 2 } as const
/** Parts of the question. */
const named = {
  operator: 'and',
  typoTolerance: 1,
  isExact: true,
  exclusion: false,
  prefix: true,
  count: true,
  relax: true,
  topics: false,
  limit: 7,
  offset: 1,
} satisfies Partial<QueryOptions>
/** With signals nothing is kept. */
type Ignored = 'signals' | 'now'
/** With these nothing is kept; a new option has to be here, or a part of the question. */
const others: Record<Exclude<keyof QueryOptions, keyof typeof named | Ignored>, unknown> = {
  weights: [1, 2],
  rules: {},
  hidden: ['3'],
  selection: {},
  view: {},
  boosts: [{}],
  categories: {},
  keeps: 0,
  order: {},
  explain: true,
  pinned: [{ id: '3', position: 1 }],
  collect: [undefined],
  groupBy: { path: 'brand', limit: 1 },
}

/** Whatever a caller may do to an answer. */
function spoil(answer: ReturnType<typeof asked>): void {
  for (const hit of answer.hits) Object.assign(hit, { id: 'spoilt', score: -1, group: 1 })
  for (const word of answer.words) {
    for (const { surfaces, parts = [] } of [word, ...(word.written ? [word.written] : [])]) {
      Object.assign(surfaces, { 0: 'spoilt' })
      for (const part of parts) Object.assign(part, { surface: 'spoilt' })
    }
    Object.assign(word, { word: 'spoilt' })
  }
  Object.assign(answer.total, { count: -1 })
  for (const { places } of answer.phrases) for (const texts of places) Object.assign(texts, { 0: 'spoilt' })
  answer.hits.length = 0
  answer.words.length = 0
}

const title = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map(list => list.join(' '))
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('add' as const), id: fc.nat(40), title, body: title }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), id: fc.nat(40) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('merge', 'settle', 'train', 'forget', 'give') as fc.Arbitrary<
        'merge' | 'settle' | 'train' | 'forget' | 'give'
      >,
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function take(index: FulltextIndex, step: Step): void {
  switch (step.kind) {
    case 'add':
      index.add(`${step.id}`, [step.title, step.body])
      return
    case 'remove':
      index.remove(`${step.id}`)
      return
    case 'merge': {
      const task = index.planCompaction(true)
      if (task) index.adopt(compact(task))
      return
    }
    case 'settle':
      index.settling().next()
      return
    case 'train':
      index.adoptTopics(trainTopics(structuredClone(index.planTopics())))
      return
    case 'forget':
      index.forgetTopics()
      return
    case 'give':
      index.give({ id: 'given', averages: [2, 3], topics: undefined })
  }
}

describe('an answer that is asked for again', () => {
  it('is the one that would be found anew, whatever the index went through and callers did to answers', () => {
    let known = 0
    fc.assert(
      fc.property(
        fc.array(title, { minLength: 20, maxLength: 40 }),
        fc.array(step, { minLength: 6, maxLength: 14 }),
        (titles, steps) => {
          const index = new FulltextIndex(options)
          for (const [id, text] of titles.entries())
            index.add(`${id}`, [text, titles[(id * 7) % titles.length]])
          const compare = () => {
            for (const query of queries)
              for (const way of ways) {
                const expected = asked(index, query, way)
                const { searches } = index
                for (let time = 0; time < 4; time++) {
                  const answer = asked(index, query, way, ENOUGH)
                  expect(answer).toEqual(expected)
                  spoil(answer)
                }
                known += 4 - (index.searches - searches)
              }
          }
          compare()
          for (const step of steps) {
            take(index, step)
            compare()
          }
        },
      ),
      { numRuns: 12 },
    )
    expect(known).toBeGreaterThan(10_000)
  })

  it('is found anew once a merge has computed impacts from other lengths', () => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < 5_000; i++) index.add(`${i}`, [`lamp ${'oak '.repeat(i % 9)}`, undefined])
    const scores = () => asked(index, 'lamp', {}, KEPT).hits.map(({ score }) => score)
    for (let time = 0; time < 3; time++) scores()
    const before = scores()
    index.give({ id: 'given', averages: [40, 3], topics: undefined })
    const task = index.planCompaction()!
    expect(task.kind).toBe('rescore')
    expect(index.adopt(compact(task))).toBe(true)
    expect(scores()).not.toEqual(before)
    expect(scores()).toEqual(asked(index, 'lamp', {}).hits.map(({ score }) => score))
  })

  it('is found anew where the time decides on it', () => {
    const signals = inColumns([{ kind: 'saturation', pivot: 3, boost: 1 }])
    const index = new FulltextIndex({ ...options, signals })
    index.add('a', ['lamp', undefined], valuesFor(signals, [2]))
    for (let time = 0; time < 4; time++) asked(index, 'lamp', {}, KEPT)
    expect(index.searches).toBe(4)
  })

  it('is found anew where more than the text decides on it, or it is large', () => {
    for (const [name, value] of Object.entries(others)) {
      // Only whether there is a value counts.
      const options = { ...base, [name]: value } as QueryOptions
      expect([name, questionOf('lamp', options)]).toEqual([name, undefined])
    }
    expect(questionOf('lamp', { ...base, limit: 101 })).toBeUndefined()
    expect(questionOf('lamp '.repeat(50), base)).toBeUndefined()
  })

  it('is another one for each other option', () => {
    const questions = Object.entries(named).map(([name, value]) =>
      questionOf('lamp', { ...base, [name]: value }),
    )
    expect(questions).not.toContain(undefined)
    expect(new Set([questionOf('lamp', base), ...questions]).size).toBe(questions.length + 1)
  })

  it('to no text is not the one that lists everything', () => {
    const index = new FulltextIndex(options)
    index.add('a', ['lamp', undefined])
    for (let time = 0; time < 3; time++) asked(index, EVERYTHING, {}, KEPT)
    expect(asked(index, '', {}, KEPT).hits).toEqual([])
  })

  it('is not kept beyond the bytes there are', () => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < 200; i++) index.add(`${i}`, [`lamp w${i}`, 'oak'])
    asked(index, 'lamp', {})
    for (let i = 0; i < 200; i++) asked(index, `lamp w${i}`, {})
    const before = index.bytes
    for (let i = 0; i < 200; i++) for (let time = 0; time < 3; time++) asked(index, `lamp w${i}`, {}, KEPT)
    const kept = index.bytes - before
    expect(kept).toBeGreaterThan(KEPT / 4)
    expect(kept).toBeLessThan(2 * KEPT)
  })

  it('is found anew each time where nothing may be kept', () => {
    const index = new FulltextIndex(options)
    index.add('a', ['lamp', undefined])
    for (let time = 0; time < 4; time++) asked(index, 'lamp', {}, 0)
    expect(index.searches).toBe(4)
  })
})

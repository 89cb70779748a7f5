import * as fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Analyzer, analyzerFor, loadAnalyzer } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex, type IndexOptions } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'
import { compact } from '../../../src/fulltext/segments/compaction.ts'
import { WordReads } from '../../../src/fulltext/words/word-reads.ts'
import { IndexBlobs } from '../index-blobs.ts'

afterEach(() => vi.restoreAllMocks())

const english = [
  ...['run', 'runs', 'running', 'runner', 'lamp', 'lamps', 'laptop', 'lap', 'top', 'tops', 'note', 'book'],
  ...['notebook', 'notebooks', 'zephyr', 'zephir', 'zefyr', 'x9z', 'x9zabc', 'x9', '27inch', '27', 'inch'],
  ...['colour', 'color', 'grey', 'gray', 'sofa', 'sofas', 'sof', 'sofabed', 'bed', '1.5', '15'],
]
const german = [
  ...['garten', 'stuhl', 'stuhle', 'gartenstuhl', 'gartenstuhle', 'tisch', 'gartentisch', 'horn', 'ahorn'],
  ...['holz', 'holztisch', 'kuche', 'kuchentisch', 'schreibtisch', 'schreibtischlampe', 'schreib', 'lampe'],
  ...['lampen', 'papier', 'schreibpapier', 'wolle', 'wolldecke', 'decke', 'messer', 'brotmesser', 'brot'],
]
const japanese = ['茶', '茶碗', '緑茶', '碗', '日本', '本', '日', '机', '本棚', '棚', 'ラ', 'ランプ']

const shops: readonly [string, Analyzer, readonly string[], readonly string[]][] = [
  [
    'English',
    analyzerFor('english'),
    english,
    ['runnign', 'zepyhr', 'note book', 'lap top', 'x9za', 'colou', 'ln'],
  ],
  [
    'German',
    await loadAnalyzer('german'),
    german,
    ['gratenstuhl', 'garten stuhl', 'tischlampe', 'schriebtisch', 'wol'],
  ],
  ['Japanese', analyzerFor('none'), japanese, ['茶本', '日本棚']],
]

const titles = (words: readonly string[]) =>
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 6 }).map(title => title.join(' '))

interface Write {
  readonly id: string
  /** Undefined: the document is removed. */
  readonly title: string | undefined
}

const writes = (words: readonly string[]): fc.Arbitrary<Write> =>
  fc.record({
    id: fc.nat(60).map(String),
    title: fc.oneof(
      { weight: 4, arbitrary: titles(words) },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
  })

const ways: readonly Partial<QueryOptions>[] = [
  {},
  { operator: 'and' },
  { prefix: true },
  { typoTolerance: 1 },
]

function answer(index: FulltextIndex, query: string, way: Partial<QueryOptions>) {
  const options = { limit: 1000, operator: 'or', typoTolerance: 2, ...way } as const
  const { hits, words, total } = index.search(query, options)
  return { hits, words, total }
}

const optionsFor = (analyzer: Analyzer): IndexOptions => ({ analyzer, fields: [{ weight: 1, b: 0.5 }] })

function made(analyzer: Analyzer, titles: readonly string[]): FulltextIndex {
  const index = new FulltextIndex(optionsFor(analyzer))
  for (const [id, title] of titles.entries()) index.add(String(id), [title])
  return index
}

describe('what is known of words', () => {
  it.each(shops)('is after each write what a loaded index finds out, in %s', (_, analyzer, words, others) => {
    const areCurrent = vi.spyOn(WordReads.prototype, 'areCurrent')
    const queries = [...words, ...others, `${words[0]} ${words[5]}`, `${others[0]} ${words[2]}`]
    fc.assert(
      fc.property(
        fc.array(titles(words), { minLength: 5, maxLength: 40 }),
        fc.array(writes(words), { minLength: 8, maxLength: 16, size: 'max' }),
        (stored, changes) => {
          const index = made(analyzer, stored)
          const blobs = new IndexBlobs()
          const compare = () => {
            // The same words and documents, of which nothing has been asked yet.
            const fresh = blobs.load(optionsFor(analyzer), blobs.save(index))
            for (const query of queries)
              for (const way of ways) expect(answer(index, query, way)).toEqual(answer(fresh, query, way))
          }
          compare()
          for (const [at, { id, title }] of changes.entries()) {
            if (title === undefined) index.remove(id)
            else index.add(id, [title])
            if (at % 3 === 2) compare()
            else for (const query of queries) answer(index, query, ways[at % ways.length]!)
            const task = at % 5 === 4 ? index.planCompaction(true) : undefined
            if (task) index.adopt(compact(task))
          }
          compare()
        },
      ),
      { numRuns: 10 },
    )
    const outcomes = areCurrent.mock.results.map(({ value }) => value)
    expect(outcomes.filter(isCurrent => isCurrent).length).toBeGreaterThan(50)
    expect(outcomes.filter(isCurrent => !isCurrent).length).toBeGreaterThan(50)
  })

  it('is found out again when it is too long ago to tell what has changed', () => {
    const index = made(analyzerFor('english'), ['sofa'])
    index.add('b', ['lamp'])
    answer(index, 'sofa', {})
    index.add('c', ['lamp'])
    expect(answer(index, 'sofa', {}).hits.map(({ id }) => id)).toEqual(['0'])
    index.add('e', ['sofa'])
    for (let i = 0; i < 9_000; i++) index.add(`f${i}`, ['lamp chair'])
    expect(
      answer(index, 'sofa', {})
        .hits.map(({ id }) => id)
        .sort(),
    ).toEqual(['0', 'e'])
  })
})

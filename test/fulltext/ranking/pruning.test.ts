import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../../src/fulltext/searching/text-query.ts'
import { compact } from '../../../src/fulltext/segments/compaction.ts'
import { sequence } from '../dictionary/made-terms.ts'
import { inColumns, valuesFor } from '../signal-values.ts'

const options = {
  analyzer: analyzerFor('english'),
  fields: [
    { weight: 3, b: 0.5 },
    { weight: 1, b: 0.6 },
  ],
  signals: inColumns([{ kind: 'saturation', pivot: 100, boost: 0.7 }]),
} as const

const SEARCHES = 30

const numbers = (...values: number[]) => valuesFor(options.signals, values)

const next = sequence(7)
const below = (limit: number) => Math.floor((next() / 2 ** 32) * limit)

/** Thirty words, some of which have a plural. */
const words = Array.from({ length: 60 }, (_, i) => {
  const [vowel, consonant] = ['aeiou'[(i >> 1) % 5], 'bdfgmn'[Math.floor(i / 10)]]
  return `z${vowel}${consonant}ak${i % 2 === 0 ? '' : i % 3 === 0 ? 's' : 'x9'}`
})
const aWord = () => words[Math.floor(60 * (next() / 2 ** 32) ** 3)]!
const text = (most: number) => Array.from({ length: 1 + below(most) }, aWord).join(' ')

function add(index: FulltextIndex, i: number): void {
  index.add(`d${i}`, [text(4), text(12)], numbers(i % 3 === 0 ? Number.NaN : below(1000)))
}

function compacted(index: FulltextIndex): void {
  index.search('', { limit: 1, operator: 'or', typoTolerance: 0 })
  for (let task = index.planCompaction(); task; task = index.planCompaction()) index.adopt(compact(task))
}

function segments(index: FulltextIndex): { documents: number; removed: boolean }[] {
  return index.save().contents.segments.map(({ shape, removed }) => {
    return { documents: shape.documents, removed: removed !== null }
  })
}

const pages = [
  [0, 1],
  [0, 16],
  [3, 13],
  [0, 17],
  [10, 30],
  [0, 64],
  [0, 65],
  [490, 20],
] as const

/** Where all are wanted nothing is left out for what is better. */
function expectBeginnings(index: FulltextIndex, query: string, search: Omit<QueryOptions, 'limit'>): number {
  const all = index.search(query, { ...search, limit: 1e6 }).hits
  for (const [offset, limit] of pages) {
    const { hits } = index.search(query, { ...search, limit, offset })
    expect(hits).toEqual(all.slice(offset, offset + limit))
  }
  return all.length
}

function searches(): [query: string, search: Omit<QueryOptions, 'limit'>][] {
  return Array.from({ length: SEARCHES }, (_, i) => {
    const operator = below(3) === 0 ? 'and' : 'or'
    const phrase = `"${aWord()} ${aWord()}"~4 ${text(2)}`
    const query = [aWord(), text(4), `${text(3)} zaabk`, phrase, `${aWord()} z${'aeiou'[i % 5]}`, 'ze'][
      i % 6
    ]!
    const weights = [undefined, undefined, undefined, [1, 5], [0, 1]][below(5)]
    return [query, { operator, typoTolerance: 2, prefix: below(2) === 0, signals: below(2) === 0, weights }]
  })
}

describe('the best few hits', () => {
  it('are the beginning of the whole ranking, in large segments', () => {
    const index = new FulltextIndex({ ...options, tailDocuments: 1366 })
    for (let i = 0; i < 21_000; i++) add(index, i)
    compacted(index)
    expect(segments(index).some(({ documents, removed }) => documents >= 16_384 && !removed)).toBe(true)
    let found = 0
    for (const [query, search] of searches()) found += expectBeginnings(index, query, search)
    expect(found).toBeGreaterThan(SEARCHES * 1000)
  })

  it('are so among removed documents and over many segments', () => {
    const index = new FulltextIndex({ ...options, tailDocuments: 1366 })
    for (let i = 0; i < 21_000; i++) add(index, i)
    compacted(index)
    for (let i = 0; i < 17_000; i += 3) index.remove(`d${i}`)
    for (let i = 0; i < 6000; i++) add(index, i * 7)
    index.search('', { limit: 1, operator: 'or', typoTolerance: 0 })
    for (let i = 0; i < 40; i++) add(index, 50_000 + i)
    expect(segments(index).some(({ documents, removed }) => documents >= 16_384 && removed)).toBe(true)
    expect(segments(index).length).toBeGreaterThan(2)
    let found = 0
    for (const [query, search] of searches()) found += expectBeginnings(index, query, search)
    expect(found).toBeGreaterThan(SEARCHES * 500)
  })

  it('are so for one word that is asked again, while its best are removed and others come', () => {
    const asked = words.slice(0, 4)
    const index = new FulltextIndex({ ...options, tailDocuments: 1366 })
    for (let i = 0; i < 4_000; i++) add(index, i)
    compacted(index)
    const search = { operator: 'or', typoTolerance: 0, signals: false } as const
    for (let round = 0; round < 12; round++) {
      for (const query of asked) {
        expect(expectBeginnings(index, query, search)).toBeGreaterThan(500)
        const best = index.search(query, { ...search, limit: 1 + below(90) }).hits
        for (const { id } of best) if (below(2) === 0) index.remove(id)
      }
      for (let i = 0; i < 30; i++) add(index, 10_000 + 30 * round + i)
      if (round === 6) compacted(index)
    }
  })

  it('are so where the best of all were removed, or lack the phrase', () => {
    // So that each document has a score of its own.
    const fields = [
      { weight: 0.1, b: 0 },
      { weight: 0.1, b: 0 },
    ]
    const index = new FulltextIndex({ ...options, fields })
    for (let i = 0; i < 60; i++) index.add(`d${i}`, ['lamp '.repeat(i + 1), i % 2 === 0 ? 'red lamp' : 'red'])
    compacted(index)
    for (const query of ['lamp', '"red lamp"', 'lamp "red lamp"~3', 'lamp zebra']) {
      expectBeginnings(index, query, { operator: 'or', typoTolerance: 0 })
    }
    for (let i = 45; i < 60; i++) index.remove(`d${i}`)
    for (const query of ['lamp', '"red lamp"', 'lamp "red lamp"~3', 'lamp zebra']) {
      expect(expectBeginnings(index, query, { operator: 'or', typoTolerance: 0 })).toBeGreaterThan(20)
    }
  })

  it('are so where a rare word stands beside the beginning of many', () => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < 17_000; i++) {
      const rare = i % 90 === 0 ? 'rare' : 'usual'
      const begun = ['lamp', 'lava lamp', 'lava', 'lamp lava land lantern'][below(4)]!
      index.add(`d${i}`, [begun, rare], numbers(below(50)))
    }
    compacted(index)
    for (const query of ['rare la', 'rare rare la', 'rare lamb']) {
      for (const signals of [true, false]) {
        const search = { operator: 'or', typoTolerance: 2, prefix: true, signals } as const
        expect(expectBeginnings(index, query, search)).toBeGreaterThan(8000)
      }
    }
  })

  it.each([3000, 9000])('are so where many of %d documents have the same score', documents => {
    const index = new FulltextIndex(options)
    for (let i = 0; i < documents; i++) {
      // Numbers in an order that is not that of ids.
      index.add(
        `d${(i * 7919) % documents}`,
        [i % 50 === 0 ? 'red lamp' : i % 2 === 0 ? 'lamp' : 'red', undefined],
        numbers(1),
      )
    }
    compacted(index)
    for (const query of ['lamp', 'red', 'red lamp', 'lamp lamp red', 'la', '"red lamp"']) {
      for (const operator of ['or', 'and'] as const) {
        for (const signals of [true, false]) {
          for (const prefix of [true, false])
            expectBeginnings(index, query, { operator, typoTolerance: 0, prefix, signals })
        }
      }
    }
  })

  it('are so where many have the same score and the largest factor, which no division hits exactly', () => {
    for (const boost of [0.1, 0.2, 0.3, 0.4]) {
      for (let n = 0; n < 8; n++) {
        const signals = inColumns([{ kind: 'recency', halfLife: 86_400_000, boost }])
        const index = new FulltextIndex({ ...options, signals })
        for (let i = 0; i < 100; i++)
          index.add(`d${199 - i}`, ['red lamp running reed run', undefined], valuesFor(signals, [1e12]))
        for (let i = 0; i < 50 + n * 37; i++)
          index.add(`x${i}`, [`sofa ${i}`, undefined], valuesFor(signals, [0]))
        for (const query of ['red', 'running', 're', 'red lamp']) {
          const { hits } = index.search(query, {
            limit: 17,
            operator: 'or',
            typoTolerance: 0,
            prefix: query === 're',
            now: 1e12,
          })
          expect(hits.map(({ id }) => id)).toEqual(Array.from({ length: 17 }, (_, i) => `d${100 + i}`))
        }
      }
    }
  })

  it('are so where up to eight words have many alternatives each', () => {
    const groups = ['kaz', 'mop', 'tib', 'rud', 'fel', 'gos', 'hyn', 'wub'].map(beginning =>
      [...'aeiou'].map(vowel => `${beginning}${vowel}nk`),
    )
    for (const size of [300, 9000]) {
      const index = new FulltextIndex({ ...options, analyzer: analyzerFor('none') })
      const documents = Array.from({ length: size }, () =>
        groups.flatMap(group => (below(10) > 0 ? [group[below(5)]!] : [])),
      )
      for (const [i, words] of documents.entries())
        index.add(`d${i}`, [words.join(' '), i % 97 === 0 ? 'rare' : undefined], numbers(below(50)))
      for (let words = 2; words <= groups.length; words++) {
        const some = groups.slice(-words)
        // Nobody wrote it so: one letter away from all five of its group.
        const misspelt = some.map(group => `${group[0]!.slice(0, 3)}xnk`)
        for (const rare of ['', ' rare']) {
          const search = { operator: 'and', typoTolerance: 2 } as const
          const query = `${misspelt.join(' ')}${rare}`
          const expected = documents.flatMap((of, i) =>
            some.every(group => group.some(word => of.includes(word))) && (rare === '' || i % 97 === 0)
              ? [`d${i}`]
              : [],
          )
          const { hits, total } = index.search(query, { ...search, limit: 1e6, count: true })
          expect(hits.map(({ id }) => id).sort()).toEqual(expected.sort())
          expect(total).toEqual({ count: expected.length, exact: true })
          expect(index.search(query, { ...search, limit: 1, count: true }).total).toEqual(total)
          expectBeginnings(index, query, search)
        }
      }
    }
  })
})

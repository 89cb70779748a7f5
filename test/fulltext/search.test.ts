import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { compact } from '../../src/fulltext/compaction.ts'
import { FulltextIndex, type SearchOptions } from '../../src/fulltext/fulltext-index.ts'
import { NaiveIndex } from './naive-index.ts'

const analyzer = analyzerFor('english')
const fields = [
  { weight: 3, b: 0.5 },
  { weight: 1, b: 0.6 },
]
const everything: SearchOptions = { limit: 1_000_000, operator: 'or', typoTolerance: 0 }

function indexOf(documents: Record<string, string>): FulltextIndex {
  const index = new FulltextIndex({ analyzer, fields })
  for (const [id, title] of Object.entries(documents)) index.add(id, [title, undefined])
  return index
}

function ids(index: FulltextIndex, query: string, options: Partial<SearchOptions> = {}): string[] {
  return index.search(query, { ...everything, ...options }).hits.map(({ id }) => id)
}

describe('search', () => {
  it('finds documents with any word, or with all', () => {
    const index = indexOf({ a: 'red lamp', b: 'red chair', c: 'blue lamp' })
    expect(ids(index, 'red lamp').sort()).toEqual(['a', 'b', 'c'])
    expect(ids(index, 'red lamp', { operator: 'and' })).toEqual(['a'])
  })

  it('finds nothing for all words when one is unknown', () => {
    const index = indexOf({ a: 'red lamp' })
    expect(ids(index, 'red sofa', { operator: 'and' })).toEqual([])
    expect(ids(index, 'red sofa')).toEqual(['a'])
  })

  it('finds nothing for an empty query, an empty index or a limit of 0', () => {
    expect(ids(indexOf({ a: 'lamp' }), ' … ')).toEqual([])
    expect(ids(indexOf({}), 'lamp')).toEqual([])
    expect(ids(indexOf({ a: 'lamp' }), 'lamp', { limit: 0 })).toEqual([])
  })

  it('puts a match in the heavier field first', () => {
    const index = new FulltextIndex({ analyzer, fields })
    index.add('body', ['chair', 'lamp'])
    index.add('title', ['lamp', 'chair'])
    expect(ids(index, 'lamp')).toEqual(['title', 'body'])
  })

  it('puts the word itself before another form of it', () => {
    const index = indexOf({ many: 'shoes', one: 'shoe' })
    expect(ids(index, 'shoe')).toEqual(['one', 'many'])
    expect(ids(index, 'shoes')).toEqual(['many', 'one'])
  })

  it('orders documents of equal score by the bytes of their ids, whenever they were written', () => {
    const ordered = [
      '',
      'A',
      'B',
      'a',
      'a\u0000',
      'a10',
      'a9',
      'aa',
      'é',
      '\ud7ff',
      '\ue000',
      '\uffff',
      '😀',
      '😁',
    ]
    const index = indexOf(Object.fromEntries([...ordered].reverse().map(id => [id, 'lamp'])))
    expect(ids(index, 'lamp')).toEqual(ordered)
    index.add('B', ['lamp', undefined])
    expect(ids(index, 'lamp')).toEqual(ordered)
    for (let limit = 1; limit <= ordered.length; limit++)
      expect(ids(index, 'lamp', { limit })).toEqual(ordered.slice(0, limit))
  })

  it('leaves out the offset', () => {
    const index = indexOf({ a: 'lamp', b: 'lamp', c: 'lamp' })
    expect(ids(index, 'lamp', { offset: 1, limit: 1 })).toEqual(['b'])
    expect(ids(index, 'lamp', { offset: 3, limit: 1 })).toEqual([])
  })

  it('says what each word was taken for', () => {
    const index = indexOf({ a: 'running shoes', b: 'lamp' })
    expect(index.search('lamp run shoos sofa 12345', { ...everything, typoTolerance: 2 }).words).toEqual([
      { word: 'lamp', kind: 'exact', surfaces: ['lamp'] },
      { word: 'run', kind: 'stem', surfaces: ['running'] },
      { word: 'shoos', kind: 'typo', surfaces: ['shoes'] },
      { word: 'sofa', kind: 'none', surfaces: [] },
      { word: '12345', kind: 'none', surfaces: [] },
    ])
  })

  it('reads a list of texts as one field and no text as none', () => {
    const index = new FulltextIndex({ analyzer, fields })
    index.add('list', [['red', 'red', 'lamp'], ''])
    index.add('text', ['red red lamp', undefined])
    const { hits } = index.search('red', everything)
    expect(hits[0]!.score).toBe(hits[1]!.score)
  })

  it('matches in a field of no weight, with the least score', () => {
    const index = new FulltextIndex({ analyzer, fields: [{ weight: 0, b: 0 }, fields[0]!] })
    index.add('a', ['lamp', undefined])
    index.add('b', [undefined, 'lamp'])
    expect(ids(index, 'lamp')).toEqual(['b', 'a'])
  })

  it('works without any field', () => {
    const index = new FulltextIndex({ analyzer, fields: [] })
    index.add('a', [])
    expect(ids(index, 'a')).toEqual([])
    expect(index.size).toBe(1)
  })

  it('does not index what stands beyond 65,535 words of a field', () => {
    const index = indexOf({ a: `${'lamp '.repeat(65_534)} first second` })
    expect(ids(index, 'first')).toEqual(['a'])
    expect(ids(index, 'second')).toEqual([])
  })

  it('takes ids and words that are names of object members', () => {
    const index = indexOf({ constructor: 'prototype lamp' })
    index.add('__proto__', ['constructor lamp', undefined])
    expect(ids(index, 'lamp')).toEqual(['__proto__', 'constructor'])
    expect(ids(index, 'constructor')).toEqual(['__proto__'])
    expect(index.remove('__proto__')).toBe(true)
    expect(index.remove('toString')).toBe(false)
  })

  it('tells ids apart that differ in a lone surrogate or a NUL', () => {
    const index = new FulltextIndex({ analyzer, fields })
    const odd = ['\ud800', '\ud801', '\ufffd', 'a\u0000', 'a', '', 'x'.repeat(70_000)]
    for (const id of odd) index.add(id, ['lamp', undefined])
    expect(ids(index, 'lamp').sort()).toEqual([...odd].sort())
    for (const id of odd) expect(index.has(id)).toBe(true)
  })

  it('answers queries of a hundred thousand words', () => {
    const index = indexOf({ a: 'lamp', b: 'word5' })
    const query = `lamp ${Array.from({ length: 100_000 }, (_, i) => `word${i}`).join(' ')}`
    expect(ids(index, query, { typoTolerance: 2 }).sort()).toEqual(['a', 'b'])
  })
})

describe('add', () => {
  it('refuses a wrong number of texts and keeps what was there', () => {
    const index = indexOf({ a: 'lamp' })
    expect(() => index.add('a', ['chair'])).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
    expect(ids(index, 'lamp chair')).toEqual(['a'])
  })

  it('keeps the old document when the analyzer fails', () => {
    const failing = {
      ...analyzer,
      scan: (text: string, sink: (chars: Uint16Array, length: number) => void) => {
        analyzer.scan(text, sink)
        if (text.includes('!')) throw new Error('cannot read this')
      },
    }
    const index = new FulltextIndex({ analyzer: failing, fields })
    index.add('a', ['lamp', undefined])
    for (let i = 0; i < 5000; i++)
      expect(() => index.add('a', ['chair', 'sofa!'])).toThrow('cannot read this')
    index.add('b', ['lamp', 'chair'])
    expect(ids(index, 'lamp')).toEqual(['a', 'b'])
    expect(ids(index, 'sofa')).toEqual([])
    expect(ids(index, 'chair')).toEqual(['b'])
  })
})

describe('options', () => {
  it.each([
    [{ fields: [{ weight: -1, b: 0 }] }],
    [{ fields: [{ weight: Number.NaN, b: 0 }] }],
    [{ fields: [{ weight: 1, b: 1.5 }] }],
    [{ fields, k1: 0 }],
    [{ fields, k1: Number.POSITIVE_INFINITY }],
  ])('%j are refused', options => {
    expect(() => new FulltextIndex({ analyzer, ...options })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })
})

const word = fc.constantFrom(
  'run',
  'runs',
  'running',
  'shoe',
  'shoes',
  'lamp',
  'lamps',
  'red',
  'blue',
  'zephyr',
  'x9',
)
const text = fc.array(word, { maxLength: 12 }).map(words => words.join(' '))

describe('ranking', () => {
  it('is BM25F by its definition, to the last digit and in the same order', () => {
    const corpus = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(
        corpus,
        fc.array(word, { maxLength: 5 }),
        fc.constantFrom('or', 'and'),
        (documents, words, operator) => {
          const index = new FulltextIndex({ analyzer, fields })
          const naive = new NaiveIndex(analyzer, fields)
          for (const [i, texts] of documents.entries()) {
            index.add(`d${i}`, texts)
            naive.add(`d${i}`, texts)
          }
          const query = words.join(' ')
          expect(index.search(query, { ...everything, operator }).hits).toEqual(naive.search(query, operator))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('of the best few is the beginning of the whole ranking, in large segments too', () => {
    const index = new FulltextIndex({ analyzer, fields })
    const next = sequence(7)
    const words = Array.from({ length: 60 }, (_, i) => `word${i}x`)
    const some = (most: number) =>
      Array.from({ length: 1 + (next() % most) }, () => words[Math.floor(60 * (next() / 2 ** 32) ** 3)]).join(
        ' ',
      )
    for (let i = 0; i < 30_000; i++) index.add(`d${i}`, [some(4), some(12)])
    index.search('', everything)
    for (let task = index.planCompaction(); task; task = index.planCompaction()) index.adopt(compact(task))
    for (let i = 0; i < 30_000; i += 3) index.remove(`d${i}`)
    for (let i = 0; i < 300; i++) index.add(`d${i * 7}`, [some(4), some(12)])
    expect(index.checkpoint().manifest.segments.some(({ shape }) => shape.documents > 16_384)).toBe(true)
    for (let round = 0; round < 40; round++) {
      const query = some(5)
      for (const operator of ['or', 'and'] as const) {
        const all = index.search(query, { ...everything, operator }).hits
        for (const limit of [1, 10, 500]) {
          expect(index.search(query, { ...everything, operator, limit }).hits).toEqual(all.slice(0, limit))
        }
      }
    }
  })
})

/** A linear congruential sequence of 32-bit numbers (Numerical Recipes). */
function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state
  }
}

import { describe, expect, it } from 'vitest'
import { analyzerFor, type WrittenSink } from '../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import type { QueryOptions } from '../../src/fulltext/searching/text-query.ts'
import { inColumns, valuesFor } from './signal-values.ts'

const analyzer = analyzerFor('english')
const fields = [
  { weight: 3, b: 0.5 },
  { weight: 1, b: 0.6 },
]
const everything: QueryOptions = { limit: 1_000_000, operator: 'or', typoTolerance: 0 }

function indexOf(documents: Record<string, string>): FulltextIndex {
  const index = new FulltextIndex({ analyzer, fields })
  for (const [id, title] of Object.entries(documents)) index.add(id, [title, undefined])
  return index
}

function ids(index: FulltextIndex, query: string, options: Partial<QueryOptions> = {}): string[] {
  return index.search(query, { ...everything, ...options }).hits.map(({ id }) => id)
}

const near = (value: number) => expect.closeTo(value, 10)

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

  it('ranks by how long texts are from the first answer on, however many words came at once', () => {
    const filler = Array.from({ length: 1000 }, (_, i) => `filler${i}`).join(' ')
    const index = new FulltextIndex({ analyzer, fields })
    for (let i = 0; i < 200; i++) index.add(`long${i}`, [undefined, filler])
    index.add('five in a thousand', [undefined, `lamp lamp lamp lamp lamp ${filler}`])
    index.add('one in ten', [undefined, `lamp ${filler.split(' ').slice(0, 9).join(' ')}`])
    expect(ids(index, 'lamp')).toEqual(['five in a thousand', 'one in ten'])
    expect(index.planCompaction()).toBeUndefined()
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
    const index = indexOf({ a: 'running shoes', b: 'lamp', c: 'desk lamp' })
    const [two, one] = [2, 1].map(having => Math.log(1 + (3 - having + 0.5) / (having + 0.5)))
    expect(index.search('lamp run shoos sofa 12345', { ...everything, typoTolerance: 2 }).words).toEqual([
      { word: 'lamp', kind: 'exact', surfaces: ['lamp'], idf: two },
      { word: 'run', kind: 'stem', surfaces: ['running'], idf: one },
      { word: 'shoos', kind: 'typo', surfaces: ['shoes'], idf: one, suggestion: 'shoes' },
      { word: 'sofa', kind: 'none', surfaces: [], idf: 0 },
      { word: '12345', kind: 'none', surfaces: [], idf: 0 },
    ])
  })

  it('reads a list of texts as one field and no text as none', () => {
    const index = new FulltextIndex({ analyzer, fields })
    index.add('list', [['red', 'red', 'lamp'], ''])
    index.add('text', ['red red lamp', undefined])
    const { hits } = index.search('red', everything)
    expect(hits[0]!.score).toBe(hits[1]!.score)
  })

  it('takes words of two texts of a list neither for neighbours nor for the halves of one', () => {
    const index = new FulltextIndex({ analyzer, fields })
    for (const id of ['a', 'b']) index.add(`${id} across`, [['red', 'lamp'], undefined])
    for (const id of ['a', 'b']) index.add(`${id} fields`, ['red', 'lamp'])
    expect(ids(index, 'redlamp')).toEqual([])
    const { hits } = index.search('red lamp', { ...everything, explain: true })
    expect(hits.map(({ explanation }) => explanation!.titleFactor)).toEqual([1.15, 1.15, 1, 1].map(near))
    for (const id of ['a', 'b']) index.add(`${id} within`, [['a red lamp', 'chair'], undefined])
    expect(ids(index, 'redlamp')).toEqual(['a within', 'b within'])
  })

  it('matches in a field of no weight, with the least score', () => {
    const index = new FulltextIndex({ analyzer, fields: [{ weight: 0, b: 0 }, fields[0]!] })
    index.add('a', ['lamp', undefined])
    index.add('b', [undefined, 'lamp'])
    expect(ids(index, 'lamp')).toEqual(['b', 'a'])
  })

  it('finds documents with an empty field where length counts in full', () => {
    const index = new FulltextIndex({ analyzer, fields: fields.map(({ weight }) => ({ weight, b: 1 })) })
    index.add('a', ['lamp', undefined])
    index.add('b', [undefined, 'lamp lamp'])
    index.add('c', ['lamp', 'lamp'])
    expect(ids(index, 'lamp')).toEqual(['c', 'a', 'b'])
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

  it('counts a word 255 times per field at most, and so all forms of one together', () => {
    const index = new FulltextIndex({ analyzer, fields: [{ weight: 1, b: 0 }] })
    index.add('255', ['lamp '.repeat(255)])
    index.add('many', ['lamp '.repeat(3000)])
    index.add('mixed', ['lamp lamps '.repeat(2000)])
    index.add('few', ['lamp '.repeat(20)])
    const { hits } = index.search('lamp', everything)
    expect(hits.map(({ id }) => id)).toEqual(['255', 'many', 'mixed', 'few'])
    expect(new Set(hits.slice(0, 3).map(({ score }) => score)).size).toBe(1)
  })

  it('finds documents whose every field is as long as can be', () => {
    const index = new FulltextIndex({ analyzer, fields })
    const long = Array.from({ length: 70_000 }, (_, i) => `w${i}x`).join(' ')
    index.add('long', [long, long])
    index.add('short', ['w0x', undefined])
    expect(ids(index, 'w0x')).toEqual(['short', 'long'])
    expect(ids(index, 'w65534x w0x', { operator: 'and' })).toEqual(['long'])
    expect(ids(index, 'w65535x')).toEqual([])
    expect(ids(index, '"w65533x w65534x"')).toEqual(['long'])
    expect(index.remove('long')).toBe(true)
    expect(ids(index, 'w65534x')).toEqual([])
    expect(ids(index, 'w0x')).toEqual(['short'])
  })

  it('weighs a word as often as the query says it', () => {
    const index = indexOf({ lamp: 'lamp', red: 'red', other: 'blue' })
    expect(ids(index, 'lamp red')).toEqual(['lamp', 'red'])
    expect(ids(index, 'lamp red red')).toEqual(['red', 'lamp'])
    expect(ids(index, 'red lamp red')).toEqual(['red', 'lamp'])
  })

  it('looks at 31 words of a query for how they stand in a title, and at all for whether they match', () => {
    const many = Array.from({ length: 40 }, (_, i) => `w${i}x`)
    const index = indexOf({ all: many.join(' '), reversed: [...many].reverse().join(' '), last: 'w39x' })
    for (let words = 2; words <= 40; words++) {
      const query = many.slice(0, words).join(' ')
      const { hits } = index.search(query, { ...everything, operator: 'and', explain: true })
      expect(hits.map(({ id }) => id)).toEqual(['all', 'reversed'])
      expect(hits.map(({ explanation }) => explanation!.titleFactor)).toEqual([1.45, 1.15].map(near))
    }
    expect(ids(index, many.join(' '))).toEqual(['all', 'reversed', 'last'])
    expect(ids(index, `"${many.join(' ')}"`)).toEqual(['all'])
    expect(ids(index, `"${many.slice(30).join(' ')}"`)).toEqual(['all'])
  })

  it('sees how the words of a query stand in short titles and long ones', () => {
    for (const length of [2, 31, 32, 33, 200]) {
      const words = Array.from({ length }, (_, i) => `w${i}x`)
      const index = indexOf({
        straight: words.join(' '),
        reversed: [...words].reverse().join(' '),
        other: 'w0x',
      })
      const { hits } = index.search(words.slice(-2).join(' '), everything)
      expect(hits.slice(0, 2).map(({ id }) => id)).toEqual(['straight', 'reversed'])
      expect(hits[0]!.score / hits[1]!.score).toEqual(near(1.45 / 1.15))
    }
  })

  it('knows each document of the largest segment there may be', () => {
    const index = new FulltextIndex({ analyzer, fields, tailDocuments: 65_536 })
    for (let i = 0; i < 65_536; i++) index.add(`d${i}`, ['lamp', undefined])
    index.search('lamp', { ...everything, limit: 1 })
    expect(['d0', 'd32768', 'd65535', 'd65536'].map(id => index.has(id))).toEqual([true, true, true, false])
    expect(index.remove('d65535')).toBe(true)
    expect([index.has('d65535'), index.size]).toEqual([false, 65_535])
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
      scanWritten: (text: string, sink: WrittenSink) => {
        analyzer.scanWritten(text, sink)
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
    // This makes a family of a word that had none, which no document has a second word of.
    expect(() => index.add('c', ['lamps!', undefined])).toThrow('cannot read this')
    expect(ids(index, 'lamp')).toEqual(['a', 'b'])
  })
})

describe('signals', () => {
  const day = 86_400_000
  const signals = inColumns([
    { kind: 'recency', halfLife: day, boost: 0.5 },
    { kind: 'saturation', pivot: 10, boost: 1 },
  ])
  const index = new FulltextIndex({ analyzer, fields: [{ weight: 1, b: 0 }], signals })
  const numbers = {
    new: [10 * day, 0],
    old: [7 * day, 0],
    popular: [Number.NaN, 30],
    plain: [],
    odd: [Number.NEGATIVE_INFINITY, -5],
  }
  for (const [id, values] of Object.entries(numbers)) index.add(id, ['lamp'], valuesFor(signals, values))

  it('multiply scores, by the time of the search', () => {
    const unmoved = { plain: 1, odd: 1, popular: 1.75 }
    const rounded = (values: Record<string, number>) =>
      Object.fromEntries(Object.entries(values).map(([id, value]) => [id, expect.closeTo(value, 6)]))
    expect(scores(10 * day)).toEqual(rounded({ ...unmoved, new: 1.5, old: 1 + 0.5 / 8 }))
    expect(scores(11 * day)).toEqual(rounded({ ...unmoved, new: 1.25, old: 1 + 0.5 / 16 }))
    expect(scores(0)).toEqual(rounded({ ...unmoved, new: 1.5, old: 1.5 }))
    expect(scores(10 * day)).toEqual(rounded({ ...unmoved, new: 1.5, old: 1 + 0.5 / 8 }))
  })

  it('tell ages to the hour', () => {
    expect(scores(11 * day + 3_599_999)).toEqual(scores(11 * day))
    expect(scores(11 * day + 3_600_000)).not.toEqual(scores(11 * day))
  })

  it('weigh nothing when they are switched off', () => {
    const { hits } = index.search('lamp', { ...everything, now: 10 * day, signals: false })
    expect(hits.map(({ id }) => id)).toEqual(['new', 'odd', 'old', 'plain', 'popular'])
    expect(new Set(hits.map(({ score }) => score)).size).toBe(1)
  })

  it('follow the document when it is replaced', () => {
    const sold = inColumns([{ kind: 'saturation', pivot: 1, boost: 1 }])
    const replaced = new FulltextIndex({ analyzer, fields: [{ weight: 1, b: 0 }], signals: sold })
    replaced.add('b', ['lamp'], valuesFor(sold, [1]))
    replaced.add('a', ['lamp'], valuesFor(sold, [1e9]))
    expect(replaced.search('lamp', everything).hits.map(({ id }) => id)).toEqual(['a', 'b'])
    replaced.add('a', ['lamp'], valuesFor(sold, [0]))
    expect(replaced.search('lamp', everything).hits.map(({ id }) => id)).toEqual(['b', 'a'])
  })

  /** By document: its score, compared to that of one without numbers. */
  function scores(now: number): Record<string, number> {
    const { hits } = index.search('lamp', { ...everything, now })
    const plain = hits.find(({ id }) => id === 'plain')!.score
    return Object.fromEntries(hits.map(({ id, score }) => [id, score / plain]))
  }
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

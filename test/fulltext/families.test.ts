import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { FulltextIndex, type IndexOptions } from '../../src/fulltext/fulltext-index.ts'
import { IndexBlobs } from './index-blobs.ts'

const options: IndexOptions = { analyzer: analyzerFor('english'), fields: [{ weight: 1, b: 0 }] }
const search = { limit: 1000, operator: 'or', typoTolerance: 0 } as const

/** Adds documents that become a segment of their own. */
function segment(index: FulltextIndex, documents: Record<string, string>): void {
  for (const [id, text] of Object.entries(documents)) index.add(id, [text])
  index.search('', search)
}

function found(index: FulltextIndex, query: string): string[] {
  return index
    .search(query, search)
    .hits.map(({ id }) => id)
    .sort()
}

/** Documents that have the word or one of its family, told by the inverse document frequency. */
function frequency(index: FulltextIndex, word: string): number {
  const { idf, kind } = index.search(word, search).words[0]!
  if (kind === 'none') return 0
  // idf = ln(1 + (n - x + .5) / (x + .5)) = ln((n + 1) / (x + .5))
  return Math.round((index.size + 1) / Math.exp(idf) - 0.5)
}

describe('a family that comes after its stem', () => {
  it('finds the stem in older segments', () => {
    const index = new FulltextIndex(options)
    segment(index, { a: 'lamp', b: 'lamp chair' })
    segment(index, { c: 'lamps' })
    for (const word of ['lamp', 'lamps', 'lamping']) expect(found(index, word)).toEqual(['a', 'b', 'c'])
    expect(frequency(index, 'lamp')).toBe(3)
  })

  it('finds the stem in the same batch of documents', () => {
    const index = new FulltextIndex(options)
    segment(index, { a: 'lamp', b: 'lamps' })
    expect(found(index, 'lamping')).toEqual(['a', 'b'])
    expect(frequency(index, 'lamping')).toBe(2)
  })

  it('does not count documents that were removed before it came, or after', () => {
    const index = new FulltextIndex(options)
    segment(index, { a: 'lamp', b: 'lamp', c: 'lamp', d: 'lamp' })
    index.remove('a')
    segment(index, { e: 'lamps' })
    expect(frequency(index, 'lamps')).toBe(4)
    index.remove('b')
    expect(frequency(index, 'lamps')).toBe(3)
    index.remove('e')
    expect(found(index, 'lamps')).toEqual(['c', 'd'])
    expect(frequency(index, 'lamps')).toBe(2)
  })

  it('counts right when documents of the stem go while its first other form is not searched yet', () => {
    const index = new FulltextIndex(options)
    segment(index, { a: 'lamp', b: 'lamp' })
    index.add('c', ['lamps'])
    index.remove('a')
    expect(frequency(index, 'lamps')).toBe(2)
    expect(found(index, 'lamping')).toEqual(['b', 'c'])
  })

  it('is there although the document that brought it was never kept', () => {
    const index = new FulltextIndex(options)
    segment(index, { a: 'lamp' })
    index.add('b', ['lamps'])
    index.remove('b')
    expect(found(index, 'lamp')).toEqual(['a'])
    expect(found(index, 'lamps')).toEqual(['a'])
    expect(frequency(index, 'lamps')).toBe(1)
  })

  it('survives storing before and after it came, with documents removed', () => {
    const blobs = new IndexBlobs()
    let index = new FulltextIndex(options)
    segment(index, { a: 'lamp', b: 'lamp', c: 'lamp', d: 'chair' })
    index.remove('c')
    index = blobs.load(options, blobs.save(index))
    segment(index, { e: 'lamps' })
    index.remove('b')
    expect(frequency(index, 'lamping')).toBe(2)
    index = blobs.load(options, blobs.save(index))
    expect(frequency(index, 'lamping')).toBe(2)
    expect(found(index, 'lamping')).toEqual(['a', 'e'])
    index.remove('a')
    expect(frequency(index, 'lamping')).toBe(1)
  })

  it('keeps the stem of older segments through a merge', () => {
    const index = new FulltextIndex(options)
    segment(index, { a: 'lamp', b: 'lamp' })
    for (const id of ['c', 'd', 'e']) segment(index, { [id]: 'lamps' })
    expect(index.save().contents.segments).toHaveLength(1)
    expect(found(index, 'lamping')).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(frequency(index, 'lamping')).toBe(5)
    index.remove('b')
    expect(frequency(index, 'lamping')).toBe(4)
  })
})

describe('a family', () => {
  it('does not hold a word that is its stem but has another one', () => {
    // Porter: house -> hous, but hous -> hou.
    const index = new FulltextIndex(options)
    segment(index, { a: 'house', b: 'hous', c: 'hou' })
    expect(found(index, 'houses')).toEqual(['a'])
    expect(found(index, 'hous')).toEqual(['b', 'c'])
    expect(found(index, 'hou')).toEqual(['b', 'c'])
  })

  it('is that of every word, however many come at once', () => {
    const word = (i: number) =>
      `${['lamp', 'chair', 'shelf'][i % 3]}${'abcdefghij'[Math.floor(i / 3) % 10]}${'kmnprt'[Math.floor(i / 30)]}ak`
    const count = 180
    for (const alone of [0, 1, 2, 3]) {
      const index = new FulltextIndex(options)
      // Words that are no family's shift the places of those that are.
      const before = Array.from({ length: alone }, (_, i) => `x${i}`)
      segment(index, {
        before: before.join(' '),
        all: Array.from({ length: count }, (_, i) => `${word(i)}s`).join(' '),
      })
      for (let i = 0; i < count; i++) expect(found(index, word(i)), word(i)).toEqual(['all'])
    }
  })

  it('has the documents that a plain map has, with thousands of words in many batches', () => {
    const { stem } = analyzerFor('english')
    const stems = fc.sample(fc.stringMatching(/^[bdfgklmnprst][aeiou][bdfgklmnprt][aeiou][bdgkmnprt]$/), {
      numRuns: 1500,
      seed: 5,
    })
    const words = [...new Set(stems)]
      .flatMap(one => [one, `${one}s`, `${one}ing`, `${one}ed`])
      .filter(word => stem(stem(word)) === stem(word))
    const drawn = fc.sample(fc.array(fc.nat(words.length - 1), { minLength: 1, maxLength: 8 }), {
      numRuns: 4000,
      seed: 6,
    })
    const index = new FulltextIndex({ ...options, tailDocuments: 900 })
    const expected = new Map<string, Set<string>>()
    for (const [i, places] of drawn.entries()) {
      const text = places.map(place => words[place]!)
      index.add(`d${i}`, [text.join(' ')])
      for (const word of text) expected.set(stem(word), (expected.get(stem(word)) ?? new Set()).add(`d${i}`))
    }
    for (let i = 0; i < drawn.length; i += 9) {
      index.remove(`d${i}`)
      for (const documents of expected.values()) documents.delete(`d${i}`)
    }
    for (const word of words) {
      expect(found(index, word), word).toEqual([...(expected.get(stem(word)) ?? [])].sort())
      expect(frequency(index, word), word).toBe(expected.get(stem(word))?.size ?? 0)
    }
  })

  it('counts a document once, whatever forms it has', () => {
    const index = new FulltextIndex(options)
    segment(index, { a: 'lamp lamps lamping lamped lamp', b: 'lamps lamps' })
    expect(frequency(index, 'lamp')).toBe(2)
    index.remove('a')
    expect(frequency(index, 'lamp')).toBe(1)
  })

  it('scores as often as any of its forms stands there, the form that was typed a little more', () => {
    const index = new FulltextIndex(options)
    const filler = 'x '.repeat(8)
    segment(index, {
      both: `lamp lamps ${filler}`,
      twice: `lamps lamps ${filler}`,
      once: `lamps x ${filler}`,
    })
    const scores = new Map(index.search('lamps', search).hits.map(({ id, score }) => [id, score]))
    expect([...scores.keys()]).toEqual(['twice', 'both', 'once'])
    const [ofForms, ofForm] = [2 / 4, 1 / 3].map(saturated => Math.round(255 * saturated))
    expect(scores.get('both')! / scores.get('twice')!).toBeCloseTo(
      (0.8 * ofForms! + 0.2 * ofForm!) / ofForms!,
      4,
    )
  })

  it('has the same documents and counts in whatever order, batches and reloads its forms came and went', () => {
    const forms = ['lamp', 'lamps', 'lamping', 'lamped', 'chair', 'house', 'houses', 'hous', 'hou']
    const text = fc.array(fc.constantFrom(...forms), { maxLength: 3 })
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), id: fc.nat(12), text }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), id: fc.nat(12) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('search' as const, 'reload' as const) }) },
    )
    const stem = options.analyzer.stem
    fc.assert(
      fc.property(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), steps => {
        const blobs = new IndexBlobs()
        let index = new FulltextIndex(options)
        const documents = new Map<string, string[]>()
        for (const step of steps) {
          if (step.kind === 'add') {
            index.add(`d${step.id}`, [step.text.join(' ')])
            documents.set(`d${step.id}`, step.text)
          } else if (step.kind === 'remove') {
            expect(index.remove(`d${step.id}`)).toBe(documents.delete(`d${step.id}`))
          } else if (step.kind === 'search') index.search('lamp', search)
          else index = blobs.load(options, blobs.save(index))
        }
        for (const form of forms) {
          const having = [...documents].filter(([, words]) => words.some(word => stem(word) === stem(form)))
          expect(found(index, form)).toEqual(having.map(([id]) => id).sort())
          expect(frequency(index, form)).toBe(having.length)
        }
        const { living } = index.terms
        expect(living).toBeGreaterThanOrEqual(new Set([...documents.values()].flat()).size)
        expect(living).toBeLessThanOrEqual(index.terms.known)
      }),
      { numRuns: 120 },
    )
  })
})

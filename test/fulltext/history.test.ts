import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Analyzer, analyzerFor } from '../../src/analysis/analyzer.ts'
import { FulltextIndex, type IndexOptions } from '../../src/fulltext/fulltext-index.ts'
import type { QueryAnswer } from '../../src/fulltext/searching/text-query.ts'
import { compact } from '../../src/fulltext/segments/compaction.ts'
import type { FieldText } from '../../src/fulltext/segments/token-list.ts'
import { blobNames } from '../../src/fulltext/stored/index-contents.ts'
import { complete, IndexBlobs } from './index-blobs.ts'
import { made, words } from './made-searches.ts'
import { NaiveIndex, type NaiveSearch, type QueryPart, typed } from './naive-index.ts'
import { inColumns, valuesFor } from './signal-values.ts'

const english = analyzerFor('english')
/** Throws when it has read a text with an exclamation mark. */
const analyzer: Analyzer = {
  ...english,
  scanWritten(text, sink) {
    english.scanWritten(text, sink)
    if (text.includes('!')) throw new Error('cannot read this')
  },
}
const fields = [
  { weight: 2, b: 0.5 },
  { weight: 1, b: 0.7 },
]
const signals = inColumns([{ kind: 'saturation', pivot: 3, boost: 1 }])
const options: IndexOptions = { analyzer, fields, signals }
const everything = { limit: 1_000_000, operator: 'or', typoTolerance: 2 } as const

/** What the histories must have gone through for the test to mean something. */
const seen = {
  segments: 0,
  merges: 0,
  purges: 0,
  reloads: 0,
  lateForward: 0,
  halfSettled: 0,
  failed: 0,
  hits: 0,
}

/** The index under test, its definition beside it, and what a store would hold. */
class Pair {
  index = new FulltextIndex(options)
  readonly naive = new NaiveIndex(analyzer, fields, signals)
  readonly #blobs = new IndexBlobs()
  #segments = 0
  #documents = 0

  add(id: string, texts: [FieldText, FieldText], signal: number): void {
    this.index.add(id, texts, valuesFor(signals, [signal]))
    this.naive.add(id, texts, [signal])
    expect(this.index.has(id)).toBe(true)
  }

  /** An update that fails leaves the document there was, though its words are known from then on. */
  failToAdd(id: string, text: FieldText): void {
    expect(() => this.index.add(id, [text, '!'])).toThrow('cannot read this')
    for (const word of [text ?? []].flat().flatMap(english.tokens)) this.naive.known.add(word)
    expect(this.index.has(id)).toBe(this.naive.has(id))
    seen.failed++
  }

  remove(id: string): void {
    expect(this.index.remove(id)).toBe(this.naive.remove(id))
    expect(this.index.has(id)).toBe(false)
  }

  search(parts: readonly QueryPart[], search: NaiveSearch): void {
    const { hits, words } = this.index.search(typed(parts), { ...search, limit: 1000 })
    const expected = this.naive.search(parts, search, this.save().pin.averages)
    expect(words).toEqual(this.naive.words(parts, search))
    expect(hits.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    for (const [i, { score }] of hits.entries()) expect(score / expected[i]!.score).toBeCloseTo(1, 10)
    seen.hits += hits.length
  }

  save() {
    const contents = this.#blobs.save(this.index)
    expect(this.index.size).toBe(this.naive.size)
    this.#count(contents.segments.map(({ shape }) => shape.documents))
    return contents
  }

  reload(): void {
    this.index = this.#blobs.load(options, this.save())
    seen.reloads++
  }

  /** Loads without forward lists, asks for a word, and completes what was loaded. */
  reloadLate(word: string): void {
    const contents = this.save()
    const whole = this.index.search(word, everything)
    const loaded = this.#blobs.loadNeeded(options, contents)
    expect(loaded.missing('forward')).toEqual(blobNames(contents).forward)
    expect(loaded.size).toBe(this.naive.size)
    const early = loaded.search(word, everything)
    if (early) {
      expect(early).toEqual(whole)
      seen.lateForward++
    }
    this.index = complete(loaded, this.#blobs.get)
  }

  /** Makes documents searchable and leaves off in between: what comes next finds it half done. */
  settlePartly(pieces: number): void {
    const settling = this.index.settling()
    for (let piece = 0; piece < pieces; piece++) settling.next()
    if (this.index.pending > 0) seen.halfSettled++
    expect(this.index.size).toBe(this.naive.size)
    for (const [id] of this.naive.entries) expect(this.index.has(id)).toBe(true)
  }

  #count(segments: number[]): void {
    const documents = segments.reduce((sum, size) => sum + size, 0)
    seen.segments = Math.max(seen.segments, segments.length)
    if (segments.length < this.#segments) seen.merges++
    if (documents < this.#documents) seen.purges++
    this.#segments = segments.length
    this.#documents = documents
  }
}

type Step = (pair: Pair) => void

const id = fc.nat(40).map(number => `d${number}`)
const signal = fc.constantFrom(Number.NaN, 0, 3, 100)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.tuple(id, made.texts, made.texts, signal).map(
      ([id, title, body, signal]): Step =>
        pair =>
          pair.add(id, [title, body], signal),
    ),
  },
  {
    weight: 5,
    arbitrary: id.map(
      (id): Step =>
        pair =>
          pair.remove(id),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(id, made.texts).map(
      ([id, text]): Step =>
        pair =>
          pair.failToAdd(id, text),
    ),
  },
  {
    weight: 6,
    arbitrary: fc.tuple(made.parts, made.search).map(
      ([parts, search]): Step =>
        pair =>
          pair.search(parts, search),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 1, max: 4 }).map(
      (pieces): Step =>
        pair =>
          pair.settlePartly(pieces),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Step>(pair => pair.reload()) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...words).map(
      (word): Step =>
        pair =>
          pair.reloadLate(word),
    ),
  },
)

function rebuilt(
  documents: Iterable<readonly [string, readonly FieldText[], readonly number[]]>,
): FulltextIndex {
  const index = new FulltextIndex(options)
  for (const [id, texts, numbers] of documents) index.add(id, texts, valuesFor(signals, numbers))
  return index
}

function withoutScores({ hits, ...rest }: QueryAnswer): unknown {
  return { ...rest, hits: hits.map(({ id }) => id).sort() }
}

/** Hits and meanings of words, and scores where lengths are measured against the same averages. */
function expectSameAnswers(index: FulltextIndex, fresh: FulltextIndex, queries: readonly string[]): void {
  const [pin, freshPin] = [index, fresh].map(one => one.save().contents.pin)
  const hasSamePin = JSON.stringify(pin) === JSON.stringify(freshPin)
  for (const query of queries) {
    for (const operator of ['or', 'and'] as const) {
      const search = { ...everything, operator }
      const [result, expected] = [index.search(query, search), fresh.search(query, search)]
      expect(withoutScores(result)).toEqual(withoutScores(expected))
      if (!hasSamePin) continue
      const scores = new Map(expected.hits.map(({ id, score }) => [id, score]))
      for (const { id, score } of result.hits) expect(score / scores.get(id)!).toBeCloseTo(1, 3)
    }
  }
}

const queries = [
  ...words,
  'zepyhr',
  'housse',
  'lamptop',
  '"red lamp"~2 runs',
  'runner blue x9a',
  'lap top red',
]

describe('an index with a history', () => {
  it('answers as its definition does all the while, and in the end like one that was built at once', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 60, maxLength: 160, size: 'max' }), steps => {
        const pair = new Pair()
        for (const run of steps) run(pair)
        expectSameAnswers(pair.index, rebuilt(pair.naive.entries), queries)
      }),
      { numRuns: 25, endOnFailure: true },
    )
    expect(seen.segments).toBeGreaterThanOrEqual(3)
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0)
  })

  it('answers like one that was built at once when large merges run beside the writes', () => {
    const done = { merge: 0, rescore: 0 }
    const counts = fc.array(fc.tuple(fc.integer({ min: 1500, max: 2200 }), fc.nat(1800)), {
      minLength: 15,
      maxLength: 16,
    })
    const texts = (i: number, round: number): [string, string] => [
      `${words[i % words.length]} ${words[(i * 7 + round) % 5]}`,
      i % 3 === 0 ? `lap top ${words[(i * 5) % words.length]}` : `code${i}${' red'.repeat(round)}`,
    ]
    fc.assert(
      fc.property(counts, rounds => {
        const index = new FulltextIndex(options)
        const documents = new Map<string, readonly [string, string[], number[]]>()
        const add = (i: number, round: number) => {
          documents.set(`d${i}`, [`d${i}`, texts(i, round), [i % 7]])
          index.add(`d${i}`, texts(i, round), valuesFor(signals, [i % 7]))
        }
        for (const [round, [count, overlap]] of rounds.entries()) {
          const first = 5000 + round * 1200 - overlap
          for (let i = first; i < first + count; i++) add(i, round)
          index.search('lamp', everything)
          const task = index.planCompaction()
          const result = task && compact(structuredClone(task))
          for (let i = first; i < first + 100; i += 7) {
            documents.delete(`d${i}`)
            index.remove(`d${i}`)
            add(i + 1, round + 1)
          }
          if (result && index.adopt(structuredClone(result))) done[result.kind]++
        }
        const fresh = rebuilt(documents.values())
        for (const one of [index, fresh]) {
          one.search('', everything)
          for (let task = one.planCompaction(); task; task = one.planCompaction()) one.adopt(compact(task))
        }
        expectSameAnswers(index, fresh, [
          ...words,
          'zepyhr',
          'lamptop',
          'code4711',
          '"lap top" red',
          'runner blue',
        ])
      }),
      { numRuns: 2, endOnFailure: true },
    )
    expect(done.merge).toBeGreaterThan(0)
    expect(done.rescore).toBeGreaterThan(0)
  })

  it('orders equal scores like one that was built in any other order', () => {
    const ids = fc.array(fc.nat(300), { minLength: 100, maxLength: 500, size: 'max' })
    const ranking = (index: FulltextIndex, limit: number) =>
      index.search('lamp', { ...everything, limit }).hits.map(({ id }) => id)
    fc.assert(
      fc.property(ids, ids, (added, removed) => {
        const pair = new Pair()
        for (const [i, number] of added.entries()) {
          pair.add(`d${number}`, ['lamp', ''], 0)
          if (i % 20 === 0) ranking(pair.index, 1)
          if (i % 90 === 0) pair.reload()
        }
        for (const number of removed.slice(0, 50)) pair.remove(`d${number}`)
        const backwards = rebuilt(pair.naive.entries.reverse())
        const expected = pair.naive.entries.map(([id]) => id).sort()
        for (const index of [pair.index, backwards]) {
          expect(ranking(index, 1000)).toEqual(expected)
          expect(ranking(index, 10)).toEqual(expected.slice(0, 10))
        }
      }),
      { numRuns: 15 },
    )
  })
})

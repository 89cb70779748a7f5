import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { compact } from '../../src/fulltext/compaction.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { NaiveIndex } from './naive-index.ts'

const options = { analyzer: analyzerFor('english'), fields: [{ weight: 2, b: 0.5 }] }
const words = ['run', 'runs', 'shoe', 'shoes', 'lamp', 'red', 'zephyr', 'quartz', 'zephir', 'x9z', 'x9q']
const queries = [...words, 'zepyhr', 'shoos', 'quart', 'x9a', 'red lamp', 'runs zehpyr', 'quartz shoe red']

/** What the histories must have gone through for the test to mean something. */
const seen = { segments: 0, merges: 0, purges: 0, reloads: 0, compactions: 0, rescorings: 0 }

/** The index under test, a dumb one beside it and the blobs that a store would hold. */
class Pair {
  index = new FulltextIndex(options)
  readonly naive = new NaiveIndex(options.analyzer, options.fields)
  readonly blobs = new Map<string, Uint8Array>()
  #segments = 0
  #documents = 0

  add(id: string, text: string): void {
    this.index.add(id, [text])
    this.naive.add(id, [text])
    expect(this.index.has(id)).toBe(true)
  }

  remove(id: string): void {
    expect(this.index.remove(id)).toBe(this.naive.remove(id))
    expect(this.index.has(id)).toBe(false)
  }

  search(query: string): void {
    expect(this.index.size).toBe(this.naive.size)
    if (!query.split(' ').every(word => this.naive.knows(word))) return
    for (const operator of ['or', 'and'] as const) {
      expect(hits(this.index, query, operator)).toEqual(
        new Set(this.naive.search(query, operator).map(({ id }) => id)),
      )
    }
  }

  reload(): void {
    const { manifest, blobs, obsolete } = this.index.checkpoint()
    for (const [name, bytes] of blobs) {
      expect(this.blobs.has(name)).toBe(false)
      this.blobs.set(name, bytes.slice())
    }
    for (const name of obsolete) expect(this.blobs.delete(name)).toBe(true)
    expect([...this.blobs.keys()].sort()).toEqual(FulltextIndex.blobNames(manifest).sort())
    this.#count(manifest.segments.map(({ shape }) => shape.documents))
    const stored = JSON.parse(JSON.stringify(manifest))
    this.index = FulltextIndex.load(options, stored, name => this.blobs.get(name)!)
    seen.reloads++
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

function hits(index: FulltextIndex, query: string, operator: 'or' | 'and'): Set<string> {
  const found = index.search(query, { limit: 1_000_000, operator, typoTolerance: 2 }).hits
  return new Set(found.map(({ id }) => id))
}

function ranking(index: FulltextIndex, query: string, limit: number): string[] {
  return index.search(query, { limit, operator: 'or', typoTolerance: 0 }).hits.map(({ id }) => id)
}

function rebuilt(naive: NaiveIndex): FulltextIndex {
  const index = new FulltextIndex(options)
  for (const [id, texts] of naive.entries) index.add(id, texts)
  return index
}

function expectLikeRebuilt({ index, naive }: Pair): void {
  const fresh = rebuilt(naive)
  for (const query of queries) {
    for (const operator of ['or', 'and'] as const) {
      expect(hits(index, query, operator)).toEqual(hits(fresh, query, operator))
    }
    const search = { limit: 1, operator: 'or', typoTolerance: 2 } as const
    expect(index.search(query, search).words).toEqual(fresh.search(query, search).words)
  }
}

type Step = (pair: Pair) => void

const id = fc.nat(30).map(number => `d${number}`)
const text = fc.array(fc.constantFrom(...words), { maxLength: 5 }).map(list => list.join(' '))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(id, text).map(
      ([id, text]) =>
        (pair: Pair) =>
          pair.add(id, text),
    ),
  },
  { weight: 3, arbitrary: id.map(id => (pair: Pair) => pair.remove(id)) },
  { weight: 4, arbitrary: fc.constantFrom(...queries).map(query => (pair: Pair) => pair.search(query)) },
  { weight: 1, arbitrary: fc.constant((pair: Pair) => pair.reload()) },
)

describe('an index with a history', () => {
  it('answers like one that was built at once', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 40, maxLength: 120 }), steps => {
        const pair = new Pair()
        for (const run of steps) run(pair)
        expectLikeRebuilt(pair)
      }),
      { numRuns: 150 },
    )
    expect(seen.segments).toBeGreaterThanOrEqual(3)
    expect(seen.merges).toBeGreaterThan(0)
    expect(seen.purges).toBeGreaterThan(0)
    expect(seen.reloads).toBeGreaterThan(0)
  })

  it('answers like one that was built at once when large merges run beside the writes', () => {
    const bulk = fc.tuple(fc.integer({ min: 2000, max: 3000 }), fc.nat(20_000))
    const rounds = fc.array(fc.tuple(bulk, fc.array(step, { maxLength: 10 })), { minLength: 8, maxLength: 9 })
    fc.assert(
      fc.property(rounds, rounds => {
        const pair = new Pair()
        for (const [[count, first], steps] of rounds) {
          for (let i = first; i < first + count; i++)
            pair.add(`d${i}`, `${words[i % 11]} ${words[(i * 7) % 5]}`)
          pair.reload()
          const task = pair.index.planCompaction()
          const result = task && compact(task)
          for (const run of steps) if (run !== undefined) run(pair)
          if (result && pair.index.adopt(result))
            seen[result.kind === 'merge' ? 'compactions' : 'rescorings']++
        }
        expectLikeRebuilt(pair)
      }),
      { numRuns: 3 },
    )
    expect(seen.compactions).toBeGreaterThan(0)
    expect(seen.rescorings).toBeGreaterThan(0)
  })

  it('orders equal scores like one that was built in any other order', () => {
    const ids = fc.array(fc.nat(300), { minLength: 100, maxLength: 500 })
    fc.assert(
      fc.property(ids, ids, (added, removed) => {
        const pair = new Pair()
        for (const [i, number] of added.entries()) {
          pair.add(`d${number}`, 'lamp')
          if (i % 20 === 0) pair.search('lamp')
          if (i % 90 === 0) pair.reload()
        }
        for (const number of removed.slice(0, 50)) pair.remove(`d${number}`)
        const backwards = new FulltextIndex(options)
        for (const [id, texts] of pair.naive.entries.reverse()) backwards.add(id, texts)
        const expected = pair.naive.search('lamp', 'or').map(({ id }) => id)
        for (const index of [pair.index, backwards]) {
          expect(ranking(index, 'lamp', 1000)).toEqual(expected)
          expect(ranking(index, 'lamp', 10)).toEqual(expected.slice(0, 10))
        }
      }),
      { numRuns: 15 },
    )
  })
})

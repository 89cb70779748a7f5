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
    const bulk = fc.tuple(fc.integer({ min: 1200, max: 3000 }), fc.nat(6000))
    const rounds = fc.array(fc.tuple(bulk, fc.array(step, { maxLength: 10 })), { minLength: 5, maxLength: 6 })
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
      { numRuns: 12 },
    )
    expect(seen.compactions).toBeGreaterThan(0)
    expect(seen.rescorings).toBeGreaterThan(0)
  })
})

import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import { EVERYTHING } from '../../../src/fulltext/searching/text-query.ts'
import { MISSING } from '../../../src/fulltext/segments/columns/column.ts'
import {
  type Columns,
  type ColumnValue,
  LONGEST_NAME,
  MOST_COLUMNS,
} from '../../../src/fulltext/segments/columns/columns.ts'
import { FEW_DOCUMENTS, mergeColumns } from '../../../src/fulltext/segments/columns/join.ts'
import { kindNames, LONGEST_TEXT } from '../../../src/fulltext/segments/columns/kinds.ts'
import { ColumnRows, columnsOf } from '../../../src/fulltext/segments/columns/rows.ts'
import { compact } from '../../../src/fulltext/segments/compaction.ts'
import { atOnce } from '../../../src/scheduling/at-once.ts'
import { IndexBlobs } from '../index-blobs.ts'

const options = {
  analyzer: analyzerFor('none'),
  fields: [{ weight: 1, b: 0.5 }],
  tailDocuments: 20,
}

type Values = readonly ColumnValue[]

/** What the columns of an index say of each document. */
function valuesOf(index: FulltextIndex): Map<string, Values> {
  const found = new Map<string, Values>()
  const offer = (_: number, document: number) => {
    const { columns, number } = index.columnsOf(document)
    const id = index.idOf(document)
    if (found.has(id)) throw new Error(`${id} was visited twice`)
    found.set(id, columns.valuesOf(number))
    expectFirst(columns, number)
  }
  index.visit(EVERYTHING, { operator: 'or', typoTolerance: 0 }, { threshold: 1, offer })
  return found
}

/** What a column gives by document is the first of the values that it gives by place. */
function expectFirst(columns: Columns, document: number): void {
  for (const { name, kind } of columns.names) {
    const column = columns.find(name, kind)!
    const place = column.starts[document]!
    const has = place < column.starts[document + 1]!
    const [first, expected] =
      'texts' in column
        ? [column.first[document], has ? column.texts.find(column.valueAt(place)) : MISSING]
        : [column.first[document], has ? column.valueAt(place) : Number.NaN]
    if (!Object.is(first, expected))
      expect([name, kind, document, first]).toEqual([name, kind, document, expected])
  }
}

const keyOf = ({ name, kind }: ColumnValue) => `${kind} ${name}`

/** By id and column, since only within one is there an order; what is too long is in none. */
function inOrder(documents: ReadonlyMap<string, Values>) {
  const kept = ({ kind, value }: ColumnValue) => kind !== 'text' || String(value).length <= LONGEST_TEXT
  return [...documents.keys()].sort().map(id => {
    const values = documents
      .get(id)!
      .filter(kept)
      .map(one => [keyOf(one), one.value] as const)
    return [id, values.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))]
  })
}

const texts = [
  '',
  'a',
  'b',
  'Ä',
  '__proto__',
  'constructor',
  '\ud800',
  '\udc00x',
  '😀',
  '\0',
  '漢字',
  'ab',
  'ÿ',
  'Ā',
]
const text = fc.oneof(
  fc.constantFrom(...texts),
  fc.nat(30).map(n => `text${n}`),
  fc.constantFrom(LONGEST_TEXT, LONGEST_TEXT + 1).map(length => 'x'.repeat(length)),
)
const number = fc.constantFrom(0, -1, 1.5, 1e300, -Infinity, Infinity, 2 ** 53)
const value: fc.Arbitrary<ColumnValue> = fc
  .tuple(
    fc.constantFrom('a', '__proto__', 'b.c', 'constructor', '\ud800', 'a b'),
    fc.constantFrom(...kindNames),
  )
  .chain(([name, kind]) => {
    const values =
      kind === 'text' || kind === 'tags' ? text : kind === 'boolean' ? fc.constantFrom(0, 1) : number
    return values.map((value: number | string) => ({ name, kind, value }))
  })
const values = fc.array(value, { maxLength: 6 })
const id = fc.nat(40).map(n => `d${n}`)

const seen = { merged: 0, reopened: 0 }

/** An index and a map of the documents that are in it. */
class Pair {
  index = new FulltextIndex(options)
  readonly documents = new Map<string, Values>()
  readonly #blobs = new IndexBlobs()

  add(id: string, values: Values): void {
    this.index.add(id, ['word'], values)
    this.documents.set(id, values)
  }

  remove(id: string): void {
    expect(this.index.remove(id)).toBe(this.documents.delete(id))
  }

  compact(joinsAll: boolean): void {
    const task = this.index.planCompaction(joinsAll)
    if (!task) return
    const result = compact(structuredClone(task))
    // It moves on meanwhile.
    const [first] = this.documents.keys()
    if (first !== undefined) this.remove(first)
    if (this.index.adopt(structuredClone(result)) && task.kind === 'merge') seen.merged++
  }

  reopen(): void {
    const contents = this.#blobs.save(this.index)
    this.index = this.#blobs.load(options, contents)
    seen.reopened++
  }

  expectSame(): void {
    const [said, expected] = [inOrder(valuesOf(this.index)), inOrder(this.documents)]
    if (!isDeepStrictEqual(said, expected)) expect(said).toEqual(expected)
  }
}

type Step = (pair: Pair) => void
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.tuple(id, values).map(
      ([id, values]): Step =>
        pair =>
          pair.add(id, values),
    ),
  },
  {
    weight: 4,
    arbitrary: id.map(
      (id): Step =>
        pair =>
          pair.remove(id),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (all): Step =>
        pair =>
          pair.compact(all),
    ),
  },
  { weight: 1, arbitrary: fc.constant((pair: Pair) => pair.reopen()) },
  { weight: 1, arbitrary: fc.constant((pair: Pair) => pair.expectSame()) },
)

describe('columns', () => {
  it('say of each document what it was added with, whatever happens to others', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 30, maxLength: 150, size: 'max' }), steps => {
        const pair = new Pair()
        for (const step of steps) step(pair)
        pair.expectSame()
        pair.reopen()
        pair.expectSame()
      }),
      { numRuns: 40 },
    )
    expect(seen.merged).toBeGreaterThan(5)
    expect(seen.reopened).toBeGreaterThan(40)
  })

  it('do so for many documents and many distinct texts, in several segments and joined', () => {
    const pair = new Pair()
    pair.index = new FulltextIndex({ ...options, tailDocuments: 15_000 })
    const add = (i: number, distinct: number) =>
      pair.add(`d${i}`, [
        { name: 'n', kind: 'number', value: i / 3 },
        { name: 't', kind: 'text', value: `text ${(i * 7919) % distinct}` },
        ...(i % 5 === 0 ? [{ name: 'rare', kind: 'tags', value: `漢 ${i}` } as const] : []),
      ])
    for (let i = 0; i < 66_000; i++) add(i, 10_007)
    for (let i = 0; i < 66_000; i += 3) pair.remove(`d${i}`)
    for (let i = 0; i < 9000; i += 2) add(i, 501)
    for (let task = pair.index.planCompaction(true); task; task = pair.index.planCompaction(true))
      pair.index.adopt(compact(task))
    const found = valuesOf(pair.index)
    expect(found.size).toBe(pair.documents.size)
    const differing = [...pair.documents].filter(([id, values]) => {
      const own = found.get(id)!
      return own.length !== values.length || values.some((one, i) => one.value !== own[i]!.value)
    })
    expect(differing).toEqual([])
  })
})

describe('columns of many values', () => {
  const written = (documents: number, fields: number) => {
    const rows = new ColumnRows()
    for (let document = 0; document < documents; document++)
      rows.take(document, [
        ...Array.from(
          { length: fields },
          (_, f): ColumnValue => ({ name: `f${f}`, kind: 'number', value: document * f }),
        ),
        { name: 'long', kind: 'text', value: 'x'.repeat(1_000) },
        { name: 'color', kind: 'text', value: `a color of ${document % 3}` },
        { name: 'new', kind: 'boolean', value: document % 2 },
      ])
    const writing = rows.writing(
      Int32Array.from({ length: documents }, (_, i) => i),
      documents,
    )
    for (let pieces = 0; ; pieces++) {
      const { done, value: columns } = writing.next()
      if (done) return { pieces, columns, valueBytes: rows.valueBytes }
    }
  }

  it('are written column by column, even where the documents are few', () => {
    const { pieces, columns } = written(50, 400)
    expect([pieces, columns.unwritten]).toEqual([403, undefined])
    expect(columns.valuesOf(7)[3]).toEqual({ name: 'f3', kind: 'number', value: 21 })
  })

  it('are known to be incomplete where they have too many names', () => {
    expect(written(50, MOST_COLUMNS).columns.isCut).toBe(true)
    expect(written(50, MOST_COLUMNS - 3).columns.isCut).toBe(false)
  })

  it('are not left unwritten by a merge', () => {
    const few = written(3, 400).columns
    expect(few.unwritten).toBeDefined()
    const sources = Array.from({ length: 12 }, (_, s) => ({
      columns: written(3, 400).columns,
      becomes: Int32Array.of(3 * s, 3 * s + 1, 3 * s + 2),
    }))
    expect(mergeColumns(sources.slice(0, 2), 6).unwritten).toBeDefined()
    expect(mergeColumns(sources, 36).unwritten).toBeUndefined()
  })

  it('take about as many bytes as they are said to beforehand', () => {
    for (const [documents, fields] of [
      [2, 900],
      [50, 400],
      [5_000, 3],
    ] as const) {
      const { columns, valueBytes } = written(documents, fields)
      expect(columns.block.byteLength).toBeGreaterThan(columns.valueBytes)
      // Where each document has one value, documents are not stored; arrays are aligned.
      expect(columns.valueBytes / valueBytes).toBeGreaterThan(0.75)
      expect(columns.valueBytes / valueBytes).toBeLessThan(1.3)
    }
  })

  it('are counted without those that were replaced', () => {
    const rows = new ColumnRows()
    const price = (value: number): ColumnValue[] =>
      Array.from({ length: 100 }, (_, i) => ({ name: `price${i}`, kind: 'number', value }))
    for (let document = 0; document < 500; document++) rows.take(document, price(document))
    const becomes = Int32Array.from({ length: 500 }, (_, document) => (document === 499 ? 0 : -1))
    const columns = atOnce(rows.writing(becomes, 1))
    expect(columns.unwritten).toBeDefined()
    expect(columns.valueBytes).toBe(1_000)
    expect(columns.valuesOf(0)[7]).toEqual({ name: 'price7', kind: 'number', value: 499 })
  })
})

describe('columns of few documents', () => {
  const values = fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b'),
      kind: fc.constant('number' as const),
      value: fc.integer({ min: 0, max: 9 }),
    }),
    { maxLength: 3 },
  )
  const merges = fc.array(fc.array(fc.record({ values, isGone: fc.boolean(), isRead: fc.boolean() })), {
    minLength: 1,
    maxLength: 4,
  })

  it('are written now and then where documents are replaced one by one, so that nothing piles up', () => {
    const documents = 20
    const price = (value: number) => columnsOf([[{ name: 'price', kind: 'number', value }]])
    const first = Array.from({ length: documents }, (_, i) => ({
      columns: price(i),
      becomes: Int32Array.of(i),
    }))
    let columns = mergeColumns(first, documents)
    const seen = { depth: 0, documents: 0, sources: 0, written: 0 }
    for (let change = 0; change < 2_000; change++) {
      // The oldest goes, and another one comes.
      const becomes = Int32Array.from({ length: documents }, (_, i) => i - 1)
      const added = { columns: price(documents + change), becomes: Int32Array.of(documents - 1) }
      columns = mergeColumns([{ columns, becomes }, added], documents)
      const { depth, documents: held, sources } = columns.unwritten ?? { depth: 0, documents: 0, sources: [] }
      seen.depth = Math.max(seen.depth, depth)
      seen.documents = Math.max(seen.documents, held)
      seen.sources = Math.max(seen.sources, sources.length)
      if (depth === 0) seen.written++
    }
    expect(seen.depth).toBeLessThanOrEqual(3)
    expect(seen.documents).toBeLessThanOrEqual(4 * FEW_DOCUMENTS)
    expect(seen.sources).toBeLessThanOrEqual(16)
    expect(seen.written).toBeLessThan(500)
    const values = Array.from({ length: documents }, (_, i) => columns.valuesOf(i)[0]!.value)
    expect(values).toEqual(Array.from({ length: documents }, (_, i) => 2_000 + i))
  })

  it('say the same whether they are read before they are merged or behind', () => {
    fc.assert(
      fc.property(merges, groups => {
        const valuesOfMerged = (reads: boolean) => {
          const merged = groups.map(group => {
            let next = 0
            const sources = group.map(({ values, isGone, isRead }) => {
              const columns = columnsOf([values, []])
              if (reads && isRead) expect(columns.block.length).toBeGreaterThan(0)
              return { columns, becomes: Int32Array.of(isGone ? -1 : next++, next++) }
            })
            return { columns: mergeColumns(sources, next), size: next }
          })
          let first = 0
          const sources = merged.map(({ columns, size }) => {
            if (reads) expect(columns.block.length).toBeGreaterThan(0)
            first += size
            return { columns, becomes: Int32Array.from({ length: size }, (_, i) => first - size + i) }
          })
          const columns = mergeColumns(sources, first)
          expect(columns.unwritten === undefined).toBe(first > FEW_DOCUMENTS)
          // Which column comes first is no matter.
          return Array.from({ length: first }, (_, document) =>
            columns.valuesOf(document).toSorted((one, other) => one.name.localeCompare(other.name)),
          )
        }
        expect(valuesOfMerged(true)).toEqual(valuesOfMerged(false))
      }),
    )
  })
})

describe('a column of texts', () => {
  it('has each text once, in the order of UTF-16 units, and finds it and its place', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1 }), text, (given, asked) => {
        const kept = given.filter(({ length }) => length <= LONGEST_TEXT)
        const columns = columnsOf(given.map(value => [{ name: 't', kind: 'text', value }]))
        const column = columns.find('t', 'text')!
        const sorted = [...new Set(kept)].sort()
        expect(Array.from(sorted.keys(), ordinal => column.texts.text(ordinal))).toEqual(sorted)
        expect(column.texts.count).toBe(sorted.length)
        expect(column.texts.find(asked)).toBe(sorted.indexOf(asked))
        const notLess = sorted.findIndex(one => one >= asked)
        expect(column.texts.lowerBound(asked)).toBe(notLess < 0 ? sorted.length : notLess)
        expect([...column.cut]).toEqual(
          given.flatMap(({ length }, document) => (length > LONGEST_TEXT ? [document] : [])),
        )
      }),
    )
  })

  it('knows the documents of texts that are too long after merges and removals', () => {
    const long = 'x'.repeat(LONGEST_TEXT + 1)
    const one = columnsOf([
      [],
      [{ name: 't', kind: 'text', value: long }],
      [{ name: 't', kind: 'text', value: 'a' }],
    ])
    const other = columnsOf([
      [{ name: 't', kind: 'text', value: long }],
      [{ name: 't', kind: 'text', value: long }],
    ])
    const merged = mergeColumns(
      [
        { columns: one, becomes: Int32Array.of(0, 1, 2) },
        { columns: other, becomes: Int32Array.of(-1, 3) },
      ],
      4,
    )
    expect([...merged.find('t', 'text')!.cut]).toEqual([1, 3])
    expect(merged.valuesOf(2)).toEqual([{ name: 't', kind: 'text', value: 'a' }])
  })
})

describe('more names than a segment has columns for', () => {
  const named = (from: number, to: number) =>
    Array.from(
      { length: to - from },
      (_, i): ColumnValue => ({ name: `n${from + i}`, kind: 'number', value: i }),
    )

  it('are left out, and it is told that they are', () => {
    const columns = columnsOf([named(0, MOST_COLUMNS + 1)])
    expect([columns.isCut, columns.names.length]).toEqual([true, MOST_COLUMNS])
    expect(columnsOf([named(0, MOST_COLUMNS)]).isCut).toBe(false)
  })

  it('are never taken for missing: merged with others, only what both know is left', () => {
    const cut = columnsOf([named(0, MOST_COLUMNS + 5)])
    const other = columnsOf([named(MOST_COLUMNS - 1, MOST_COLUMNS + 3)])
    const sources = [cut, other].map((columns, i) => ({ columns, becomes: Int32Array.of(i) }))
    const merged = mergeColumns(sources, 2)
    expect(merged.isCut).toBe(true)
    expect(merged.names.map(({ name }) => name)).toEqual(cut.names.map(({ name }) => name))
    expect(merged.find(`n${MOST_COLUMNS}`, 'number')).toBeUndefined()
    expect(merged.find(`n${MOST_COLUMNS - 1}`, 'number')!.first).toEqual(Float64Array.of(MOST_COLUMNS - 1, 0))
  })

  it('or too long ones have no columns, and it is told', () => {
    const long = 'n'.repeat(LONGEST_NAME - 2)
    const columns = (last: string) => {
      const { names, isCut } = columnsOf([
        [
          { name: 'a', kind: 'number', value: 1 },
          { name: `${long}.${last}`, kind: 'number', value: 2 },
        ],
      ])
      return [names.map(({ name }) => name.length), isCut]
    }
    expect(columns('x')).toEqual([[1, LONGEST_NAME], false])
    expect(columns('xy')).toEqual([[1], true])
  })

  it('leave columns that are asked for where they are', () => {
    const signals = [{ kind: 'saturation', column: 'sold', pivot: 1, boost: 1 }] as const
    const index = new FulltextIndex({ ...options, signals })
    index.add('a', ['lamp'], named(0, MOST_COLUMNS + 1))
    index.add('b', ['lamp'], [{ name: 'sold', kind: 'number', value: 5 }])
    const { hits } = index.search('lamp', { limit: 2, operator: 'or', typoTolerance: 0 })
    expect(hits.map(({ id }) => id)).toEqual(['b', 'a'])
  })
})

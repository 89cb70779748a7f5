import * as fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { isSet } from '../../src/arrays/set-bits.ts'
import { compileColumns } from '../../src/datasets/field-values.ts'
import { queryFields } from '../../src/datasets/query-fields.ts'
import { fieldTexts, tagIds } from '../../src/datasets/validation.ts'
import { Filter, isMissing } from '../../src/filters/filter.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { compact } from '../../src/fulltext/segments/compaction.ts'
import type { JsonObject } from '../../src/json.ts'
import { indexOptions } from '../../src/live/indexing.ts'
import { compileQuery } from '../../src/query/predicate.ts'
import type { Query } from '../../src/query/query.ts'
import { atOnce } from '../../src/scheduling/at-once.ts'
import { documents, queries } from '../query/queries.ts'
import { shopDefinition } from '../query/shop.ts'

const { settings, schema } = shopDefinition
const fields = {
  query: queryFields(settings, schema),
  idField: settings.idField,
  tagField: settings.tagField,
  indexed: settings.interpretedFields,
}
const columns = compileColumns(settings, schema.root)
const some = fc.record({
  document: documents,
  tag: fc.constantFrom<JsonObject[string]>(null, 'a', ['a', '5'], 5, '', ['', 'b a']),
  odd: fc.constantFrom<JsonObject>(
    {},
    { brand: 'x'.repeat(130) },
    { brand: [['red'], [['de', 'lamp']]] },
    { specs: { 'a.b': 1 } },
    { extra: { deep: [{ a: 5 }, { a: 'Red lamp' }] } },
    { price: '9007199254740993' },
  ),
})

/** Queries of the shop, and of ids, tags and what nobody has described. */
const asked: fc.Arbitrary<Query> = fc.oneof(
  { weight: 4, arbitrary: queries },
  fc.constantFrom<Query>(
    { kind: 'value', field: 'id', value: 'd7' },
    { kind: 'word', field: 'id', word: 'd7' },
    { kind: 'exists', field: 'id' },
    { kind: 'value', field: 'tag', value: '5' },
    { kind: 'value', field: 'tag', value: 5 },
    { kind: 'value', field: 'tag', value: 'a' },
    { kind: 'value', field: 'tag', value: '' },
    { kind: 'word', field: 'tag', word: 'a' },
    { kind: 'not', of: { kind: 'exists', field: 'tag' } },
    { kind: 'value', field: 'extra.deep.a', value: 5 },
    { kind: 'word', field: 'extra.deep.a', word: 'lamp' },
    { kind: 'exists', field: 'extra' },
    { kind: 'value', field: 'brand', value: 'x'.repeat(130) },
    { kind: 'range', over: 'texts', field: 'brand', from: { value: 'w', inclusive: false }, to: null },
  ),
)

describe('a filter', () => {
  it('lets through on columns and postings the documents that its query means, whatever came, went and was merged', async () => {
    const index = new FulltextIndex({ ...(await indexOptions(settings)), tailDocuments: 7 })
    const stored = new Map<string, JsonObject>()
    const [given] = fc.sample(fc.array(some, { minLength: 400, maxLength: 400 }), { numRuns: 1, seed: 5 })
    const put = (id: string, { document, tag, odd }: (typeof given & object)[number]) => {
      const one: JsonObject = { id, ...document, ...odd, ...(tag === null ? {} : { tag }) }
      stored.set(id, one)
      index.add(
        id,
        fieldTexts(one, settings.interpretedFields, { root: schema.root, markup: true }),
        columns(one),
      )
    }
    let segments = 0
    let read = 0
    const check = (query: Query) => {
      const expected = [...stored.values()].filter(compileQuery(query, fields.query)).map(({ id }) => id)
      const filter = new Filter({ query }, fields, document => tagIds(document, settings))
      for (;;) {
        const selected = filter.select(index.state)
        if (isMissing(selected)) {
          read += selected.documents.length
          for (const id of selected.documents) atOnce(filter.learn(id, stored.get(id)))
          continue
        }
        const found = index.state.segments.flatMap(({ segment, dead }, place) => {
          const hidden = selected.hidden[place] ?? dead
          return [...segment.idRanks.keys()].flatMap(i => (isSet(hidden, i) ? [] : segment.id(i)))
        })
        expect(found.sort()).toEqual(expected.sort())
        expect(selected.size).toBe(expected.length)
        segments = Math.max(segments, index.state.segments.length)
        return
      }
    }
    for (const [i, one] of given!.entries()) {
      put(`d${i % 60}`, one)
      if (i % 7 === 0) {
        index.remove(`d${(i * 5) % 60}`)
        stored.delete(`d${(i * 5) % 60}`)
      }
      if (i % 40 === 39) fc.assert(fc.property(asked, check), { numRuns: 60 })
      const task = i % 90 === 89 ? index.planCompaction(true) : undefined
      if (task) index.adopt(compact(task))
    }
    expect(segments).toBeGreaterThan(2)
    expect(read).toBeGreaterThan(10)
  })

  it('finds out on many short calls what many different texts, ids and words say', async () => {
    const index = new FulltextIndex({ ...(await indexOptions(settings)), tailDocuments: 1_000 })
    for (let i = 0; i < 1_500; i++) {
      const one = { id: `d${i}`, title: `wort${i}`, brand: `maker ${i} ${i % 3 === 0 ? 'Lamp' : 'lampe'}` }
      index.add(
        one.id,
        fieldTexts(one, settings.interpretedFields, { root: schema.root, markup: true }),
        columns(one),
      )
    }
    const select = (query: Query) => {
      const filter = new Filter({ query }, fields, document => tagIds(document, settings))
      for (let calls = 1; calls < 5_000; calls++) {
        const selected = filter.select(index.state)
        if (!isMissing(selected)) return { calls, size: selected.size }
      }
      throw new Error('no end')
    }
    const lamp: Query = { kind: 'word', field: 'brand', word: 'lamp' }
    const pattern: Query = { kind: 'pattern', field: 'title', pattern: '*t1*' }
    const id: Query = { kind: 'word', field: 'id', word: 'd7' }
    const either: Query = { kind: 'any', of: [pattern, { kind: 'not', of: lamp }, id] }
    const words = (from: number, to: number): Query[] =>
      Array.from({ length: to - from }, (_, i) => ({ kind: 'word', field: 'title', word: `wort${from + i}` }))
    const many: Query = { kind: 'any', of: [...words(0, 700), { kind: 'any', of: words(400, 1_100) }] }
    const few: Query = { kind: 'every', of: words(2_000, 3_400).map(of => ({ kind: 'not', of })) }
    const asked = [lamp, pattern, id, either, many, few]
    const quick = asked.map(select)
    // A clock by which every look at it takes longer than a call may.
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
    try {
      const slow = asked.map(select)
      expect(slow.map(({ size }) => size)).toEqual(quick.map(({ size }) => size))
      for (const { calls } of slow) expect(calls).toBeGreaterThanOrEqual(1_500 / 256)
    } finally {
      clock.mockRestore()
    }
    expect([quick[0], quick[4], quick[5]].map(one => one!.size)).toEqual([500, 1_100, 1_500])
  })
})

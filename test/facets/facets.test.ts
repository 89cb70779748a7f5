import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileColumns } from '../../src/datasets/field-values.ts'
import { fieldTexts } from '../../src/datasets/validation.ts'
import { facetList, facetPlans } from '../../src/facets/facet-options.ts'
import { Facets } from '../../src/facets/facets.ts'
import { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { MatchSet } from '../../src/fulltext/matching/match-set.ts'
import { compact } from '../../src/fulltext/segments/compaction.ts'
import type { JsonObject } from '../../src/json.ts'
import { indexOptions } from '../../src/live/indexing.ts'
import { shop, shopDefinition } from '../query/shop.ts'

const { settings, schema } = shopDefinition
const fields = { query: shop, idField: 'id', tagField: 'tag', indexed: settings.interpretedFields }
const columns = compileColumns(settings, schema.root)

/** Nearly every document has a sku of its own. */
const some = fc.record({
  sku: fc.string({ minLength: 1, maxLength: 6 }),
  colors: fc.array(fc.constantFrom('red', 'blue', 'green'), { maxLength: 3 }),
  price: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
})

const ranges = [{ to: 10 }, { from: 10, to: 20 }, { from: 20 }]
const asked = facetList.parse([
  { field: 'sku', limit: 10_000 },
  { field: 'colors', sort: 'value' },
  { field: 'price', ranges },
])

/** What the documents have, counted one by one. */
function counted(documents: readonly JsonObject[]) {
  const valuesOf = (name: string) =>
    documents.flatMap(({ [name]: value }) => [...new Set(value === undefined ? [] : [value].flat())])
  const counts = (name: string) => {
    const map = new Map<unknown, number>()
    for (const value of valuesOf(name)) map.set(value, (map.get(value) ?? 0) + 1)
    return map
  }
  const prices = valuesOf('price') as number[]
  return {
    sku: counts('sku'),
    colors: counts('colors'),
    price: counts('price'),
    ranges: ranges.map(
      ({ from = -1, to = 99 }) => prices.filter(price => price >= from && price < to).length,
    ),
    sum: prices.reduce((sum, price) => sum + price, 0),
  }
}

describe('facets', () => {
  it('count the documents of the moment when it began, whatever comes, goes and is merged before it ends', async () => {
    const index = new FulltextIndex({ ...(await indexOptions(settings)), tailDocuments: 20 })
    const stored = new Map<string, JsonObject>()
    const [given] = fc.sample(fc.array(some, { minLength: 900, maxLength: 900 }), { numRuns: 1, seed: 11 })
    let next = 0
    const change = () => {
      const one: JsonObject = JSON.parse(JSON.stringify({ id: `d${next % 250}`, ...given![next % 900]! }))
      stored.set(`d${next % 250}`, one)
      index.add(
        `d${next % 250}`,
        fieldTexts(one, settings.interpretedFields, { root: schema.root, markup: true }),
        columns(one),
      )
      if (next % 3 === 0) {
        index.remove(`d${(next * 7) % 250}`)
        stored.delete(`d${(next * 7) % 250}`)
      }
      const task = next % 30 === 0 ? index.planCompaction(true) : undefined
      if (task) index.adopt(compact(task))
      next++
    }
    while (next < 300) change()
    let pieces = 0
    for (let round = 0; round < 8; round++) {
      const facets = new Facets(facetPlans(asked, fields), fields, undefined)
      while (!facets.prepare(index.state));
      const documents = MatchSet.selected(index.state.segments, undefined)
      const expected = counted([...stored.values()])
      const counting = facets.count(index.state, () => ({ matching: documents, all: undefined }))
      let step = counting.next()
      for (; !step.done; step = counting.next()) {
        change()
        pieces++
      }
      const { sku, colors, price } = step.value
      const found = (facet: typeof sku) => new Map(facet!.values.map(({ value, count }) => [value, count]))
      expect(found(sku)).toEqual(expected.sku)
      expect(sku!.distinct).toBe(expected.sku.size)
      expect(found(colors)).toEqual(expected.colors)
      expect(price!.ranges!.map(({ count }) => count)).toEqual(expected.ranges)
      expect(price!.stats!.sum).toBe(expected.sum)
    }
    expect(pieces).toBeGreaterThan(100)
  })
})

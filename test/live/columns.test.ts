import * as fc from 'fast-check'
import type { DatasetDefinition, JsonObject } from 'findling'
import type { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { compileColumns } from '../../src/datasets/field-values.ts'
import type { DatasetSettings } from '../../src/datasets/schema/dataset-settings.ts'
import { Generation } from '../../src/derived/generations/generation.ts'
import type { FulltextIndex } from '../../src/fulltext/fulltext-index.ts'
import { EVERYTHING } from '../../src/fulltext/searching/text-query.ts'
import { LONGEST_TEXT } from '../../src/fulltext/segments/columns/kinds.ts'
import { blobNames } from '../../src/fulltext/stored/index-contents.ts'
import { indexOptions } from '../../src/live/indexing.ts'
import { indexPrefix } from '../../src/store/keyspace.ts'
import { Store } from '../../src/store/store.ts'
import { expectHealthy, memoryDatabase, openEngine, waitingDatabase } from '../engine/engines.ts'
import { loadWhole } from '../fulltext/index-blobs.ts'

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    price: { type: 'double' },
    made: { type: 'date' },
  },
}

/** What the stored index of the only dataset says of each document, and the segments that it has. */
async function stored(db: MemoryLevel<string, Uint8Array>) {
  const store = await Store.open({
    store: db,
    durability: 'process',
    memoryBudget: 64 * 2 ** 20,
    onDamage() {},
  })
  const { dataset, index: number, settings } = store.manifest.datasets[0]!
  const generation = new Generation(store, indexPrefix(dataset, number))
  const { contents } = (await generation.stored())!
  const blobs = await generation.readBlobs(Object.values(blobNames(contents)).flat())
  await store.close()
  const options = await indexOptions(settings as DatasetSettings)
  const index = loadWhole(options, contents, name => blobs.get(name))
  return { values: valuesIn(index), segments: index.save().contents.segments.length }
}

function valuesIn(index: FulltextIndex) {
  const found: [id: string, values: string[]][] = []
  const offer = (_: number, document: number) => {
    const { columns, number } = index.columnsOf(document)
    found.push([index.idOf(document), columns.valuesOf(number).map(textOf).sort()])
  }
  index.visit(EVERYTHING, { operator: 'or', typoTolerance: 0 }, { threshold: 1, offer })
  return found.sort(([a], [b]) => (a < b ? -1 : 1))
}

const textOf = ({ name, kind, value }: { name: string; kind: string; value: number | string }) =>
  JSON.stringify([name, kind, value])

const aText = fc.constantFrom(
  'red',
  'blue',
  '12.5',
  '2024-03-01',
  '__proto__',
  '\ud800',
  '😀',
  'true',
  'x'.repeat(300),
)
const aValue: fc.Arbitrary<unknown> = fc.oneof(
  aText,
  fc.constantFrom(0, 1.5, -7, 1e300),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(aText, fc.integer()), { maxLength: 3 }),
)
const aDocument = fc
  .record(
    {
      title: aText,
      price: fc.constantFrom(1, 2.5, '12.5', null),
      made: fc.constantFrom('2024-03-01', 86_400_000, null),
      tag: fc.constantFrom('t1', ['t1', 't2'], [], 7),
      extra: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'c.d'), aValue, { noNullPrototype: true }),
      list: fc.array(fc.record({ colour: aText }), { maxLength: 2 }),
      sold: aValue,
    },
    { requiredKeys: ['title'] },
  )
  .map(document => document as JsonObject)

const definitions: [string, DatasetDefinition][] = [
  ['neither sample nor schema', {}],
  ['a schema', { schema, signals: { price: { pivot: 1, boost: 1 }, made: { halfLifeDays: 1, boost: 1 } } }],
]

describe('the columns of a dataset', () => {
  it.each(definitions)(
    'say what its documents say, in an index that followed them and in one that was built: %s',
    async (_, given) => {
      const db = memoryDatabase()
      const [documents] = fc.sample(fc.array(aDocument, { minLength: 600, maxLength: 600 }), {
        numRuns: 1,
        seed: 11,
      })
      const engine = await openEngine({ store: db })
      const dataset = await engine.datasets.create('things', given)
      const put = (from: number, to: number) =>
        dataset.documents.bulk(
          documents!.slice(from, to).map((one, i) => ({ ...one, id: `d${(from + i) % 500}` })),
        )
      await put(0, 300)
      await dataset.search('red')
      await put(300, 600)
      for (let i = 0; i < 500; i += 9) await dataset.documents.delete(`d${i}`)
      await engine.close()
      const followed = await stored(db)
      expect(followed.segments).toBeGreaterThan(1)

      const again = await openEngine({ store: db })
      const things = again.datasets.get('things')
      const read = compileColumns(things.settings, things.schema.root)
      const expected: [string, string[]][] = []
      for await (const { id, document } of things.documents.scan()) {
        const values = read(document).filter(
          ({ kind, value }) => kind !== 'text' || String(value).length <= LONGEST_TEXT,
        )
        expected.push([id, values.map(textOf).sort()])
      }
      expect(followed.values).toEqual(expected.sort(([a], [b]) => (a < b ? -1 : 1)))
      for (const parallel of [1, 3]) {
        await things.optimize({ parallel }).finished
        await expectHealthy(again)
      }
      await again.close()
      const built = await stored(db)
      expect(built.segments).toBe(1)
      expect(built.values).toEqual(followed.values)
    },
  )

  /** An engine opened on a stored index that has columns; `reads` counts those that have been read. */
  async function reopened(given: DatasetDefinition) {
    let reads = 0
    const store = waitingDatabase({
      read: async from => {
        if (from.includes('/b/columns-')) reads++
      },
    })
    const first = await openEngine({ store })
    const documents = Array.from({ length: 300 }, (_, i) => ({ id: i, title: `red lamp ${i}`, sold: i }))
    await (await first.datasets.create('things', given)).documents.bulk(documents)
    await first.close()
    const engine = await openEngine({ store })
    return { engine, dataset: engine.datasets.get('things'), reads: () => reads }
  }

  it('are not read for a search, whatever its words', async () => {
    const { engine, dataset, reads } = await reopened({})
    for (const query of ['lamp', 'red lamp', '"red lamp"', 'lmap 7'])
      expect((await dataset.search(query)).hits.length).toBeGreaterThan(0)
    await engine.close()
    expect(reads()).toBe(0)
  })

  it('are read for a change, and for a search that weighs by them', async () => {
    const changed = await reopened({})
    await changed.dataset.documents.upsert({ id: 1, title: 'blue lamp' })
    expect((await changed.dataset.search('blue lamp')).hits[0]).toMatchObject({ id: '1' })
    expect(changed.reads()).toBeGreaterThan(0)
    const weighed = await reopened({ signals: { sold: { pivot: 10, boost: 1 } } })
    expect((await weighed.dataset.search('lamp')).hits[0]).toMatchObject({ id: '299' })
    expect(weighed.reads()).toBeGreaterThan(0)
  })
})

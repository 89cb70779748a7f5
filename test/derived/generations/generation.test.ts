import * as fc from 'fast-check'
import type { MemoryLevel } from 'memory-level'
import { beforeAll, describe, expect, it } from 'vitest'
import { analyzerFor } from '../../../src/analysis/analyzer.ts'
import { Generation } from '../../../src/derived/generations/generation.ts'
import { FulltextIndex } from '../../../src/fulltext/fulltext-index.ts'
import { blobNames } from '../../../src/fulltext/stored/index-contents.ts'
import { sealBytes } from '../../../src/store/checksum.ts'
import { FIRST_DATASET } from '../../../src/store/dataset-number.ts'
import { indexPrefix } from '../../../src/store/keyspace.ts'
import { Store } from '../../../src/store/store.ts'
import { memoryDatabase } from '../../engine/engines.ts'
import { complete, loadNeeded } from '../../fulltext/index-blobs.ts'

const options = { analyzer: analyzerFor('none'), fields: [{ weight: 1, b: 0.6 }] }
const corrupt = expect.objectContaining({ name: 'FindlingError', code: 'STORE_CORRUPT' })

/** An index some of whose blobs take several values of the store. */
function example(): FulltextIndex {
  const index = new FulltextIndex(options)
  for (let i = 0; i < 4000; i++) {
    const words = Array.from({ length: 12 }, (_, n) => `word${(i * (n + 7)) % 6000}`)
    index.add(`d${i}`, [`lamp ${words.join(' ')}`])
  }
  index.search('lamp', { limit: 1, operator: 'or', typoTolerance: 0 })
  for (let i = 0; i < 20; i++) index.remove(`d${i * 3}`)
  return index
}

interface Stored {
  db: MemoryLevel<string, Uint8Array>
  store: Store
  snapshot: ReturnType<FulltextIndex['save']>
}

async function stored(): Promise<Stored> {
  const db = memoryDatabase()
  const store = await Store.open({
    store: db,
    durability: 'process',
    memoryBudget: 64 * 2 ** 20,
    onDamage() {},
  })
  const snapshot = example().save()
  await new Generation(store, indexPrefix(FIRST_DATASET, 1)).save(snapshot, 7, 'print')
  return { db, store, snapshot }
}

/** The whole index, with what can wait. */
async function load(store: Store): Promise<FulltextIndex> {
  const generation = new Generation(store, indexPrefix(FIRST_DATASET, 1))
  const { contents } = (await generation.stored())!
  const blobs = await generation.readBlobs(blobNames(contents).needed)
  const index = loadNeeded(options, contents, name => blobs.get(name))
  const lists = await generation.readBlobs([...index.missing('forward'), ...index.missing('columns')])
  return complete(index, name => lists.get(name))
}

const answer = (index: FulltextIndex) =>
  index.search('lamp word77 word78', { limit: 50, operator: 'or', typoTolerance: 2 })

describe('a stored generation', () => {
  let kept: Stored
  /** The values of all blobs. */
  let entries: [key: string, value: Uint8Array][]
  beforeAll(async () => {
    kept = await stored()
    const all = await kept.db.iterator({ gte: 'x/', lt: 'x0' }).all()
    entries = all.filter(([key]) => key.includes('/b/'))
  })

  /** Loads while something is different, which is then as it was. */
  async function loadWith(change: () => Promise<unknown>): Promise<FulltextIndex> {
    await change()
    try {
      return await load(kept.store)
    } finally {
      await kept.db.batch(entries.map(([key, value]) => ({ type: 'put', key, value })))
    }
  }

  it('gives its blobs as they were saved, asked for in any order', async () => {
    const generation = new Generation(kept.store, indexPrefix(FIRST_DATASET, 1))
    await generation.stored()
    const names = [...kept.snapshot.blobs.keys()]
    for (const some of [names, names.toReversed(), names.slice(1, 2), []]) {
      const blobs = await generation.readBlobs(some)
      expect([...blobs.keys()]).toEqual(some)
      for (const [name, bytes] of blobs) expect(Buffer.compare(bytes, kept.snapshot.blobs.get(name)!)).toBe(0)
    }
  })

  it('answers as the index that was saved', async () => {
    expect(entries.length).toBeGreaterThan(kept.snapshot.blobs.size)
    expect(answer(await load(kept.store))).toEqual(answer(example()))
  })

  it('is refused when any bit of a blob is another', async () => {
    const place = fc.record({
      of: fc.integer({ min: 0, max: entries.length - 1 }),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bit: fc.integer({ min: 0, max: 7 }),
    })
    await fc.assert(
      fc.asyncProperty(place, async ({ of, at, bit }) => {
        const [key, value] = entries[of]!
        const bytes = Uint8Array.from(value)
        bytes[4 + Math.floor(at * (bytes.length - 4))]! ^= 1 << bit
        await expect(loadWith(() => kept.db.put(key, bytes))).rejects.toEqual(corrupt)
      }),
    )
  })

  it('is refused when a value of a blob is cut, longer, empty, gone or another sealed well', async () => {
    for (const [key, value] of entries) {
      const longer = Buffer.concat([value, Buffer.of(0)])
      const other = sealBytes(key, new Uint8Array(value.length - 4).fill(7))
      for (const bytes of [value.subarray(0, -1), longer, value.subarray(0, 3), new Uint8Array(), other])
        await expect(loadWith(() => kept.db.put(key, bytes))).rejects.toEqual(corrupt)
      await expect(loadWith(() => kept.db.del(key))).rejects.toEqual(corrupt)
    }
  })

  it('is refused when two values of blobs have changed places', async () => {
    for (const [i, [key, value]] of entries.entries()) {
      const [otherKey, other] = entries[(i + 1) % entries.length]!
      const swapped = () =>
        kept.db.batch([
          { type: 'put', key, value: other },
          { type: 'put', key: otherKey, value },
        ])
      await expect(loadWith(swapped)).rejects.toEqual(corrupt)
    }
  })

  it('takes no notice of what a save that was cut short left behind its blobs', async () => {
    const lasts = new Map(entries.map(([key]) => [key.replace(/\d{6}$/, ''), key]))
    const { db, store } = await stored()
    for (const [blob, last] of lasts) {
      const next = Number(last.slice(-6)) + 1
      for (let chunk = next; chunk < next + 3; chunk++) {
        const key = blob + String(chunk).padStart(6, '0')
        await db.put(key, sealBytes(key, new Uint8Array(65_532).fill(chunk)))
      }
    }
    expect(answer(await load(store))).toEqual(answer(example()))
  })
})

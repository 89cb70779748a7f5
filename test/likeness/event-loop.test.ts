import { readFileSync } from 'node:fs'
import { type Dataset, Engine, type SimilarService } from 'findling'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manyDocuments } from '../similarity/shop.ts'

/** Milliseconds that one turn of the event loop may take. Work stops after 8 and goes on in the next turn. */
const LONGEST_TURN = 250

/** Milliseconds that this thread has computed, whatever else the machine does; where nobody tells, those that went by. */
function computed(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

/** Does work, and tells the longest turn that the event loop had meanwhile. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let last = computed()
  const turn = () => {
    const now = computed()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  turn()
  await work()
  isOver = true
  return Math.max(longest, computed() - last)
}

describe('the event loop goes on', () => {
  let engine: Engine
  let shop: Dataset
  let service: SimilarService
  const rows = manyDocuments(800).map(([id, { title, body }], at) => ({
    id,
    title,
    desc: body,
    tag: `t${at % 5}`,
  }))

  beforeAll(async () => {
    engine = await Engine.open({ durability: 'process' })
    shop = await engine.datasets.create('shop', { interpretedFields: ['title', 'desc'] })
    await shop.documents.bulk(rows)
    service = await engine.services.create({ type: 'similar', name: 'Alike' })
    await service.prepare({ dataset: 'shop' })
    await service.activate()
  })
  afterAll(() => engine.close())

  it('while neighbours are found, all of them and those of what has changed', async () => {
    expect(await longestTurn(() => service.index().finished)).toBeLessThan(LONGEST_TURN)
    await shop.documents.bulk(rows.slice(0, 40).map(row => ({ ...row, title: `${row.title} w3x` })))
    expect(await longestTurn(() => service.indexPartial().finished)).toBeLessThan(LONGEST_TURN)
    expect(await service.recommendById('m0', { count: 1000 })).toHaveLength(100)
  })

  it('while duplicates are found and handed over', async () => {
    let groups = 0
    const count = async (found: AsyncIterable<unknown>) => {
      for await (const _ of found) groups++
    }
    expect(await longestTurn(() => count(shop.duplicates({ threshold: 0.3 })))).toBeLessThan(LONGEST_TURN)
    expect(await longestTurn(() => shop.exportDuplicates(count, { threshold: 0.3 }).finished)).toBeLessThan(
      LONGEST_TURN,
    )
    expect(groups).toBeGreaterThan(20)
  })
})

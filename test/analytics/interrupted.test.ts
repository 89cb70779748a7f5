import { type AnalyticsOptions, type Database, Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { collected, memoryDatabase, openEngine, waitingDatabase } from '../engine/engines.ts'

const HOUR = 3_600_000
const start = Date.UTC(2026, 5, 10, 12)

async function fill(engine: Engine): Promise<void> {
  const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
  await engine.datasets.create('others', { interpretedFields: ['title'] })
  await items.documents.bulk(Array.from({ length: 4 }, (_, i) => ({ id: `p${i}`, title: `Lamp ${i}` })))
}

/** Calls of some users on some days: five of them have typed a text that one of them is to be erased from. */
async function ask(engine: Engine, from: number, to: number, step: () => void): Promise<void> {
  const items = engine.datasets.get('items')
  for (let i = from; i < to; i++) {
    step()
    const user = `u${i % 6}`
    const text = i % 6 === 5 ? 'lamp' : i % 2 ? 'lamp 1' : `lamp ${i % 5}`
    const { queryId } = await items.search(text, { context: { user } })
    if (i % 3 !== 0) continue
    const other = i % 2 ? 'u1' : 'u2'
    const event = { queryId: queryId!, id: 'p1', user: other } as const
    await engine.analytics.event({ ...event, type: i % 4 ? 'click' : 'conversion' })
    await engine.datasets.get('others').search('hose', { context: { user } })
  }
}

/** All that is told of what was asked, without what is made up for each store. */
async function told({ analytics }: Engine) {
  const { calls, clicks, conversions, users } = await analytics.overview({ to: 1e14 })
  const { rows: texts } = await analytics.queries({ to: 1e14, limit: 1000 })
  const { rows: hits } = await analytics.hits({ to: 1e14, limit: 1000 })
  const exported = (await collected(analytics.export({ format: 'jsonl' }))).join('').trim().split('\n')
  const rows = exported.map(row => {
    const { queryId: _, user: __, took: ___, ...same } = JSON.parse(row)
    return same
  })
  return {
    calls,
    clicks,
    conversions,
    users,
    texts: texts.map(one => [one.text, one.calls, one.clicks]),
    hits,
    rows,
  }
}

const encodings = { keyEncoding: 'utf8', valueEncoding: 'view' } as const

async function entriesOf(store: Database): Promise<[string, Uint8Array][]> {
  await store.open()
  const iterator = store.iterator({ gte: '', lt: '\uffff', ...encodings })
  const entries: [string, Uint8Array][] = []
  for (let batch = await iterator.nextv(1000); batch.length > 0; batch = await iterator.nextv(1000))
    entries.push(...batch)
  await iterator.close()
  await store.close()
  return entries
}

/** How often a secret stands in the blocks of a store. */
async function textsIn(store: Database): Promise<number> {
  await store.open()
  const iterator = store.iterator({ gte: 'a/', lt: 'a0', ...encodings })
  let texts = 0
  for (;;) {
    const batch = await iterator.nextv(100)
    if (batch.length === 0) break
    for (const [key, value] of batch)
      if (key.includes('/b/')) texts += Buffer.from(value).toString('latin1').split('secret').length - 1
  }
  await iterator.close()
  return texts
}

describe.each(['full', 'counts'] as const)('what is erased in the mode %s', mode => {
  it('is erased when the store is opened again, wherever that was interrupted', async () => {
    const continued: unknown[] = []
    let whole: Awaited<ReturnType<typeof told>> | undefined
    // Most of the calls are made only once.
    const asked = memoryDatabase()
    let before = start
    const earlier = await Engine.open({ store: asked, analytics: { mode }, clock: () => before })
    await fill(earlier)
    await ask(earlier, 0, 100, () => {
      before += HOUR
    })
    await earlier.close()
    const entries = await entriesOf(asked)
    for (let batches = 0; !whole; batches++) {
      let left = Number.POSITIVE_INFINITY
      const change = async () => {
        if (left-- <= 0) throw new Error('the process has ended')
      }
      const store = waitingDatabase({ batch: change, clear: change })
      await store.open()
      await store.batch(
        entries.map(([key, value]) => ({ type: 'put', key, value })),
        encodings,
      )
      await store.close()
      let now = before
      const open = () => Engine.open({ store, analytics: { mode }, clock: () => now })
      const first = await open()
      await ask(first, 100, 120, () => {
        now += HOUR
      })
      const toldBefore = await told(first)
      left = batches
      const isDone = await first.analytics.erase({ user: 'u0' }).then(
        () => true,
        () => false,
      )
      left = isDone ? Number.POSITIVE_INFINITY : 0
      await first.close().catch(() => undefined)
      left = Number.POSITIVE_INFINITY
      await using second = await open()
      const after = await told(second)
      if (isDone) whole = after
      else if (batches === 0) expect(after).toEqual(toldBefore)
      // Each of the two datasets has noted it.
      else if (batches >= 2) continued.push(after)
    }
    expect(continued.length).toBeGreaterThan(2)
    for (const one of continued) expect(one).toEqual(whole)
  }, 60_000)
})

describe('the days after which texts are dropped', () => {
  it('cost nothing in an hour in which none is due, and in another what is due', async () => {
    const reads = { without: [] as number[], with: [] as number[] }
    for (const name of ['without', 'with'] as const) {
      let count = 0
      const store = waitingDatabase({
        read: async from => {
          if (/^a\/.*\/b\//.test(from)) count++
        },
      })
      let now = start
      const analytics: AnalyticsOptions = {
        mode: 'full',
        ...(name === 'with' && { texts: { days: 2 } }),
      }
      const engine = await openEngine({ store, analytics, clock: () => now })
      const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
      for (let hour = 0; hour < 60; hour++) {
        now = start + hour * HOUR
        count = 0
        for (let i = 0; i < 40; i++) await items.search(`lamp ${i} ${'x'.repeat(150)}`)
        await engine.analytics.overview()
        reads[name].push(count)
      }
      const rows = (await collected(engine.analytics.export({ format: 'jsonl' }))).join('').trim().split('\n')
      const texts = rows.filter(row => JSON.parse(row).text !== null && JSON.parse(row).text !== undefined)
      expect([name, rows.length, texts.length]).toEqual([name, 2400, name === 'with' ? 49 * 40 : 2400])
    }
    // Once, it is found out which block has which texts.
    const more = reads.with.map((count, i) => count - reads.without[i]!)
    expect(more.slice(1, 48)).toEqual(Array.from({ length: 47 }, () => 0))
    for (const one of more.slice(48)) expect(one).toBeLessThanOrEqual(2)
  })
})

describe('a store whose mode becomes counts', () => {
  it('keeps no text, wherever forgetting them was interrupted', async () => {
    for (let batches = 1, isDone = false; !isDone; batches++) {
      let left = Number.POSITIVE_INFINITY
      const change = async () => {
        if (left-- <= 0) throw new Error('the process has ended')
      }
      const store = waitingDatabase({ batch: change, clear: change })
      const open = (mode: 'full' | 'counts') =>
        Engine.open({ store, analytics: { mode }, clock: () => start })
      const first = await open('full')
      const items = await first.datasets.create('items', { interpretedFields: ['title'] })
      await items.documents.bulk(Array.from({ length: 9 }, (_, i) => ({ id: `p${i}`, title: `Lamp ${i}` })))
      for (let i = 0; i < 600; i++) {
        const context = { user: `u${i}` }
        await items.complete('la', { context })
        await items.search(`secret ${i} ${'x'.repeat(150)}`, { context })
        if (i % 150 === 149) await first.analytics.overview()
      }
      await first.close()
      const second = await open('counts')
      left = batches
      isDone = await second.analytics.overview().then(
        () => true,
        () => false,
      )
      left = isDone ? Number.POSITIVE_INFINITY : 0
      await second.close().catch(() => undefined)
      left = Number.POSITIVE_INFINITY
      const third = await open('counts')
      expect((await third.analytics.overview()).calls).toBe(600)
      await third.close()
      expect(await textsIn(store)).toBe(0)
    }
  }, 60_000)
})

describe('a process that ends while the database drops the bytes of what was erased', () => {
  it.each(['an erased text', 'texts that the mode forgets'])('has that done later: %s', async what => {
    let [compacted, isEnding] = [0, false]
    const store = waitingDatabase({})
    store.compactRange = async from => {
      if (!from.startsWith('a/')) return
      if (isEnding) throw new Error('the process has ended')
      compacted++
    }
    const open = (mode: 'full' | 'counts') => Engine.open({ store, analytics: { mode }, clock: () => start })
    const first = await open('full')
    const items = await first.datasets.create('items', { interpretedFields: ['title'] })
    await items.search('wvqxjkz', { context: { user: 'ann' } })
    await first.analytics.overview()
    const isErased = what === 'an erased text'
    if (!isErased) await first.close()
    isEnding = true
    if (isErased) {
      await expect(first.analytics.erase({ text: 'wvqxjkz' })).rejects.toThrow()
      await first.close()
    } else {
      await using second = await open('counts')
      expect((await second.analytics.overview()).calls).toBe(1)
    }
    isEnding = false
    for (const times of [2, 0]) {
      compacted = 0
      const next = await open(isErased ? 'full' : 'counts')
      expect((await next.analytics.overview()).calls).toBe(1)
      await next.close()
      expect(compacted).toBe(times)
    }
  })
})

it('all calls that are too old go within the hour, however many blocks they fill', async () => {
  let now = start
  const analytics: AnalyticsOptions = { mode: 'full', retention: { days: 2 } }
  const engine = await openEngine({ analytics, clock: () => now })
  const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
  const ids = Array.from({ length: 10 }, (_, i) => `${i}`.repeat(100))
  await items.documents.bulk(ids.map(id => ({ id, title: 'Lamp' })))
  for (let i = 0; i < 2400; i++) {
    await items.search('lamp')
    if (i % 30 === 29) await engine.analytics.overview()
  }
  now += 3 * 24 * HOUR
  await items.search('desk')
  await engine.analytics.overview()
  // The last block is still written to.
  const left = (await collected(engine.analytics.export({ format: 'jsonl' }))).join('').trim().split('\n')
  expect(left.length).toBeLessThan(70)
  expect(JSON.parse(left.at(-1)!).text).toBe('desk')
}, 60_000)

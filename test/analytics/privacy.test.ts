import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  type AnalyticsErasure,
  type AnalyticsEvent,
  type Dataset,
  Engine,
  type EngineOptions,
} from 'findling'
import { describe, expect, it } from 'vitest'
import {
  codeOf,
  collected,
  memoryDatabase,
  openEngine,
  temporaryFolder,
  waitingDatabase,
} from '../engine/engines.ts'
import { hasBytes } from './folder-bytes.ts'

const DAY = 86_400_000
const start = Date.UTC(2026, 5, 10, 12)

async function shopIn(store: Required<EngineOptions>['store'], more: Partial<EngineOptions> = {}) {
  const engine = await openEngine({ store, analytics: { mode: 'counts' }, clock: () => start, ...more })
  const items = engine.datasets.has('items')
    ? engine.datasets.get('items')
    : await engine.datasets.create('items', { interpretedFields: ['title'] })
  if (items.documents.count === 0)
    await items.documents.bulk([
      { id: 'p1', title: 'Desk lamp' },
      { id: 'p2', title: 'Floor lamp' },
    ])
  return { engine, items, analytics: engine.analytics }
}

const textsOf = async ({ analytics }: { analytics: Engine['analytics'] }) =>
  (await analytics.queries({ limit: 1000 })).rows.map(({ text, calls }) => `${text}: ${calls}`)

/** Whether something stands in what is stored of calls. */
async function isStored(store: ReturnType<typeof memoryDatabase>, what: RegExp): Promise<boolean> {
  await store.open()
  for await (const [, value] of store.iterator({ gte: 'a/', lt: 'a0' }))
    if (what.test(Buffer.from(value).toString('latin1'))) return true
  return false
}

describe('the mode counts', () => {
  it('stores a text once five users have typed it, with all that they did, and no rarer one', async () => {
    const store = await temporaryFolder()
    const shop = await shopIn(store)
    for (const user of ['ann', 'bob', 'cyd', 'dan', 'ann', 'ann']) {
      const { queryId = '' } = await shop.items.search('lamp', { context: { user } })
      await shop.analytics.event({ type: 'click', queryId, id: 'p1' })
      await shop.items.search('wvqxjkz', { context: { user } })
    }
    expect(await textsOf(shop)).toEqual([])
    await shop.items.search('Lamp', { context: { user: 'eve' } })
    const [row] = (await shop.analytics.queries()).rows
    expect(row).toMatchObject({ text: 'lamp', calls: 7, clicks: 6, clicked: 6, meanPlace: 1 })
    expect((await shop.analytics.overview()).calls).toBe(13)
    await shop.engine.close()
    expect(await hasBytes(store, 'wvqxjkz')).toBe(false)
    const again = await shopIn(store)
    expect(await textsOf(again)).toEqual(['lamp: 7'])
    expect((await again.analytics.overview()).calls).toBe(13)
    await again.engine.close()
  })

  it('counts searches that name no user from the fifth on, once they came on two days', async () => {
    let now = start
    const shop = await shopIn(await temporaryFolder(), { clock: () => now })
    for (let i = 0; i < 20; i++) await shop.items.search('lamp')
    expect(await textsOf(shop)).toEqual([])
    now += DAY
    await shop.items.search('lamp')
    expect(await textsOf(shop)).toEqual(['lamp: 21'])
    expect((await shop.analytics.series()).map(({ calls }) => calls)).toEqual([20, 1])
  })

  it('stores no rare value of a filter, no rare word that was dropped and no rare beginning', async () => {
    const store = await temporaryFolder()
    const { engine, items, analytics } = await shopIn(store)
    await items.reconfigure({ relax: true })
    for (const user of ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay']) {
      const filter = { title: { ne: `qzjwvk${user}` } }
      await items.search(`lamp xkvqjz${user}`, {
        ...{ context: { user }, filter, facets: ['title'] },
        operator: 'and',
      })
      await items.search('lamp', { context: { user }, filter: 'title:lamp' })
      await items.complete(`jxqkzv${user}`, { context: { user } })
    }
    const { rows } = await analytics.filters()
    expect(rows.map(({ kind, field, value }) => [kind, field, value])).toEqual([
      ['facet', 'title', null],
      ['filter', '', 'title:lamp'],
    ])
    expect(await analytics.overview()).toMatchObject({ calls: 12, relaxed: 6 })
    await engine.close()
    for (const word of ['qzjwvk', 'xkvqjz', 'jxqkzv']) expect(await hasBytes(store, word)).toBe(false)
  })

  it('takes no time after which texts go, since none is kept that tells of anybody', async () => {
    const analytics = { mode: 'counts' as const, texts: { days: 3 } }
    expect(await codeOf(() => Engine.open({ analytics }))).toBe('INVALID_ARGUMENT')
  })
})

describe('what is stored', () => {
  it('has users as hashes that differ from store to store, and keys by name', async () => {
    const hashes = []
    for (let i = 0; i < 2; i++) {
      const store = await temporaryFolder()
      const { engine, items, analytics } = await shopIn(store, { analytics: { mode: 'full' } })
      await items.search('lamp', { context: { user: 'somebody@example.com', key: 'shop-key' } })
      await items.search('desk', { context: { user: 'somebody@example.com' } })
      let text = ''
      for await (const part of analytics.export({ format: 'jsonl' })) text += part
      const rows = text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(rows.map(({ key }) => key)).toEqual(['shop-key', null])
      expect(rows[0].user).toBe(rows[1].user)
      hashes.push(rows[0].user)
      await engine.close()
      expect(await hasBytes(store, 'somebody')).toBe(false)
    }
    expect(hashes[0]).not.toBe(hashes[1])
  })
})

describe('erasing', () => {
  const full = { analytics: { mode: 'full' as const } }

  it('leaves no byte of a text, and the counts of calls as they were', async () => {
    const store = await temporaryFolder()
    const shop = await shopIn(store, full)
    const { items, analytics, engine } = shop
    await items.reconfigure({ relax: true })
    for (const user of ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay']) {
      const context = { user }
      await items.search('lamp', { context })
      const { queryId = '' } = await items.search(' Wvqxjkz lamp', { context })
      await analytics.event({ type: 'click', queryId, id: 'p2' })
      await items.search('desk', { context, filter: { title: { ne: 'wvqxjkz lamp' } } })
      await items.complete('wvqxjkz lamp', { context })
    }
    expect((await items.complete('wvq', { kinds: ['query'] })).map(({ text }) => text)).toEqual([
      'wvqxjkz lamp',
    ])
    // What completes is shown, and so recorded as well.
    await analytics.overview()
    const before = await analytics.overview()
    await engine.close()
    expect(await hasBytes(store, 'wvqxjkz')).toBe(true)
    const again = await shopIn(store, full)
    // A word that was dropped is a text of its own.
    await again.analytics.erase({ text: 'WVQXJKZ lamp ' })
    await again.analytics.erase({ text: 'wvqxjkz' })
    expect(await again.items.complete('wvq', { kinds: ['query'] })).toHaveLength(0)
    await again.analytics.erase({ text: 'wvq' })
    expect(await textsOf(again)).toEqual(['desk: 6', 'lamp: 6'])
    expect((await again.analytics.queries()).rows[1]?.next).toEqual([])
    expect(await again.analytics.overview()).toMatchObject({ calls: before.calls, clicks: before.clicks })
    expect(await hasBytes(store, 'wvqxjkz')).toBe(false)
    await again.engine.close()
    expect(await hasBytes(store, 'wvqxjkz')).toBe(false)
  })

  it('takes a user out of everything, and leaves the others', async () => {
    const store = await temporaryFolder()
    const shop = await shopIn(store, full)
    const { items, analytics, engine } = shop
    for (const user of ['ann', 'bob']) {
      const context = { user, tags: ['web'] }
      await items.search('lamp', { context })
      const { queryId = '' } = await items.search(`wvqxjkz ${user} lamp`, { context })
      await analytics.event({ type: 'conversion', queryId, id: 'p1', value: 20 }).catch(() => undefined)
      const { queryId: other = '' } = await items.search('desk', { context })
      await analytics.event({ type: 'click', queryId: other, id: 'p1' })
    }
    await analytics.erase({ user: 'ann' })
    expect(await analytics.overview()).toMatchObject({
      calls: 3,
      clicks: 1,
      users: { count: 1, exact: true },
    })
    expect(await textsOf(shop)).toEqual(['desk: 1', 'lamp: 1', 'wvqxjkz bob lamp: 1'])
    expect((await analytics.hits()).rows).toMatchObject([
      { id: 'p1', clicks: 1 },
      { id: 'p2', clicks: 0 },
    ])
    await engine.close()
    expect(await hasBytes(store, 'wvqxjkz bob')).toBe(true)
    expect(await hasBytes(store, 'wvqxjkz ann')).toBe(false)
    const again = await shopIn(store, full)
    expect((await again.analytics.overview()).calls).toBe(3)
    await again.engine.close()
  })

  it('drops what was before a moment, to the millisecond, also of hours and days that go on', async () => {
    let now = start - 40 * DAY
    const store = await temporaryFolder()
    const shop = await shopIn(store, { ...full, clock: () => now })
    const at: number[] = []
    for (let i = 0; i < 60; i++) {
      now = start - (60 - i) * 17 * 3_600_000
      at.push(now)
      await shop.items.search(`lamp ${i % 4}`, { context: { user: `u${i % 7}` } })
    }
    for (const before of [at[10]!, at[33]! + 1, at[59]!]) {
      await shop.analytics.erase({ before })
      const left = at.filter(one => one >= before)
      expect((await shop.analytics.overview({ to: start + DAY })).calls).toBe(left.length)
      const texts = await textsOf(shop)
      expect(texts.reduce((sum, text) => sum + Number(text.split(': ')[1]), 0)).toBe(left.length)
    }
    await shop.engine.close()
    expect(await hasBytes(store, 'lamp 0')).toBe(false)
  })

  it('takes no counts away that have gone with their time', async () => {
    let now = start
    const analytics = { mode: 'full' as const, retention: { days: 1 } }
    const shop = await shopIn(await temporaryFolder(), { analytics, clock: () => now })
    const { queryId = '' } = await shop.items.search('lamp', { context: { user: 'ann' } })
    await shop.analytics.overview()
    now += 3 * DAY
    await shop.items.search('lamp', { context: { user: 'bob' } })
    await shop.analytics.overview()
    expect(await codeOf(() => shop.analytics.event({ type: 'click', queryId, id: 'p1' }))).toBe(
      'QUERY_ID_UNKNOWN',
    )
    await shop.analytics.erase({ user: 'ann' })
    expect(await shop.analytics.overview()).toMatchObject({ calls: 1, clicks: 0 })
    expect(await textsOf(shop)).toEqual(['lamp: 1'])
  })

  it('leaves the clicks of others as they would be without those of the user', async () => {
    const shop = await shopIn(await temporaryFolder(), full)
    const { analytics } = shop
    const click = (queryId: string, id: string, user: string) =>
      analytics.event({ type: 'click', queryId, id, user })
    const context = { user: 'ann' }
    const { queryId: first = '' } = await shop.items.search('lamp', { context })
    const { queryId: second = '' } = await shop.items.search('lamp', { context })
    await click(first, 'p2', 'bob')
    await click(first, 'p1', 'ann')
    await click(second, 'p2', 'bob')
    await analytics.erase({ user: 'bob' })
    expect(await analytics.overview()).toMatchObject({ clicked: 1, clicks: 1, meanReciprocalRank: 1 })
    expect(await click(second, 'p1', 'ann')).toEqual({ counted: true })
    expect(await analytics.overview()).toMatchObject({ clicked: 2, clicks: 2, shares: { clicked: 1 } })
  })

  it('of the text of a completion lets none of its calls count as clicked twice', async () => {
    const shop = await shopIn(await temporaryFolder(), full)
    const { analytics } = shop
    const { queryId = '' } = await shop.items.complete('lamp')
    await analytics.event({ type: 'click', queryId, id: 'Desk lamp' })
    await analytics.erase({ text: 'desk lamp' })
    await analytics.event({ type: 'click', queryId, id: 'Floor lamp' })
    const { clicked, clicks } = await analytics.overview({ call: 'completion' })
    expect([clicked, clicks]).toEqual([1, 2])
  })

  it('leaves no hour or day in which nothing was asked, whatever remainders its means have', async () => {
    const shop = await shopIn(await temporaryFolder(), full)
    await shop.items.documents.insert({ id: 'p3', title: 'Wall lamp' })
    // 1/3 + 1/2 - 1/3 - 1/2 is not 0.
    for (const place of [3, 2]) {
      const { queryId = '', hits } = await shop.items.search('lamp', { context: { user: 'ann' } })
      await shop.analytics.event({ type: 'click', queryId, id: hits[place - 1]!.id })
    }
    await shop.analytics.erase({ user: 'ann' })
    expect(await shop.analytics.series()).toEqual([])
  })

  it('takes users out of an hour that goes on, if they asked nothing in the rest of it', async () => {
    let now = start
    const shop = await shopIn(await temporaryFolder(), { ...full, clock: () => now })
    for (const user of ['ann', 'bob']) await shop.items.search('lamp', { context: { user } })
    await shop.items.complete('lamp', { context: { user: 'ann' } })
    now += 60_000
    await shop.items.search('lamp', { context: { user: 'bob' } })
    await shop.items.complete('lamp', { context: { user: 'cyd' } })
    await shop.analytics.erase({ before: now })
    for (const call of ['search', 'completion'] as const)
      expect(await shop.analytics.overview({ call })).toMatchObject({ calls: 1, users: { count: 1 } })
  })

  it('takes a user out of a day that was put together before the clock was set back to it', async () => {
    let now = start
    const shop = await shopIn(await temporaryFolder(), { ...full, clock: () => now })
    await shop.items.search('lamp', { context: { user: 'ann' } })
    await shop.analytics.overview()
    now += 20 * DAY
    await shop.items.search('desk', { context: { user: 'bob' } })
    await shop.analytics.overview()
    now = start
    await shop.items.search('floor', { context: { user: 'bob' } })
    await shop.analytics.erase({ user: 'ann' })
    expect((await shop.analytics.queries({ to: start + 30 * DAY })).rows.map(({ text }) => text)).toEqual([
      'desk',
      'floor',
    ])
  })

  it('asks for something to erase', async () => {
    const { analytics } = await shopIn(await temporaryFolder(), full)
    expect(await codeOf(() => analytics.erase({} as never))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => analytics.erase({ text: 'lamp', dataset: 'none' }))).toBe('DATASET_NOT_FOUND')
    expect(await codeOf(() => analytics.erase({ before: Number.NaN }))).toBe('INVALID_ARGUMENT')
  })
})

describe('popular texts', () => {
  it('complete nothing where they are misspelt, also after a restart, until they are found as typed', async () => {
    const store = await temporaryFolder()
    const { engine, items, analytics } = await shopIn(store)
    for (const user of ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay']) {
      await items.search('flor lamp', { context: { user } })
      await items.search('floor lamp', { context: { user } })
    }
    await analytics.overview()
    const texts = async (dataset = items) =>
      (await dataset.complete('flo', { kinds: ['query'] })).map(({ text }) => text)
    expect(await texts()).toEqual(['floor lamp'])
    await engine.close()
    const again = await shopIn(store)
    expect(await texts(again.items)).toEqual(['floor lamp'])
    await again.items.documents.insert({ id: 'flor', title: 'Flor' })
    await again.items.search('flor lamp', { context: { user: 'gil' } })
    await again.analytics.overview()
    expect(await texts(again.items)).toEqual(['flor lamp', 'floor lamp'])
  })

  it('complete once five users have searched for them, if they find something', async () => {
    const { items, analytics } = await shopIn(await temporaryFolder())
    const completed = async (text: string) => {
      // What is not written yet completes nothing.
      await analytics.overview()
      return (await items.complete(text, { kinds: ['query'] })).map(one => one.text)
    }
    for (const user of ['ann', 'bob', 'cyd', 'dan']) {
      await items.search('floor lamp', { context: { user } })
      await items.search('flute', { context: { user } })
    }
    for (let i = 0; i < 50; i++) await items.search('floozy', { context: { user: 'eve' } })
    expect(await completed('fl')).toEqual([])
    for (const text of ['floor lamp', 'flute']) await items.search(text, { context: { user: 'eve' } })
    expect(await completed('Fl')).toEqual(['floor lamp'])
    expect(await completed('flo')).toEqual(['floor lamp'])
    const [query, title] = await items.complete('floor', { kinds: ['query', 'title'] })
    expect(query).toEqual({
      text: 'floor lamp',
      kind: 'query',
      ranges: [{ start: 0, end: 5 }],
      corrected: false,
    })
    expect(title).toMatchObject({ text: 'Floor lamp', kind: 'title' })
    expect(await items.complete('fl', { kinds: ['query'], visible: { title: 'Desk lamp' } })).toEqual([])
  })

  it('are not made more popular by one user who repeats', async () => {
    const { items, analytics } = await shopIn(await temporaryFolder())
    for (const user of ['ann', 'bob', 'cyd', 'dan', 'eve', 'fay']) {
      await items.search('desk lamp', { context: { user } })
      if (user !== 'fay') await items.search('desk', { context: { user } })
    }
    for (let i = 0; i < 200; i++) await items.search('desk', { context: { user: 'ann' } })
    await analytics.overview()
    const found = await items.complete('desk', { kinds: ['query'] })
    expect(found.map(({ text }) => text)).toEqual(['desk lamp', 'desk'])
  })

  it('are no kind of completion without analytics', async () => {
    const engine = await openEngine()
    const items = await engine.datasets.create('items')
    expect(await codeOf(() => items.complete('la', { kinds: ['query'] }))).toBe('ANALYTICS_OFF')
  })
})

describe('a store whose mode becomes counts', () => {
  it.each(['closed', 'killed'] as const)('forgets the texts that few have typed: %s before', async end => {
    const store = await temporaryFolder()
    const first = await shopIn(store, { analytics: { mode: 'full' } })
    await first.items.search('wvqxjkz secret', { context: { user: 'ann' } })
    for (const user of ['ann', 'bob', 'cyd', 'dan', 'eve'])
      await first.items.search('lamp', { context: { user } })
    expect(await textsOf(first)).toEqual(['lamp: 5', 'wvqxjkz secret: 1'])
    let folder = store
    if (end === 'killed') {
      folder = join(await temporaryFolder(), 'copy')
      await cp(store, folder, { recursive: true })
      // It was open, and is not any more.
      await rm(join(folder, 'LOCK'), { force: true })
    }
    await first.engine.close()
    const shop = await shopIn(folder)
    expect((await shop.analytics.overview()).calls).toBe(6)
    expect(await textsOf(shop)).toEqual([])
    expect(await shop.items.complete('wvq', { kinds: ['query'] })).toEqual([])
    await shop.engine.close()
    expect(await hasBytes(folder, 'wvqxjkz')).toBe(false)
  })
})

describe('erasing a user', () => {
  it('leaves no byte of a text that nobody else has typed', async () => {
    const store = await temporaryFolder()
    const shop = await shopIn(store, { analytics: { mode: 'full' } })
    await shop.items.search('wvqxjkz secret', { context: { user: 'ann' } })
    await shop.analytics.overview()
    await shop.analytics.erase({ user: 'ann' })
    await shop.engine.close()
    expect(await hasBytes(store, 'wvqxjkz')).toBe(false)
  })

  it('forgets a text of which fewer than five others are left, and completes it no more', async () => {
    const shop = await shopIn(await temporaryFolder())
    for (const user of ['ann', 'bob', 'cyd', 'dan', 'eve'])
      await shop.items.search('desk lamp', { context: { user } })
    expect(await textsOf(shop)).toEqual(['desk lamp: 5'])
    await shop.analytics.erase({ user: 'ann' })
    expect((await shop.analytics.overview()).calls).toBe(4)
    expect(await textsOf(shop)).toEqual([])
    expect(await shop.items.complete('des', { kinds: ['query'] })).toEqual([])
  })
})

describe('what is forgotten with a user, since too few others are left', () => {
  const others = Array.from({ length: 12 }, (_, i) => `k${i}`)
  const few = ['ann', 'bob', 'cyd', 'dan', 'eve']

  it('is no condition and no text of others that is written alike', async () => {
    const store = memoryDatabase()
    const { items, analytics, engine } = await shopIn(store)
    await items.documents.upsert({ id: 'p3', title: 'Oak', brand: 'Zyx' })
    for (const user of others) {
      const context = { user }
      await items.search('red', { context, facets: ['title'], filter: 'title:red' })
      await items.search('lamp', { context, filter: { title: 'Red' } })
    }
    for (const user of few) {
      const context = { user }
      await items.search('desk', { context, facets: ['brand'], filter: { title: 'red' } })
      await items.search('lamp', { context, filter: { title: 'VX100' } })
      await items.complete('red', { context })
    }
    const filters = async () =>
      (await analytics.filters()).rows.map(({ kind, field, value, calls }) => [kind, field, value, calls])
    expect(await filters()).toHaveLength(6)
    // From the fifth user on.
    const left = [
      ['facet', 'title', null, 8],
      ['filter', '', 'title:red', 8],
      ['filter', 'title', 'Red', 8],
    ]
    await analytics.erase({ user: 'ann' })
    expect((await filters()).sort()).toEqual(left)
    expect(await textsOf({ analytics })).toEqual(['lamp: 16', 'red: 12'])
    const rows = (await collected(analytics.export({ format: 'jsonl' }))).join('')
    expect(rows.split('"text":"red"')).toHaveLength(9)
    // What is stored of the calls is what was counted, so that it can be taken away again.
    for (const user of others) await analytics.erase({ user })
    expect(await filters()).toEqual([])
    await engine.close()
    expect(await isStored(store, /VX100|title/)).toBe(false)
  })

  it('is not stored again as what the others had searched for before', async () => {
    const store = memoryDatabase()
    const { items, analytics, engine } = await shopIn(store)
    for (const user of others) await items.search('lamp', { context: { user } })
    for (const user of few) await items.search('wvqxjkz', { context: { user } })
    await analytics.overview()
    await analytics.erase({ user: 'ann' })
    for (const user of few.slice(1)) await items.search('lamp', { context: { user } })
    expect(await textsOf({ analytics })).toEqual(['lamp: 16'])
    expect((await analytics.queries()).rows[0]?.next).toEqual([])
    await engine.close()
    expect(await isStored(store, /wvqxjkz/)).toBe(false)
  })
})

describe('erasing a text', () => {
  it('leaves no byte of a completion that was clicked', async () => {
    const store = await temporaryFolder()
    const { items, analytics } = await shopIn(store, { analytics: { mode: 'full' } })
    await items.documents.upsert({ id: 'p3', title: 'Wvqxjkz lamp' })
    const found = await items.complete('wvq', { context: { user: 'ann' } })
    await analytics.event({ type: 'click', queryId: found.queryId ?? '', id: 'Wvqxjkz lamp' })
    await analytics.overview()
    await items.documents.delete('p3')
    await analytics.erase({ text: 'wvqxjkz lamp' })
    const rows = []
    for await (const part of analytics.export({ format: 'jsonl' })) rows.push(part)
    expect(rows.join('')).not.toContain('xjkz lamp')
    expect(rows.join('')).toContain('click')
  })

  it('reaches it in every form that counts as the same', async () => {
    const shop = await shopIn(await temporaryFolder(), { analytics: { mode: 'full' } })
    for (const text of ['caf\u00e9 au lait', 'CAFE\u0301  au\tlait'])
      await shop.items.search(text, { context: { user: 'ann' } })
    expect(await textsOf(shop)).toEqual(['caf\u00e9 au lait: 2'])
    await shop.analytics.erase({ text: 'Caf\u00e9 au  lait' })
    expect(await textsOf(shop)).toEqual([])
  })
})

describe('what is done with an answer while it is erased', () => {
  /** Erases, and does something else as soon as that is about to write what it has changed. */
  async function erasing(
    what: AnalyticsErasure,
    ask: (items: Dataset) => Promise<{ queryId?: string | undefined }>,
    event: Pick<AnalyticsEvent, 'id'>,
  ) {
    let [written, meanwhile] = [Number.NaN, async () => {}]
    const store = waitingDatabase({
      batch: async () => {
        if (written++ === 1) await meanwhile()
      },
    })
    const { items, analytics } = await shopIn('', { store, analytics: { mode: 'full' } })
    const { queryId = '' } = await ask(items)
    await analytics.overview()
    const send = (type: 'click' | 'view') =>
      analytics.event({ ...event, type, queryId, user: 'bob' }).catch(({ code }) => code)
    let told: Promise<unknown> | undefined
    meanwhile = async () => {
      told = send('click')
      await pause(20)
    }
    written = 0
    await analytics.erase(what)
    return {
      analytics,
      told: [await told, await send('view')],
      rows: (await collected(analytics.export({ format: 'jsonl' }))).join(''),
    }
  }

  const searched = async (items: Dataset) => {
    const answer = await items.search('wvqxjkz lamp', { context: { user: 'ann' } })
    await items.search('desk', { context: { user: 'ann' } })
    return answer
  }

  it('is counted without its text', async () => {
    const { analytics, told, rows } = await erasing({ text: 'wvqxjkz lamp' }, searched, { id: 'p1' })
    expect(told).toEqual([{ counted: true }, { counted: true }])
    expect(rows).not.toContain('wvqxjkz')
    expect((await analytics.queries()).rows.map(({ text }) => text)).toEqual(['desk'])
    expect(await analytics.overview()).toMatchObject({ calls: 2, clicks: 1, views: 1 })
  })

  it('is refused where the call is gone', async () => {
    const { analytics, told, rows } = await erasing({ user: 'ann' }, searched, { id: 'p1' })
    expect(told).toEqual(['QUERY_ID_UNKNOWN', 'QUERY_ID_UNKNOWN'])
    expect(rows).toBe('')
    expect(await analytics.overview()).toMatchObject({ calls: 0, clicks: 0, views: 0 })
  })

  it('is refused where it was a completion of that text', async () => {
    const completed = (items: Dataset) => items.complete('des', { context: { user: 'ann' } })
    const { told, rows } = await erasing({ text: 'desk lamp' }, completed, { id: 'Desk lamp' })
    expect(told).toEqual(['EVENT_REFUSED', 'EVENT_REFUSED'])
    expect(rows).not.toContain('Desk lamp')
  })
})

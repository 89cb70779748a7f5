import { join } from 'node:path'
import { Engine, type EngineOptions } from 'findling'
import { describe, expect, it } from 'vitest'
import { FaultyLevel } from '../contract/faulty-level.ts'
import { codeOf, collected, expectHealthy, openEngine, temporaryFolder } from '../engine/engines.ts'
import { hasBytes } from './folder-bytes.ts'

const [HOUR, DAY] = [3_600_000, 86_400_000]
const start = Date.UTC(2026, 5, 10, 12)

class Shop {
  engine!: Engine
  now = start
  readonly store: string
  readonly #more: Partial<EngineOptions>

  constructor(store: string, more: Partial<EngineOptions> = {}) {
    this.store = store
    this.#more = more
  }

  async open(): Promise<this> {
    this.engine = await openEngine({
      store: this.store,
      analytics: { mode: 'full' },
      clock: () => this.now,
      ...this.#more,
    })
    return this
  }

  async create(name: string) {
    const items = await this.engine.datasets.create(name, { interpretedFields: ['title'] })
    await items.documents.insert({ id: 'p1', title: 'Lamp' })
    return items
  }

  async calls(dataset?: string): Promise<number> {
    return (await this.engine.analytics.overview({ dataset, to: 1e14 })).calls
  }
}

const newShop = async (more?: Partial<EngineOptions>) => await new Shop(await temporaryFolder(), more).open()

describe('a store that has failed', () => {
  it('is closed although calls since then cannot be written', async () => {
    const store = new FaultyLevel()
    const warnings: string[] = []
    const logger = { warn: (_: object, message: string) => void warnings.push(message), error() {} }
    const engine = await Engine.open({ store, analytics: { mode: 'full' }, logger })
    const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
    store.failNext = new Error('No space left on device')
    expect(await codeOf(() => items.documents.insert({ id: 'p1', title: 'Lamp' }))).toBe('STORE_FAILED')
    await items.search('lamp')
    await engine.close()
    expect(warnings).toContainEqual(expect.stringContaining('could not be written'))
  })
})

describe('what was asked of a dataset', () => {
  it('keeps to its data when it is renamed or swapped, and events find it there', async () => {
    const shop = await newShop()
    const { engine } = shop
    const one = await shop.create('one')
    const two = await shop.create('two')
    const { queryId = '' } = await one.search('lamp one')
    await two.search('lamp two')
    await two.search('lamp two')
    await engine.datasets.rename('one', 'first')
    expect([await shop.calls('first'), await shop.calls('two')]).toEqual([1, 2])
    await engine.datasets.swap('first', 'two')
    expect([await shop.calls('first'), await shop.calls('two')]).toEqual([2, 1])
    expect(await engine.analytics.event({ type: 'click', queryId, id: 'p1' })).toEqual({ counted: true })
    expect(await engine.analytics.overview({ dataset: 'two' })).toMatchObject({ calls: 1, clicks: 1 })
    await engine.close()
    await shop.open()
    expect([await shop.calls('first'), await shop.calls('two'), await shop.calls()]).toEqual([2, 1, 3])
  })

  it('is gone when it is removed, with what was not written yet, and no byte of it is left', async () => {
    const shop = await newShop()
    const one = await shop.create('one')
    const two = await shop.create('two')
    const { queryId = '' } = await one.search('wvqxjkz')
    await shop.calls()
    await one.search('wvqxjkz again')
    await two.search('lamp')
    await shop.engine.datasets.remove('one')
    const event = { type: 'click', queryId, id: 'p1' } as const
    await expect(shop.engine.analytics.event(event)).rejects.toMatchObject({ code: 'QUERY_ID_UNKNOWN' })
    expect(await shop.calls()).toBe(1)
    const again = await shop.create('one')
    expect(await shop.calls('one')).toBe(0)
    await again.search('lamp')
    expect(await shop.calls('one')).toBe(1)
    await expectHealthy(shop.engine)
    await shop.engine.close()
    await shop.open()
    expect([await shop.calls('one'), await shop.calls()]).toEqual([1, 2])
    await expectHealthy(shop.engine)
  })

  it('is in backups, with which events of before still count once', async () => {
    const shop = await newShop()
    const items = await shop.create('items')
    const { queryId = '' } = await items.search('lamp', { context: { user: 'ann' } })
    await shop.engine.analytics.event({ type: 'click', queryId, id: 'p1' })
    // What was answered less than a second ago is in it, too, once it was asked for.
    await shop.calls()
    const [backup, folder] = [join(shop.store, '..', 'backup'), join(shop.store, '..', 'restored')]
    const place = await temporaryFolder()
    await shop.engine.backup(join(place, backup.split('/').at(-1)!))
    await Engine.restore(join(place, 'backup'), join(place, folder.split('/').at(-1)!))
    const restored = await new Shop(join(place, 'restored')).open()
    expect(await restored.engine.analytics.overview()).toMatchObject({
      calls: 1,
      clicks: 1,
      users: { count: 1 },
    })
    expect(await restored.engine.analytics.event({ type: 'click', queryId, id: 'p1' })).toEqual({
      counted: false,
    })
    // The same user is the same user.
    await restored.engine.datasets.get('items').search('lamp', { context: { user: 'ann' } })
    expect((await restored.engine.analytics.overview()).users).toEqual({ count: 1, exact: true })
  })

  it('is no change of the data', async () => {
    const shop = await newShop()
    const items = await shop.create('items')
    const version = await items.version()
    const before = await collected(items.documents.changes())
    for (let i = 0; i < 10; i++) await items.search('lamp')
    await shop.calls()
    expect(await collected(items.documents.changes())).toEqual(before)
    expect(await items.version()).toBe(version)
    await expectHealthy(shop.engine)
  })

  it('is exported row by row, as CSV that no table program takes for formulas', async () => {
    const shop = await newShop()
    const items = await shop.create('items')
    const { queryId = '' } = await items.search('=cmd|"lamp", or', {
      context: { user: 'ann', tags: ['web'], key: 'shop' },
    })
    shop.now += HOUR
    const { queryId: other = '' } = await items.search('lamp')
    await shop.engine.analytics.event({ type: 'conversion', queryId: other, id: 'p1', value: 12.5 })
    const text = async (options: Parameters<typeof shop.engine.analytics.export>[0]) =>
      (await collected(shop.engine.analytics.export(options))).join('')
    const rows = (await text({ format: 'jsonl' }))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(rows).toMatchObject([
      { at: start, type: 'search', text: '=cmd|"lamp", or', key: 'shop', tags: ['web'], queryId },
      { at: start + HOUR, type: 'search', text: 'lamp', total: 1, shown: 1, queryId: other },
      { type: 'conversion', queryId: other, id: 'p1', position: 1, value: 12.5, text: 'lamp' },
    ])
    expect(new Set(rows.map(row => Object.keys(row).join())).size).toBe(1)
    const csv = (await text({ format: 'csv' })).split('\r\n')
    expect(csv[0]).toBe(Object.keys(rows[0]).join())
    expect(csv[1]).toContain(`,"'=cmd|""lamp"", or",`)
    expect(csv).toHaveLength(5)
    const others = csv[0]!.split(',').filter(name => name !== 'queryId')
    const without = (await text({ format: 'csv', queryIds: false })).split('\r\n')
    expect([without[0], without.length]).toEqual([others.join(), csv.length])
    expect(without.join()).not.toContain(queryId)
    expect(without[1]).toBe(csv[1]!.replace(`,${queryId},`, ','))
    const lines = (await text({ format: 'jsonl', queryIds: false })).trim().split('\n')
    expect(lines.map(line => JSON.parse(line))).toEqual(rows.map(({ queryId: _, ...row }) => row))
    const later = await text({ format: 'jsonl', from: start + 1, dataset: 'items' })
    expect(later.trim().split('\n')).toHaveLength(2)
    expect(await text({ format: 'jsonl', tag: 'app' })).toBe('')
  })
})

describe('retention', () => {
  it('drops what is too old, hour by hour and day by day, and keeps the rest', async () => {
    const shop = await newShop({ analytics: { mode: 'full', retention: { days: 30 } } })
    await shop.create('items')
    const asked: number[] = []
    for (let day = 0; day < 60; day += 3) {
      shop.now = start + day * DAY
      asked.push(shop.now)
      await shop.engine.datasets.get('items').search(`lamp ${day}`)
      await shop.calls()
      if (day % 9 === 0) {
        await shop.engine.close()
        await shop.open()
      }
      const kept = asked.filter(at => Math.floor(at / DAY) * DAY + DAY > shop.now - 30 * DAY)
      expect(await shop.calls()).toBe(kept.length)
    }
    const rows = (await collected(shop.engine.analytics.export({ format: 'jsonl' })))
      .join('')
      .trim()
      .split('\n')
    expect(rows.length).toBeLessThan(20)
    const series = await shop.engine.analytics.series({ per: 'hour', to: 1e14 })
    // Hours that are older than 14 days have become days.
    expect(series.map(({ per }) => per)).toEqual(
      series.map(({ at }) => (at < shop.now - 14 * DAY - DAY / 2 ? 'day' : 'hour')),
    )
    expect(new Set(series.map(({ per }) => per)).size).toBe(2)
  })

  it('drops the texts alone where these are kept for a shorter time', async () => {
    const shop = await newShop({ analytics: { mode: 'full', texts: { days: 5 } } })
    const items = await shop.create('items')
    await items.search('wvqxjkz', { context: { user: 'ann' } })
    await items.search('lamp', { context: { user: 'ann' } })
    await shop.calls()
    shop.now += 8 * DAY
    await items.search('lamp')
    expect(await shop.calls()).toBe(3)
    const { rows } = await shop.engine.analytics.queries({ to: 1e14 })
    expect(rows.map(({ text, calls }) => [text, calls])).toEqual([['lamp', 1]])
    const text = (await collected(shop.engine.analytics.export({ format: 'jsonl' }))).join('')
    expect(text).not.toContain('wvqxjkz')
    // No more than a compaction, which the database does when it likes, is left to do.
    await shop.engine.analytics.erase({ text: 'nothing' })
    await shop.engine.close()
    expect(await hasBytes(shop.store, 'wvqxjkz')).toBe(false)
  })

  it('drops the oldest calls where all together take too many bytes', async () => {
    const shop = await newShop({ analytics: { mode: 'full', retention: { bytes: 2 ** 20 } } })
    const items = await shop.create('items')
    const key = 'k'.repeat(200)
    for (let i = 0; i < 5_000; i++) {
      shop.now += 1_000
      await items.search(`lamp ${i % 50} ${'x'.repeat(100)}`, { context: { key, tags: ['t'.repeat(150)] } })
      if (i % 500 === 499) await shop.calls()
    }
    const rowsLeft = async () => {
      await items.search('lamp')
      return (await collected(shop.engine.analytics.export({ format: 'jsonl' }))).join('').split('\n').length
    }
    // They are dropped with what is written next.
    await expect.poll(rowsLeft, { interval: 500, timeout: 10_000 }).toBeLessThan(3_500)
    // What was counted of them is still there.
    expect(await shop.calls()).toBeGreaterThan(5_000)
  })
})

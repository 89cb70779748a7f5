import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CallEntry, EventEntry } from '../../src/analytics/model/entries.ts'
import { FrequentRows } from '../../src/analytics/model/frequent-rows.ts'
import { Calendar } from '../../src/analytics/model/hours-and-days.ts'
import { Latencies } from '../../src/analytics/model/latencies.ts'
import {
  filtersOf,
  hitFiguresOf,
  overviewOf,
  queriesOf,
  suggestionsOf,
} from '../../src/analytics/model/reports.ts'
import { MOST_KINDS, RollUp, sections, tableNames } from '../../src/analytics/model/roll-up.ts'
import { DistinctCount } from '../../src/counting/distinct-count.ts'
import { hashOf } from '../../src/counting/hash.ts'

const call = fc
  .record({
    n: fc.nat(),
    call: fc.constantFrom('search' as const, 'list' as const, 'completion' as const),
    tags: fc.constantFrom(undefined, ['web'], ['app', 'de']),
    service: fc.constantFrom(undefined, 's1'),
    took: fc.double({ min: 0, max: 1e4, noNaN: true }),
    user: fc.option(fc.nat(200), { nil: undefined }),
    text: fc.constantFrom(undefined, 'lamp', 'desk', '__proto__', 'a b'),
    previous: fc.constantFrom(undefined, 'lamp', 'constructor'),
    total: fc.nat(5),
    shown: fc.uniqueArray(fc.constantFrom('p1', 'p2', '3', '__proto__', 'p 4'), { maxLength: 4 }),
    asked: fc.constantFrom(
      undefined,
      [['filter', 'price', '< 5'] as const],
      [['facet', 'tag', null] as const],
    ),
    dropped: fc.constantFrom(undefined, ['cheap']),
  })
  .map(
    ({ call, tags, service, ...more }): CallEntry => ({
      ...{ ...more, at: 0, token: 'x', kind: { call, service, tags } },
    }),
  )

const event = fc
  .record({
    n: fc.nat(),
    of: fc.nat(),
    type: fc.constantFrom('click' as const, 'view' as const, 'conversion' as const),
    tags: fc.constantFrom(undefined, ['web']),
    id: fc.constantFrom('p1', 'p2', '__proto__'),
    place: fc.integer({ min: 1, max: 9 }),
    value: fc.nat(100),
    text: fc.constantFrom(undefined, 'lamp', 'desk'),
    previous: fc.constantFrom(undefined, 'lamp'),
    isFirst: fc.constantFrom(undefined, true as const),
  })
  .map(({ tags, ...more }): EventEntry => ({ ...more, at: 0, done: 0, kind: { call: 'search', tags } }))

const entries = fc.array(fc.oneof(call, event), { maxLength: 60 })

const counted = (list: readonly (CallEntry | EventEntry)[], rollUp = new RollUp()) => {
  for (const entry of list) {
    if ('of' in entry) rollUp.addEvent(entry)
    else rollUp.addCall(entry)
  }
  return rollUp
}

/** Everything that can be told of a roll-up. */
function told(rollUp: RollUp) {
  const all = new RollUp()
  all.mergeAlike(rollUp, () => true, sections)
  return rounded({
    overview: overviewOf(all.calls[0], all.isCrowded, 0),
    queries: queriesOf(all, 'top', 1000),
    hits: hitFiguresOf(all, 'seen', 1000),
    filters: filtersOf(all, 1000),
    suggestions: suggestionsOf(all, 'items', { atLeast: 1, limit: 1000 }),
    searches: (() => {
      const some = new RollUp()
      some.mergeAlike(rollUp, ({ call, tags }) => call === 'search' && (tags?.includes('web') ?? false), [
        'texts',
      ])
      return queriesOf(some, 'top', 1000)
    })(),
  })
}

/** Sums in another order differ in their last digits. */
const rounded = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, one) => (typeof one === 'number' ? Number(one.toPrecision(9)) : one)))

const again = (rollUp: RollUp) =>
  RollUp.of(Object.fromEntries(sections.map(section => [section, rollUp.stored(section)])))

describe('roll-ups', () => {
  it('that are added equal one that has counted everything, stored in between or not', () => {
    fc.assert(
      fc.property(fc.array(entries, { minLength: 1, maxLength: 5 }), fc.boolean(), (parts, isStored) => {
        const sum = new RollUp()
        for (const part of parts) {
          const one = counted(part)
          sum.merge(isStored ? again(one) : one)
        }
        const all = counted(parts.flat())
        expect(told(isStored ? again(sum) : sum)).toEqual(told(all))
      }),
      { numRuns: 60 },
    )
  })

  it('are as before once something was counted and taken away again', () => {
    fc.assert(
      fc.property(entries, fc.array(call, { maxLength: 10 }), (kept, gone) => {
        const bare = gone.map(({ user: _, ...entry }) => entry)
        const rollUp = counted(bare, counted(kept))
        for (const entry of bare) rollUp.addCall(entry, -1)
        rollUp.eraseEmpty()
        const before = counted(kept)
        before.eraseEmpty()
        expect(told(rollUp)).toEqual(told(before))
      }),
      { numRuns: 60 },
    )
  })

  it('tell when more kinds of calls came than they tell apart, and still count each call', () => {
    const rollUp = new RollUp()
    const one = { n: 0, at: 0, took: 1, token: 'x', total: 1, shown: [] }
    for (let i = 0; i < 10 * MOST_KINDS; i++)
      rollUp.addCall({ ...one, kind: { call: 'search', service: `s${i}`, tags: [`t${i}`] } })
    expect(rollUp.calls.length).toBeLessThanOrEqual(2 * MOST_KINDS + 2)
    const { calls, exact } = told(rollUp).overview
    expect([calls, exact]).toEqual([10 * MOST_KINDS, false])
  })

  it('are as large as they may be, and no larger, whatever is asked', () => {
    const rollUp = new RollUp(100)
    for (let i = 0; i < 20_000; i++) {
      const text = i % 4 === 0 ? 'lamp' : `rare ${i}`
      rollUp.addCall({
        ...{
          n: i,
          at: 0,
          took: i % 100,
          token: 'x',
          kind: { call: 'search' },
          user: hashOf(`u${i}`),
          total: 1,
        },
        ...{
          text,
          previous: `before ${i}`,
          shown: [`p${i}`],
          dropped: [`word ${i}`],
          asked: [['filter', 'f', `${i}`]],
        },
      })
    }
    for (const name of tableNames) expect(rollUp.table(name).size).toBeLessThanOrEqual(200)
    expect(rollUp.stored('calls').length).toBeLessThan(40_000)
    const { queries, overview } = told(rollUp)
    const [first] = queries.rows
    expect(first.text).toBe('lamp')
    expect([first.calls, queries.exact]).toEqual([5000, false])
    expect(overview.users.exact).toBe(false)
    expect(overview.users.count).toBeGreaterThan(0.88 * 20_000)
    expect(overview.users.count).toBeLessThan(1.12 * 20_000)
  })
})

describe('frequent rows', () => {
  it('miss no more than they say, and nothing while there are few', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(2), fc.integer({ min: 0, max: 60 })), { maxLength: 400 }),
        fc.integer({ min: 2, max: 40 }),
        (things, most) => {
          const rows = new FrequentRows(1, most)
          const naive = new Map<string, number>()
          for (const [group, name] of things) {
            rows.of(group, `t${name ** 2 % 61}`, 1)[0]! += 1
            const key = `${group} t${name ** 2 % 61}`
            naive.set(key, (naive.get(key) ?? 0) + 1)
          }
          const found = new Map([...rows].map(([group, name, [count = 0]]) => [`${group} ${name}`, count]))
          expect(rows.size).toBe(found.size)
          expect(rows.size).toBeLessThanOrEqual(2 * most)
          if (naive.size <= 2 * most) expect([rows.missed, found]).toEqual([0, naive])
          for (const [key, count] of naive) {
            expect(found.get(key) ?? 0).toBeLessThanOrEqual(count)
            expect((found.get(key) ?? 0) + rows.missed).toBeGreaterThanOrEqual(count)
          }
        },
      ),
    )
  })
})

describe('latencies', () => {
  it('have their quantiles within 2 %, those of two added, too', () => {
    const times = fc.array(fc.double({ min: 0.002, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(times, times, (some, others) => {
        const sum = Latencies.of([])
        for (const list of [some, others]) {
          const one = new Latencies()
          for (const time of list) one.add(time)
          sum.merge(Latencies.of(one.stored))
        }
        const sorted = [...some, ...others].sort((a, b) => a - b)
        for (const share of [0.5, 0.95, 0.99]) {
          const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1]!
          expect(Math.abs(sum.quantile(share)! / exact - 1)).toBeLessThan(0.0201)
        }
      }),
    )
    expect(new Latencies().quantile(0.5)).toBeNull()
  })
})

describe('counts of different things', () => {
  it('that are added are those of all, exact while there are few', () => {
    const things = fc.array(fc.nat(400), { maxLength: 300 })
    fc.assert(
      fc.property(things, things, (some, others) => {
        const counts = [some, others].map(list => {
          const count = new DistinctCount(128)
          for (const one of list) count.add(`u${one}`)
          return DistinctCount.of(128, count.stored)
        })
        const all = new DistinctCount(128)
        for (const one of [...some, ...others]) all.add(`u${one}`)
        counts[0]!.merge(counts[1]!)
        const distinct = new Set([...some, ...others]).size
        const { count, exact } = counts[0]!.result
        if (exact) expect(count).toBe(distinct)
        else expect(Math.abs(count / distinct - 1)).toBeLessThan(0.4)
        if (distinct <= 128) expect(exact).toBe(true)
        if (all.result.exact) expect(all.result.count).toBe(distinct)
      }),
    )
  })
})

describe('hours and days', () => {
  it.each([
    ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Sydney'],
    ...['America/Sao_Paulo', 'Africa/Cairo', 'Asia/Beirut', 'Pacific/Apia', 'America/Havana'],
  ])('begin when clocks say so in %s', timeZone => {
    const calendar = new Calendar(timeZone)
    const date = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
    const hour = new Intl.DateTimeFormat('en', { timeZone, hour: 'numeric', hourCycle: 'h23' })
    const moments = fc.integer({ min: Date.UTC(2005, 0), max: Date.UTC(2030, 0) })
    fc.assert(
      fc.property(moments, at => {
        const day = calendar.dayOf(at)
        expect([date.format(day), day <= at]).toEqual([date.format(at), true])
        expect(date.format(day - 1)).not.toBe(date.format(at))
        const begun = calendar.hourOf(at)
        expect([at - begun < 3_600_000, begun <= at]).toEqual([true, true])
        expect([calendar.hourOf(begun), hour.format(begun)]).toEqual([begun, hour.format(at)])
      }),
      { numRuns: 150 },
    )
  })

  it('have 23 and 25 hours where clocks are changed', () => {
    const calendar = new Calendar('Europe/Berlin')
    const hours = (year: number, month: number, day: number) => {
      const noon = Date.UTC(year, month - 1, day, 11)
      const start = calendar.dayOf(noon)
      return (calendar.dayOf(noon + 86_400_000) - start) / 3_600_000
    }
    expect([hours(2026, 3, 29), hours(2026, 10, 25), hours(2026, 6, 1)]).toEqual([23, 25, 24])
  })
})

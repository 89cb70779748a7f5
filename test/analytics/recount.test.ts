import fc from 'fast-check'
import type { AnalyticsOptions, AnalyzedCall, Dataset, Engine } from 'findling'
import { Engine as Engines } from 'findling'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../engine/engines.ts'

const DAY = 86_400_000
const texts = ['Lamp', 'lamp ', 'LMAP', 'violin', 'desk lamp', 'floor', 'lamp nosuchword']
const users = ['ann', 'bob', 'cyd', undefined]
const tags = [[], ['web'], ['app', 'de'], ['web', 'de']]

interface Call {
  at: number
  call: AnalyzedCall
  text: string
  user: string | undefined
  tags: readonly string[]
  ids: string[]
  total: number
  isCorrected: boolean
  isRelaxed: boolean
  queryId: string
  /** In the order in which they came. */
  events: { type: string; id: string; value: number }[]
}

/** Everything that was asked, one by one. */
class Recount {
  calls: Call[] = []

  /** Of calls of one kind, as an overview tells it. */
  overview(call: AnalyzedCall, tag?: string, dayOf?: (at: number) => boolean) {
    const meant = this.calls.filter(
      one => one.call === call && (!tag || one.tags.includes(tag)) && (!dayOf || dayOf(one.at)),
    )
    return { ...figures(meant), users: new Set(meant.flatMap(({ user }) => user ?? [])).size }
  }

  queries() {
    const byText = new Map<string, Call[]>()
    for (const one of this.calls) {
      if (one.call !== 'search') continue
      const text = one.text.trim().toLowerCase()
      byText.set(text, [...(byText.get(text) ?? []), one])
    }
    return [...byText]
      .map(([text, calls]) => ({
        text,
        ...figures(calls),
        withFew: calls.filter(({ total }) => total > 0 && total <= 3).length,
      }))
      .sort((a, b) => b.calls - a.calls || (a.text < b.text ? -1 : 1))
  }

  hits() {
    const shown = new Map<string, { shown: number; clicks: number }>()
    for (const { call, ids, events } of this.calls) {
      if (call !== 'search') continue
      for (const id of ids) shown.set(id, { shown: 0, clicks: 0, ...shown.get(id) })
      for (const id of ids) shown.get(id)!.shown++
      for (const { type, id } of events) if (type === 'click') shown.get(id)!.clicks++
    }
    return Object.fromEntries([...shown].sort())
  }
}

function figures(calls: readonly Call[]) {
  const clicks = calls.flatMap(({ events, ids }) =>
    events.filter(({ type }) => type === 'click').map(({ id }) => ids.indexOf(id) + 1),
  )
  const firsts = calls.flatMap(({ events, ids }) =>
    events
      .filter(({ type }) => type === 'click')
      .slice(0, 1)
      .map(({ id }) => 1 / (ids.indexOf(id) + 1)),
  )
  const conversions = calls.flatMap(({ events }) => events.filter(({ type }) => type === 'conversion'))
  const mean = (numbers: number[]) =>
    numbers.length > 0 ? numbers.reduce((sum, one) => sum + one, 0) / numbers.length : null
  return {
    calls: calls.length,
    withoutHits: calls.filter(({ total }) => total === 0).length,
    corrected: calls.filter(({ isCorrected }) => isCorrected).length,
    relaxed: calls.filter(({ isRelaxed }) => isRelaxed).length,
    clicked: firsts.length,
    clicks: clicks.length,
    views: calls.flatMap(({ events }) => events.filter(({ type }) => type === 'view')).length,
    conversions: conversions.length,
    value: conversions.reduce((sum, { value }) => sum + value, 0),
    meanPlace: near(mean(clicks)),
    meanReciprocalRank: near(mean(firsts)),
  }
}

const near = (number: number | null) => (number === null ? null : expect.closeTo(number, 9))

type Step =
  | { do: 'ask'; text: number; user: number; tags: number; call: 'search' | 'complete' | 'list' }
  | { do: 'event'; call: number; place: number; type: 'click' | 'conversion' | 'view' }
  | { do: 'step'; by: number }
  | { do: 'restart' }
  | { do: 'check' }

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('ask' as const),
        text: fc.nat(texts.length - 1),
        user: fc.nat(users.length - 1),
        tags: fc.nat(tags.length - 1),
        call: fc.constantFrom('search' as const, 'search' as const, 'complete' as const, 'list' as const),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('event' as const),
        call: fc.nat(200),
        place: fc.nat(3),
        type: fc.constantFrom('click' as const, 'click' as const, 'conversion' as const, 'view' as const),
      }),
    },
    {
      weight: 3,
      // Within an hour, some hours, and so far that hours become days; back as well.
      arbitrary: fc.record({
        do: fc.constant('step' as const),
        by: fc.constantFrom(60_000, 3_600_000, -3_600_000, DAY, -2 * DAY, 5 * DAY, 20 * DAY, -30 * DAY),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('check' as const) }) },
  ),
  { minLength: 20, maxLength: 60 },
)

class Shop {
  now = Date.UTC(2026, 2, 27, 22, 30)
  readonly recount = new Recount()
  engine!: Engine
  items!: Dataset
  readonly #store: string
  readonly #analytics: AnalyticsOptions

  constructor(store: string, analytics: AnalyticsOptions) {
    this.#store = store
    this.#analytics = analytics
  }

  async open() {
    this.engine = await Engines.open({
      store: this.#store,
      durability: 'process',
      analytics: this.#analytics,
      clock: () => this.now,
    })
    if (!this.engine.datasets.has('items')) {
      this.items = await this.engine.datasets.create('items', { interpretedFields: ['title'], relax: true })
    }
    this.items = this.engine.datasets.get('items')
  }

  async take(step: Step) {
    const { engine, items, recount } = this
    if (step.do === 'restart') {
      await engine.close()
      await this.open()
    } else if (step.do === 'step') this.now += step.by
    else if (step.do === 'ask') await this.#ask(step, items)
    else if (step.do === 'event') await this.#event(step)
    else await this.check(recount)
  }

  async #ask(step: Step & { do: 'ask' }, items: Dataset) {
    const text = texts[step.text]!
    const user = users[step.user]
    const context = { user, tags: tags[step.tags]! }
    const common = { at: this.now, text, user, tags: tags[step.tags]!, events: [] }
    const { calls } = this.recount
    if (step.call === 'search') {
      const { hits, total, words, relaxed, queryId = '' } = await items.search(text, { context, limit: 5 })
      calls.push({
        ...{ ...common, call: 'search', queryId, ids: hits.map(({ id }) => id), total: total.count },
        isCorrected: words.some(({ suggestion }) => suggestion !== undefined),
        isRelaxed: (relaxed?.length ?? 0) > 0,
      })
    } else if (step.call === 'list') {
      const { hits, total, queryId = '' } = await items.filter({}, { context, limit: 3 })
      const ids = hits.map(({ id }) => id)
      calls.push({
        ...common,
        call: 'list',
        queryId,
        ids,
        total: total.count,
        isCorrected: false,
        isRelaxed: false,
      })
    } else {
      const found = await items.complete(text, { context })
      const ids = found.map(one => one.text)
      const { queryId = '' } = found
      calls.push({
        ...common,
        call: 'completion',
        queryId,
        ids,
        total: ids.length,
        isCorrected: false,
        isRelaxed: false,
      })
    }
  }

  async #event({ call, place, type }: Step & { do: 'event' }) {
    const one = this.recount.calls[call % Math.max(1, this.recount.calls.length)]
    const id = one?.ids[place]
    if (!one || id === undefined) return
    const value = type === 'conversion' ? 10 * (place + 1) : undefined
    const event = { type, queryId: one.queryId, id, value }
    const isKnown = one.events.some(event => event.type === type && event.id === id)
    if (this.now - one.at > 7 * DAY) {
      await expect(this.engine.analytics.event(event)).rejects.toMatchObject({ code: 'QUERY_ID_UNKNOWN' })
      return
    }
    expect(await this.engine.analytics.event(event)).toEqual({ counted: !isKnown })
    if (!isKnown) one.events.push({ type, id, value: value ?? 0 })
  }

  async check(recount: Recount) {
    const { analytics } = this.engine
    const to = Number.MAX_SAFE_INTEGER / 1e3
    for (const call of ['search', 'list', 'completion'] as const) {
      for (const tag of [undefined, 'web', 'de']) {
        const {
          users,
          shares: _,
          latency: __,
          exact,
          lost,
          ...counted
        } = await analytics.overview({ call, tag, to })
        const { users: distinct, ...expected } = recount.overview(call, tag)
        expect({ ...counted, call, tag }).toEqual({ ...expected, call, tag })
        expect([users.count, users.exact, exact, lost]).toEqual([distinct, true, true, 0])
      }
    }
    const { rows, exact } = await analytics.queries({ limit: 1000, to })
    expect(exact).toBe(true)
    expect(rows.map(({ next: _, meanTotal: __, ...row }) => row)).toEqual(recount.queries())
    const { rows: hits } = await analytics.hits({ limit: 1000, to })
    expect(Object.fromEntries(hits.map(({ id, shown, clicks }) => [id, { shown, clicks }]).sort())).toEqual(
      recount.hits(),
    )
    const series = await analytics.series({ per: 'day', to })
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: this.#analytics.timeZone,
      dateStyle: 'short',
    })
    const days = new Map<string, number>()
    for (const { at, call } of recount.calls)
      if (call === 'search') days.set(format.format(at), (days.get(format.format(at)) ?? 0) + 1)
    expect(series.map(({ at, calls }) => [format.format(at), calls])).toEqual([...days].sort())
    for (const { at } of series) expect(format.format(at - 1)).not.toBe(format.format(at))
  }
}

describe('what is counted', () => {
  it.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Pacific/Auckland'])(
    'is what a recount of everything gives, whatever comes, in %s',
    async timeZone => {
      await fc.assert(
        fc.asyncProperty(steps, async given => {
          const shop = new Shop(await temporaryFolder(), {
            mode: 'full',
            timeZone,
            retention: { days: 5000 },
          })
          await shop.open()
          await shop.items.documents.bulk(
            Array.from({ length: 6 }, (_, i) => ({
              id: `p${i}`,
              title: `${i % 2 ? 'Desk' : 'Floor'} lamp ${i}`,
            })),
          )
          try {
            for (const step of given) await shop.take(step)
            await shop.check(shop.recount)
            await shop.take({ do: 'restart' })
            await shop.check(shop.recount)
          } finally {
            await shop.engine.close()
          }
        }),
        { numRuns: 8 },
      )
    },
    60_000,
  )
})

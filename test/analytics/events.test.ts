import { type AnalyticsEvent, Engine, type EventType, type HitMeasure } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, failureOf, openEngine, temporaryFolder } from '../engine/engines.ts'

const DAY = 86_400_000

async function shop(analytics: object = { mode: 'full' }, store?: string) {
  let now = Date.UTC(2026, 5, 10, 12)
  const engine = await openEngine({
    ...(store !== undefined && { store }),
    analytics: analytics as never,
    clock: () => now,
  })
  const items = await engine.datasets.create('items', { interpretedFields: ['title'] })
  await items.documents.bulk(
    Array.from({ length: 150 }, (_, i) => ({
      id: `p${i}`,
      title: `Lamp number ${i}`,
      tag: i % 2 ? 'odd' : 'even',
    })),
  )
  const pass = (ms: number) => {
    now += ms
  }
  return { engine, items, analytics: engine.analytics, pass }
}

describe('an answer', () => {
  it('has a queryId of its own, and none without analytics', async () => {
    const { engine, items } = await shop()
    await items.classifier()
    const answers = [
      await items.search('lamp'),
      await items.search('lamp'),
      ...(await engine.searchMany([
        { dataset: 'items', query: 'lamp' },
        { dataset: 'items', query: 'violin' },
      ])),
      await items.filter({}),
      await items.complete('la'),
      await items.similar({ id: 'p1' }),
      await items.classify('lamp'),
    ]
    const ids = answers.map(({ queryId }) => queryId)
    expect(new Set(ids).size).toBe(8)
    for (const id of ids) expect(id).toMatch(/^[0-9a-z]+\.[0-9a-z]+\.[0-9a-z]{8,14}$/)
    // Whoever goes through a list meets its entries only.
    expect(Object.keys(answers[5]!)).not.toContain('queryId')
    const plain = await openEngine()
    const others = await plain.datasets.create('items')
    await others.documents.insert({ id: 'p1', title: 'Lamp' })
    for (const answer of [await others.search('lamp'), await others.filter({}), await others.complete('la')])
      expect('queryId' in answer).toBe(false)
  })

  it('of several searches counts once they are all answered', async () => {
    const { engine, analytics } = await shop()
    const searches = [
      { dataset: 'items', query: 'lamp' },
      { dataset: 'items', query: 'lamp', filter: 'nothing:(' },
    ]
    expect(await codeOf(() => engine.searchMany(searches))).toBe('QUERY_INVALID')
    expect((await analytics.overview()).calls).toBe(0)
    const [first, second] = await engine.searchMany(searches.slice(0, 1).concat(searches[0]!))
    for (const { queryId = '' } of [first!, second!])
      expect(await analytics.event({ type: 'click', queryId, id: first!.hits[0]!.id })).toEqual({
        counted: true,
      })
    expect(await analytics.overview()).toMatchObject({ calls: 2, clicks: 2 })
  })

  it('of a service counts for the service, by id and alias, also once it is removed', async () => {
    const { engine, items, analytics } = await shop()
    const service = await engine.services.create({ type: 'search', name: 'Shop', alias: 'shop' })
    await service.prepare({ dataset: 'items' })
    await service.activate()
    const { queryId = '', hits } = await service.search('lamp')
    await analytics.event({ type: 'click', queryId, id: hits[0]!.id })
    await items.search('lamp')
    expect(await analytics.overview({ service: 'shop' })).toMatchObject({ calls: 1, clicks: 1 })
    expect(await analytics.overview({ dataset: 'items' })).toMatchObject({ calls: 2, clicks: 1 })
    await service.remove()
    expect(await analytics.overview({ service: service.id })).toMatchObject({ calls: 1, clicks: 1 })
    expect(await analytics.overview({ service: 'shop' })).toMatchObject({ calls: 0 })
  })

  it.each([
    ['a user', { users: ['bot'] }, { user: 'bot' }],
    ['a tag', { tags: ['test'] }, { tags: ['web', 'test'] }],
    ['a key', { keys: ['monitor'] }, { key: 'monitor' }],
  ])('is not counted where %s is ignored', async (_, ignore, context) => {
    const { items, analytics } = await shop({ mode: 'full', ignore })
    expect('queryId' in (await items.search('lamp', { context }))).toBe(false)
    await items.search('lamp', { context: { user: 'ann', tags: ['web'], key: 'shop' } })
    expect((await analytics.overview()).calls).toBe(1)
  })
})

describe('an event', () => {
  it('counts once, however often and from whomever it comes, also after a restart', async () => {
    const store = await temporaryFolder()
    const first = await shop(undefined, store)
    const { hits, queryId = '' } = await first.items.search('lamp', { context: { user: 'ann' } })
    const click: AnalyticsEvent = { type: 'click', queryId, id: hits[2]!.id }
    const all = await Promise.all(Array.from({ length: 20 }, () => first.analytics.event(click)))
    expect(all.filter(({ counted }) => counted)).toHaveLength(1)
    expect(await first.analytics.event({ ...click, user: 'bob' })).toEqual({ counted: false })
    expect(await first.analytics.event({ ...click, type: 'conversion', value: 9.5 })).toEqual({
      counted: true,
    })
    await first.engine.close()
    const engine = await openEngine({
      store,
      analytics: { mode: 'full' },
      clock: () => Date.UTC(2026, 5, 10, 13),
    })
    expect(await engine.analytics.event(click)).toEqual({ counted: false })
    expect(await engine.analytics.event({ ...click, id: hits[0]!.id })).toEqual({ counted: true })
    expect(await engine.analytics.overview()).toMatchObject({
      ...{ calls: 1, clicked: 1, clicks: 2, conversions: 1, value: 9.5 },
      ...{ meanPlace: 2, meanReciprocalRank: 1 / 3 },
    })
  })

  it('is refused where it is forged', async () => {
    const { items, analytics, pass } = await shop()
    const { hits, queryId = '' } = await items.search('lamp', { limit: 3, offset: 4 })
    const [dataset, n, token] = queryId.split('.')
    const unknown = [
      '',
      'x',
      `${dataset}.${n}`,
      `${dataset}.${n}.${token}0`,
      `${dataset}.${Number(n) + 1}.${token}`,
      `9.${n}.${token}`,
      `${dataset}.-1.${token}`,
      `${dataset}.${n}.__proto__`,
      `${dataset}.zzzzzzzzzzzz.${token}`,
      '\ud83d.\ud83d.\ud83d',
    ]
    const id = hits[1]!.id
    for (const queryId of unknown)
      expect(await codeOf(() => analytics.event({ type: 'click', queryId, id }))).toBe('QUERY_ID_UNKNOWN')
    const refused = [{ id: 'p149x' }, { id, position: 1 }, { id, position: 7 }, { id: '__proto__' }]
    for (const one of refused)
      expect(await codeOf(() => analytics.event({ type: 'click', queryId, ...one }))).toBe('EVENT_REFUSED')
    const wrong = [
      ...[
        { position: 0 },
        { position: Number.NaN },
        { value: 3 },
        { type: 'buy' },
        { user: 'u'.repeat(201) },
      ],
      ...[{ queryId: 'q'.repeat(10_000_000) }, { other: 1 }, { id: 5 }],
    ]
    for (const one of wrong) {
      const event = { type: 'click', queryId, id, ...one } as never
      expect(await codeOf(() => analytics.event(event))).toBe('INVALID_ARGUMENT')
    }
    expect(await analytics.overview()).toMatchObject({ calls: 1, clicks: 0 })
    expect(await analytics.event({ type: 'click', queryId, id, position: 6 })).toEqual({ counted: true })
    pass(7 * DAY + 1)
    const { message } = await failureOf(() => analytics.event({ type: 'view', queryId, id }))
    expect(message).toContain('within the last 7 days')
  })

  it('of a long answer says where its document was shown, if that is not among the first', async () => {
    const { items, analytics } = await shop()
    const { hits, queryId = '' } = await items.search('lamp', { limit: 150 })
    const late = hits[120]!.id
    expect(await codeOf(() => analytics.event({ type: 'click', queryId, id: late }))).toBe('EVENT_REFUSED')
    const early = { type: 'click', queryId, id: late, position: 20 } as const
    expect(await codeOf(() => analytics.event(early))).toBe('EVENT_REFUSED')
    expect(await analytics.event({ type: 'click', queryId, id: late, position: 121 })).toEqual({
      counted: true,
    })
    expect((await analytics.overview()).meanPlace).toBe(121)
  })
})

describe('suggestions', () => {
  it('tell synonyms, missing products, stop words and pins, with what speaks for them', async () => {
    const { items, analytics } = await shop()
    for (const user of ['ann', 'bob', 'cyd']) {
      const context = { user }
      await items.search('lantern', { context })
      const { queryId = '', hits } = await items.search('lamp', { context })
      await analytics.event({ type: 'click', queryId, id: hits[6]!.id })
      await items.search('cheap lamp 7', { context, operator: 'and' })
    }
    await items.reconfigure({ relax: true })
    for (const user of ['ann', 'bob'])
      await items.search('cheap lamp 7', { context: { user }, operator: 'and' })
    const found = await analytics.suggestions({ dataset: 'items' })
    expect(found.synonyms).toEqual([{ dataset: 'items', typed: 'lantern', meant: 'lamp', times: 3 }])
    expect(found.missing).toEqual([
      { dataset: 'items', text: 'cheap lamp 7', withoutHits: 3, calls: 5 },
      { dataset: 'items', text: 'lantern', withoutHits: 3, calls: 3 },
    ])
    expect(found.stopWords).toEqual([{ dataset: 'items', word: 'cheap', dropped: 2 }])
    const id = found.pins[0]?.id
    expect(found.pins).toEqual([{ dataset: 'items', text: 'lamp', id, clicks: 3, meanPlace: 7 }])
    expect((await analytics.suggestions({ atLeast: 4 })).synonyms).toEqual([])
  })

  it('take a text that was clicked for no synonym of what was typed next', async () => {
    const { items, analytics } = await shop()
    for (const user of ['ann', 'bob', 'cyd']) {
      for (const text of ['number 5', 'lamp']) {
        const { queryId = '', hits } = await items.search(text, { context: { user } })
        await analytics.event({ type: 'click', queryId, id: hits[0]!.id })
      }
    }
    expect((await analytics.suggestions()).synonyms).toEqual([])
    const { rows } = await analytics.queries()
    expect(rows.find(({ text }) => text === 'number 5')?.next).toEqual([{ text: 'lamp', times: 3 }])
  })
})

describe('lists of queries', () => {
  it('have what their kind says', async () => {
    const { items, analytics } = await shop()
    const ask = async (text: string, times: number, place?: number) => {
      for (let i = 0; i < times; i++) {
        const { queryId = '', hits } = await items.search(text, {
          context: { user: `u${i}` },
          operator: 'and',
        })
        if (place !== undefined) await analytics.event({ type: 'click', queryId, id: hits[place - 1]!.id })
      }
    }
    await ask('lamp', 6, 8)
    await ask('number', 5, 2)
    await ask('lapm number', 4)
    await ask('violin', 3)
    await ask('lamp 149', 2)
    const list = async (kind: Parameters<typeof analytics.queries>[0]) =>
      (await analytics.queries(kind)).rows.map(({ text }) => text)
    expect(await list({})).toEqual(['lamp', 'number', 'lapm number', 'violin', 'lamp 149'])
    expect(await list({ kind: 'withoutHits' })).toEqual(['violin'])
    expect(await list({ kind: 'withFew' })).toEqual(['lamp 149'])
    expect(await list({ kind: 'corrected' })).toEqual(['lapm number'])
    expect(await list({ kind: 'neverClicked' })).toEqual(['lapm number', 'lamp 149'])
    expect(await list({ kind: 'lateClicks' })).toEqual(['lamp', 'number'])
    expect(await list({ kind: 'top', limit: 1 })).toEqual(['lamp'])
  })
})

describe('the documents of answers', () => {
  it('are listed by what was done with them, highest first, without those that have none of it', async () => {
    const { analytics, items } = await shop()
    const search = () => items.search('lamp', { limit: 4 })
    const [first, second] = [await search(), await search()]
    const ids = first.hits.map(({ id }) => id)
    const done: [EventType, of: number, answer: typeof first, value?: number][] = [
      ['click', 2, first],
      ['click', 2, second],
      ['click', 0, first],
      ['view', 3, first],
      ['conversion', 1, first, 5],
      ['conversion', 1, second, 6],
      ['conversion', 3, first, 100],
    ]
    for (const [type, of, { queryId = '' }, value] of done)
      await analytics.event({ type, queryId, id: ids[of]!, ...(value !== undefined && { value }) })
    const listed = async (by?: HitMeasure) =>
      (await analytics.hits({ ...(by && { by }) })).rows.map(({ id }) => ids.indexOf(id))
    expect(await listed('clicks')).toEqual([2, 0])
    expect(await listed('views')).toEqual([3])
    expect(await listed('conversions')).toEqual([1, 3])
    expect(await listed('value')).toEqual([3, 1])
    expect(await listed('seen')).toEqual(await listed())
    expect((await listed()).slice(0, 2)).toEqual([2, 0])
    expect((await analytics.hits({ by: 'value', limit: 1 })).rows[0]).toMatchObject({
      conversions: 1,
      value: 100,
    })
    expect(await codeOf(() => analytics.hits({ by: 'shown' as never }))).toBe('INVALID_ARGUMENT')
  })
})

describe('a report', () => {
  it.each([new Date(), '2026-06-10'])('says how moments are written where it gets %j', async from => {
    const { analytics } = await openEngine({ analytics: { mode: 'full' } })
    const { message } = await failureOf(() => analytics.overview({ from: from as never }))
    expect(message).toMatch(
      /^scope: from is .*; expected milliseconds since 1970, as Date.now\(\) returns them$/,
    )
  })
})

describe('without the option', () => {
  it('every call is ANALYTICS_OFF', async () => {
    const { analytics } = await openEngine()
    expect(analytics.isOn).toBe(false)
    const event = { type: 'click', queryId: 'x', id: 'y' } as const
    for (const call of [
      () => analytics.event(event),
      () => analytics.overview(),
      () => analytics.queries(),
      () => analytics.series(),
      () => analytics.hits(),
      () => analytics.filters(),
      () => analytics.suggestions(),
      () => analytics.export({ format: 'csv' }),
      () => analytics.erase({ user: 'x' }),
    ])
      expect(await codeOf(call)).toBe('ANALYTICS_OFF')
  })

  it.each([
    [{}],
    [{ mode: 'all' }],
    [{ mode: 'full', timeZone: 'Mars/Olympus' }],
    [{ mode: 'full', retention: { days: 0 } }],
    [{ mode: 'full', retention: { bytes: 10 } }],
    [{ mode: 'full', texts: { days: Number.NaN } }],
    [{ mode: 'full', ignore: { users: [5] } }],
    [{ mode: 'full', keep: true }],
  ])('an engine does not open with %j', async analytics => {
    expect(await codeOf(() => Engine.open({ analytics: analytics as never }))).toBe('INVALID_ARGUMENT')
  })

  it.each([
    [{ from: Number.NaN }],
    [{ to: 'tomorrow' }],
    [{ from: 2, to: 1 }],
    [{ per: 'week' }],
    [{ tag: 't'.repeat(201) }],
    [{ call: 'write' }],
    [{ limit: 0 }],
    [{ limit: 1001 }],
    [{ kind: 'worst' }],
    [JSON.parse('{"__proto__":1}')],
  ])('reports refuse %j', async options => {
    const { analytics } = await shop()
    expect(await codeOf(() => analytics.queries(options as never))).toBe('INVALID_ARGUMENT')
  })
})

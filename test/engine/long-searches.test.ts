import { setImmediate } from 'node:timers/promises'
import { type Dataset, Engine, type SearchOptions } from 'findling'
import { describe, expect, it } from 'vitest'
import { leastLongestTurn, longestTurn } from '../longest-turn.ts'
import { afterBlock, codeOf, failureOf, openEngine } from './engines.ts'

/** Milliseconds that one turn of the event loop may compute. */
const LONGEST_TURN = 80

const WORDS = 4_000

const afterwards = afterBlock()
/** A dataset with as many different words as it has documents, from which tests only read. */
const words = (async () => {
  const engine = await Engine.open()
  afterwards(() => engine.close())
  const dataset = await engine.datasets.create<{ id: string; title: string }>('words')
  await dataset.documents.bulk(
    Array.from({ length: WORDS }, (_, i) => ({
      id: `p-${i}`,
      title: `Lamp ${i.toString(3)}abc${i.toString(7)}`,
    })),
  )
  await dataset.search('lamp')
  return dataset
})()

/** Each pattern is held against each word of the dataset. */
const patterns = (count: number) => Array.from({ length: count }, (_, i) => `*${i}xyz*`).join(' OR ')
const long = patterns(400)

describe('Long searches', () => {
  it('let others be answered between their steps', async () => {
    const dataset = await words
    const ended: string[] = []
    const filter = patterns(70)
    const longOnes = [dataset.count(filter), dataset.filter(filter), dataset.search('lamp', { filter })].map(
      one => one.then(() => ended.push('long')),
    )
    for (let i = 0; i < 5; i++) {
      expect((await dataset.search('lamp', { limit: 1 })).hits).toHaveLength(1)
      ended.push('short')
    }
    await Promise.all(longOnes)
    expect(ended).toEqual([...Array(5).fill('short'), ...Array(3).fill('long')])
  })

  it.each<
    [
      string,
      (
        dataset: Dataset<{ id: string; title: string }>,
        ends: Pick<SearchOptions, 'timeout' | 'signal'>,
      ) => Promise<unknown>,
    ]
  >([
    ['a search', (dataset, ends) => dataset.search('lamp', { filter: long, ...ends })],
    ['a list', (dataset, ends) => dataset.filter(long, ends)],
    ['a sample', (dataset, ends) => dataset.sample({ size: 5, filter: long, ...ends })],
    ['a count', (dataset, ends) => dataset.count(long, ends)],
    [
      'similar documents',
      (dataset, { timeout, signal }) => dataset.similar('lamp', { filter: long, timeout, signal }),
    ],
    [
      'similar documents of a key',
      (dataset, { timeout, signal }) => dataset.similar('lamp', { visible: long, timeout, signal }),
    ],
    [
      'completions',
      (dataset, { timeout, signal }) => dataset.complete('la', { visible: long, timeout, signal }),
    ],
    [
      'suggestions',
      (dataset, { timeout, signal }) => dataset.suggest('lmap', { visible: long, timeout, signal }),
    ],
  ])('end when they are given up: %s', async (_, ask) => {
    const dataset = await words
    const late = await failureOf(() => ask(dataset, { timeout: 1 }))
    expect(late).toMatchObject({ code: 'SEARCH_TIMEOUT', details: { timeout: 1 } })
    const given = new AbortController()
    const asked = ask(dataset, { signal: given.signal })
    given.abort(new Error('nobody waits'))
    expect(await failureOf(() => asked)).toMatchObject({
      code: 'CANCELLED',
      cause: { message: 'nobody waits' },
    })
    expect((await dataset.search('lamp', { timeout: 60_000 })).hits).toHaveLength(10)
  })

  it('of many words that only documents tell end, too, and hold nobody up until then', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('notes', { interpretedFields: ['title'] })
    const note = Array.from({ length: 20_000 }, (_, i) => `word${i}`).join(' ')
    await dataset.documents.bulk(Array.from({ length: 5 }, (_, i) => ({ id: `n${i}`, title: 'Note', note })))
    const ofNotes = Array.from({ length: 1_000 }, (_, i) => `note:*x${i}y*`).join(' OR ')
    for (const timeout of [50, 500]) {
      const turn = await longestTurn(async () => {
        expect(await codeOf(() => dataset.count(ofNotes, { timeout }))).toBe('SEARCH_TIMEOUT')
      })
      // The first time the index is read, too.
      if (timeout === 500) expect(turn).toBeLessThan(LONGEST_TURN)
    }
  })

  it.each<[string, (dataset: Dataset) => Promise<unknown>, string]>([
    ['their time is up', dataset => dataset.search('lamp', { timeout: 1 }), 'SEARCH_TIMEOUT'],
    [
      'their callers abort them',
      dataset => {
        const caller = new AbortController()
        const ended = dataset.search('lamp', { signal: caller.signal })
        caller.abort()
        return ended
      },
      'CANCELLED',
    ],
  ])('end when %s, while they wait for what was written before them', async (_, ask, code) => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products')
    await dataset.documents.bulk([{ id: 'first', title: 'Lamp' }])
    await dataset.search('lamp')
    const title = Array.from({ length: 400_000 }, (_, i) => `lamp ${i.toString(36)}`).join(' ')
    const written = dataset.documents.bulk([{ id: 'long', title }])
    while (!(await dataset.documents.get('long'))) await setImmediate()
    let found: number | undefined
    const answer = dataset.search('lamp', { limit: 1 }).then(({ total }) => {
      found = total.count
    })
    expect(await codeOf(() => ask(dataset))).toBe(code)
    for (let turn = 0; turn < 4; turn++) await setImmediate()
    expect(found).toBeUndefined()
    await Promise.all([answer, written])
    expect(found).toBe(2)
  })

  it('that nobody waits for any more are not even read', async () => {
    const dataset = await words
    const signal = AbortSignal.abort(new Error('nobody waits'))
    // Read to its end it would be refused.
    const unread = `id:(${'a '.repeat(60_000)}) (`
    for (const ask of [
      () => dataset.search('lamp', { filter: unread, signal }),
      () => dataset.filter(unread, { signal }),
      () => dataset.count(unread, { signal }),
      () => dataset.sample({ size: 1, filter: unread, signal }),
      () => dataset.similar('lamp', { filter: unread, signal }),
      () => dataset.complete('la', { visible: unread, signal }),
      () => dataset.suggest('lmap', { visible: unread, signal }),
    ])
      expect(await codeOf(ask)).toBe('CANCELLED')
  })

  it('refuse a timeout that is none', async () => {
    const dataset = await words
    for (const timeout of [0, -1, 1.5, Number.NaN, '5'])
      expect(await codeOf(() => dataset.count('lamp', { timeout: timeout as number }))).toBe(
        'INVALID_ARGUMENT',
      )
  })
})

describe('Long texts', () => {
  const afterwards = afterBlock()
  /** Words that are like many that are known, and are none of them. */
  const unknown = Array.from({ length: 12_500 }, (_, i) => `${i.toString(3)}q`)
    .join(' ')
    .slice(0, 100_000)
  const title = (i: number) =>
    Array.from({ length: 10 }, (_, j) => `${((7 * i + j) % 9_000).toString(3)}a`).join(' ')
  const known = Array.from({ length: 1_500 }, (_, i) => title(i))
    .join(' ')
    .slice(0, 100_000)
  const opened = (async () => {
    const engine = await Engine.open()
    afterwards(() => engine.close())
    const dataset = await engine.datasets.create('words', { interpretedFields: ['title'] })
    await dataset.documents.bulk(
      Array.from({ length: WORDS }, (_, i) => ({ id: `d${i}`, title: title(i), tag: `t${i % 4}` })),
    )
    await dataset.search('lamp')
    const classifier = await dataset.classifier()
    await dataset.classify('lamp')
    const classifying = await engine.services.create({ type: 'classifier', name: 'Tags' })
    await classifying.prepare({ dataset: 'words' })
    await classifying.activate()
    await dataset.tags.create({ id: 't0', name: 'First' })
    const similar = await engine.services.create({ type: 'similar', name: 'Alike' })
    await similar.prepare({ dataset: 'words', tags: ['t0'] })
    await similar.activate()
    await similar.index()
    await similar.recommend('lamp')
    return { dataset, classifier, classifying, similar }
  })()

  type Opened = Awaited<typeof opened>
  const asks: [string, (all: Opened, ends: Pick<SearchOptions, 'timeout' | 'signal'>) => Promise<unknown>][] =
    [
      ['tags of a dataset', ({ dataset }, ends) => dataset.classify(unknown, ends)],
      ['tags of a classifier', ({ classifier }, ends) => classifier.recommend(unknown, ends)],
      [
        'explanations of tags',
        ({ classifier }, ends) => classifier.recommend(known, { explain: true, ...ends }),
      ],
      ['tags of a service', ({ classifying }, ends) => classifying.recommend(unknown, {}, ends)],
      [
        'words of a tag',
        async ({ dataset }, ends) => {
          // Which words stand everywhere is found out anew.
          await dataset.documents.upsert({ id: 'd0', title: title(0), tag: 't0' })
          return await dataset.keywords({ tagId: 't1', text: known, ...ends })
        },
      ],
      ['words that a service knows', ({ similar }, ends) => similar.keywords(known, {}, ends)],
      [
        'similar documents by weights',
        ({ similar }, ends) =>
          similar.recommend(title(4), { weights: Array(5).fill({ query: long, value: 1 }) }, ends),
      ],
      ['similar documents by id', ({ similar }, ends) => similar.recommendById('d4', { query: long }, ends)],
      [
        'similar documents by id and weights',
        ({ similar }, ends) =>
          similar.recommendById('d4', { weights: Array(5).fill({ query: long, value: 1 }) }, ends),
      ],
    ]

  it.each(asks)('end when they are given up: %s', async (_, ask) => {
    const all = await opened
    const late = await failureOf(() => ask(all, { timeout: 1 }))
    expect(late).toMatchObject({ code: 'SEARCH_TIMEOUT', details: { timeout: 1 } })
    const signal = AbortSignal.abort(new Error('nobody waits'))
    expect(await failureOf(() => ask(all, { signal }))).toMatchObject({
      code: 'CANCELLED',
      cause: { message: 'nobody waits' },
    })
    await ask(all, { timeout: 60_000 })
  })

  it.each(asks.filter(([name]) => name.startsWith('tags')))(
    'let others be answered between their steps: %s',
    async (_, ask) => {
      const all = await opened
      const ended: string[] = []
      const long = ask(all, {}).then(() => ended.push('long'))
      await all.dataset.search('lamp', { limit: 1 })
      ended.push('short')
      await long
      expect(ended).toEqual(['short', 'long'])
    },
  )

  it('leave the event loop its turns while weights of many words are read and held against documents', async () => {
    const { similar } = await opened
    const weights = Array(25).fill({ query: long, value: 1 })
    const turn = await leastLongestTurn(80, () => similar.recommendById('d4', { weights }))
    expect(turn).toBeLessThan(80)
  })
})

describe('A pattern that stands for very many words', () => {
  const afterwards = afterBlock()
  const opened = (async () => {
    const engine = await Engine.open()
    afterwards(() => engine.close())
    const dataset = await engine.datasets.create('words')
    const title = (from: number) => Array.from({ length: 1_100 }, (_, i) => `w${from + i}x`).join(' ')
    await dataset.documents.bulk(
      Array.from({ length: 60 }, (_, i) => ({ id: `d${i}`, title: title(1_100 * i) })),
    )
    return dataset
  })()

  it('is refused, and says what to do', async () => {
    const error = await failureOf(async () => (await opened).count('w*'))
    expect(error).toMatchObject({ code: 'QUERY_INVALID' })
    expect(error.message).toMatch(
      /has w\*; expected at most 65536 matching words of the dataset; give more letters$/,
    )
    expect(await (await opened).count('w1*')).toBeGreaterThan(10)
  })
})

describe('Very many ids in a condition', () => {
  it('are found as a set, in words as well as in values', async () => {
    const dataset = await words
    const ids = Array.from({ length: 20_000 }, (_, i) => `p-${2 * i}`)
    const found = { count: WORDS / 2, exact: true }
    expect((await dataset.filter(`id:(${ids.join(' ')})`, { timeout: 60_000 })).total).toEqual(found)
    expect((await dataset.filter({ id: { in: ids } }, { timeout: 60_000 })).total).toEqual(found)
  })
})

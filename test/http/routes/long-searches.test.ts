import { Engine } from 'findling'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Afterwards, afterBlock } from '../../engine/engines.ts'
import { type Api, startApi } from './api.ts'

const patterns = (count: number) => Array.from({ length: count }, (_, i) => `*${i}xyz*`).join(' OR ')

const afterwards = afterBlock()
/** Both limits are of servers: they have one engine. */
let engine: Engine
beforeAll(async () => {
  engine = await Engine.open()
  afterwards(() => engine.close())
  const dataset = await engine.datasets.create('words', { sample: { id: '1', title: 'A lamp' } })
  await dataset.documents.bulk(
    Array.from({ length: 3_000 }, (_, i) => ({
      id: `${i}`,
      title: `Lamp ${i.toString(3)}abc`,
      tag: i < 2_000 ? 'lamps' : 'others',
    })),
  )
  await dataset.search('lamp')
  await engine.services.create({ type: 'search', alias: 'shop', name: 'shop' })
  const service = engine.services.get('shop', 'search')
  await service.prepare({ dataset: 'words' })
  await service.activate()
  await engine.services.create({ type: 'similar', alias: 'alike', name: 'alike' })
  const alike = engine.services.get('alike', 'similar')
  await dataset.tags.create({ id: 'lamps', name: 'Lamps' })
  await alike.prepare({ dataset: 'words', tags: ['lamps'] })
  await alike.activate()
  await alike.index()
})

async function openApi(searchTimeoutMs: number, afterwards: Afterwards): Promise<Api> {
  const api = await startApi({ engine, config: { searchTimeoutMs } })
  afterwards(() => api.stop())
  return api
}

/** Every call that takes a filter, and where it stands in the body. */
const calls: [path: string, body: (Query: string) => object, field: string][] = [
  ['/api/Documents/Search', Query => ({ Text: 'lamp', Filter: { Query } }), 'Filter.Query'],
  [
    '/api/Search/Multi',
    Query => ({ Searches: [{ DataSet: 'words', Text: 'lamp', Filter: { Query } }] }),
    'Searches[0].Filter.Query',
  ],
  ['/api/Documents/Filter', Query => ({ Pagination: {}, Filter: { Query } }), 'Filter.Query'],
  [
    '/api/Services/Search/shop',
    Query => ({ Text: 'lamp', SearchSettings: { Filter: { Query } } }),
    'SearchSettings.Filter.Query',
  ],
  ['/api/Services/Prc/alike/Recommend', Query => ({ Text: 'lamp', Filter: { Query } }), 'Filter.Query'],
  ['/api/Documents/Similar', Query => ({ Text: 'lamp', Filter: Query }), 'Filter'],
  ['/api/Services/Prc/alike/RecommendById', Query => ({ DocumentId: '7', Query }), 'Query'],
]

describe('Without a limit', () => {
  const afterwards = afterBlock()
  let api: Api
  beforeAll(async () => {
    api = await openApi(0, afterwards)
  })

  test('searches of too many clauses are refused', async () => {
    const { send } = api
    for (const [path, bodyOf, field] of calls) {
      const { status, body } = await send('POST', path, { dataset: 'words', body: bodyOf(patterns(1_025)) })
      expect([path, status]).toEqual([path, 400])
      expect(body.Errors).toEqual([
        `${field} has 1025 words, patterns, phrases, ranges and groups; expected at most 1024; values of one field, as in id:(a b c), count as one`,
      ])
    }
  })

  test('long searches have all the time they need', async () => {
    const { send } = api
    for (const [path, bodyOf] of calls)
      expect([
        path,
        (await send('POST', path, { dataset: 'words', body: bodyOf(patterns(200)) })).status,
      ]).toEqual([path, 200])
  })
})

// Last: it makes many more documents.
describe('With a limit of a millisecond', () => {
  const afterwards = afterBlock()
  let api: Api
  beforeAll(async () => {
    api = await openApi(1, afterwards)
  })

  test('long searches are given up after their time, with 503 and when to come again', async () => {
    const { send } = api
    for (const [path, bodyOf] of calls) {
      const { status, headers, body } = await send('POST', path, {
        dataset: 'words',
        body: bodyOf(patterns(1_000)),
      })
      expect([path, status, headers.get('Retry-After')]).toEqual([path, 503, '1'])
      expect(headers.get('X-Error-Code')).toBe('SEARCH_TIMEOUT')
      expect(body.Errors.join()).toMatch(
        /^(?:The answer|Searches\[0\]) took longer than 1 ms \(FINDLING_SEARCH_TIMEOUT_MS\)/,
      )
    }
  })

  test('long texts are given up after the same time, with 503 and when to come again', async () => {
    const { send } = api
    const dataset = engine.datasets.get('words')
    await dataset.classifier()
    await engine.services.create({ type: 'classifier', alias: 'tags', name: 'tags' })
    const tags = engine.services.get('tags', 'classifier')
    await tags.prepare({ dataset: 'words', tags: ['lamps'] })
    await tags.activate()
    await dataset.documents.bulk(
      Array.from({ length: 12_500 }, (_, i) => ({
        id: `more-${i}`,
        title: `Lamp ${i.toString(36)}abc`,
        tag: 'lamps',
      })),
    )
    // Found out once, without a limit: which words stand everywhere.
    await dataset.classify('lamp')
    await dataset.keywords({ tagId: 'lamps' })
    const unknown = Array.from({ length: 12_500 }, (_, i) => `${i.toString(3)}abd`)
      .join(' ')
      .slice(0, 100_000)
    const Text = Array.from({ length: 12_500 }, (_, i) => `${i.toString(36)}abc`).join(' ')
    const asks: [path: string, body: object][] = [
      ['/api/Documents/Classify', { Text: unknown, Explain: true }],
      ['/api/Services/Classifier/tags/Recommend', { Text: unknown, Explain: true, Count: 2 }],
      ['/api/Services/Prc/alike/Keywords', { Text }],
      ['/api/Documents/Keywords', { TagId: 'lamps', Text }],
    ]
    for (const [path, body] of asks) {
      const reply = await send('POST', path, { dataset: 'words', body })
      expect([path, reply.status, reply.headers.get('Retry-After')]).toEqual([path, 503, '1'])
      expect(reply.body.Errors).toEqual([
        'The answer took longer than 1 ms (FINDLING_SEARCH_TIMEOUT_MS); expected a shorter text.',
      ])
    }
  })
})

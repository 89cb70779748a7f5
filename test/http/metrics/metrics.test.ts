import fc from 'fast-check'
import { Engine } from 'findling'
import { describe, expect, onTestFinished, test } from 'vitest'
import { exposition } from '../../../adapters/http/src/metrics/exposition.ts'
import { RequestMetrics } from '../../../adapters/http/src/metrics/request-metrics.ts'
import { FaultyLevel } from '../../contract/faulty-level.ts'
import { type Api, startApi } from '../routes/api.ts'
import { keyOf } from '../routes/named-keys.ts'

/** Values by name and labels, as a scraper reads them; anything else in the text is an error. */
function scraped(text: string): Map<string, number> {
  const values = new Map<string, number>()
  let described = ''
  for (const line of text.trimEnd().split('\n')) {
    const [, about, of = ''] = /^# (HELP|TYPE) ([a-z_]+) \S/.exec(line) ?? []
    if (about === 'HELP') described = of
    if (about) continue
    const [, name = '', sample = '', value = ''] =
      /^(([a-z_]+)(?:\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z]+="(?:[^"\\\n]|\\["\\n])*")*\})?) ([-+.\de]+)$/.exec(
        line,
      ) ?? []
    expect([line, sample.replace(/_(bucket|sum|count)$/, '')]).toEqual([line, described])
    expect(values.has(name)).toBe(false)
    values.set(name, Number(value))
  }
  return values
}

async function opened(store?: FaultyLevel): Promise<Api> {
  const engine = await Engine.open({ store })
  const api = await startApi({ engine })
  onTestFinished(async () => {
    await api.stop()
    await engine.close()
  })
  return api
}

describe('/metrics', () => {
  test('counts calls by route and status, refused and unknown ones too', async () => {
    const api = await opened()
    const { send } = api
    await send('POST', '/api/DataSets', { body: {} })
    await send('GET', '/api/DataSets/none')
    await send('GET', '/api/DataSets/other')
    await send('GET', '/api/nowhere/at/all')
    await send('GET', '/api/DataSets', { headers: { Authorization: 'Bearer wrong' } })
    const { body, headers } = await send('GET', '/metrics')
    expect(headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const counted = [...scraped(body)].filter(([name]) => name.startsWith('findling_http_requests_total'))
    expect(Object.fromEntries(counted)).toEqual({
      'findling_http_requests_total{method="POST",route="/api/DataSets",status="400"}': 1,
      'findling_http_requests_total{method="GET",route="/api/DataSets/{name}",status="404"}': 2,
      'findling_http_requests_total{method="GET",route="none",status="404"}': 1,
      'findling_http_requests_total{method="GET",route="none",status="401"}': 1,
    })
    expect(scraped(body).get('findling_http_requests_in_progress')).toBe(1)
  })

  test('tells documents, memory, disk and process', async () => {
    const api = await opened()
    const shop = await api.engine.datasets.create('shop', { sample: { id: '1', title: 'A lamp' } })
    await shop.documents.bulk([
      { id: '1', title: 'A lamp' },
      { id: '2', title: 'A vase' },
    ])
    await shop.search('lamp')
    const values = scraped((await api.send('GET', '/metrics')).body)
    expect(values.get('findling_documents{dataset="shop"}')).toBe(2)
    expect(values.get('findling_memory_bytes{dataset="shop",part="index"}')).toBeGreaterThan(0)
    for (const name of [
      'findling_disk_free_bytes',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ])
      expect(values.get(name)).toBeGreaterThan(0)
    // The store is in memory.
    expect(values.has('findling_store_bytes')).toBe(false)
  })

  test('tells that the store has failed, and searches are answered all the same', async () => {
    const store = new FaultyLevel()
    const api = await opened(store)
    const shop = await api.engine.datasets.create('shop', {
      sample: { id: '1', title: 'A lamp', tag: ['x'] },
    })
    await shop.documents.insert({ id: '1', title: 'A lamp', tag: ['x'] })
    const failed = async () => scraped((await api.send('GET', '/metrics')).body).get('findling_store_failed')
    expect(await failed()).toBe(0)
    store.failNext = new Error('the disk is full')
    const headers = { 'X-DataSet': 'shop' }
    for (const id of ['2', '3']) {
      const { status, body } = await api.send('POST', '/api/Documents', {
        headers,
        body: { id, title: 'A vase', tag: ['x'] },
      })
      expect([status, body]).toEqual([500, { Errors: [expect.stringContaining('has to be restarted')] }])
    }
    expect(await failed()).toBe(1)
    // The first search would store the secret of its id.
    const found = await api.send('POST', '/api/Documents/Search', { headers, body: { Text: 'lamp' } })
    expect([found.status, found.body.Hits.length, found.body.QueryId]).toEqual([200, 1, undefined])
  })

  test('needs a key for the whole installation, wherever the call comes from', async () => {
    const api = await opened()
    await api.engine.datasets.create('shop')
    const statusWith = async (sent: object) => (await api.send('GET', '/metrics', sent)).status
    expect(await statusWith({ headers: { Authorization: '' } })).toBe(401)
    expect(await statusWith(await keyOf(api, { Scopes: ['Search'] }))).toBe(403)
    expect(await statusWith(await keyOf(api, { Scopes: ['Read'], DataSets: ['shop'] }))).toBe(403)
    expect(await statusWith(await keyOf(api, { Scopes: ['Read'] }))).toBe(200)
  })

  test('has no id, query or key of anybody in it', async () => {
    const api = await opened()
    await api.send('GET', '/api/Processes/11111111-1111-4111-8111-111111111111?token=in-the-query')
    await api.send('GET', '/files/an-unguessable-name-of-a-file.json')
    const { body } = await api.send('GET', '/metrics')
    expect(body).not.toMatch(/11111111|in-the-query|unguessable|s3cr3t|findling_[\w-]{43}/)
  })
})

describe('RequestMetrics', () => {
  test('has histograms that agree with counting the calls', () => {
    const calls = fc.array(
      fc.record({
        route: fc.constantFrom('/a', '/b'),
        status: fc.constantFrom(200, 404),
        seconds: fc.oneof(fc.constantFrom(0.005, 0.1, 10), fc.double({ min: 0, max: 20, noNaN: true })),
      }),
    )
    fc.assert(
      fc.property(calls, all => {
        const metrics = new RequestMetrics()
        for (const { route, status, seconds } of all) {
          metrics.begin()
          metrics.end('GET', route, status, seconds)
        }
        const values = scraped(exposition(metrics.read()))
        for (const route of new Set(all.map(one => one.route))) {
          const of = all.filter(one => one.route === route)
          const name = 'findling_http_request_duration_seconds'
          for (const le of [0.005, 0.01, 0.1, 1, 10]) {
            const expected = of.filter(({ seconds }) => seconds <= le).length
            expect(values.get(`${name}_bucket{method="GET",route="${route}",le="${le}"}`)).toBe(expected)
          }
          const labels = `method="GET",route="${route}"`
          expect(values.get(`${name}_bucket{${labels},le="+Inf"}`)).toBe(of.length)
          expect(values.get(`${name}_count{${labels}}`)).toBe(of.length)
          expect(values.get(`${name}_sum{${labels}}`)).toBeCloseTo(
            of.reduce((sum, one) => sum + one.seconds, 0),
          )
        }
        expect(values.get('findling_http_requests_in_progress')).toBe(0)
      }),
    )
  })
})

describe('exposition', () => {
  test('escapes what stands in labels', () => {
    const text = exposition([
      { name: 'a', help: 'A.', type: 'gauge', samples: [{ labels: { b: 'x"y\\z\n' }, value: 1.5 }] },
    ])
    expect(text).toBe('# HELP a A.\n# TYPE a gauge\na{b="x\\"y\\\\z\\n"} 1.5\n')
  })

  test('leaves out metrics without a value', () => {
    expect(exposition([{ name: 'a', help: 'A.', type: 'gauge', samples: [] }])).toBe('')
  })
})

import { gzipSync } from 'node:zlib'
import type { World } from '../world.ts'

/** What happens to a request before and after its route; pages, metrics, statistics. */
export async function httpTransport({ at, http, serve, open }: World): Promise<void> {
  const { send, post, get } = (await http()).for(at)
  for (const path of [
    '/',
    '/health',
    '/ready',
    '/setup',
    '/docs',
    '/docs/none.js',
    '/openapi.json',
    '/none',
    '/api',
    '/api/None',
    '/update',
    '/api//Status/None',
    '/API/datasets/',
    '/%',
    '/api/Documents/%E0%A4%A',
  ]) {
    await get(path)
    if (!path.startsWith('/api')) await get(path, { key: null })
  }
  for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) await send(method, '/api/DataSets')
  await send('OPTIONS', '/api/DataSets', {
    key: null,
    headers: {
      Origin: 'http://a.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-dataset',
    },
  })
  await get('/api/DataSets/shop', { headers: { Origin: 'http://a.example' } })
  for (const authorization of [
    'Findling',
    'Findling wrong',
    'Basic s3cr3t-of-the-bench',
    'Service s3cr3t-of-the-bench more',
    'bearer s3cr3t-of-the-bench',
  ])
    await get('/api/DataSets/shop', { key: null, headers: { Authorization: authorization } })
  await get('/health', { headers: { 'X-Request-Id': 'of-the-client-1' } })
  for (const version of ['1.5.0', '1.5.9.1', '1.3.0.0', '2', 'x'])
    await get('/api/DataSets/shop', { headers: { 'X-Sdk-Version': version } })
  for (const limit of ['1', '0', 'x', '99'])
    await post('/api/DataSets/shop/Optimize', undefined, { headers: { 'X-Api-Parallel-Limit': limit } })
  const body = { Text: 'lamp', Limit: 1 }
  const dataset = 'shop'
  await post('/api/Documents/Search', gzipSync(JSON.stringify(body)), {
    dataset,
    headers: { 'Content-Encoding': 'gzip' },
  })
  await post('/api/Documents/Search', Buffer.from('no gzip'), {
    dataset,
    headers: { 'Content-Encoding': 'gzip' },
  })
  await post('/api/Documents/Search', JSON.stringify(body), {
    dataset,
    headers: { 'Content-Encoding': 'br' },
  })
  await post('/api/Documents/Search', body, { dataset, headers: { 'Accept-Encoding': 'gzip' } })
  for (const type of [
    'text/json',
    'application/json-patch+json',
    'application/json; charset=utf-16',
    'text/plain',
    'application/x-www-form-urlencoded',
  ])
    await post('/api/Documents/Search', JSON.stringify(body), { dataset, headers: { 'Content-Type': type } })
  for (const text of [
    '',
    'null',
    '[]',
    '5',
    '{',
    '{"Text":"lamp"',
    '\ufeff{"Text":"lamp","Limit":0}',
    '{"text":"lamp","LIMIT":"0"}',
    '{"Text":"\\ud800"}',
    '{"Text":"a","Text":"b","Limit":0}',
    '['.repeat(2_000),
  ])
    await post('/api/Documents/Search', text, { dataset })
  await post('/api/Documents/Search', { Text: 'x'.repeat(1_100_000) }, { dataset })
  await send('POST', '/setup', {
    key: null,
    body: 'Secret=abcdefgh',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  const counted = await serve(await open())
  const counting = counted.for(at)
  for (const path of ['/', '/api/DataSets', '/api/DataSets/none', '/api/License', '/none', '/api/DataSets'])
    await counting.get(path)
  for (const path of [
    '/api/Statistics',
    '/api/Statistics/2026',
    '/api/Statistics/2026/5',
    '/api/Statistics/2026/13',
    '/api/Statistics/x',
    '/api/Statistics/-1/-1',
  ])
    await counting.get(path)
  await at.record('names of metrics', async () => {
    const text = await (await http()).text('/metrics')
    return (
      text
        .split('\n')
        .map(line => line.replace(/^([^#\s]+)\s\S+$/, '$1'))
        // Jobs are only there while one runs in the background.
        .filter(line => !/le="|quantile=|findling_jobs_running/.test(line))
    )
  })
}

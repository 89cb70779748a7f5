import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { chunk, lastChunk, request, type Server, serve, start, statusOf } from './fixture.ts'

const megabyte = 2 ** 20
/** With all settings as they are by default. */
let plain: Server

beforeAll(async () => {
  plain = await start()
  return plain.stop
})
const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' }

function expectErrors(answer: string, status: number): void {
  expect(statusOf(answer)).toBe(status)
  expect(answer.toLowerCase()).toContain('x-api-version: 1.5.0')
  expect(answer).toMatch(/\{"Errors":\["./)
}

describe('a body in chunks without a length', () => {
  test('is read', async () => {
    const { raw } = plain
    const answer = await raw([
      request('POST /api/body', chunked),
      chunk('{"na'),
      chunk('me":"n"}'),
      lastChunk,
    ])
    expect(statusOf(answer)).toBe(200)
    expect(answer).toContain('"Name":"n"')
  })

  test('is read when it is packed too, as the .NET client sends it', async () => {
    const { raw } = plain
    const head = request('POST /api/body', { ...chunked, 'Content-Encoding': 'gzip' })
    const packed = gzipSync(JSON.stringify({ Name: 'n'.repeat(100_000) }))
    const answer = await raw([head, chunk(packed.subarray(0, 7)), chunk(packed.subarray(7)), lastChunk])
    expect(statusOf(answer)).toBe(200)
  })

  test('is refused at the limit, without waiting for its end', async () => {
    const { raw } = await serve({ config: { maxRequestMb: 1 } })
    const part = chunk('x'.repeat(megabyte / 4))
    expectErrors(await raw([request('POST /api/body', chunked), part, part, part, part, chunk('x')]), 413)
  })

  test('is refused when it unpacks to more than the limit', async () => {
    const { raw } = await serve({ config: { maxRequestMb: 1 } })
    const bomb = gzipSync(Buffer.alloc(100 * megabyte))
    const head = request('POST /api/body', { ...chunked, 'Content-Encoding': 'gzip' })
    expectErrors(await raw([head, chunk(bomb), lastChunk]), 413)
  })

  test('is not read at all without a key', async () => {
    const { raw } = plain
    expect(
      statusOf(await raw([request('POST /api/body', { ...chunked, Authorization: 'none' }), chunk('{')])),
    ).toBe(401)
  })

  test('that is broken is refused', async () => {
    const { raw } = plain
    expectErrors(await raw([request('POST /api/body', chunked), 'no length at all\r\n']), 400)
  })
})

describe('a length', () => {
  const json = { 'Content-Type': 'application/json' }

  test('above the limit is refused before the body and before the key', async () => {
    const { raw } = await serve({ config: { maxRequestMb: 1 } })
    const head = { ...json, Authorization: 'none', 'Content-Length': String(megabyte + 1) }
    expectErrors(await raw([request('POST /api/body', head)]), 413)
  })

  test('longer than the body ends the request when the client goes away, and harms nobody', async () => {
    const { raw, get, logged } = await serve()
    const head = request('POST /api/body', { ...json, 'Content-Length': '1000' }, '{"name":')
    await raw([head], { end: true })
    expect((await get('/api/shown/1')).status).toBe(200)
    expect(logged.filter(({ message }) => message === 'request failed')).toEqual([])
  })

  test('shorter than the body cuts it', async () => {
    const { raw } = plain
    expectErrors(
      await raw([request('POST /api/body', { ...json, 'Content-Length': '5' }, '{"name":"n"}')]),
      400,
    )
  })

  test.each<[string, Record<string, string>]>([
    ['that is no number', { 'Content-Length': 'many' }],
    ['below zero', { 'Content-Length': '-1' }],
    ['beside chunks', { 'Content-Length': '5', 'Transfer-Encoding': 'chunked' }],
  ])('%s is refused', async (_, headers) => {
    const { raw } = plain
    expectErrors(await raw([request('POST /api/body', headers, '0\r\n\r\n')]), 400)
  })
})

describe('a head', () => {
  test('may have its names in any case', async () => {
    const { raw, engine } = await serve()
    await engine.datasets.create('shop')
    const headers = { 'x-dataset': 'shop', 'CONTENT-TYPE': 'application/json', 'content-LENGTH': '12' }
    const answer = await raw([request('POST /api/writes', headers, '{"name":"n"}')])
    expect(answer).toContain('"dataset":"shop"')
  })

  test.each<[string, string, number]>([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a host that is none', 'GET / HTTP/1.1\r\nHost: a b<c\r\nConnection: close\r\n\r\n', 400],
    ['no path', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400],
    ['a header that never ends', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`, 431],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: localhost\r\nX: \0\r\n\r\n', 400],
    [
      'a method that only proxies know',
      'TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      404,
    ],
  ])('with %s is refused', async (_, text, status) => {
    const { raw } = plain
    expectErrors(await raw([text]), status)
  })

  test('that expects what is not known is answered all the same', async () => {
    const { raw } = plain
    const answer = await raw([request('GET /api/shown/1', { Expect: 'a miracle' })])
    expect(statusOf(answer)).toBe(200)
    expect(answer.toLowerCase()).toContain('x-api-version: 1.5.0')
  })
})

describe('a hostile path', () => {
  test.each([
    '/api/shown/%',
    '/api/shown/%zz',
    '/api/shown/%C3',
    '/api/shown/%ED%A0%80',
    '/api/shown/%FF%FE',
  ])('%s is refused', async path => {
    const { raw } = plain
    expectErrors(await raw([request(`GET ${path}`)]), 400)
  })

  test.each([
    '/%zz',
    '/../../etc/passwd',
    '/api/../../shown/1',
    '/files/..%2F..%2Fetc%2Fpasswd',
    '/files/%2e%2e/%2e%2e/etc/passwd',
    '/files/%00.zip',
    '/files/',
    '/files/%zz',
    '/api/shown/1/2',
    '/api/__proto__/constructor',
    '/api\\shown\\1',
  ])('%s names nothing', async path => {
    const { raw } = plain
    expect([400, 404]).toContain(statusOf(await raw([request(`GET ${path}`)])))
  })

  test('never leads above the root', async () => {
    const { raw } = plain
    const answer = await raw([request(`GET /api/shown/${'../'.repeat(2000)}api/shown/%2e%2e/shown/1`)])
    expect(answer).toContain('"path":{"id":"1"}')
  })

  test.each([
    ['/api/shown/%00', '\\u0000'],
    ['/api/shown/a%2Fb', 'a/b'],
    ['/api/shown/a%5Cb', 'a\\\\b'],
    ['/api/shown/%252e', '%2e'],
    ['/api/shown/__proto__', '__proto__'],
    ['/api/shown/%F0%9F%90%95', Buffer.from('🐕').toString('latin1')],
  ])('%s is the member %s', async (path, id) => {
    const { raw } = plain
    expect(await raw([request(`GET ${path}`)])).toContain(`"id":"${id}"`)
  })
})

import { once } from 'node:events'
import { request as ask, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { chunk, key, lastChunk, request, routes, type Server, serve, start, statusOf } from './fixture.ts'

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

  test.each(['gzip, chunked', 'gzip,CHUNKED', 'deflate , chunked'])(
    'is refused with %s, as only the chunks are taken apart',
    async codings => {
      const head = request('POST /api/body', { ...chunked, 'Transfer-Encoding': codings })
      const answer = await plain.raw([head, chunk('{"name":"n"}'), lastChunk])
      expectErrors(answer, 501)
      expect(answer).toContain('expected chunked or none')
    },
  )

  test.each(['br', 'zstd', 'deflate', 'gzip, gzip'])('is refused in the coding %s', async coding => {
    const head = request('POST /api/body', { ...chunked, 'Content-Encoding': coding })
    expectErrors(await plain.raw([head, chunk('{"name":"n"}'), lastChunk]), 415)
  })

  test('is refused at the limit, without waiting for its end', async () => {
    const { raw } = await serve({ config: { maxRequestMb: 1 } })
    const part = chunk(' '.repeat(megabyte / 4))
    expectErrors(await raw([request('POST /api/body', chunked), part, part, part, part, chunk(' ')]), 413)
  })

  test('is refused when it unpacks to more than the limit', async () => {
    const { raw } = await serve({ config: { maxRequestMb: 1 } })
    const bomb = gzipSync(Buffer.alloc(100 * megabyte, ' '))
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

describe('a body that is refused before its end', () => {
  const alive = { ...chunked, Connection: 'keep-alive' }
  const content = chunk(' '.repeat(megabyte))
  // More than is read ahead.
  const rest = chunk(' '.repeat(200_000))

  test.each([
    ['is too large', request('POST /api/body', alive), 413],
    ['is no gzip', request('POST /api/body', { ...alive, 'Content-Encoding': 'gzip' }), 400],
    [
      'is a stream that is too large',
      request('POST /api/stream', { ...alive, 'Content-Type': 'text/csv' }),
      413,
    ],
  ])('because it %s leaves the connection to the next request', async (_, head, status) => {
    const { raw } = await serve({ config: { maxRequestMb: 1 } })
    const answer = await raw([head, content, rest, lastChunk, request('GET /api/shown/next')])
    expectErrors(answer, status)
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(answer).toContain('"id":"next"')
  })
})

describe('a client that goes on sending after it was refused', () => {
  // Not after so many bytes, nor after half a second, is the connection reset.
  const parts = 80

  test.each([
    ['keeps its connection', { Connection: 'keep-alive' }],
    ['wants it closed', { Connection: 'close' }],
    ['speaks HTTP/1.0', {}, 'HTTP/1.0'],
  ])('reads the answer when it %s', async (_, headers, version = 'HTTP/1.1') => {
    const length = { 'Content-Length': `${parts * megabyte}`, Authorization: 'none' }
    const head = request('POST /api/body', { ...headers, ...length }).replace('HTTP/1.1', version)
    const socket = connect(Number(new URL(plain.url).port), '127.0.0.1').setNoDelay()
    onTestFinished(() => void socket.destroy())
    const lost = once(socket, 'error').then(([error]) => Promise.reject(error))
    const send = async () => {
      socket.write(head)
      for (let i = 0; i < parts; i++) {
        if (!socket.write(Buffer.alloc(megabyte, ' '))) await once(socket, 'drain')
        if (i % 10 === 0) await pause(100)
      }
      const [answer] = (await once(socket, 'data')) as [Buffer]
      return `${answer}`
    }
    expectErrors(await Promise.race([send(), lost]), 401)
    if (!('Connection' in headers) || headers.Connection === 'close') return
    socket.write(request('GET /', { ...headers, ...key }))
    expect(statusOf(`${(await once(socket, 'data'))[0]}`)).toBe(200)
  })

  test('is cut off when it does not end', async () => {
    const { url } = await serve({ listen: { lingerTimeout: 200 } })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(request('POST /api/body', { ...chunked, Authorization: 'none', Connection: 'close' }))
    const sending = setInterval(() => socket.write(chunk(' ')), 20)
    onTestFinished(() => clearInterval(sending))
    socket.on('error', () => {})
    socket.resume()
    await once(socket, 'close')
  })
})

describe('closing', () => {
  test('waits no longer than the grace for a client that goes on sending what was refused', async () => {
    const { url, close } = await serve()
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const head = { 'Content-Length': String(10 * megabyte), Authorization: 'none' }
    socket.write(request('POST /api/body', head))
    const sending = setInterval(() => socket.write(' '), 20)
    onTestFinished(() => clearInterval(sending))
    socket.on('error', () => {})
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expectErrors(`${answer}`, 401)
    const gone = once(socket, 'close')
    const begin = performance.now()
    await close(100)
    await gone
    expect(performance.now() - begin).toBeLessThan(5_000)
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

describe('a body that its client holds back', () => {
  const json = { 'Content-Type': 'application/json' }

  test.each<[string, Record<string, string>, number]>([
    ['the key is wrong', { ...json, Authorization: 'none', 'Content-Length': '12' }, 401],
    ['it is too large', { ...json, 'Content-Length': '999999999999' }, 413],
    ['it is of another type', { 'Content-Type': 'text/xml', 'Content-Length': '12' }, 415],
    ['it is packed in another way', { ...json, 'Content-Encoding': 'br', 'Content-Length': '12' }, 415],
    ['the client is of another version', { ...json, 'X-Sdk-Version': '1.4.0', 'Content-Length': '12' }, 400],
  ])('is not asked for when %s', async (_, headers, status) => {
    const head = request('POST /api/body', { ...headers, Expect: '100-continue', Connection: 'keep-alive' })
    const answer = await plain.raw([head])
    expect(statusOf(answer)).toBe(status)
    expect(answer).not.toContain('100 Continue')
    expect(answer.toLowerCase()).toContain('connection: close')
  })

  test('is not asked for when there is no such path', async () => {
    const answer = await plain.raw([
      request('POST /nowhere', { Expect: '100-continue', 'Content-Length': '12' }),
    ])
    expect(statusOf(answer)).toBe(404)
    expect(answer).not.toContain('100 Continue')
  })

  test('is asked for once when it is wanted, and read', async () => {
    const headers = {
      ...key,
      ...json,
      Expect: '100-continue',
      'Content-Length': '12',
      Connection: 'keep-alive',
    }
    const sent = ask(`${plain.url}/api/body`, { method: 'POST', headers })
    let asked = 0
    sent.on('continue', () => {
      asked++
      sent.end('{"name":"n"}')
    })
    sent.flushHeaders()
    const [response] = (await once(sent, 'response')) as [IncomingMessage] // what the event brings
    expect(response.headers.connection).toBe('keep-alive')
    expect([response.statusCode, JSON.parse(await text(response)).body.Name]).toEqual([200, 'n'])
    expect(asked).toBe(1)
  })

  test('is asked for after the answers to requests that came before it, never amid its own', async () => {
    let wasRead = () => {}
    const isRead = new Promise<void>(resolve => {
      wasRead = resolve
    })
    const [body, first] = [routes.find(({ path }) => path === '/api/Body')!, routes[1]!]
    const { raw } = await serve({
      app: {
        routes: [
          {
            ...first,
            async handle(call) {
              await isRead
              return await first.handle(call)
            },
          },
          {
            ...body,
            async handle(call) {
              wasRead()
              return await body.handle(call)
            },
          },
        ],
      },
    })
    const answers = await raw([
      request('GET /api/shown/fixed', { Connection: 'keep-alive' }) +
        request(
          'POST /api/body',
          { ...json, Expect: '100-continue', 'Content-Length': '12' },
          '{"name":"n"}',
        ),
    ])
    const [, one, ...others] = answers.split('HTTP/1.1 ')
    const asking = others.slice(0, -1)
    expect(asking).toEqual(asking.map(() => '100 Continue\r\n\r\n'))
    for (const answer of [one, others.at(-1)]) expect(answer).toMatch(/^200 OK\r\n.*\r\n\r\n\{.*\}$/s)
  })

  test.each([
    ['has a length', { 'Content-Length': '1000' }],
    ['comes in chunks', { 'Transfer-Encoding': 'chunked' }],
  ])('of another type is refused unread when it %s', async (_, headers) => {
    expectErrors(
      await plain.raw([request('POST /api/body', { ...headers, 'Content-Type': 'text/xml' })]),
      415,
    )
  })

  test('of another charset is refused unread', async () => {
    const headers = { 'Content-Type': 'application/json; charset=klingon', 'Content-Length': '1000' }
    expectErrors(await plain.raw([request('POST /api/body', headers)]), 415)
  })

  test.each([
    ['no length', {}],
    ['the length 0', { 'Content-Length': '0' }],
  ])('is none with %s, whatever type it claims', async (_, headers) => {
    const answer = await plain.raw([
      request('POST /api/optional', { ...headers, 'Content-Type': 'text/xml' }),
    ])
    expect(statusOf(answer)).toBe(200)
  })
})

describe('HTTP/1.0', () => {
  const old = (path: string, ...headers: string[]) => [
    [`GET ${path} HTTP/1.0`, ...headers, '', ''].join('\r\n'),
  ]

  test.each(['/health', '/ready', '/', '/setup', '/docs', '/openapi.json'])(
    'needs no host for %s',
    async path => {
      const answer = await plain.raw(old(path))
      expect(statusOf(answer)).toBe(200)
      expect(answer.toLowerCase()).toContain('x-api-version: 1.5.0')
    },
  )

  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '[::1]'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
  ])('without a host means the address that was connected to: %s', async (host, told) => {
    const { raw, url } = await serve({ listen: { host } })
    const answer = await raw(old('/api/shown/1', `Authorization: ${key.Authorization}`))
    expect(statusOf(answer)).toBe(200)
    expect(answer).toContain(`"base":"http://${told}:${new URL(url).port}"`)
  })

  test('may name a host', async () => {
    const answer = await plain.raw(
      old('/api/shown/1', 'Host: shop.example', `Authorization: ${key.Authorization}`),
    )
    expect(answer).toContain('"base":"http://shop.example"')
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
    ['/api/shown/%252e', '.'],
    ['/api/shown/%25252e', '%2e'],
    ['/api/shown/__proto__', '__proto__'],
    ['/api/shown/%F0%9F%90%95', Buffer.from('🐕').toString('latin1')],
  ])('%s is the member %s', async (path, id) => {
    const { raw } = plain
    expect(await raw([request(`GET ${path}`)])).toContain(`"id":"${id}"`)
  })
})

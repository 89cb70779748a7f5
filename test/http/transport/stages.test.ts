import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Engine } from 'findling'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openAccess } from '../../../adapters/http/src/access/access.ts'
import { SecretChecks } from '../../../adapters/http/src/access/secret-checks.ts'
import { SlowDown } from '../../../adapters/http/src/access/slow-down.ts'
import { Files } from '../../../adapters/http/src/files/files.ts'
import type { ErrorsModel } from '../../../adapters/http/src/http/errors.ts'
import { updateRoutes } from '../../../adapters/http/src/update/routes.ts'
import { hashCost } from '../access/hash-cost.ts'
import { key, type Server, secret, serve, start } from './fixture.ts'

/** With all settings as they are by default. */
let plain: Server

beforeAll(async () => {
  plain = await start()
  return plain.stop
})

const json = { ...key, 'Content-Type': 'application/json' }
const dataset = { ...json, 'X-DataSet': 'shop' }
const none = { maxRequestMb: 0 }

async function errorsOf(response: Response): Promise<string[]> {
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8')
  const { Errors } = (await response.json()) as ErrorsModel
  expect(Errors.length).toBeGreaterThan(0)
  return Errors
}

describe('the headers of every answer', () => {
  test.each<[string, string, RequestInit, number]>([
    ['success', '/api/Shown/1', { headers: key }, 200],
    ['the root', '/', {}, 200],
    ['the setup page', '/setup', {}, 200],
    ['a redirect of the setup', '/setup', { method: 'POST', redirect: 'manual' }, 302],
    [
      'a preflight',
      '/api/Shown/1',
      { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'GET' } },
      204,
    ],
    ['a missing key', '/api/Shown/1', {}, 401],
    ['an unknown path', '/nowhere', {}, 404],
    ['a file that is not there', '/files/none.zip', {}, 404],
    ['a failure', '/api/Fails', { method: 'POST', headers: json, body: '{}' }, 500],
  ])('is on %s', async (_, path, init, status) => {
    const { url } = plain
    const response = await fetch(url + path, init)
    expect(response.status).toBe(status)
    expect(response.headers.get('X-Api-Version')).toBe('1.5.0')
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    // The contract's clients would be asked for a password by browsers.
    expect(response.headers.get('WWW-Authenticate')).toBeNull()
  })

  test('is on 412 and 413', async () => {
    const bare = await serve({ secret: 'none' })
    const small = await serve({ config: none })
    const refused = [await bare.get('/api/Shown/1'), await small.post('/api/Body', '{}')]
    expect(refused.map(({ status }) => status)).toEqual([412, 413])
    for (const name of ['X-Api-Version', 'X-Content-Type-Options'])
      expect(refused.map(({ headers }) => headers.has(name))).toEqual([true, true])
  })
})

describe('a refused key', () => {
  test.each([
    ['', 'The Authorization header is missing;'],
    [secret, 'The Authorization header is a single word;'],
    [`Bearer Findling ${secret}`, 'The Authorization header has 3 words;'],
    [`Basic ${secret}`, 'The secret is wrong, or the word before it'],
    ['Findling wrong-secret', 'The secret is wrong, or the word before it'],
  ])('%j is told what is expected', async (Authorization, text) => {
    const response = await plain.get('/api/Shown/1', { Authorization })
    expect(response.status).toBe(401)
    const [error] = await errorsOf(response)
    expect(error).toContain(text)
    expect(error).toMatch(/; expected "Findling <secret>" \(or Bearer instead of Findling\)\.$/)
    expect(error).not.toContain(secret)
  })

  test('is told the words that are accepted here, and no others', async () => {
    await using engine = await Engine.open()
    const expectedOf = async (schemes: string[]) => {
      const { get } = await serve({
        app: { access: await openAccess(engine, { schemes, seed: secret, hashCost }) },
      })
      return (await errorsOf(await get('/api/Shown/1', { Authorization: `Basic ${secret}` })))[0]!.split(
        '; ',
      )[1]
    }
    expect(await expectedOf(['Slamby'])).toBe('expected "Slamby <secret>".')
    expect(await expectedOf(['Findling', 'Service', 'Slamby'])).toBe(
      'expected "Findling <secret>" (or Service or Slamby instead of Findling).',
    )
  })
})

describe('the order of stages', () => {
  test('a missing secret comes before the size', async () => {
    const { post } = await serve({ secret: 'none', config: none })
    const response = await post('/api/Body', '{}')
    expect(response.status).toBe(412)
    expect(await errorsOf(response)).toEqual([expect.stringContaining('/setup')])
  })

  test.each(['/', '/setup', '/health'])('%s answers without a secret', async path => {
    const { url } = await serve({ secret: 'none' })
    expect((await fetch(url + path)).status).toBeLessThan(400)
  })

  test('a provisional secret is one', async () => {
    const { get } = await serve({ secret: 'provisional' })
    expect((await get('/api/Shown/1')).status).toBe(401)
    expect((await get('/ready')).status).toBe(200)
  })

  test('the size comes before the key', async () => {
    const { post } = await serve({ config: none })
    const response = await post('/api/Body', '{}', {})
    expect(response.status).toBe(413)
    expect(await errorsOf(response)).toEqual([expect.stringContaining('at most 0 bytes')])
  })

  test('the key comes before routing', async () => {
    const { get, url } = plain
    const response = await get('/api/nowhere', {})
    expect(response.status).toBe(401)
    expect(await errorsOf(response)).toEqual([
      'The Authorization header is missing; expected "Findling <secret>" (or Bearer instead of Findling).',
    ])
    expect(response.headers.has('WWW-Authenticate')).toBe(false)
    expect((await fetch(`${url}/API//nowhere/`)).status).toBe(401)
  })

  test('the model comes before the dataset, the dataset before the disk', async () => {
    const { post, engine } = await serve({ config: { diskMinimumMb: 1e12 } })
    expect((await post('/api/Writes', '{}')).status).toBe(400)
    expect(await errorsOf(await post('/api/Writes', '{"name":"n"}'))).toEqual([
      'The X-DataSet header is missing; expected the name of a dataset.',
    ])
    expect(await errorsOf(await post('/api/Writes', '{"name":"n"}', dataset))).toEqual([
      'The X-DataSet header is "shop"; expected the name of an existing dataset.',
    ])
    await engine.datasets.create('shop')
    const full = await post('/api/Writes', '{"name":"n"}', dataset)
    expect(full.status).toBe(507)
    expect(await errorsOf(full)).toEqual([expect.stringMatching(/\d+ MB .* 1000000000000 MB/)])
  })

  test('the dataset reaches the route', async () => {
    const { post, engine } = await serve()
    await engine.datasets.create('shop')
    expect(await (await post('/api/Writes', '{"name":"n"}', dataset)).json()).toEqual({
      body: { Name: 'n' },
      dataset: 'shop',
    })
  })
})

describe('the API after a restart', () => {
  test('is busy with keys that nobody has seen yet, and says when to come again', async () => {
    await using engine = await Engine.open()
    const schemes = ['Findling']
    // A third of the usual cost: still far more than a hundred requests need to arrive.
    const hashCost = { cost: 2 ** 15, blockSize: 8, parallelization: 1 }
    await openAccess(engine, { schemes, seed: secret, hashCost })
    const restarted = await openAccess(engine, {
      schemes,
      checks: new SecretChecks(new SlowDown({ wait: () => Promise.resolve() })),
    })
    const { get } = await serve({ app: { access: restarted } })
    const guesses = Array.from({ length: 100 }, (_, at) =>
      get('/api/Shown/1', { Authorization: `Findling wrong-${at}` }),
    )
    const answers = await Promise.all(guesses)
    const busy = answers.filter(({ status }) => status === 503)
    expect(busy.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 401).length).toBe(100 - busy.length)
    for (const answer of busy) {
      expect(answer.headers.get('Retry-After')).toBe('5')
      expect(answer.headers.get('X-Api-Version')).toBe('1.5.0')
      expect(await errorsOf(answer)).toEqual([expect.stringContaining('not checked')])
    }
    expect((await get('/api/Shown/1')).status).toBe(200)
  })

  test('checks no keys for clients that have gone', async () => {
    await using engine = await Engine.open()
    const schemes = ['Findling']
    await openAccess(engine, { schemes, seed: secret })
    const { url, get, logged } = await serve({ app: { access: await openAccess(engine, { schemes }) } })
    const leaving = new AbortController()
    const asked = Array.from({ length: 8 }, (_, at) =>
      fetch(`${url}/api/Shown/1`, {
        headers: { Authorization: `Findling wrong-${at}` },
        signal: leaving.signal,
      }),
    )
    const gone = Promise.allSettled(asked)
    const first = get('/api/Shown/1', { Authorization: 'Findling wrong' })
    await Promise.race([first, ...asked])
    leaving.abort()
    await gone
    expect((await get('/api/Shown/1')).status).toBe(200)
    await first
    const unchecked = () => logged.filter(({ details }) => details.status === 499)
    await expect.poll(unchecked).not.toEqual([])
    expect(logged.filter(({ message }) => message === 'request failed')).toEqual([])
  })
})

describe('statistics count', () => {
  test('requests with a valid model, whatever comes of them, and nothing else', async () => {
    const { post, get, url, engine, app } = await serve()
    await post('/api/Body', '{"name":"n"}')
    await post('/api/Fails', '{}')
    await post('/api/Writes', '{"name":"n"}') // no dataset
    await post('/api/Body', '{}') // no name
    await post('/api/Body', '{"name":"n"}', {}) // no key
    await get('/api/Months/7')
    await get('/api/Months/13') // no month
    await get('/api/nowhere')
    await fetch(`${url}/setup`)
    await app.close() // which writes what was counted
    expect(await counts(engine)).toEqual([
      ['Body', 1],
      ['Fails', 1],
      ['Months/{month}', 1],
      ['Setup/Index', 1],
      ['Writes', 1],
    ])
  })

  test('nothing when they are turned off', async () => {
    const { post, url, engine, app } = await serve({ config: { stats: false } })
    await post('/api/Body', '{"name":"n"}')
    await fetch(`${url}/setup`)
    await app.close()
    expect(await counts(engine)).toEqual([])
  })

  async function counts(engine: Engine): Promise<[string, number][]> {
    const months: [string, number][] = []
    for await (const { value } of engine.namespace('http-statistics').entries()) {
      months.push(...(value as [string, number][]))
    }
    return months.sort()
  }
})

describe('routing', () => {
  test.each(['/api/Shown/AbC', '/API/SHOWN/AbC', '//api///shown/AbC/', '/api/Shown/AbC/?withdetails=false'])(
    'finds %s and keeps the case of its member',
    async path => {
      const { get } = plain
      expect(await (await get(path)).json()).toMatchObject({ path: { id: 'AbC' } })
    },
  )

  test('prefers a fixed path to one with a member, whatever their order', async () => {
    const { get } = plain
    expect(await (await get('/api/shown/fixed')).json()).toEqual({ dataset: '' })
  })

  test.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'answers %s on a path without it as an unknown path',
    async method => {
      const { url } = plain
      const response = await fetch(`${url}/api/Shown/1`, { method, headers: key })
      expect(response.status).toBe(404)
      expect(await errorsOf(response)).toEqual(['Endpoint not found'])
    },
  )

  test('answers HEAD as GET without a body', async () => {
    const { url } = plain
    const response = await fetch(`${url}/api/Shown/1`, { method: 'HEAD', headers: key })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })

  test.each<[string, object]>([
    ['?withDetails=True', { withDetails: true }],
    ['?WITHDETAILS=false&unknown=1', { withDetails: false }],
    ['?size=3&size=4', { withDetails: false, size: 4 }],
  ])('reads the query %s', async (query, expected) => {
    const { get } = plain
    expect(await (await get(`/api/Shown/1${query}`)).json()).toMatchObject({ query: expected })
  })

  test('refuses a query that the schema refuses', async () => {
    const { get } = plain
    const response = await get('/api/Shown/1?size=many')
    expect(response.status).toBe(400)
    expect(await errorsOf(response)).toEqual(['size is "many"; expected a number'])
  })
})

describe('members of a path', () => {
  test('are checked where the route says what they are', async () => {
    const { get } = plain
    expect((await get('/api/Months/12')).status).toBe(200)
    const response = await get('/api/Months/13')
    expect(response.status).toBe(400)
    expect(await errorsOf(response)).toEqual(['month is "13"; expected a month'])
  })
})

describe('bodies', () => {
  test.each<[string, string | Uint8Array, string | undefined, number]>([
    ['JSON', '{"name":"n"}', 'application/json', 200],
    ['JSON with a charset', '{"name":"n"}', 'application/json; charset=UTF-8', 200],
    ['text/json', '{"name":"n"}', 'text/json', 200],
    ['a JSON patch type', '{"name":"n"}', 'application/json-patch+json', 200],
    ['a byte order mark', '\uFEFF{"name":"n"}', 'application/json', 200],
    [
      'UTF-16 that says so',
      Buffer.from('\uFEFF{"name":"n"}', 'utf16le'),
      'application/json; charset="utf-16"',
      200,
    ],
    ['bytes without a type', Buffer.from('{"name":"n"}'), undefined, 200],
    ['text of an empty type', '{"name":"n"}', '', 200],
    ['nothing', '', 'application/json', 400],
    ['nothing without a type', Buffer.alloc(0), undefined, 400],
    ['null', 'null', 'application/json', 400],
    ['blanks', ' \r\n', 'application/json', 400],
    ['half a JSON text', '{"name":', 'application/json', 400],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400],
    ['what curl sends unless it is told a type', '{"name":"n"}', 'application/x-www-form-urlencoded', 200],
    ['a form', 'name=n', 'application/x-www-form-urlencoded', 400],
    ['a form with files', 'name=n', 'multipart/form-data; boundary=x', 415],
    ['text, as a form may call JSON', '{"name":"n"}', 'text/plain', 415],
    ['a charset that does not exist', '{"name":"n"}', 'application/json; charset=klingon', 415],
  ])('%s: %#', async (_, body, type, status) => {
    const { post } = plain
    const response = await post(
      '/api/Body',
      body,
      type === undefined ? key : { ...key, 'Content-Type': type },
    )
    expect(response.status).toBe(status)
    if (status !== 200) await errorsOf(response)
  })

  test('may be absent where the route says so', async () => {
    const { post } = plain
    expect(await (await post('/api/Optional')).json()).toEqual({ dataset: '' })
    expect(await (await post('/api/Optional', '{"NAME":1}')).json()).toMatchObject({ body: { Name: '1' } })
    expect((await post('/api/Optional', '{}')).status).toBe(400)
  })

  test('list everything that is wrong with them', async () => {
    const { post } = plain
    expect(await errorsOf(await post('/api/Body', '{"size":"x","list":null}'))).toHaveLength(3)
  })

  test('are refused when they are nested too deeply to be read, or answered', async () => {
    const { post } = plain
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    expect((await post('/api/Body', deep)).status).toBe(400)
  })

  test('come as a stream where the route says so, counted after unpacking', async () => {
    const { post } = plain
    const csv = { ...key, 'Content-Type': 'text/csv; charset=utf-8' }
    expect(await (await post('/api/Stream', 'a,b\n', csv)).json()).toBe(4)
    const packed = await post('/api/Stream', gzipSync('a'.repeat(100_000)), {
      ...csv,
      'Content-Encoding': 'gzip',
    })
    expect(await packed.json()).toBe(100_000)
    expect((await post('/api/Stream', '{}')).status).toBe(415)
  })
})

describe('gzip', () => {
  const packed = { ...json, 'Content-Encoding': 'gzip' }
  const packedWrongly = gzipSync('{"name":"n"}')
  packedWrongly.fill(0, packedWrongly.byteLength - 8, packedWrongly.byteLength - 4) // RFC 1952, section 2.3: CRC32

  test('is unpacked whether or not the client accepts it', async () => {
    const { post } = plain
    for (const accepted of ['gzip', 'identity']) {
      const response = await post('/api/Body', gzipSync('{"name":"n"}'), {
        ...packed,
        'Accept-Encoding': accepted,
      })
      expect(await response.json()).toMatchObject({ body: { Name: 'n' } })
    }
  })

  test.each<[string, Uint8Array]>([
    ['is no gzip', Buffer.from('{"name":"n"}')],
    ['breaks off', gzipSync('{"name":"n"}').subarray(0, 20)],
    ['has a wrong checksum', packedWrongly],
  ])('that %s is refused', async (_, body) => {
    const { post } = plain
    const response = await post('/api/Body', body, packed)
    expect(response.status).toBe(400)
    expect(await errorsOf(response)).toEqual([expect.stringContaining('The body is not valid gzip')])
  })

  test('is the only coding', async () => {
    const { post } = plain
    const response = await post('/api/Body', '{}', { ...json, 'Content-Encoding': 'br' })
    expect(response.status).toBe(415)
    await errorsOf(response)
  })

  test.each([
    ['gzip', true],
    ['deflate, GZIP;q=0.5', true],
    ['gzip, deflate, gzip, deflate', true],
    ['gzip;q=0', false],
    ['br', false],
  ])('an answer to Accept-Encoding %s is packed: %s', async (accepted, isPacked) => {
    const response = await plain.get('/api/Shown/1', { ...key, 'Accept-Encoding': accepted })
    expect(response.headers.get('Content-Encoding')).toBe(isPacked ? 'gzip' : null)
    expect(response.headers.get('Vary')).toBe('Accept-Encoding')
    expect(await response.json()).toMatchObject({ path: { id: '1' } })
  })

  test('is used for errors too, and not for an empty body', async () => {
    const { get } = plain
    const accepting = { ...key, 'Accept-Encoding': 'gzip' }
    const missing = await get('/api/nowhere', accepting)
    expect(missing.headers.get('Content-Encoding')).toBe('gzip')
    expect(await missing.json()).toEqual({ Errors: ['Endpoint not found'] })
    const empty = await fetch(`${plain.url}/api/Shown/1`, {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'GET', 'Accept-Encoding': 'gzip' },
    })
    expect([empty.status, empty.headers.has('Content-Encoding')]).toEqual([204, false])
  })
})

describe('CORS', () => {
  test('a preflight is answered without a key and echoes the headers asked for', async () => {
    const { url } = plain
    const response = await fetch(`${url}/api/Shown/1`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization, x-dataset',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain('PUT')
    expect(response.headers.get('Access-Control-Allow-Headers')).toBe('authorization, x-dataset')
    expect(response.headers.get('Access-Control-Max-Age')).toBe('7200')
    expect(response.headers.has('Access-Control-Allow-Credentials')).toBe(false)
  })

  test('any origin may read answers and refusals', async () => {
    const { get } = plain
    for (const headers of [key, {}]) {
      const response = await get('/api/Shown/1', { ...headers, Origin: 'https://shop.example' })
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    }
    expect((await get('/api/Shown/1')).headers.has('Access-Control-Allow-Origin')).toBe(false)
  })
})

describe('the version of the client', () => {
  test.each<[string, number]>([
    ['1.5.0', 200],
    ['1.5.7.0', 200],
    ['1.5', 200],
    ['1.3.0.0', 400],
    ['2', 400],
    ['', 200],
    [' ', 200],
  ])('%j is answered with %i', async (version, status) => {
    const { get } = plain
    const response = await get('/api/Shown/1', { ...key, 'X-Sdk-Version': version })
    expect(response.status).toBe(status)
    if (status === 400) {
      const [error] = await errorsOf(response)
      expect(error).toContain('1.5.0')
      expect(error).toContain('FINDLING_VERSION_CHECK=off')
    }
  })

  test('is not looked at when the check is off, nor without a key', async () => {
    const { get } = await serve({ config: { versionCheck: false } })
    expect((await get('/api/Shown/1', { ...key, 'X-Sdk-Version': '1.3.0.0' })).status).toBe(200)
    expect((await get('/api/Shown/1', { 'X-Sdk-Version': '1.3.0.0' })).status).toBe(401)
  })
})

describe('X-ElapsedTime', () => {
  test('is on what passed authentication and on open pages', async () => {
    const { url, get, post } = plain
    const passed = [await get('/api/Shown/1'), await get('/api/nowhere'), await post('/api/Fails', '{}')]
    for (const response of [...passed, await fetch(url), await fetch(`${url}/setup`)]) {
      expect(response.headers.get('X-ElapsedTime')).toMatch(/^\d+$/)
    }
    expect((await get('/api/Shown/1', {})).headers.has('X-ElapsedTime')).toBe(false)
  })
})

describe('X-Api-Parallel-Limit', () => {
  test('limits the cores of the call, whatever nonsense is no limit', async () => {
    const { get } = await serve({ config: { parallelLimit: 2 } })
    const parallelFor = async (limit: string) => {
      const response = await get('/api/Shown/1', { ...key, 'X-Api-Parallel-Limit': limit })
      return ((await response.json()) as { parallel: number }).parallel
    }
    expect(await parallelFor('1')).toBe(1)
    const most = await parallelFor('1000')
    expect(most).toBeLessThanOrEqual(2)
    for (const nonsense of ['xyz', '-1', '0', '1.5', '']) expect(await parallelFor(nonsense)).toBe(most)
  })
})

describe('failures', () => {
  test('say nothing of what nobody foresaw, the log says all', async () => {
    const { post, logged } = await serve()
    const response = await post('/api/Fails', '{}')
    expect(response.status).toBe(500)
    expect(await errorsOf(response)).toEqual(['Internal Server Error'])
    expect(logged.find(({ message }) => message === 'request failed')?.details).toMatchObject({
      method: 'POST',
      path: '/api/fails',
      err: expect.objectContaining({ message: 'secret detail' }),
    })
  })
})

describe('the log', () => {
  test('has a line for each request, without key, query or body', async () => {
    const { post, get, logged } = await serve()
    await post('/api/Body', '{"name":"somebody"}')
    await get('/api/Shown/1?token=t0ken', {})
    expect(logged).toMatchObject([
      {
        message: 'request',
        details: { method: 'POST', path: '/api/body', status: 200, address: '127.0.0.1' },
      },
      { message: 'request', details: { method: 'GET', path: '/api/shown/1', status: 401 } },
    ])
    expect(JSON.stringify(logged)).not.toMatch(new RegExp(`${secret}|somebody|t0ken`))
  })
})

describe('the log of what opens a file', () => {
  test('tells no names of files', async () => {
    const { get, logged } = await serve()
    const id = randomUUID()
    await get(`/files/${id}.json`)
    await get(`//FILES//${id}.json/`)
    await get(`/api/Processes/${id}`)
    await get(`/api/Processes/${id}/Cancel`)
    expect(logged.map(({ details }) => details.path)).toEqual([
      '/files/*',
      '/files/*',
      '/api/processes/*',
      '/api/processes/*/cancel',
    ])
    expect(JSON.stringify(logged)).not.toContain(id)
  })
})

describe('open pages', () => {
  test('the root describes the installation', async () => {
    const { url } = plain
    const description: unknown = await (await fetch(url)).json()
    expect(description).toEqual({
      Name: 'Findling',
      Version: '1.5.0',
      InstanceId: expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
      Information: `${url}/docs`,
    })
    expect(await (await fetch(url)).json()).toEqual(description)
  })

  test('the process is up as soon as it answers, and ready with a secret and an open store', async () => {
    const { url, access, engine } = await serve({ secret: 'none' })
    const status = async (path: string) => (await fetch(url + path)).status
    expect([await status('/health'), await status('/ready')]).toEqual([200, 503])
    await access.setSecret(secret)
    expect([await status('/health'), await status('/ready')]).toEqual([200, 200])
    await engine.close()
    expect([await status('/health'), await status('/ready')]).toEqual([200, 503])
  })
})

describe('links', () => {
  test('begin with the address the client used', async () => {
    const { get, url } = plain
    expect(await (await get('/api/Shown/1')).json()).toMatchObject({ base: url })
  })

  test('begin with the prefix and the first label of the host behind a proxy', async () => {
    const { raw } = await serve({ config: { baseUrlPrefix: 'https://europe.example.com' } })
    const answer = await raw([
      `GET /api/Shown/1 HTTP/1.1\r\nHost: test_api.internal.net:1234\r\nConnection: close\r\nAuthorization: Findling ${secret}\r\n\r\n`,
    ])
    expect(answer).toContain('"base":"https://europe.example.com/test_api"')
  })
})

describe('updates', () => {
  test('need an updater and the key', async () => {
    expect((await plain.get('/update')).status).toBe(404)
    const updater = { run: async () => ({ log: 'engine: current' }) }
    const { get, post } = await serve({ app: { updater, routes: updateRoutes(updater) } })
    expect((await get('/update', {})).status).toBe(401)
    expect((await post('/UPDATE/', '', {})).status).toBe(401)
    expect(await (await get('/update')).text()).toBe('OK')
    expect(await (await post('/update')).json()).toEqual({ Log: 'engine: current' })
  })
})

describe('files', () => {
  test('are sent without a key, as they are', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'findling-files-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const { url } = await serve({ config: { filesFolder: folder } })
    const name = `${randomUUID()}.csv`
    await new Files(folder).put(name, '"word";"1";"1"\n')
    const response = await fetch(`${url}/files/${name}`, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.has('Content-Encoding')).toBe(false)
    expect(response.headers.has('X-ElapsedTime')).toBe(false)
    expect(await response.text()).toBe('"word";"1";"1"\n')
    const none = await fetch(`${url}/FILES//${name.toUpperCase()}`)
    expect([none.status, none.headers.has('X-ElapsedTime')]).toEqual([404, false])
  })
})

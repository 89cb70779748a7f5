import { once as eventOf } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../adapters/client/src/client.ts'
import type { Configuration } from '../../adapters/client/src/configuration.ts'
import { CallError, type Result, unwrap } from '../../adapters/client/src/result.ts'
import { createSearch } from '../../adapters/client/src/search.ts'
import { listen } from '../../adapters/http/src/listening/listen.ts'
import { add, emptyFolder, secretOf, several } from '../http/clients/several.ts'
import { secret } from '../http/routes/api.ts'
import { fillShop, type Product, products, type Server, startServer } from './server.ts'

let server: Server

beforeAll(async () => {
  server = await startServer()
  await fillShop(server.client())
})

afterAll(() => server.stop())

/** Who answers a connection with these bytes, however it is asked; `hold` keeps it open, and `break` cuts it off. */
async function somebody(answer: string, then: 'hold' | 'break' | 'end' = 'end') {
  const sockets = new Set<Socket>()
  let calls = 0
  const tcp = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {}) // the client may go first
    socket.once('data', () => {
      calls++
      socket.write(answer)
      if (then === 'break') setTimeout(() => socket.destroy(), 20)
      if (then === 'end') socket.end()
    })
  })
  await eventOf(tcp.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    tcp.close()
  })
  const { port } = tcp.address() as AddressInfo
  return { baseAddress: `http://127.0.0.1:${port}`, calls: () => calls }
}

const answered = (head: string, body: string) =>
  `HTTP/1.1 ${head}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`

/** Gathers what is sent. */
function watched() {
  const sent: { address: string; headers: Headers; body: unknown }[] = []
  const watching: typeof fetch = (address, init) => {
    sent.push({ address: String(address), headers: new Headers(init?.headers), body: init?.body })
    return fetch(address, init)
  }
  return { sent, fetch: watching }
}

function refusal(result: Result<unknown>) {
  expect(result.isSuccessful).toBe(false)
  return result as Extract<typeof result, { isSuccessful: false }>
}

describe('a call', () => {
  it('resolves to the model of the contract when it succeeds', async () => {
    const result = await server.client().dataset<Product>('shop').documents.get('p1')
    expect(result).toEqual({
      isSuccessful: true,
      httpStatusCode: 200,
      serverMessage: '',
      errors: { errors: [] },
      apiVersion: '1.5.0',
      requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
      responseObject: products[0],
    })
  })

  it('resolves to it when there is nothing to answer, without an object', async () => {
    const result = await server.client().dataset('shop').tags.cleanDocuments()
    expect(result).toMatchObject({ isSuccessful: true, httpStatusCode: 200, responseObject: undefined })
  })

  it('resolves to it when it is refused, with every problem', async () => {
    const bad = { name: '!', nGramCount: 9, idField: 'id', tagField: 'tag', interpretedFields: [] }
    const result = refusal(await server.client().dataSets.create(bad))
    expect(result).toMatchObject({ httpStatusCode: 400, apiVersion: '1.5.0' })
    expect(result.errors.errors.length).toBeGreaterThan(1)
    expect(result.serverMessage).toBe(result.errors.errors.join('\n'))
    expect(result.failure).toBeUndefined()
    expect('responseObject' in result).toBe(false)
  })

  it('resolves to it when the secret is wrong, and when the answer says nothing', async () => {
    const result = refusal(
      await createClient({ baseAddress: server.url, secret: 'wrong-secret' }).dataSets.list(),
    )
    expect(result).toMatchObject({ httpStatusCode: 401, apiVersion: '1.5.0' })
    expect(result.serverMessage).toContain('secret is wrong')
    const { baseAddress } = await somebody(answered('401 Unauthorized', ''))
    const silent = await createClient({ baseAddress }).dataSets.list()
    expect(silent).toMatchObject({
      httpStatusCode: 401,
      errors: { errors: [] },
      serverMessage: 'Unauthorized',
    })
  })

  it('resolves to it when a version is not right, and for what there is not', async () => {
    const missing = refusal(await server.client().dataset('shop').documents.get('none'))
    expect(missing).toMatchObject({
      httpStatusCode: 404,
      errors: { errors: [expect.stringContaining('none')] },
    })
    const same = refusal(await server.client().dataSets.rename('shop', 'shop'))
    expect(same).toMatchObject({ httpStatusCode: 304, errors: { errors: [] } })
  })

  it('sends its version, the scheme and secret, and the parallel limit only above zero', async () => {
    const { sent, fetch } = watched()
    const named = await unwrap(server.client().keys.create({ name: 'reader', scopes: ['Read'] }))
    await unwrap(server.client({ fetch }).dataSets.list())
    await unwrap(server.client({ fetch, parallelLimit: 0, scheme: 'Service' }).dataSets.list())
    await unwrap(server.client({ fetch, parallelLimit: 3, key: named.key }).dataSets.list())
    await unwrap(server.client({ fetch, parallelLimit: 3 }).dataSets.list({ parallelLimit: 2 }))
    const of = (name: string) => sent.map(({ headers }) => headers.get(name))
    expect(of('X-Sdk-Version')).toEqual(['1.5.0', '1.5.0', '1.5.0', '1.5.0'])
    expect(of('Authorization')).toEqual([
      `Findling ${secret}`,
      `Service ${secret}`,
      `Findling ${named.key}`,
      `Findling ${secret}`,
    ])
    expect(of('X-Api-Parallel-Limit')).toEqual([null, null, '3', '2'])
  })

  it('has no empty query, also in browsers that do not count parameters', async () => {
    const { size } = Object.getOwnPropertyDescriptors(URLSearchParams.prototype) as PropertyDescriptorMap
    Reflect.deleteProperty(URLSearchParams.prototype, 'size')
    onTestFinished(() => void Object.defineProperty(URLSearchParams.prototype, 'size', size!))
    const { sent, fetch } = watched()
    await unwrap(server.client({ fetch }).dataSets.list())
    await unwrap(server.client({ fetch }).processes.list({ allTime: true }))
    expect(sent.map(({ address }) => address.replace(server.url, ''))).toEqual([
      '/api/DataSets',
      '/api/Processes?allTime=true',
    ])
  })

  it('asks for the key each time where a function gives it', async () => {
    const keys = ['wrong-key', secret]
    const client = server.client({ key: async () => keys.shift()! })
    expect(await client.dataSets.list()).toMatchObject({ httpStatusCode: 401 })
    expect(await client.dataSets.list()).toMatchObject({ httpStatusCode: 200 })
    const broken = server.client({ key: () => Promise.reject(new Error('no key today')) })
    expect(refusal(await broken.dataSets.list())).toMatchObject({
      failure: 'unsent',
      errors: { errors: ['no key today'] },
    })
  })

  it('goes to the client whose id the base address ends in', async () => {
    const folder = await emptyFolder()
    await add(folder, 'one', 'two')
    const { served, stop } = await several(folder)
    const { address, close } = await listen(served, { port: 0, host: '127.0.0.1' })
    onTestFinished(async () => {
      await close(0)
      await stop()
    })
    const client = (id: string) => createClient({ baseAddress: `${address}/${id}/`, secret: secretOf(id) })
    await fillShop(client('one'))
    expect(await unwrap(client('one').dataSets.list())).toHaveLength(1)
    expect(await unwrap(client('two').dataSets.list())).toHaveLength(0)
    const stranger = createClient({ baseAddress: `${address}/two`, secret: secretOf('one') })
    expect(await stranger.dataSets.list()).toMatchObject({ httpStatusCode: 401 })
  })

  it('is compressed where it is long and the configuration says so', async () => {
    const { sent, fetch } = watched()
    const many = Array.from({ length: 100 }, (_, i) => ({ ...products[0]!, id: `zip${i}` }))
    const { documents } = server.client({ fetch, gzip: true }).dataset<Product>('shop')
    expect((await unwrap(documents.bulk(many))).results.every(({ statusCode }) => statusCode === 200)).toBe(
      true,
    )
    expect(await unwrap(documents.get('zip99'))).toEqual(many[99])
    for (const { id } of many) await unwrap(documents.remove(id))
    expect(sent[0]!.headers.get('Content-Encoding')).toBe('gzip')
    const text = gunzipSync(new Uint8Array(sent[0]!.body as ArrayBuffer)).toString()
    expect(JSON.parse(text)).toEqual({ Documents: many })
    expect(sent.slice(1).every(({ headers }) => headers.get('Content-Encoding') === null)).toBe(true)
  })
})

describe('unwrap', () => {
  it('gives the object alone, and throws what was refused', async () => {
    const { documents } = server.client().dataset<Product>('shop')
    expect((await unwrap(documents.get('p2'))).title).toBe('Hammer drill')
    const error = await unwrap(documents.get('none')).catch(error => error)
    expect(error).toBeInstanceOf(CallError)
    expect(error).toMatchObject({ name: 'CallError', httpStatusCode: 404, failure: undefined })
    expect(error.message).toBe(`404: ${error.result.errors.errors[0]}`)
  })

  it('throws the reason of the signal for a call that was aborted', async () => {
    const { dataSets } = server.client()
    await expect(unwrap(dataSets.list({ signal: AbortSignal.abort() }))).rejects.toMatchObject({
      name: 'AbortError',
    })
    const reason = new Error('the page is gone')
    await expect(unwrap(dataSets.list({ signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
  })
})

describe('without an answer, a call', () => {
  const once: Partial<Configuration> = { retries: 0 }

  it('says that the server cannot be reached', async () => {
    const closed = createServer()
    await eventOf(closed.listen(0, '127.0.0.1'), 'listening')
    const { port } = closed.address() as AddressInfo
    await eventOf(closed.close(), 'close')
    const gone = createClient({ baseAddress: `http://127.0.0.1:${port}`, ...once })
    const result = refusal(await gone.dataSets.list())
    expect(result).toMatchObject({ failure: 'offline', httpStatusCode: 0, serverMessage: '', apiVersion: '' })
    expect(result.errors.errors[0]).toMatch(/^The server cannot be reached: .+/)
    await expect(unwrap(result)).rejects.toMatchObject({
      failure: 'offline',
      message: result.errors.errors[0],
    })
  })

  it('says so, too, where the answer breaks off in the middle', async () => {
    const half = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[{"Name": '
    const { baseAddress } = await somebody(half, 'break')
    const result = await createClient({ baseAddress, ...once }).dataSets.list()
    expect(result).toMatchObject({ isSuccessful: false, failure: 'offline', httpStatusCode: 0 })
  })

  it('says after how long it was given up', async () => {
    const { baseAddress, calls } = await somebody('', 'hold')
    const result = await createClient({ baseAddress, timeout: 500 }).dataSets.list()
    expect(result).toMatchObject({
      failure: 'timeout',
      errors: { errors: ['No answer arrived within 500 ms.'] },
    })
    expect(await createClient({ baseAddress }).dataSets.list({ timeout: 300 })).toMatchObject({
      failure: 'timeout',
    })
    // It is not sent again: each would take as long.
    expect(calls()).toBe(2)
  })

  it('says so, too, where the answer begins and does not go on', async () => {
    const { baseAddress } = await somebody('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[', 'hold')
    const result = await createClient({ baseAddress, timeout: 100 }).dataSets.list()
    expect(result).toMatchObject({ failure: 'timeout' })
  })

  it.each<[string, () => Promise<Response>]>([
    ['answers', () => new Promise(() => {})],
    ['ends its answer', async () => new Response(new ReadableStream())],
  ])('ends in time although the platform never %s after an abort', async (_, fetch) => {
    const { dataSets } = createClient({ baseAddress: 'http://127.0.0.1', fetch })
    expect(await dataSets.list({ timeout: 300 })).toMatchObject({ failure: 'timeout' })
    const controller = new AbortController()
    const call = dataSets.list({ signal: controller.signal })
    await new Promise(setImmediate)
    controller.abort()
    expect(await call).toMatchObject({ failure: 'aborted' })
  })

  it('is not sent if it was aborted while its key was fetched', async () => {
    let sent = 0
    const controller = new AbortController()
    const { dataSets } = createClient({
      baseAddress: 'http://127.0.0.1',
      key: async () => 'a key',
      fetch: async () => {
        sent++
        return new Response('[]')
      },
    })
    const call = dataSets.list({ signal: controller.signal })
    controller.abort()
    expect(await call).toMatchObject({ failure: 'aborted', httpStatusCode: 0 })
    expect(sent).toBe(0)
  })

  it('says that it was aborted, before it was sent and while it waits', async () => {
    const { baseAddress, calls } = await somebody('', 'hold')
    const { dataSets } = createClient({ baseAddress })
    expect(await dataSets.list({ signal: AbortSignal.abort() })).toMatchObject({ failure: 'aborted' })
    expect(calls()).toBe(0)
    const controller = new AbortController()
    const call = dataSets.list({ signal: controller.signal })
    await expect.poll(calls).toBe(1)
    controller.abort()
    expect(await call).toMatchObject({ failure: 'aborted', httpStatusCode: 0 })
  })

  it('waits no longer for a key than for an answer, nor after it was aborted', async () => {
    const client = createClient({ baseAddress: 'http://127.0.0.1:1', key: () => new Promise(() => {}) })
    expect(await client.dataSets.list({ timeout: 300 })).toMatchObject({ failure: 'timeout' })
    const caller = new AbortController()
    const call = client.dataSets.list({ signal: caller.signal })
    caller.abort()
    expect(await call).toMatchObject({ failure: 'aborted' })
  })

  it('ends where the function that gives its key aborts it', async () => {
    const caller = new AbortController()
    const key = () => {
      caller.abort()
      return new Promise<string>(() => {})
    }
    const { dataSets } = createClient({ baseAddress: 'http://127.0.0.1:1', key })
    expect(await dataSets.list({ signal: caller.signal })).toMatchObject({ failure: 'aborted' })
  })

  it('says that something else than the API has answered', async () => {
    const page = '<!doctype html><title>Welcome</title>'
    const { baseAddress } = await somebody(answered('200 OK\r\nContent-Type: text/html', page))
    const result = refusal(await createClient({ baseAddress }).dataSets.list())
    expect(result).toMatchObject({ failure: 'unreadable', httpStatusCode: 200, serverMessage: page })
    expect(result.errors.errors[0]).toContain('text/html')
  })

  it('tells what a proxy says where that is no JSON', async () => {
    const { baseAddress, calls } = await somebody(answered('502 Bad Gateway', 'nobody is behind me'))
    const result = await createClient({ baseAddress, ...once }).dataSets.list()
    expect(result).toMatchObject({
      httpStatusCode: 502,
      serverMessage: 'nobody is behind me',
      errors: { errors: [] },
    })
    expect(result).not.toHaveProperty('failure')
    expect(calls()).toBe(1)
  })
})

describe('a call is sent again', () => {
  const lost = answered('502 Bad Gateway', '')

  it('as often as the configuration says where that does no harm', async () => {
    for (const retries of [0, 1, 3]) {
      const { baseAddress, calls } = await somebody(lost)
      const { dataSets } = createClient({ baseAddress, retries })
      expect(await dataSets.list()).toMatchObject({ httpStatusCode: 502 })
      expect(calls()).toBe(retries + 1)
    }
  })

  it('within the longest wait, also where that is short or just what the server asks for', async () => {
    const away = await somebody(lost)
    await createClient({ baseAddress: away.baseAddress, longestWait: 20 }).dataSets.list()
    expect(away.calls()).toBe(3)
    const busy = await somebody(answered('503 Service Unavailable\r\nRetry-After: 1', ''))
    const wait = (longestWait: number) =>
      createClient({ baseAddress: busy.baseAddress, retries: 1, longestWait }).dataSets.list()
    expect(await wait(999)).toMatchObject({ httpStatusCode: 503, retryAfter: 1 })
    expect(busy.calls()).toBe(1)
    await wait(1000)
    expect(busy.calls()).toBe(3)
  })

  it('when it only searches, or the connection breaks off, and never when it may have done something', async () => {
    const broken = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n['
    for (const then of ['break', 'end'] as const) {
      const one = await somebody(then === 'break' ? broken : lost, then)
      const shop = createClient({ baseAddress: one.baseAddress, retries: 1 }).dataset<Product>('shop')
      await shop.search({ text: 'drill' })
      expect(one.calls()).toBe(2)
      await shop.documents.bulk(products)
      expect(one.calls()).toBe(4)
      await shop.documents.create(products[0]!)
      await shop.optimize()
      await shop.documents.scroll('some')
      await shop.documents.import(products)
      expect(one.calls()).toBe(8)
    }
  })

  it('after the time that the server says, whatever it was', async () => {
    const { key } = await unwrap(
      server.client().keys.create({ name: 'slow', scopes: ['Read', 'Write'], requestsPerMinute: 60 }),
    )
    const patient = server.client({ key })
    const hasty = server.client({ key, longestWait: 100 })
    await Promise.all(Array.from({ length: 60 }, () => hasty.dataSets.list()))
    // One more is allowed every second, which may pass on a busy machine.
    let begun = performance.now()
    let result = await hasty.dataSets.list()
    while (result.isSuccessful) {
      begun = performance.now()
      result = await hasty.dataSets.list()
    }
    expect(refusal(result)).toMatchObject({ httpStatusCode: 429, retryAfter: 1 })
    expect(performance.now() - begun).toBeLessThan(900)
    const created = await patient.dataset<Product>('shop').documents.create({ ...products[0]!, id: 'slow' })
    expect(created).toMatchObject({ isSuccessful: true, httpStatusCode: 201 })
    await server.client().dataset('shop').documents.remove('slow')
  })

  it('when the server is busy, until it is not', async () => {
    const busy = await startServer({ config: { maxConcurrent: 1 } })
    onTestFinished(busy.stop)
    await fillShop(busy.client())
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    async function* slowly() {
      yield Buffer.from(`${JSON.stringify({ ...products[0]!, id: 'first' })}\n`)
      await held
    }
    const importing = busy.client().dataset<Product>('shop').documents.import(slowly())
    const impatient = busy.client({ retries: 0 })
    await expect.poll(async () => (await impatient.dataSets.list()).httpStatusCode).toBe(503)
    expect(refusal(await impatient.dataSets.list()).retryAfter).toBeGreaterThan(0)
    const call = busy
      .client()
      .dataset<Product>('shop')
      .documents.create({ ...products[0]!, id: 'second' })
    release()
    expect(await importing).toMatchObject({ httpStatusCode: 202 })
    expect(await call).toMatchObject({ httpStatusCode: 201 })
  })

  it('unless it took longer than the server lets it', async () => {
    const slow = await startServer({ config: { searchTimeoutMs: 1 } })
    onTestFinished(slow.stop)
    await fillShop(slow.client())
    await unwrap(
      slow
        .client()
        .dataset('shop')
        .documents.bulk(
          Array.from({ length: 3_000 }, (_, i) => ({
            ...products[0]!,
            id: `${i}`,
            title: `Lamp ${i.toString(3)}`,
          })),
        ),
    )
    const { sent, fetch } = watched()
    const query = Array.from({ length: 1_000 }, (_, i) => `*${i}xyz*`).join(' OR ')
    const result = await slow.client({ fetch }).dataset('shop').search({ text: 'lamp', filter: { query } })
    expect(refusal(result)).toMatchObject({ httpStatusCode: 503, errorCode: 'SEARCH_TIMEOUT', retryAfter: 1 })
    expect(sent).toHaveLength(1)
  })

  it('unless it is aborted while it waits', async () => {
    const { baseAddress, calls } = await somebody(answered('503 Busy\r\nRetry-After: 5', ''))
    const controller = new AbortController()
    const call = createClient({ baseAddress }).dataSets.list({ signal: controller.signal })
    await expect.poll(calls).toBe(1)
    setTimeout(() => controller.abort(), 50)
    expect(await call).toMatchObject({ failure: 'aborted' })
    expect(calls()).toBe(1)
  })

  it('at the date that the server says', async () => {
    const later = new Date(Date.now() + 60_000).toUTCString()
    const { baseAddress } = await somebody(answered(`429 Slow\r\nRetry-After: ${later}`, ''))
    const { retryAfter } = refusal(await createClient({ baseAddress }).dataSets.list())
    expect(retryAfter).toBeGreaterThan(50)
    expect(retryAfter).toBeLessThanOrEqual(60)
  })
})

describe('ids', () => {
  const odd = [
    'a/b',
    '.',
    '..',
    '%2E',
    '%252e%252E',
    'ä ö',
    '?a=b#c',
    '__proto__',
    '\\',
    '100%',
    '𝛼',
    'Export/',
    '+',
  ]

  it.each(odd)('reach the document that has them: %s', async id => {
    const { documents } = server.client().dataset<Product>('shop')
    await unwrap(documents.create({ ...products[0]!, id }))
    expect((await unwrap(documents.get(id))).id).toBe(id)
    expect((await unwrap(documents.update(id, { price: 1 }))).price).toBe(1)
    await unwrap(documents.remove(id))
    expect(await documents.get(id)).toMatchObject({ httpStatusCode: 404 })
  })

  it('that no address can hold are refused here, and by the server in a body', async () => {
    const { documents } = server.client().dataset<Product>('shop')
    for (const id of ['a\ud800', '\udc00b', '']) {
      const result = refusal(await documents.get(id))
      expect(result).toMatchObject({ failure: 'unsent', httpStatusCode: 0 })
      expect(result.errors.errors[0]).toMatch(/^id is /)
    }
    expect(await documents.create({ ...products[0]!, id: 'a\ud800' })).toMatchObject({ httpStatusCode: 400 })
    // Text that no header can hold names no dataset.
    expect(await server.client().dataset('лавка').settings()).toMatchObject({ isSuccessful: false })
    expect(await server.client().dataset('лавка').documents.get('1')).toMatchObject({ failure: 'unsent' })
  })
})

describe('names', () => {
  const sample = {
    id: 'n1',
    Id: 'other',
    title: 'lower',
    Title: 'Upper',
    TITLE: 'all upper',
    tag: ['a'],
    Specs: { Width: 1, width: 2 },
  }
  const withProto = JSON.parse(`{"id":"n1","title":"one two","tag":["a"],"__proto__":"proto text"}`)

  it('of fields are never changed, on no way in and on none out', async () => {
    const client = server.client()
    const fields = ['title', 'Title', 'TITLE']
    const settings = { nGramCount: 1, idField: 'id', tagField: 'tag', interpretedFields: fields }
    await unwrap(client.dataSets.create({ name: 'cased', ...settings, sampleDocument: sample }))
    const cased = client.dataset<typeof sample>('cased')
    await unwrap(cased.documents.bulk([sample]))
    const { documents } = cased
    expect(await unwrap(documents.get('n1'))).toEqual(sample)
    expect((await unwrap(client.dataSets.get('cased'))).sampleDocument).toEqual(sample)
    const all = { pagination: { limit: 1 }, fieldList: ['*'] }
    expect((await unwrap(documents.filter(all))).items).toEqual([sample])
    const found = await unwrap(
      cased.search({ text: 'upper', fields: { Title: 3, TITLE: 1 }, facets: fields, highlight: true }),
    )
    expect(found.hits[0]!.document).toEqual(sample)
    expect(Object.keys(found.facets!)).toEqual(fields)
    expect(Object.keys(found.hits[0]!.highlights!).sort()).toEqual(['TITLE', 'Title'])
    expect((await unwrap(cased.similar({ text: 'upper' }))).hits[0]!.document).toEqual(sample)
    for await (const document of documents.exportAll()) expect(document).toEqual(sample)
    const changed = await unwrap(documents.update('n1', { Specs: { Width: 5, width: 2 } }))
    expect(changed).toEqual({ ...sample, Specs: { Width: 5, width: 2 } })
  })

  it('such as __proto__ are names as any other', async () => {
    const client = server.client()
    const settings = {
      nGramCount: 1,
      idField: 'id',
      tagField: 'tag',
      interpretedFields: ['title', '__proto__'],
    }
    await unwrap(client.dataSets.create({ name: 'proto', ...settings, sampleDocument: withProto }))
    const proto = client.dataset('proto')
    await unwrap(proto.documents.create(withProto))
    expect(JSON.stringify(await unwrap(proto.documents.get('n1')))).toBe(JSON.stringify(withProto))
    const fields = JSON.parse('{"__proto__":2,"title":1}')
    const { facets, hits } = await unwrap(
      proto.search({ text: 'proto', fields, facets: ['__proto__'], highlight: true }),
    )
    expect(Object.keys(facets!)).toEqual(['__proto__'])
    expect(Object.keys(hits[0]!.highlights!)).toEqual(['__proto__'])
    expect(({} as Record<string, unknown>).values).toBeUndefined()
  })

  it('of settings may be given as the wire has them, and unknown ones are told', async () => {
    const shop = server.client().dataset<Product>('shop')
    const wire = { Text: 'drill', Limit: 1 } as unknown as { text: string }
    expect((await unwrap(shop.search(wire))).hits).toHaveLength(1)
    const unknown = { text: 'drill', limt: 1 } as { text: string }
    expect(refusal(await shop.search(unknown)).errors.errors[0]).toContain('Limit')
  })
})

describe('a value', () => {
  it('that is no JSON is not sent', async () => {
    const { documents } = server.client().dataset('shop')
    const circle: Record<string, unknown> = { id: 'c' }
    circle.self = circle
    expect(await documents.create(circle)).toMatchObject({ failure: 'unsent' })
    expect(await documents.create({ id: 1n })).toMatchObject({ failure: 'unsent' })
  })

  it('that says how it is written is written so', async () => {
    const end = new Date('2099-01-01T00:00:00Z')
    const key = { name: 'dated', scopes: ['Read'] as const, expires: end as unknown as string }
    const { expires } = await unwrap(server.client().keys.create(key))
    expect(new Date(expires!)).toEqual(end)
  })
})

describe('a configuration', () => {
  const wrong: [string, Record<string, unknown>, RegExp][] = [
    ['no address', { baseAddress: undefined }, /^baseAddress is undefined; expected an address/],
    ['an address that is none', { baseAddress: 'example.com:8080/shop' }, /^baseAddress is "example/],
    ['an address with a query', { baseAddress: 'https://example.com/?a' }, /without query/],
    ['an address with a password', { baseAddress: 'https://me:you@example.com' }, /password/],
    ['both secret and key', { secret: 'one', key: 'two' }, /^Both secret and key are given/],
    ['a secret that is none', { secret: 12 }, /^secret is number; expected text/],
    ['a scheme of two words', { scheme: 'a b' }, /^scheme is "a b"/],
    ['a timeout that is no number', { timeout: Number.NaN }, /^timeout is NaN; expected a whole number/],
    ['a timeout that no timer takes', { timeout: 1e12 }, /^timeout is 1000000000000/],
    ['a negative limit', { parallelLimit: -1 }, /^parallelLimit is -1/],
    ['gzip that is text', { gzip: 'yes' }, /^gzip is "yes"; expected true or false/],
    ['an unknown setting', { timeuot: 1 }, /^There is no setting "timeuot"; expected one of .*timeout/],
  ]
  it.each(wrong)('is refused at once with %s', (_, configuration, message) => {
    const given = { baseAddress: server.url, ...configuration } as Configuration
    expect(() => createClient(given)).toThrow(TypeError)
    expect(() => createClient(given)).toThrow(message)
  })
})

describe('many documents', () => {
  it('go through a call, and come back page by page as they were', async () => {
    const client = server.client({ gzip: true })
    await fillShop(client, 'many')
    const { documents } = client.dataset<Product>('many')
    const rows = Array.from({ length: 4_000 }, (_, i) => ({ ...products[i % 4]!, id: `m${i}`, price: i }))
    const { results } = await unwrap(documents.bulk(rows))
    expect(results.filter(({ statusCode }) => statusCode === 200)).toHaveLength(4_000)
    const found = new Set<string>()
    for await (const { id } of documents.filterAll({ filter: { query: 'price:>=500' } })) found.add(id)
    expect(found.size).toBe(3_500)
  })

  it('are given as far as they were asked for, and an error is thrown in between', async () => {
    const { documents } = server.client().dataset<Product>('shop')
    let count = 0
    for await (const _ of documents.filterAll({ pagination: { limit: 1 } })) if (++count === 2) break
    expect(count).toBe(2)
    const broken = documents.filterAll({ filter: { query: 'none:(' } })
    await expect(broken.next()).rejects.toMatchObject({ name: 'CallError', httpStatusCode: 400 })
  })
})

describe('the entry for searching alone', () => {
  it('searches, completes and makes several searches with a key for that', async () => {
    const { key } = await unwrap(
      server.client().keys.create({ name: 'public', scopes: ['Search'], dataSets: ['shop'] }),
    )
    const shop = createSearch<Product>({ baseAddress: server.url, key, dataset: 'shop' })
    const { hits } = await unwrap(shop.search({ text: 'hamer drill', limit: 1 }))
    expect(hits[0]!.document!.title).toBe('Hammer drill')
    const { results } = await unwrap(shop.multi([{ text: 'hose' }, { text: 'drill', limit: 1 }]))
    expect(results.map(({ hits }) => hits.length)).toEqual([2, 1])
    expect((await unwrap(shop.complete({ text: 'gard' }))).completions.map(({ text }) => text)).toContain(
      'Garden hose',
    )
    expect(await shop.multi([{ text: 'hose', dataSet: 'other' }])).toMatchObject({ httpStatusCode: 403 })
  })
})

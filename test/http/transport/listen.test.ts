import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { mostConnections, mostOpenFiles } from '../../../adapters/http/src/listening/connections.ts'
import type { Route } from '../../../adapters/http/src/route.ts'
import { chunk, key, request, routes, serve, statusOf } from './fixture.ts'

/** A route that answers when it is told to, and knows when it has begun. */
function held(): { route: Route; begun: Promise<void>; release: () => void } {
  let begin: () => void
  let release: () => void
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const released = new Promise<void>(resolve => {
    release = resolve
  })
  const route: Route = {
    ...routes[0]!,
    path: '/api/Held',
    handle: async () => {
      begin()
      await released
      return { status: 200, body: 'released' }
    },
  }
  return { route, begun, release: () => release() }
}

function refused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy()
      resolve(false)
    })
    socket.on('error', () => resolve(true))
  })
}

describe('listen', () => {
  test('rejects where another listens', async () => {
    const { url } = await serve()
    await expect(serve({ listen: { port: Number(new URL(url).port) } })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    })
  })

  test('tells an IPv6 address as one', async () => {
    const { url } = await serve({ listen: { host: '::1' } })
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(url)).status).toBe(200)
  })

  test('keeps a connection for several requests', async () => {
    const { raw } = await serve()
    const one = request('GET /api/shown/one', { Connection: 'keep-alive' })
    const answer = await raw([one, request('GET /api/shown/two')])
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })
})

describe('connections beyond the most', () => {
  test('are closed at once, told once, and taken again when others have gone', async () => {
    const told: object[] = []
    const logger = { info() {}, warn: (...line: unknown[]) => void told.push(line), error() {} }
    const { url, get } = await serve({ listen: { connections: 3, logger } })
    const { hostname, port } = new URL(url)
    const open = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const socket = connect(Number(port), hostname)
        await once(socket, 'connect')
        return socket
      }),
    )
    for (let more = 0; more < 5; more++) await expect(get('/api/shown/1')).rejects.toThrow()
    expect(told).toEqual([[{ most: 3 }, expect.any(String)]])
    for (const socket of open) socket.destroy()
    await expect.poll(() => get('/api/shown/1').catch(() => undefined)).toMatchObject({ status: 200 })
  })

  test.each([
    [1_024, 512],
    [20_000, 10_000],
    [1_048_576, 10_000],
    [undefined, 10_000],
  ])('are those that leave half of %s files to the store: %i', (files, most) => {
    expect(mostConnections(files)).toBe(most)
  })

  test.skipIf(process.platform !== 'linux')('are counted by what the system allows', () => {
    const { stdout } = spawnSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })
    expect(mostOpenFiles()).toBe(stdout.trim() === 'unlimited' ? undefined : Number(stdout))
  })
})

describe('a slow client', () => {
  // Long enough for requests in time, however busy the machine is.
  const slow = { headersTimeout: 2_000, requestTimeout: 3_000 }

  test('that never ends its head or its body is told so and cut off, and keeps no others waiting', async () => {
    const { raw, get } = await serve({ listen: slow })
    const headers = { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json' }
    const slowly = [
      raw(['GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ']),
      raw([request('POST /api/body', headers), chunk('{')]),
      ...Array.from({ length: 50 }, () => raw(['GET / HTTP/1.1\r\n'])),
    ]
    expect((await get('/api/shown/1')).status).toBe(200)
    for (const answer of await Promise.all(slowly)) {
      expect(statusOf(answer)).toBe(408)
      expect(answer).toContain('X-Api-Version: 1.5.0')
      expect(answer).toContain('X-Content-Type-Options: nosniff')
    }
  })
})

describe('close', () => {
  test('lets a running request end, accepts no other, and ends the connection', async () => {
    const { route, begun, release } = held()
    const { url, raw, close } = await serve({ app: { routes: [route] } })
    const answer = raw([request('GET /api/held', { Connection: 'keep-alive' })])
    await begun
    const closed = close(60_000)
    expect(await refused(url)).toBe(true)
    release()
    expect(await answer).toContain('"released"')
    await closed
  })

  test('cuts what still runs after the grace', async () => {
    const { route, begun } = held()
    const { raw, close } = await serve({ app: { routes: [route] } })
    const answer = raw([request('GET /api/held')])
    await begun
    await close(50)
    expect(await answer).toBe('')
  })

  test('ends connections that wait for another request', async () => {
    const { url, close } = await serve()
    await (await fetch(`${url}/api/shown/1`, { headers: key })).text()
    await close(60_000)
    expect(await refused(url)).toBe(true)
  })

  test('may be asked for twice', async () => {
    const { close } = await serve()
    await Promise.all([close(1000), close(1000)])
  })
})

/** A route that streams without end, and a promise that it was told to stop. */
function endless(): { route: Route; stopped: Promise<void> } {
  let stop: () => void
  const stopped = new Promise<void>(resolve => {
    stop = resolve
  })
  const route: Route = {
    ...routes[0]!,
    path: '/api/Endless',
    handle: async () => ({
      status: 200,
      stream: new ReadableStream({
        pull: controller => controller.enqueue(Buffer.alloc(1024)),
        cancel: () => stop(),
      }),
    }),
  }
  return { route, stopped }
}

describe('an answer that nobody reads', () => {
  test('that reads nothing of its answer is cut off, and what it held is let go', async () => {
    const { route, stopped } = endless()
    const { url } = await serve({ app: { routes: [route] }, listen: { readTimeout: 300 } })
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    const closed = new Promise(resolve => socket.on('close', resolve).on('error', () => {}))
    socket.write(request('GET /api/endless'))
    socket.pause()
    await stopped
    // What had come before is still to be read; then it ends.
    socket.resume()
    await closed
  })

  test.each(['gzip', 'identity'])(
    'is stopped when it was asked for by HEAD, accepting %s',
    async accepted => {
      const { route, stopped } = endless()
      const { raw } = await serve({ app: { routes: [route] } })
      const answer = await raw([request('HEAD /api/endless', { 'Accept-Encoding': accepted })])
      expect(statusOf(answer)).toBe(200)
      await stopped
    },
  )

  test.each(['gzip', 'identity'])('is stopped when the client goes away, accepting %s', async accepted => {
    const { route, stopped } = endless()
    const { url } = await serve({ app: { routes: [route] } })
    const leaving = new AbortController()
    const headers = { ...key, 'Accept-Encoding': accepted }
    expect((await fetch(`${url}/api/endless`, { headers, signal: leaving.signal })).status).toBe(200)
    leaving.abort()
    await stopped
  })
})

describe('a route that throws what is no error', () => {
  test('fails like any other', async () => {
    const route: Route = { ...routes[0]!, path: '/api/Odd', handle: () => Promise.reject('a secret reason') }
    const { get } = await serve({ app: { routes: [route] } })
    const response = await get('/api/odd')
    expect(response.status).toBe(500)
    expect(response.headers.get('X-Api-Version')).toBe('1.5.0')
    expect(await response.json()).toEqual({ Errors: ['Internal Server Error'] })
  })
})

describe('a client that goes away', () => {
  test('tells the route by the signal', async () => {
    let aborted: (() => void) | undefined
    const heard = new Promise<void>(resolve => {
      aborted = resolve
    })
    const leaving = new AbortController()
    const route: Route = {
      ...routes[0]!,
      path: '/api/Left',
      handle: async ({ signal }) => {
        signal.addEventListener('abort', () => aborted?.())
        leaving.abort()
        await heard
        throw signal.reason
      },
    }
    const { url, logged } = await serve({ app: { routes: [route] } })
    await expect(fetch(`${url}/api/left`, { headers: key, signal: leaving.signal })).rejects.toThrow()
    await heard
    expect(logged.filter(({ message }) => message === 'request failed')).toEqual([])
  })
})

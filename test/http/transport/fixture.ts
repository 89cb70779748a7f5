import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { type Access, openAccess } from '../../../adapters/http/src/access/access.ts'
import { type App, type AppOptions, createApp } from '../../../adapters/http/src/app.ts'
import { type Config, readConfig } from '../../../adapters/http/src/config/config.ts'
import { openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { type ListenOptions, listen } from '../../../adapters/http/src/listening/listen.ts'
import type { Route } from '../../../adapters/http/src/route.ts'
import { createSetup } from '../../../adapters/http/src/setup/setup.ts'
import { hashCost } from '../access/hash-cost.ts'

export const secret = 's3cr3t-for-tests'
export const key = { Authorization: `Findling ${secret}` }

/** Routes that show what arrived, one for each thing a route can ask for. */
export const routes: Route[] = [
  {
    ...shown('GET', '/api/Shown/{id}'),
    query: z.object({ withDetails: z.boolean().default(false), size: z.int().optional() }),
    handle: async ({ path, query, parallel, base }) => ({
      status: 200,
      body: { path, query, parallel, base },
    }),
  },
  shown('GET', '/api/Shown/Fixed'),
  {
    ...shown('POST', '/api/Body'),
    body: z.object({
      Name: z.string().min(1),
      Size: z.int().default(0),
      List: z.array(z.string()).default([]),
    }),
  },
  { ...shown('POST', '/api/Optional'), body: z.object({ Name: z.string() }), bodyOptional: true },
  { ...shown('POST', '/api/Any'), body: z.unknown() },
  {
    ...shown('POST', '/api/Stream'),
    stream: ['text/csv'],
    handle: async ({ stream }) => {
      let bytes = 0
      for await (const chunk of stream!) bytes += chunk.byteLength
      return { status: 200, body: bytes }
    },
  },
  { ...shown('POST', '/api/Writes'), body: z.object({ Name: z.string() }), dataset: true, writes: true },
  {
    ...shown('GET', '/api/Months/{month}'),
    members: z.object({ month: z.string().regex(/^([1-9]|1[0-2])$/, 'a month') }),
  },
  { ...shown('POST', '/api/Fails'), handle: () => Promise.reject(new TypeError('secret detail')) },
]

function shown(method: Route['method'], path: string): Route {
  return {
    method,
    path,
    action: path.slice('/api/'.length),
    summary: 'Shows what arrived',
    responses: { 200: { when: 'always' } },
    handle: async ({ body, dataset }) => ({ status: 200, body: { body, dataset } }),
  }
}

export interface Server {
  readonly url: string
  readonly engine: Engine
  readonly access: Access
  readonly app: App
  readonly logged: { details: Record<string, unknown>; message: string }[]
  /** Sends bytes as they are, closes its side when `end`, and gives all that came back. */
  raw(parts: readonly (string | Uint8Array)[], options?: { end?: boolean }): Promise<string>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  post(path: string, body?: string | Uint8Array, headers?: Record<string, string>): Promise<Response>
  close(graceMs: number): Promise<void>
  /** Ends all of it. */
  stop(): Promise<void>
}

export interface Given {
  config?: Partial<Config>
  secret?: 'set' | 'provisional' | 'none'
  app?: Partial<AppOptions>
  listen?: Partial<ListenOptions>
}

/** A server of its own for one test. */
export async function serve(given: Given = {}): Promise<Server> {
  const server = await start(given)
  onTestFinished(server.stop)
  return server
}

/** An app with its engine in memory, on a socket. */
export async function start(given: Given = {}): Promise<Server> {
  const engine = await Engine.open()
  const access = await openAccess(engine, { schemes: ['Findling', 'Bearer'], hashCost })
  if (given.secret === 'provisional') await access.makeProvisional()
  else if (given.secret !== 'none') await access.setSecret(secret)
  const licence = await openLicence(engine)
  const logged: Server['logged'] = []
  const log = (details: object, message: string) => logged.push({ details: { ...details }, message })
  const app = createApp({
    engine,
    config: {
      ...readConfig({}),
      filesFolder: join(tmpdir(), 'findling-no-files'),
      diskMinimumMb: 0,
      ...given.config,
    },
    access,
    setup: createSetup({ access, licence }),
    licence,
    logger: { info: log, warn: log, error: log },
    routes,
    ...given.app,
  })
  const server = await listen(app, { port: 0, host: '127.0.0.1', ...given.listen })
  const url = server.address
  return {
    url,
    engine,
    access,
    app,
    logged,
    raw: (parts, options) => exchange(url, parts, options),
    get: (path, headers = key) => fetch(url + path, { headers }),
    post: (path, body = '', headers = { ...key, 'Content-Type': 'application/json' }) =>
      fetch(url + path, { method: 'POST', body, headers }),
    close: server.close,
    async stop() {
      await server.close(0)
      await app.close()
      await engine.close()
    },
  }
}

/** The answer in ASCII, once the server has closed the connection. */
function exchange(
  url: string,
  parts: readonly (string | Uint8Array)[],
  { end = false }: { end?: boolean } = {},
): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise(resolve => {
    const socket = connect(Number(port), hostname.replace(/^\[(.*)\]$/, '$1'))
    let answer = ''
    socket.setEncoding('latin1').on('data', text => {
      answer += text
    })
    socket.on('error', () => {}) // a reset is an end too
    socket.on('close', () => resolve(answer))
    for (const part of parts) socket.write(part)
    if (end) socket.end()
  })
}

/** A request as it goes over the wire; the server closes the connection after its answer. */
export function request(line: string, headers: Record<string, string> = {}, body = ''): string {
  const all = { Host: 'localhost', Connection: 'close', ...key, ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

export function chunk(bytes: string | Uint8Array): Buffer {
  const content = Buffer.from(bytes)
  return Buffer.concat([Buffer.from(`${content.byteLength.toString(16)}\r\n`), content, Buffer.from('\r\n')])
}

export const lastChunk = '0\r\n\r\n'

export function statusOf(answer: string): number {
  return Number(answer.split(' ')[1])
}

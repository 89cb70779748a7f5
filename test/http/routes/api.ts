import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { expect } from 'vitest'
import { openAccess } from '../../../adapters/http/src/access/access.ts'
import { SecretChecks } from '../../../adapters/http/src/access/secret-checks.ts'
import { SlowDown } from '../../../adapters/http/src/access/slow-down.ts'
import { type AppOptions, createApp } from '../../../adapters/http/src/app.ts'
import { type Config, readConfig } from '../../../adapters/http/src/config/config.ts'
import { type Licence, openLicence } from '../../../adapters/http/src/licence/licence.ts'
import { listen } from '../../../adapters/http/src/listening/listen.ts'
import type { Route } from '../../../adapters/http/src/route.ts'
import { pagesOf, routesOf } from '../../../adapters/http/src/routes/index.ts'
import { metricsRoute } from '../../../adapters/http/src/routes/metrics.ts'
import { setupRoutes } from '../../../adapters/http/src/setup/routes.ts'
import { createSetup } from '../../../adapters/http/src/setup/setup.ts'
import { updateRoutes } from '../../../adapters/http/src/update/routes.ts'
import { createUpdater } from '../../../adapters/http/src/update/update.ts'
import { hashCost } from '../access/hash-cost.ts'

export const secret = 's3cr3t-for-tests'

/** An answer as a client gets it. Its body, if the routes describe one, fits the description. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Parsed where it is JSON, otherwise text; undefined when empty. */
  // biome-ignore lint/suspicious/noExplicitAny: JSON, looked at from outside and checked against its model
  readonly body: any
  /** What was called, as the table of routes has it; the path itself where no route is meant. */
  readonly endpoint: string
}

export interface Sent {
  /** An object is sent as JSON, text as it is. */
  body?: unknown
  /** For X-DataSet. */
  dataset?: string
  headers?: Record<string, string>
}

export type Send = (method: string, path: string, sent?: Sent) => Promise<Reply>

export interface Api {
  readonly url: string
  readonly engine: Engine
  readonly licence: Licence
  readonly send: Send
  stop(): Promise<void>
}

export interface Given {
  config?: Partial<Config>
  secret?: boolean
  updater?: AppOptions['updater']
  engine?: Engine
  files?: string
}

/** The routes as they are, only to be read. */
export const routes: readonly Route[] = tableOfRoutes()

/** The whole API on a socket, with its engine in memory unless one is given. */
export async function startApi(given: Given = {}): Promise<Api> {
  const engine = given.engine ?? (await Engine.open())
  // Refusals come at once: there are many, all from one address.
  const checks = new SecretChecks(new SlowDown({ wait: () => Promise.resolve() }))
  const access = await openAccess(engine, { schemes: ['Findling', 'Service', 'Bearer'], hashCost, checks })
  if (given.secret !== false && !access.isSet()) await access.setSecret(secret)
  const licence = await openLicence(engine)
  const folder = await mkdtemp(join(tmpdir(), 'findling-files-'))
  const app = createApp({
    engine,
    // Not the default: what `npm start` has left in ./data is none of the tests'.
    config: {
      ...readConfig({ FINDLING_STORE: join(folder, 'in-memory') }),
      filesFolder: folder,
      diskMinimumMb: 0,
      ...given.config,
    },
    access,
    setup: createSetup({ access, licence }),
    licence,
    ...(given.updater && { updater: given.updater }),
  })
  const server = await listen(app, { port: 0, host: '127.0.0.1' })
  return {
    url: server.address,
    engine,
    licence,
    send: (method, path, sent) => exchange(server.address, method, path, sent),
    async stop() {
      await server.close(0)
      await app.close()
      if (!given.engine) await engine.close()
      // The file of a process that has ended may still be on its way.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function exchange(url: string, method: string, path: string, sent: Sent = {}): Promise<Reply> {
  const response = await fetch(url + path, {
    method,
    redirect: 'manual',
    headers: headersOf(sent),
    ...(sent.body !== undefined && {
      body:
        typeof sent.body === 'string' || sent.body instanceof Uint8Array
          ? sent.body
          : JSON.stringify(sent.body),
    }),
  })
  const route = routeOf(method, path)
  const reply = {
    status: response.status,
    headers: response.headers,
    body: await bodyOf(response),
    endpoint: `${method} ${route?.path ?? path}`,
  }
  expect(response.headers.get('X-Api-Version')).toBe('1.5.0')
  check(reply, route)
  return reply
}

function headersOf({ body, dataset, headers = {} }: Sent): Record<string, string> {
  return {
    Authorization: `Findling ${secret}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(dataset !== undefined && { 'X-DataSet': dataset }),
    ...headers,
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return undefined
  return response.headers.get('Content-Type')?.startsWith('application/json') ? JSON.parse(text) : text
}

/** The route that a path means: a member of a path only where no fixed word stands. */
function routeOf(method: string, path: string): Route | undefined {
  const words = path.split('?')[0]!.toLowerCase().split('/')
  const fits = (pattern: string[]) =>
    pattern.length === words.length &&
    pattern.every((part, at) => part.startsWith('{') || part.toLowerCase() === words[at])
  const found = routes.filter(route => route.method === method && fits(route.path.split('/')))
  return found.find(({ path }) => path.toLowerCase() === words.join('/')) ?? found[0]
}

/** Errors have the shape of all errors, the rest that of its route, and nothing else in it. */
function check({ status, headers, body }: Reply, route: Route | undefined): void {
  if (status >= 400 && !route?.responses[status]?.types) {
    expect(body).toEqual({ Errors: expect.arrayContaining([expect.any(String)]) })
    // Nor a word of methods, classes and files of the library, which is none of a client's.
    expect(body.Errors.join('\n')).not.toMatch(/\w\(\)|\w+Error\b|\.(?:ts|js)\b|\bundefined\b/)
    return
  }
  const declared = route?.responses[status]
  if (!declared) return
  if (declared.body) expect(declared.body.parse(body)).toEqual(body)
  else if (declared.types) expect(declared.types).toContain(headers.get('Content-Type')?.split(';')[0])
  else expect(body).toBeUndefined()
}

function tableOfRoutes(): Route[] {
  // The services are called by handlers alone, and none of these handlers is.
  const unused = { backup: {} } as Parameters<typeof routesOf>[0] &
    Parameters<typeof pagesOf>[0] &
    Parameters<typeof metricsRoute>[0] &
    Parameters<typeof setupRoutes>[0]
  return [
    ...routesOf(unused),
    ...pagesOf(unused),
    ...setupRoutes(unused),
    metricsRoute(unused, () => []),
    ...updateRoutes(createUpdater([])),
  ]
}

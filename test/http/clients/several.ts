import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type OpenedClient,
  type ServeClientsOptions,
  type ServedClients,
  serveClients,
} from '../../../adapters/http/src/clients/serve-clients.ts'
import { addClient } from '../../../adapters/http/src/commands/clients.ts'
import { type Config, readConfig } from '../../../adapters/http/src/config/config.ts'
import { hashCost } from '../access/hash-cost.ts'

export const operatorsSecret = 's3cr3t-of-the-operator'
export const secretOf = (id: string) => `s3cr3t-of-${id}`

export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON, looked at from outside
  readonly body: any
}

export interface Sent {
  readonly body?: unknown
  readonly dataset?: string
  /** Default: none. */
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

export interface Several {
  readonly served: ServedClients
  readonly config: Config
  /** Of the clients. */
  readonly folder: string
  readonly opened: OpenedClient[]
  readonly failed: { id: string; error: unknown }[]
  readonly logged: { details: Record<string, unknown>; message: string }[]
  send(method: string, path: string, sent?: Sent): Promise<Answered>
  stop(): Promise<void>
}

/** An empty folder that is gone when the test, or the file, is over. */
export async function emptyFolder(
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-clients-'))
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Adds clients, each with a secret of its own, as the operator does. */
export async function add(folder: string, ...ids: string[]): Promise<void> {
  for (const id of ids)
    await addClient(id, join(folder, 'clients'), readConfig({}), { secret: secretOf(id), hashCost })
}

/** A server of all clients in the folder, without a socket; its calls come from one address each. */
export async function several(
  folder: string,
  given: Partial<Config> = {},
  options: Partial<ServeClientsOptions> = {},
): Promise<Several> {
  const clients = join(folder, 'clients')
  const config: Config = {
    ...readConfig({ FINDLING_STORE: join(folder, 'operator'), FINDLING_CLIENTS: clients }),
    secret: operatorsSecret,
    memoryMb: 704,
    diskMinimumMb: 0,
    ...given,
  }
  const [opened, failed, logged]: [OpenedClient[], Several['failed'], Several['logged']] = [[], [], []]
  const log = (details: object, message: string) => logged.push({ details: { ...details }, message })
  const served = await serveClients({
    config,
    folder: clients,
    hashCost,
    logger: { info: log, warn: log, error: log },
    onOpened: client => opened.push(client),
    onFailed: (id, error) => failed.push({ id, error }),
    ...options,
  })
  let calls = 0
  return {
    served,
    config,
    folder: clients,
    opened,
    failed,
    logged,
    async send(method, path, sent = {}) {
      const request = requestOf(method, path, sent)
      // Or refusals would be slowed down, as they should be.
      const remoteAddress = `10.0.${(calls >> 8) & 255}.${calls++ & 255}`
      return await answered(await served.fetch(request, { remoteAddress }))
    },
    stop: () => served.close(),
  }
}

function requestOf(method: string, path: string, { key, dataset, body, headers }: Sent): Request {
  return new Request(`http://localhost${path}`, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `Findling ${key}` }),
      ...(dataset !== undefined && { 'X-DataSet': dataset }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

async function answered(response: Response): Promise<Answered> {
  const { status, headers } = response
  const text = await response.text()
  const isPlain = !headers.has('Content-Encoding')
  const isJson = isPlain && text !== '' && headers.get('Content-Type')?.startsWith('application/json')
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined }
}

import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from 'findling'
import type { Recorder } from './recorder.ts'

type Adapter = typeof import('../../adapters/http/src/index.ts')

export interface Sent {
  readonly dataset?: string
  /** Text and bytes as they are, everything else as JSON. */
  readonly body?: unknown
  /** Sent in place of the secret; null: none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
}

const secret = 's3cr3t-of-the-bench'

const hashCost = { cost: 2 ** 10, blockSize: 8, parallelization: 1 }

function configOf(adapter: Adapter, folder: string, stats: boolean) {
  return {
    ...adapter.readConfig({}),
    store: folder,
    filesFolder: join(folder, 'files'),
    backupFolder: join(folder, 'backup'),
    diskMinimumMb: 0,
    stats,
  }
}

/** They tell of the time, or of the connection. */
const unsteady = new Set([
  'date',
  'x-elapsedtime',
  'retry-after',
  'connection',
  'keep-alive',
  'content-length',
])

/** The REST API over an engine, behind a socket of this machine. */
export class Http {
  readonly #engine: Engine
  readonly #address: string
  readonly close: () => Promise<void>

  private constructor(engine: Engine, address: string, close: () => Promise<void>) {
    this.#engine = engine
    this.#address = address
    this.close = close
  }

  static async open(
    adapter: Adapter,
    engine: Engine,
    { folder, stats }: { folder: string; stats: boolean },
  ): Promise<Http> {
    const access = await adapter.openAccess(engine, {
      schemes: ['Findling', 'Service', 'Bearer'],
      seed: secret,
      hashCost,
    })
    const licence = await adapter.openLicence(engine, { cores: 2 })
    const config = configOf(adapter, folder, stats)
    const setup = adapter.createSetup({ access, licence })
    return await Http.#listening(
      adapter,
      engine,
      adapter.createApp({ engine, config, access, setup, licence }),
    )
  }

  /** A server of several clients, each of which has the secret, as the operator has. */
  static async withClients(adapter: Adapter, folder: string, ids: readonly string[]): Promise<Http> {
    const clients = join(folder, 'clients')
    const config = {
      ...configOf(adapter, join(folder, 'operator'), false),
      clientsFolder: clients,
      filesFolder: clients,
      secret,
      memoryMb: 2_048,
    }
    await mkdir(clients)
    for (const id of ids) await adapter.addClient(id, clients, config, { secret, hashCost })
    const logger = { info() {}, warn() {}, error() {} }
    const app = await adapter.serveClients({ config, folder: clients, logger, hashCost })
    return await Http.#listening(adapter, app.engine, app)
  }

  static async #listening(
    { listen }: Adapter,
    engine: Engine,
    app: Parameters<Adapter['listen']>[0],
  ): Promise<Http> {
    const listening = await listen(app, { port: 0, host: '127.0.0.1' })
    return new Http(engine, listening.address, async () => {
      await listening.close(1_000)
      await app.close()
    })
  }

  /** For the calls of one area: what `send` sends is recorded, its JSON handed on. */
  for(at: Recorder) {
    const send = <R = Json>(method: string, path: string, sent: Sent = {}): Promise<R> =>
      this.#recorded<R>(at, method, path, sent)
    const post = <R = Json>(path: string, body: unknown, sent: Sent = {}): Promise<R> =>
      send<R>('POST', path, { body, ...sent })
    return { send, post, get: (path: string, sent?: Sent) => send('GET', path, sent), engine: this.#engine }
  }

  /** Not recorded, for answers that are to be recorded in part. */
  async text(path: string): Promise<string> {
    const response = await fetch(this.#address + path, { headers: { Authorization: `Findling ${secret}` } })
    return await response.text()
  }

  async json(path: string): Promise<unknown> {
    return JSON.parse(await this.text(path))
  }

  async #recorded<R>(at: Recorder, method: string, path: string, sent: Sent): Promise<R> {
    const about = [sent.dataset, bodyText(sent.body), sent.headers && JSON.stringify(sent.headers)]
    const as = sent.key === undefined ? [] : [sent.key === null ? 'without a key' : 'with a named key']
    const call = [method, path, ...about.filter(one => one !== undefined), ...as].join(' ')
    let json: unknown
    await at.record(call, async () => {
      const answer = await this.#answer(method, path, sent)
      json = answer.json
      return answer.shown
    })
    return json as R
  }

  async #answer(method: string, path: string, { dataset, body, key = secret, headers }: Sent) {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array
    const response = await fetch(this.#address + path, {
      method,
      redirect: 'manual',
      headers: {
        'Accept-Encoding': 'identity',
        ...(key !== null && { Authorization: `Findling ${key}` }),
        ...(dataset !== undefined && { 'X-DataSet': dataset }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && {
        body: isRaw ? new Blob([body as string | Uint8Array<ArrayBuffer>]) : JSON.stringify(body),
      }),
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    const json =
      type.startsWith('application/json') && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined
    await this.#quiet()
    const process = response.status === 202 ? await this.#ended(json) : undefined
    const kept = [...response.headers].filter(([name]) => !unsteady.has(name))
    return {
      json,
      shown: {
        status: response.status,
        headers: Object.fromEntries(kept),
        body: response.status === 202 ? startedProcess(json) : shownBody(response.status, type, bytes, json),
        ...(process !== undefined && { process }),
      },
    }
  }

  /** Some calls leave work behind, which the next one would meet or not. */
  async #quiet(): Promise<void> {
    while (this.#engine.jobs({ status: ['running', 'cancelling'] }).length > 0)
      await new Promise(resolve => setTimeout(resolve, 3))
  }

  /** What became of a process: how far it was when it was answered says nothing. */
  async #ended(process: { Id: string }): Promise<unknown> {
    const answer = await fetch(`${this.#address}/api/Processes/${process.Id}`, {
      headers: { Authorization: `Findling ${secret}` },
    })
    const ended = (await answer.json()) as { ResultMessage: string | null; ErrorMessages: string[] }
    const link = /https?:\S+/.exec(ended.ResultMessage ?? '')?.[0]
    return { ...ended, ErrorMessages: ended.ErrorMessages.length, ...(link && { file: await fileAt(link) }) }
  }
}

/** Archives hold times, so that only texts are compared as a whole. */
async function fileAt(link: string): Promise<unknown> {
  const response = await fetch(link)
  const bytes = Buffer.from(await response.arrayBuffer())
  const isText = !bytes.subarray(0, 2).equals(Buffer.from('PK'))
  return {
    type: response.headers.get('content-type'),
    ...(isText ? { text: bytes.toString() } : { length: bytes.length }),
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what an answer holds is not of interest here, only that it stays the same
type Json = any

function startedProcess(process: Record<string, unknown>): unknown {
  const { Id, Description, Type, Start } = process
  return { members: Object.keys(process), Id, Description, Type, Start }
}

function shownBody(status: number, type: string, bytes: Buffer, json: Json): unknown {
  if (status >= 400 && Array.isArray(json?.Errors)) return { Errors: json.Errors.map(fieldOf) }
  if (json !== undefined) return bytes.toString().replace(/"Error":"[^"]+"/g, '"Error":"<text>"')
  const isText = /^(text|application\/(x-ndjson|json))/.test(type)
  return isText
    ? bytes.toString()
    : { bytes: bytes.length, hash: createHash('sha256').update(bytes).digest('hex') }
}

/** Texts of errors may be worded anew; the member that they are about stays. */
function fieldOf(text: string): string {
  return /^([\w.[\]"]+) is .*; expected /s.exec(text)?.[1] ?? '<text>'
}

function bodyText(body: unknown): string | undefined {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Uint8Array ? `<${body.length} bytes>` : JSON.stringify(body)
}

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { addClient } from '../adapters/http/src/commands/clients.ts'
import { readConfig } from '../adapters/http/src/config/config.ts'
import { secret, withServer } from './http-server.ts'
import { percentile } from './metrics.ts'
import { random, randomInteger } from './random.ts'
import { percent, progress, short, table } from './report.ts'
import { inTemporaryFolder } from './temporary.ts'

/** Who is asked with a wrong secret. Names of one length. */
const asked = ['used', 'idle', 'none'] as const
type Asked = (typeof asked)[number]

const about: Record<Asked, string> = {
  used: 'a client whose secret was used first',
  idle: 'a client whose secret was used last',
  none: 'no client',
}

interface Refusals {
  /** Milliseconds. */
  readonly p50: number
  readonly p95: number
  readonly requests: number
}

export interface ClientsResults {
  /** While there is a client whose secret has not been used since the start: each new guess costs a hash. */
  readonly costly: Record<Asked, Refusals>
  readonly cheap: Record<Asked, Refusals>
}

/** Does the time that a refusal takes tell whether there is a client? */
export async function clients(requests: number): Promise<ClientsResults> {
  return await inTemporaryFolder(async folder => {
    const clientsFolder = join(folder, 'clients')
    await mkdir(clientsFolder)
    for (const id of ['used', 'idle']) await addClient(id, clientsFolder, readConfig({}), { secret })
    const env = { FINDLING_CLIENTS: clientsFolder, FINDLING_STORE: join(folder, 'operator') }
    return await withServer(
      folder,
      async address => {
        const guesses = new Guesses(address)
        await guesses.use('used')
        progress('clients: while a hash is the cost of each guess')
        const costly = await guesses.measure(Math.ceil(requests / 100))
        await guesses.use('idle')
        progress('clients: when all secrets have been used')
        await guesses.measure(Math.ceil(requests / 10))
        return { costly, cheap: await guesses.measure(requests) }
      },
      { args: ['--trust-proxy'], env },
    )
  })
}

class Guesses {
  readonly #address: string
  readonly #next = random(7)
  #made = 0

  constructor(address: string) {
    this.#address = address
  }

  async use(client: Asked): Promise<void> {
    const { status } = await this.#ask(client, secret)
    if (status !== 200) throw new Error(`${client} answered its own secret with ${status}`)
  }

  /** So many of each, in random order, each secret once. */
  async measure(requests: number): Promise<Record<Asked, Refusals>> {
    const times: Record<Asked, number[]> = { used: [], idle: [], none: [] }
    const left = asked.flatMap(client => Array<Asked>(requests).fill(client))
    const bodies = new Set<string>()
    while (left.length > 0) {
      const at = randomInteger(this.#next, left.length)
      const client = left[at]!
      left[at] = left.at(-1)!
      left.pop()
      const start = performance.now()
      const { status, body } = await this.#ask(client, `wrong-secret-${this.#made}`)
      times[client].push(performance.now() - start)
      if (status !== 401) throw new Error(`${client} answered ${status}: ${body}`)
      bodies.add(body)
    }
    if (bodies.size !== 1) throw new Error(`refusals differ: ${[...bodies].join(' ')}`)
    return { used: refusals(times.used), idle: refusals(times.idle), none: refusals(times.none) }
  }

  async #ask(client: Asked, key: string): Promise<{ status: number; body: string }> {
    // From an address of its own each: failures of one address are slowed down.
    const from = this.#made++
    const headers = {
      Authorization: `Findling ${key}`,
      'X-Forwarded-For': `10.${(from >> 16) & 255}.${(from >> 8) & 255}.${from & 255}`,
    }
    const response = await fetch(`${this.#address}/${client}/api/Status`, { headers })
    return { status: response.status, body: await response.text() }
  }
}

function refusals(times: readonly number[]): Refusals {
  const ascending = Float64Array.from(times).sort()
  return { p50: percentile(ascending, 0.5), p95: percentile(ascending, 0.95), requests: times.length }
}

export function clientsReport({ costly, cheap }: ClientsResults): string {
  return [
    '# clients: a wrong secret over loopback, milliseconds until the answer',
    tableOf('when all secrets have been used', cheap),
    tableOf('while that of the second has not', costly),
  ].join('\n\n')
}

function tableOf(when: string, figures: Record<Asked, Refusals>): string {
  const { p50: base } = figures.none
  const rows = asked.map(client => {
    const { p50, p95, requests } = figures[client]
    return [about[client], `${requests}`, short(p50), short(p95), percent(p50 / base - 1, 1)]
  })
  return table([when, 'requests', 'p50', 'p95', 'p50 beside no client'], rows)
}

import { readFileSync } from 'node:fs'
import type { JsonObject, JsonValue } from 'findling'
import { versions } from './commands.ts'
import type { Shared } from './shared.ts'

/** A node that has been heard of lately. */
export interface Peer {
  readonly name: string
  /** Of the newest entry that it had applied. */
  readonly position: number
  /** Entries that the log had beyond that, as far as it knew. */
  readonly behind: number
  readonly isReady: boolean
  /** Newest version of commands that it knows. */
  readonly knows: number
  /** Version of commands that it writes. */
  readonly writes: number
  /** Of this package. */
  readonly version: string
  /** Milliseconds since 1970, by its own clock. */
  readonly startedAt: number
  /** Milliseconds since it was heard of. */
  readonly age: number
}

const NODES = 'node'
const TOLD_EVERY = 5000
/** Not heard of for so long, a node is no peer, and after a day nobody remembers it. */
const HEARD_WITHIN = 30_000
const FORGOTTEN_AFTER = 24 * 60 * 60 * 1000

export async function peersOf(shared: Shared): Promise<Peer[]> {
  const rows = await shared.list(NODES)
  return rows.filter(({ age }) => age < HEARD_WITHIN).map(({ key, value, age }) => read(key, value, age))
}

function read(name: string, value: JsonValue, age: number): Peer {
  const { position, behind, isReady, commands, writes, version, startedAt } = (value ?? {}) as JsonObject
  return {
    ...{ name, position: Number(position), behind: Number(behind), isReady: isReady === true },
    // The first version did not tell what it wrote.
    ...{ knows: Number(commands), writes: Number(writes ?? versions.oldest) },
    ...{ version: String(version), startedAt: Number(startedAt), age },
  }
}

interface Told {
  readonly position: number
  readonly head: number
  readonly isReady: boolean
  readonly knows: number
  readonly commands: number
}

/** Tells other nodes, again and again, that this one is there. */
export class Presence {
  readonly #shared: Shared
  readonly #name: string
  readonly #told: () => Told
  readonly #about = { version: packageVersion(), startedAt: Date.now() }
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void>
  #isOver = false

  constructor(shared: Shared, name: string, told: () => Told) {
    this.#shared = shared
    this.#name = name
    this.#told = told
    this.#telling = this.#tell().then(() => this.#forget())
  }

  /** Tells it once more at once, such as before others are asked. */
  async renew(): Promise<void> {
    await this.#put()
  }

  async close(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    await this.#telling
    // Unheard of, it is forgotten by itself.
    await this.#shared.delete(NODES, this.#name).catch(() => {})
  }

  async #tell(): Promise<void> {
    // While it cannot be told, others notice.
    await this.#put().catch(() => {})
    if (this.#isOver) return
    this.#timer = setTimeout(() => {
      this.#telling = this.#tell()
    }, untilNextTelling()).unref()
  }

  async #put(): Promise<void> {
    const { position, head, isReady, knows, commands: writes } = this.#told()
    const versions = { commands: knows, writes }
    const row = { ...this.#about, ...versions, position, behind: head - position, isReady }
    await this.#shared.put(NODES, this.#name, row)
  }

  async #forget(): Promise<void> {
    const rows = await this.#shared.list(NODES).catch(() => [])
    for (const { key, age } of rows)
      if (age > FORGOTTEN_AFTER) await this.#shared.delete(NODES, key).catch(() => {})
  }
}

/** At the same moments for all nodes of a process, so that what they tell is stored together. */
const untilNextTelling = (): number => TOLD_EVERY - (Date.now() % TOLD_EVERY)

function packageVersion(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { FindlingError, type JsonObject, type JsonValue } from 'findling'
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
  /** Code of what made it stop following for good; undefined of one that may write again. */
  readonly failure: string | undefined
  /** Whether it has still to count what it holds, before it can be compared. */
  readonly isCounting: boolean
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
/** A name is leased for the time of so many tells, and refused for longer than that only by who renews it. */
const LEASED_FOR = 2.4
const MOST_REFUSALS = 3

export async function peersOf(shared: Shared): Promise<Peer[]> {
  const rows = await shared.list(NODES)
  return rows.filter(({ age }) => age < HEARD_WITHIN).map(({ key, value, age }) => read(key, value, age))
}

function read(name: string, value: JsonValue, age: number): Peer {
  const { position, behind, isReady, failure, isCounting, commands, writes, version, startedAt } = (value ??
    {}) as JsonObject
  return {
    ...{ name, position: Number(position), behind: Number(behind), isReady: isReady === true },
    failure: typeof failure === 'string' ? failure : undefined,
    isCounting: isCounting === true,
    // The first version did not tell what it wrote.
    ...{ knows: Number(commands), writes: Number(writes ?? versions.oldest) },
    ...{ version: String(version), startedAt: Number(startedAt), age },
  }
}

interface Told {
  readonly position: number
  readonly head: number
  readonly isReady: boolean
  readonly failure: FindlingError | null
  readonly isCounting: boolean
  readonly knows: number
  readonly commands: number
}

interface PresenceOptions {
  told(): Told
  /** Is told once that another node lives under this name, and has longer. */
  onTaken(error: FindlingError): void
  /** Milliseconds between two times. */
  every?: number
}

/**
 * Tells other nodes, again and again, that this one is there. Its name is leased to this start of it: who died under the name
 * holds it no longer than this one waits, and who holds it longer than that is alive. Until then the row is that of the other.
 */
export class Presence {
  readonly #shared: Shared
  readonly #name: string
  readonly #told: () => Told
  readonly #onTaken: (error: FindlingError) => void
  readonly #every: number
  readonly #start = randomUUID()
  /** How often in a row somebody else had the name. */
  #refusals = 0
  readonly #about = { version: packageVersion(), startedAt: Date.now() }
  #timer: NodeJS.Timeout | undefined
  #telling: Promise<void>
  #renewing: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(shared: Shared, name: string, { told, onTaken, every = TOLD_EVERY }: PresenceOptions) {
    this.#shared = shared
    this.#name = name
    this.#told = told
    this.#onTaken = onTaken
    this.#every = every
    this.#telling = this.#tell().then(() => this.#forget())
  }

  /** Tells it once more at once, such as before others are asked, if the name is its own. */
  async renew(): Promise<void> {
    if (this.#isOver) return
    const renewing = this.#take().then(fence => (fence === undefined ? undefined : this.#put()))
    this.#renewing = Promise.allSettled([this.#renewing, renewing])
    await renewing
  }

  async close(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    // What they put would be there when the node is gone.
    await Promise.all([this.#telling, this.#renewing])
    // The row is that of who has the name.
    if (this.#refusals > 0) return
    // Unheard of, it is forgotten by itself.
    await this.#shared.delete(NODES, this.#name).catch(() => {})
    await this.#shared.release(this.#lease, this.#start).catch(() => {})
  }

  async #tell(): Promise<void> {
    // While it cannot be told, others notice.
    await this.#hold()
      .then(isHeld => (isHeld ? this.#put() : undefined))
      .catch(() => {})
    if (this.#refusals > MOST_REFUSALS) this.#isOver = true
    if (this.#isOver) return
    this.#timer = setTimeout(() => {
      this.#telling = this.#tell()
    }, untilNextTelling(this.#every)).unref()
  }

  get #lease(): string {
    return `${NODES} ${this.#name}`
  }

  #take(): Promise<number | undefined> {
    return this.#shared.lease(this.#lease, this.#start, LEASED_FOR * this.#every)
  }

  async #hold(): Promise<boolean> {
    const fence = await this.#take()
    this.#refusals = fence === undefined ? this.#refusals + 1 : 0
    if (this.#refusals > MOST_REFUSALS) this.#onTaken(nameTaken(this.#name))
    return fence !== undefined
  }

  async #put(): Promise<void> {
    const { position, head, isReady, failure, isCounting, knows, commands: writes } = this.#told()
    const versions = { commands: knows, writes }
    const row = {
      ...this.#about,
      ...versions,
      position,
      behind: head - position,
      isReady,
      isCounting,
      ...(failure && { failure: failure.code }),
    }
    await this.#shared.put(NODES, this.#name, row)
  }

  async #forget(): Promise<void> {
    const rows = await this.#shared.list(NODES).catch(() => [])
    for (const { key, age } of rows)
      if (age > FORGOTTEN_AFTER) await this.#shared.delete(NODES, key).catch(() => {})
  }
}

/**
 * Milliseconds until a node tells again: at the same moments for all nodes of a process, so that what they tell is stored together,
 * and not too soon after the time before.
 */
function untilNextTelling(every: number): number {
  const next = every - (Date.now() % every)
  return next < every / 2 ? next + every : next
}

const nameTaken = (name: string): FindlingError =>
  new FindlingError(
    'NODE_EXISTS',
    `Another node is called ${JSON.stringify(name)}, and has been for longer. Give this one a \`name\` of its own: FINDLING_NODE of a server.`,
    { field: 'name', received: name, expected: 'a name that no other node has' },
  )

function packageVersion(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

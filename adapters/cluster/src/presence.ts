import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { FindlingError, type JsonObject, type JsonValue } from 'findling'
import { versions } from './commands.ts'
import type { Shared } from './shared.ts'

/** A node that was recently heard of. */
export interface Peer {
  readonly name: string
  /** Position of the newest entry that it had applied. */
  readonly position: number
  /** Entries that the log had beyond that, as far as the node knew. */
  readonly behind: number
  readonly isReady: boolean
  /** Code of the error that made it stop following for good; undefined if it may write again. */
  readonly failure: string | undefined
  /** Whether it has still to count its contents before it can be compared. */
  readonly isCounting: boolean
  /** Newest version of commands that it knows. */
  readonly knows: number
  /** Version of commands that it writes. */
  readonly writes: number
  /** Version of this package that it runs. */
  readonly version: string
  /** Milliseconds since 1970, by its own clock. */
  readonly startedAt: number
  /** Milliseconds since it was last heard of. */
  readonly age: number
}

const NODES = 'node'
const TOLD_EVERY = 5000
/** Milliseconds without a sign of life after which a node is no longer a peer, and after which its row is deleted. */
const HEARD_WITHIN = 30_000
const FORGOTTEN_AFTER = 24 * 60 * 60 * 1000
/** A name is leased for this many intervals; if it is refused for longer, another live node renews it. */
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
  /** Called once if another live node had this name first. */
  onTaken(error: FindlingError): void
  /** Milliseconds between two reports. */
  every?: number
}

/**
 * Regularly reports to other nodes that this one is alive. The name is leased to one run of a node: the lease of a dead node ends
 * before this one stops waiting for it, so whoever holds the name longer is alive. Until then the row belongs to the other node.
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

  /** Reports at once, for example before others are asked, if this node holds the name. */
  async renew(): Promise<void> {
    if (this.#isOver) return
    const renewing = this.#take().then(fence => (fence === undefined ? undefined : this.#put()))
    this.#renewing = Promise.allSettled([this.#renewing, renewing])
    await renewing
  }

  async close(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    // A later put would leave a row behind when the node is gone.
    await Promise.all([this.#telling, this.#renewing])
    // The row belongs to the node that holds the name.
    if (this.#refusals > 0) return
    // If this fails, row and lease expire by themselves.
    await this.#shared.delete(NODES, this.#name).catch(() => {})
    await this.#shared.release(this.#lease, this.#start).catch(() => {})
  }

  async #tell(): Promise<void> {
    // If reporting fails, others notice by the age of the row.
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
 * Milliseconds until the next report: at the same moments for all nodes of a process, so that their reports are stored together,
 * and not too soon after the previous one.
 */
function untilNextTelling(every: number): number {
  const next = every - (Date.now() % every)
  return next < every / 2 ? next + every : next
}

const nameTaken = (name: string): FindlingError =>
  new FindlingError(
    'NODE_EXISTS',
    `Another node already uses the name ${JSON.stringify(name)}. Give this one a \`name\` of its own (for a server, FINDLING_NODE).`,
    { field: 'name', received: name, expected: 'a name that no other node uses' },
  )

function packageVersion(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

import type { Config } from '../config/config.ts'
import type { MemoryShares } from '../config/memory-shares.ts'
import { type Client, openClient, type Shared } from './client.ts'
import { ClientsError } from './clients-error.ts'
import type { ClientsPlace, Wanted } from './clients-place.ts'
import { type ClientFolders, configOf } from './folders.ts'

export interface ClientsOptions extends Shared {
  readonly config: Config
  /** Of all clients. */
  readonly folder: string
  readonly folders: ClientFolders
  readonly place: ClientsPlace
  /** Memory of all engines except the operator's. */
  readonly memory: MemoryShares
  readonly licenceEmail?: string | undefined
  readonly acceptLoss?: boolean | undefined
  /** Called for each client as soon as it is served; `onFailed` for one that could not be opened. */
  readonly onOpened: (client: Client) => void
  readonly onClosed: (client: Client) => void
  readonly onFailed: (id: string, error: unknown) => void
}

/** Milliseconds between two checks of the folders. */
const LOOK_EVERY_MS = 2_000

/** A client that exists and could not be opened. */
interface Broken {
  /** State of its files at that time; undefined if a change of files would not help. */
  readonly state: string | undefined
  /** Time of the failure; Infinity if only a restart helps. */
  readonly since: number
}

/** The open clients of a server: all that exist, including those added while it runs. */
export class Clients {
  readonly #options: ClientsOptions
  readonly #folders: ClientFolders
  readonly #place: ClientsPlace
  readonly #memory: MemoryShares
  readonly #open = new Map<string, { client: Client; mark: string; share: number }>()
  /**
   * Clients that could not be opened. They are tried again after a restart, after their folder was away, and when their files have
   * changed; in a cluster, after a while.
   */
  readonly #broken = new Map<string, Broken>()
  /** Clients that stopped following their logs and are being reopened, each with its mark, as `ClientsPlace` has it. */
  readonly #reopening = new Map<string, string>()
  /** State of the files of new clients at the last check. */
  readonly #seen = new Map<string, string>()
  /** Folders that belong to no client and have been reported. */
  readonly #told = new Map<string, string>()
  /** New clients that the current check has found and still has to open. */
  #opening: ReadonlySet<string> = new Set()
  /** Memory shares of closed clients. */
  readonly #shares = new Map<string, number>()
  /** When clients last stopped following their logs. */
  readonly #stopped = new Map<string, number>()
  readonly #endWatching: () => void
  #isStarted = false
  /** Why the last check failed; each reason is logged once. */
  #failure: string | undefined
  #looking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ClientsOptions) {
    this.#options = options
    this.#folders = options.folders
    this.#place = options.place
    this.#memory = options.memory
    this.#endWatching = this.#place.watch(() => {
      if (this.#isStarted) void this.#lookAgain()
    })
  }

  get(id: string): Client | undefined {
    return this.#open.get(id)?.client
  }

  /** Whether the client exists, but its store could not be opened or is being reopened. */
  isBroken(id: string): boolean {
    return !this.#open.has(id) && (this.#broken.has(id) || this.#reopening.has(id))
  }

  /** Whether the client exists and is about to be opened. */
  isOpening(id: string): boolean {
    return !this.#open.has(id) && this.#opening.has(id)
  }

  /** Ids of clients whose stores could not be opened, or are being reopened. */
  broken(): string[] {
    const ids = new Set([...this.#broken.keys(), ...this.#reopening.keys()])
    return [...ids].filter(id => this.isBroken(id)).sort()
  }

  /** Marks of the clients that are being reopened, as `ClientsPlace` has them. */
  reopening(): string[] {
    return [...this.#reopening.values()]
  }

  /** Sorted by id. */
  list(): Client[] {
    return [...this.#open.values()]
      .map(({ client }) => client)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /**
   * Opens clients that exist, and closes those that no longer do. After the first check, a new client is opened only once a later
   * check finds its store unchanged: it may be in the middle of being copied.
   */
  look(): Promise<void> {
    const looked = this.#looking.then(() => this.#lookOnce())
    this.#looking = looked.catch(() => {}) // reported to whoever waits for `looked`
    return looked
  }

  /** Checks regularly. */
  follow(everyMs = LOOK_EVERY_MS): void {
    const again = async () => {
      await this.#lookAgain()
      if (!this.#isClosed) this.follow(everyMs)
    }
    this.#timer = setTimeout(again, this.#seen.size > 0 ? everyMs / 2 : everyMs).unref()
  }

  /** Adds an empty client and opens it; undefined if there is one, or a folder with this name. */
  async add(id: string): Promise<Client | undefined> {
    if (!(await this.#place.add(id))) return undefined
    this.#seen.set(id, await this.#folders.stateOf(id))
    await this.look()
    return this.get(id)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#endWatching()
    clearTimeout(this.#timer)
    await this.#looking
    await Promise.all([...this.#open.keys()].map(id => this.#shut(id)))
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.look()
      this.#failure = undefined
    } catch (error) {
      const why = String(error)
      if (this.#failure !== why)
        this.#options.logger.error({ err: error }, 'the folders of clients could not be read')
      this.#failure = why
    }
  }

  async #lookOnce(): Promise<void> {
    if (this.#isClosed) return
    const there = await this.#place.wanted()
    // A disk that is briefly unavailable must not close clients.
    if (!there && this.#open.size > 0) throw new Error(`${this.#options.folder} does not exist`)
    if (!there) return
    for (const [id, { mark }] of this.#open) if (there.get(id) !== mark) await this.#shut(id)
    for (const known of [this.#broken, this.#reopening, this.#seen, this.#stopped, this.#shares])
      for (const id of known.keys()) if (!there.has(id)) known.delete(id)
    const strays = await this.#settle(there)
    const missing: [id: string, mark: string][] = []
    for (const [id, mark] of there) {
      if (strays.has(id)) this.#hasBroken(id, -Infinity)
      else if (!this.#open.has(id) && (await this.#isReady(id))) missing.push([id, mark])
    }
    const isStart = !this.#isStarted
    this.#isStarted = true
    this.#opening = new Set(missing.map(([id]) => id))
    for (const [at, [id, mark]] of missing.entries()) {
      if (this.#isClosed) return // while others were opened
      const share = isStart
        ? this.#memory.take(missing.length - at)
        : this.#memory.takeLater(this.#shares.get(id))
      await this.#openOne(id, mark, share)
    }
    this.#opening = new Set()
  }

  /** Reports each folder that belongs to no client once. */
  async #settle(wanted: Wanted): Promise<ReadonlyMap<string, string>> {
    const strays = await this.#place.settle(wanted, this.#open)
    for (const id of this.#told.keys()) if (!strays.has(id)) this.#told.delete(id)
    for (const [id, why] of strays) {
      if (this.#told.get(id) === why) continue
      this.#options.onFailed(id, new ClientsError(why))
      this.#told.set(id, why)
    }
    return strays
  }

  async #isReady(id: string): Promise<boolean> {
    const broken = this.#broken.get(id)
    const isOver = broken && performance.now() - broken.since >= (this.#place.retryAfter ?? Infinity)
    const state = await this.#folders.stateOf(id)
    if (broken && !isOver && [state, undefined].includes(broken.state)) return false
    const isSettled = !this.#place.isCopied || !this.#isStarted || this.#seen.get(id) === state
    if (isSettled) this.#seen.delete(id)
    else this.#seen.set(id, state)
    return isSettled
  }

  async #openOne(id: string, mark: string, share: number | undefined): Promise<void> {
    const { config, folder, onOpened, onFailed } = this.#options
    const client = await this.#opened(id, mark, configOf(id, folder, config), share).catch(async error => {
      if (share !== undefined) {
        this.#memory.give(share)
        this.#shares.set(id, share)
      }
      const state = isOfItsFiles(error) ? await this.#folders.stateOf(id) : undefined
      this.#hasBroken(id, error instanceof NoMemoryLeft ? Infinity : performance.now(), state)
      onFailed(id, error)
    })
    if (!client || share === undefined) return
    this.#broken.delete(id)
    this.#reopening.delete(id)
    this.#open.set(id, { client, mark, share })
    onOpened(client)
    void client.failed?.then(error => this.#hasStopped(client, error))
  }

  /** Reopens a client, which then joins again if its store cannot follow; one that stops repeatedly is reopened after a while. */
  async #hasStopped(client: Client, error: Error): Promise<void> {
    const { id } = client
    const open = this.#open.get(id)
    if (open?.client !== client) return
    this.#reopening.set(id, open.mark)
    const closed = this.#looking.then(async () => {
      if (this.#isClosed || this.get(id) !== client) return
      this.#options.logger.error(
        { client: id, err: error },
        'the client no longer follows its log; it is being reopened',
      )
      await this.#shut(id)
      const now = performance.now()
      if (now - (this.#stopped.get(id) ?? -Infinity) < (this.#place.retryAfter ?? 0)) this.#hasBroken(id, now)
      this.#stopped.set(id, now)
    })
    this.#looking = closed.catch(() => {})
    await this.#lookAgain()
  }

  #hasBroken(id: string, since: number, state?: string): void {
    this.#reopening.delete(id)
    this.#broken.set(id, { state, since })
  }

  #opened(id: string, mark: string, config: Config, share: number | undefined): Promise<Client> {
    if (share === undefined) return Promise.reject(new NoMemoryLeft())
    const followed = this.#place.followed(id, mark)
    return openClient(id, { ...this.#options, config, followed, memoryBudget: share })
  }

  async #shut(id: string): Promise<void> {
    const { client, share } = this.#open.get(id)!
    this.#open.delete(id)
    this.#options.onClosed(client)
    // Acknowledged writes are stored, so an error on closing does not matter, and must not affect other clients.
    await client
      .close()
      .catch(error => this.#options.logger.error({ client: id, err: error }, 'the store could not be closed'))
    this.#memory.give(share)
    this.#shares.set(id, share)
  }
}

/** Whether a change of its files may help: not if another process has the store open, or memory is short. */
function isOfItsFiles(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code !== 'STORE_LOCKED'
}

class NoMemoryLeft extends Error {
  override readonly name = 'NoMemoryLeft'

  constructor() {
    super(
      'Its engine needs 32 MB, but the other clients have all of FINDLING_MEMORY_MB that is not for reading files. ' +
        'A restart redistributes it.',
    )
  }
}

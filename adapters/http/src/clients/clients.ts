import type { Config } from '../config/config.ts'
import type { MemoryShares } from '../config/memory-shares.ts'
import { type Client, openClient, type Shared } from './client.ts'
import { ClientFolders, configOf } from './folders.ts'

export interface ClientsOptions extends Shared {
  readonly config: Config
  /** Of all clients. */
  readonly folder: string
  /** Of all engines but that of the operator. */
  readonly memory: MemoryShares
  readonly licenceEmail?: string | undefined
  readonly acceptLoss?: boolean | undefined
  /** Hears of each client as soon as it is served, and of one that could not be opened. */
  readonly onOpened: (client: Client) => void
  readonly onClosed: (client: Client) => void
  readonly onFailed: (id: string, error: unknown) => void
}

/** Milliseconds between two looks at the folders. */
const LOOK_EVERY_MS = 2_000

/** The clients of a server: all are open while it runs, also those that are added meanwhile, and no others. */
export class Clients {
  readonly #options: ClientsOptions
  readonly #folders: ClientFolders
  readonly #memory: MemoryShares
  readonly #open = new Map<string, { client: Client; share: number }>()
  /**
   * Are there and could not be opened, with the state of their stores then; tried again after a restart, when they have been
   * away, and when what could not be read has changed.
   */
  readonly #broken = new Map<string, string | undefined>()
  /** Those that are new, as they were at the last look. */
  readonly #seen = new Map<string, string>()
  #isStarted = false
  #looking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ClientsOptions) {
    this.#options = options
    this.#folders = new ClientFolders(options.folder)
    this.#memory = options.memory
  }

  get(id: string): Client | undefined {
    return this.#open.get(id)?.client
  }

  /** Whether there is such a client, whose store could not be opened. */
  isBroken(id: string): boolean {
    return this.#broken.has(id)
  }

  /** Ids of those whose stores could not be opened. */
  broken(): string[] {
    return [...this.#broken.keys()].sort()
  }

  /** Sorted by their ids. */
  list(): Client[] {
    return [...this.#open.values()]
      .map(({ client }) => client)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /**
   * Opens those that are there, and closes those that are there no more. After the first look, those that are new are
   * opened by the next one that finds their stores unchanged: they may be copied just now.
   */
  look(): Promise<void> {
    const looked = this.#looking.then(() => this.#lookOnce())
    this.#looking = looked.catch(() => {}) // who waits for it hears of it
    return looked
  }

  /** Looks from time to time. */
  follow(everyMs = LOOK_EVERY_MS): void {
    const again = async () => {
      await this.look().catch(error =>
        this.#options.logger.error({ err: error }, 'the folders of clients could not be read'),
      )
      if (!this.#isClosed) this.follow(everyMs)
    }
    this.#timer = setTimeout(again, this.#seen.size > 0 ? everyMs / 2 : everyMs).unref()
  }

  /** Adds an empty client and opens it; undefined when there is a folder of this name. */
  async add(id: string): Promise<Client | undefined> {
    if (!(await this.#folders.add(id))) return undefined
    this.#seen.set(id, await this.#folders.stateOf(id))
    await this.look()
    return this.get(id)
  }

  /** Folders that look like clients and are none. */
  strays(): Promise<{ id: string; lacks: string }[]> {
    return this.#folders.strays()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#looking
    await Promise.all([...this.#open.keys()].map(id => this.#shut(id)))
  }

  async #lookOnce(): Promise<void> {
    if (this.#isClosed) return
    const there = await this.#folders.list()
    // A disk that is away for a moment ends no client.
    if (!there && this.#open.size > 0) throw new Error(`${this.#options.folder} is not there`)
    if (!there) return
    for (const id of this.#open.keys()) if (!there.includes(id)) await this.#shut(id)
    for (const known of [this.#broken, this.#seen])
      for (const id of known.keys()) if (!there.includes(id)) known.delete(id)
    const missing: string[] = []
    for (const id of there) if (!this.#open.has(id) && (await this.#isReady(id))) missing.push(id)
    this.#isStarted = true
    for (const [at, id] of missing.entries()) {
      if (this.#isClosed) return // while others were opened
      await this.#openOne(id, missing.length - at)
    }
  }

  async #isReady(id: string): Promise<boolean> {
    const state = await this.#folders.stateOf(id)
    if (this.#broken.has(id) && [state, undefined].includes(this.#broken.get(id))) return false
    const isSettled = !this.#isStarted || this.#seen.get(id) === state
    if (isSettled) this.#seen.delete(id)
    else this.#seen.set(id, state)
    return isSettled
  }

  async #openOne(id: string, count: number): Promise<void> {
    const { config, folder, onOpened, onFailed } = this.#options
    const share = this.#memory.take(count)
    const client = await this.#opened(id, configOf(id, folder, config), share).catch(async error => {
      if (share !== undefined) this.#memory.give(share)
      this.#broken.set(id, isOfItsFiles(error) ? await this.#folders.stateOf(id) : undefined)
      onFailed(id, error)
    })
    if (!client || share === undefined) return
    this.#broken.delete(id)
    this.#open.set(id, { client, share })
    onOpened(client)
  }

  #opened(id: string, config: Config, share: number | undefined): Promise<Client> {
    if (share === undefined) return Promise.reject(new NoMemoryLeft())
    return openClient(id, { ...this.#options, config, memoryBudget: share })
  }

  async #shut(id: string): Promise<void> {
    const { client, share } = this.#open.get(id)!
    this.#open.delete(id)
    this.#options.onClosed(client)
    // What was acknowledged is stored: that one cannot be closed properly keeps no other from it.
    await client
      .close()
      .catch(error => this.#options.logger.error({ client: id, err: error }, 'the store could not be closed'))
    this.#memory.give(share)
  }
}

/** Whether other files may end it: not so for one that another process has, or without memory. */
function isOfItsFiles(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code !== 'STORE_LOCKED'
}

class NoMemoryLeft extends Error {
  override readonly name = 'NoMemoryLeft'

  constructor() {
    super(
      'Its engine needs 32 MB, and the other clients have all that reading files leaves of FINDLING_MEMORY_MB. ' +
        'A restart shares it anew.',
    )
  }
}

import type { Config } from '../config/config.ts'
import { type Client, openClient, type Shared } from './client.ts'
import { ClientFolders, configOf } from './folders.ts'
import { MemoryShares } from './memory-shares.ts'

export interface ClientsOptions extends Shared {
  readonly config: Config
  /** Of all clients. */
  readonly folder: string
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
  /** Are there and could not be opened; tried again after a restart, or when they have been away. */
  readonly #broken = new Set<string>()
  #looking: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: ClientsOptions) {
    this.#options = options
    this.#folders = new ClientFolders(options.folder)
    this.#memory = new MemoryShares(options.config.memoryMb)
  }

  get(id: string): Client | undefined {
    return this.#open.get(id)?.client
  }

  /** Whether there is such a client, whose store could not be opened. */
  isBroken(id: string): boolean {
    return this.#broken.has(id)
  }

  /** Sorted by their ids. */
  list(): Client[] {
    return [...this.#open.values()]
      .map(({ client }) => client)
      .sort((one, other) => (one.id < other.id ? -1 : 1))
  }

  /** Opens those that are there, and closes those that are there no more. */
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
    this.#timer = setTimeout(again, everyMs).unref()
  }

  /** Adds an empty client and opens it; undefined when there is a folder of this name. */
  async add(id: string): Promise<Client | undefined> {
    if (!(await this.#folders.add(id))) return undefined
    await this.look()
    return this.get(id)
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
    for (const id of this.#broken) if (!there.includes(id)) this.#broken.delete(id)
    const missing = there.filter(id => !this.#open.has(id) && !this.#broken.has(id))
    for (const [at, id] of missing.entries()) {
      if (this.#isClosed) return // while others were opened
      await this.#openOne(id, missing.length - at)
    }
  }

  async #openOne(id: string, count: number): Promise<void> {
    const { config, folder, onOpened, onFailed } = this.#options
    const share = this.#memory.take(count)
    const client = await this.#opened(id, configOf(id, folder, config), share).catch(error => {
      if (share !== undefined) this.#memory.give(share)
      this.#broken.add(id)
      onFailed(id, error)
    })
    if (!client || share === undefined) return
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

class NoMemoryLeft extends Error {
  override readonly name = 'NoMemoryLeft'

  constructor() {
    super(
      'Its engine needs 32 MB, and the other clients have all the memory that is set (FINDLING_MEMORY_MB). ' +
        'A restart shares it anew.',
    )
  }
}

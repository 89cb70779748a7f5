import type { Engine, Job, Progress } from 'findling'
import {
  type AllBackupsReport,
  allBackupsKind,
  type Backed,
  type Backups,
  type BackupsOptions,
  isRunning,
  type StoreBackup,
} from '../backups/backups.ts'
import type { Logger } from '../request/log.ts'
import type { Clients } from './clients.ts'
import { operatorsBackup } from './folders.ts'

export interface AllBackupsOptions {
  /** The operator's engine, to which the process belongs. */
  readonly engine: Engine
  /** Backup of the operator's store. */
  readonly own: StoreBackup
  readonly clients: Pick<Clients, 'list' | 'get' | 'broken'>
  readonly logger: Logger
}

/** A store to back up; a client whose store could not be opened has no backup. */
interface Stored {
  readonly id: string
  readonly backup: StoreBackup | undefined
}

/** Maximum number of failed stores that a message names. */
const NAMED = 10

/** Backs up the operator and all clients, one after the other; a failure does not affect the others. */
export class AllBackups implements Backups, Backed {
  readonly #options: AllBackupsOptions
  #failures = 0

  constructor(options: AllBackupsOptions) {
    this.#options = options
  }

  /** Number of runs in which at least one store was not backed up. */
  get failures(): number {
    return this.#failures
  }

  isUnderWay(): boolean {
    return isRunning(this.#options.engine, allBackupsKind)
  }

  start({ signal, madeBefore }: BackupsOptions = {}): Job<AllBackupsReport> {
    const job = this.#options.engine.startJob(
      { kind: allBackupsKind, description: 'Backing up the operator and all clients' },
      ({ signal }) => this.#run(signal, madeBefore),
      { signal },
    )
    void job.ended.then(() => {
      if (job.state.status === 'failed') this.#failures++
    })
    return job
  }

  /** Newest backup of the operator's store only: each client reports its own. */
  newest(): Promise<number | undefined> {
    return this.#options.own.newest()
  }

  async made(): Promise<(number | undefined)[]> {
    return await Promise.all(this.#stores().map(newestOf))
  }

  async *#run(
    signal: AbortSignal,
    madeBefore = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<Progress, AllBackupsReport, void> {
    const { logger } = this.#options
    const stores = await this.#madeBefore(madeBefore)
    const failed: string[] = []
    let written = 0
    for (const [at, { id, backup }] of stores.entries()) {
      const tell = (share: number) => ({ done: at + share, total: stores.length, phase: id })
      try {
        if (!backup) throw new Error('Its store cannot be read; see the server log for the reason.')
        written += (yield* backup.steps(signal, tell)).written
      } catch (error) {
        signal.throwIfAborted()
        if (backup && this.#isGone({ id, backup })) continue
        logger.error({ client: id, err: error }, 'a backup has failed')
        failed.push(`${id}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    if (failed.length === 0) return { stores: stores.length, written }
    const more = failed.length > NAMED ? ` And ${failed.length - NAMED} more.` : ''
    throw new Error(
      `${failed.length} of ${stores.length} stores were not backed up. ${failed.slice(0, NAMED).join(' ')}${more}`,
    )
  }

  async #madeBefore(moment: number): Promise<Stored[]> {
    const stores: Stored[] = []
    for (const stored of this.#stores()) {
      const made = await newestOf(stored)
      if (made === undefined || made < moment || made > Date.now()) stores.push(stored)
    }
    return stores
  }

  #stores(): Stored[] {
    const { own, clients } = this.#options
    return [
      { id: operatorsBackup, backup: own },
      ...clients.list().map(({ id, backup }) => ({ id, backup })),
      ...clients.broken().map(id => ({ id, backup: undefined })),
    ]
  }

  /** Whether the client was removed meanwhile. */
  #isGone({ id, backup }: Stored): boolean {
    const { own, clients } = this.#options
    return backup !== own && clients.get(id)?.backup !== backup
  }
}

const newestOf = async ({ backup }: Stored): Promise<number | undefined> => await backup?.newest()

import { setTimeout as pause } from 'node:timers/promises'
import { type BackupReport, Engine, type Job } from 'findling'

/** What a call or the schedule backs up: one store, or those of the operator and all clients. */
export interface Backups {
  isUnderWay(): boolean
  start(options?: BackupsOptions): Job<unknown>
  /** When the newest backup of each store was made; undefined for a store without a usable one. */
  made(): Promise<(number | undefined)[]>
}

export interface BackupsOptions {
  readonly signal?: AbortSignal
  /** Skips stores whose newest backup is not older than this moment. Default: none is skipped. */
  readonly madeBefore?: number
}

/** The kind of the job that backs up several stores. */
export const allBackupsKind = 'http:backups'

/** What such a job returns. */
export interface AllBackupsReport {
  readonly stores: number
  /** Bytes. */
  readonly written: number
}

/** What the metrics show about backups. */
export interface Backed {
  newest(): Promise<number | undefined>
  /** Since the start. */
  readonly failures: number
}

const POLL_MS = 200

/** The backups of one store, made one after the other in one folder. */
export class StoreBackup implements Backups, Backed {
  readonly #engine: Engine
  readonly #folder: string
  #failures = 0

  constructor(engine: Engine, folder: string) {
    this.#engine = engine
    this.#folder = folder
  }

  get failures(): number {
    return this.#failures
  }

  isUnderWay(): boolean {
    return isRunning(this.#engine, 'backup')
  }

  start({ signal }: Pick<BackupsOptions, 'signal'> = {}): Job<BackupReport> {
    const job = this.#engine.backup(this.#folder, { signal })
    void job.ended.then(() => {
      if (job.state.status === 'failed') this.#failures++
    })
    return job
  }

  /** Makes a backup, after one that is under way; yields what `tell` makes of the completed share, from 0 to 1. */
  async *steps<T>(signal: AbortSignal, tell: (share: number) => T): AsyncGenerator<T, BackupReport, void> {
    while (this.isUnderWay()) {
      yield tell(0)
      await pause(POLL_MS, undefined, { signal })
    }
    const job = this.start({ signal })
    while (job.state.endedAt === null) {
      yield tell(job.state.percent / 100)
      await Promise.race([job.ended, pause(POLL_MS)])
    }
    return await job.finished
  }

  async newest(): Promise<number | undefined> {
    const facts = await Engine.describeBackup(this.#folder).catch(() => undefined)
    return facts?.madeAt
  }

  async made(): Promise<(number | undefined)[]> {
    return [await this.newest()]
  }
}

export function isRunning(engine: Engine, kind: string): boolean {
  return engine.jobs({ status: ['running', 'cancelling'] }).some(job => job.kind === kind)
}

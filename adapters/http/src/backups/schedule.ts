import type { Config } from '../config/config.ts'
import { millisecondsOf } from '../config/duration.ts'
import type { Logger } from '../request/log.ts'
import type { Backups } from './backups.ts'

export interface ScheduleOptions {
  readonly backups: Backups
  readonly everyMs: number
  readonly logger: Logger | undefined
}

/** Undefined if no interval is set. */
export function scheduleOf(
  backups: Backups | undefined,
  { backupEvery }: Pick<Config, 'backupEvery'>,
  logger: Logger | undefined,
): BackupSchedule | undefined {
  if (!backups || backupEvery === undefined) return undefined
  return new BackupSchedule({ backups, everyMs: millisecondsOf(backupEvery)!, logger })
}

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/**
 * Backs up stores as soon as the newest backup of one exceeds the maximum age. Stores whose backup is younger than half of that
 * are skipped; the others stay together. Failures are retried after an hour at most.
 */
export class BackupSchedule {
  readonly #options: ScheduleOptions
  readonly #end = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void>

  constructor(options: ScheduleOptions) {
    this.#options = options
    this.#looking = this.#look()
  }

  /** Ends a backup that it has started; the previous one stays. */
  async close(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const { everyMs, logger } = this.#options
    const { signal } = this.#end
    const again = await this.#lookOnce().catch((error: unknown) => {
      if (!signal.aborted) logger?.error({ err: error }, 'the scheduled backup has failed')
      return Math.min(everyMs, HOUR_MS)
    })
    if (signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#looking = this.#look()
    }, again).unref()
  }

  /** @returns milliseconds until the next check: a client may be added meanwhile */
  async #lookOnce(): Promise<number> {
    const { backups, everyMs, logger } = this.#options
    const { signal } = this.#end
    const due = await this.#dueIn()
    if (due > 0) return Math.min(due, HOUR_MS)
    if (signal.aborted || backups.isUnderWay()) return Math.min(everyMs, MINUTE_MS)
    const started = Date.now()
    await backups.start({ signal, madeBefore: started - everyMs / 2 })
    logger?.info({ ms: Date.now() - started }, 'the scheduled backup is done')
    const next = await this.#dueIn()
    return Math.min(next > 0 ? next : everyMs, HOUR_MS)
  }

  /** A backup dated in the future shows that a clock was wrong, and says nothing about its age. */
  async #dueIn(): Promise<number> {
    const now = Date.now()
    const made = await this.#options.backups.made()
    return Math.min(...made.map(at => (at === undefined || at > now ? 0 : at + this.#options.everyMs - now)))
  }
}

import type { Job } from '../jobs/job.ts'

/** Milliseconds that an index is kept whose settings do not come, and are not announced again. */
const KEPT_FOR = 5 * 60 * 1000

/** An index that is built before the settings that it is made by are set. */
export class IndexAhead {
  /** Of the settings. */
  readonly fingerprint: string
  readonly job: Job<void>
  /** Resolves when it only waits for its settings, or will never do so. */
  readonly built: Promise<void>
  readonly #wanted: Promise<void>
  #want = () => {}
  #markBuilt = () => {}
  #isBuilt = false
  #timer: NodeJS.Timeout | undefined

  /** @param begin starts to build it; it may be put in place when the given function resolves */
  constructor(fingerprint: string, begin: (wanted: (signal: AbortSignal) => Promise<void>) => Job<void>) {
    this.fingerprint = fingerprint
    this.#wanted = new Promise(resolve => {
      this.#want = resolve
    })
    this.built = new Promise(resolve => {
      this.#markBuilt = resolve
    })
    this.job = begin(signal => this.#wait(signal))
    void this.job.ended.then(this.#markBuilt)
  }

  /** Its settings are still to come. */
  keep(): void {
    this.#timer?.refresh()
  }

  get isOver(): boolean {
    return this.job.state.endedAt !== null
  }

  /** Whether nothing is left to do before its settings are set. */
  get isBuilt(): boolean {
    return this.#isBuilt || this.isOver
  }

  /** It is put in place if these are the settings, and given up otherwise. Resolves when it is over. */
  async settingsAre(fingerprint: string): Promise<void> {
    if (fingerprint === this.fingerprint) this.#want()
    else this.job.cancel()
    await this.job.ended
  }

  async #wait(signal: AbortSignal): Promise<void> {
    this.#isBuilt = true
    this.#markBuilt()
    this.#timer = setTimeout(() => this.job.cancel(), KEPT_FOR).unref()
    try {
      await new Promise<void>((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        if (signal.aborted) reject(signal.reason)
        void this.#wanted.then(resolve)
      })
    } finally {
      clearTimeout(this.#timer)
    }
  }
}

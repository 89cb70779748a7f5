import type { Job } from '../jobs/job.ts'

/** Milliseconds for which an index is kept if its settings are neither set nor announced again. */
const KEPT_FOR = 5 * 60 * 1000

/** An index that is built before its settings are set. */
export class IndexAhead {
  /** Fingerprint of the settings. */
  readonly fingerprint: string
  readonly job: Job<void>
  /** Resolves when the index is built and only waits for its settings, or when the job has ended. */
  readonly built: Promise<void>
  readonly #wanted: Promise<void>
  #want = () => {}
  #markBuilt = () => {}
  #isBuilt = false
  #timer: NodeJS.Timeout | undefined

  /** @param begin starts building; the index may be put in place once the promise of the given function resolves */
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

  /** Keeps it longer, because its settings were announced again. */
  keep(): void {
    this.#timer?.refresh()
  }

  get isOver(): boolean {
    return this.job.state.endedAt !== null
  }

  /** Whether nothing is left to do until its settings are set. */
  get isBuilt(): boolean {
    return this.#isBuilt || this.isOver
  }

  /** Puts the index in place if it was built for these settings, and gives it up otherwise. Resolves when the job has ended. */
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

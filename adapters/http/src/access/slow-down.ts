import { setTimeout } from 'node:timers/promises'

export interface SlowDownOptions {
  /** Milliseconds since 1970. Default Date.now. */
  clock?: () => number
  /** Default: a timer that does not keep the process alive. */
  wait?: (milliseconds: number) => Promise<unknown>
}

const forgiven = 10
const firstDelay = 100
const longestDelay = 5_000
const forgottenAfter = 10 * 60_000
const mostNetworks = 10_000
const mostWaiting = 1_000

/**
 * Delays the answers to failures of one network ever longer: a brake on guessing, not a lockout, because requests with the
 * right key never come here. Ten failures are free, then the delay doubles from 0.1 to 5 seconds; after ten quiet minutes
 * all is forgotten.
 */
export class SlowDown {
  /** Ordered by the last failure, so that the first is the one to forget. */
  readonly #failures = new Map<string, { count: number; at: number }>()
  readonly #clock: () => number
  readonly #wait: (milliseconds: number) => Promise<unknown>
  #waiting = 0

  constructor({ clock = Date.now, wait = unobtrusively }: SlowDownOptions = {}) {
    this.#clock = clock
    this.#wait = wait
  }

  /** Counts a failure, and resolves when it may be answered. While 1,000 are waiting, further answers come at once. */
  async failed(network: string): Promise<void> {
    const delay = delayAfter(this.#count(network))
    if (delay === 0 || this.#waiting >= mostWaiting) return
    this.#waiting++
    try {
      await this.#wait(delay)
    } finally {
      this.#waiting--
    }
  }

  #count(network: string): number {
    const now = this.#clock()
    const before = this.#failures.get(network)
    const count = before && now - before.at < forgottenAfter ? before.count + 1 : 1
    this.#failures.delete(network)
    this.#failures.set(network, { count, at: now })
    if (this.#failures.size > mostNetworks) this.#forgetOldest()
    return count
  }

  #forgetOldest(): void {
    for (const network of this.#failures.keys()) {
      this.#failures.delete(network)
      return
    }
  }
}

function delayAfter(failures: number): number {
  if (failures <= forgiven) return 0
  return Math.min(longestDelay, firstDelay * 2 ** (failures - forgiven - 1))
}

const unobtrusively = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false })

import { HttpError } from '../http/errors.ts'

/** Who has so many calls a minute; null: as many as usual. */
export interface Calls {
  readonly id: string
  readonly requestsPerMinute: number | null
}

/** Addresses and visitors that are remembered: of more, those that called longest ago begin anew. */
const mostRemembered = 100_000

const MINUTE_MS = 60_000
/** Parts of a minute do not add up exactly. */
const ALMOST = 1e-6

/**
 * How many calls a named key may make: a token bucket. So many as in a minute at once, then one more each time that its
 * part of a minute has passed. The secret of the owner is not limited: who keeps order must get in.
 */
export class RateLimit {
  readonly #usual: number
  readonly #clock: () => number
  /** Calls that were left at a time, by the id of the key. */
  readonly #left = new Map<string, { calls: number; at: number }>()

  /** @param usual calls per minute, for keys without a limit of their own; 0: as many as they like */
  constructor(usual: number, clock = () => performance.now()) {
    this.#usual = usual
    this.#clock = clock
  }

  /** Takes one call. HttpError 429 when there is none left. */
  take({ id, requestsPerMinute }: Calls): void {
    const limit = requestsPerMinute ?? this.#usual
    if (limit === 0) return
    const at = this.#clock()
    const before = this.#left.get(id) ?? { calls: limit, at }
    const calls = Math.min(limit, before.calls + ((at - before.at) / MINUTE_MS) * limit)
    if (calls >= 1 - ALMOST) {
      this.#left.delete(id)
      this.#left.set(id, { calls: calls - 1, at })
      if (this.#left.size > mostRemembered) this.#forgetOldest()
      return
    }
    const seconds = Math.ceil(((1 - calls) * MINUTE_MS) / limit / 1000 - ALMOST)
    throw new HttpError(429, `Rate limit: ${limit} calls per minute; retry in ${seconds} s.`, {
      'Retry-After': String(seconds),
    })
  }

  #forgetOldest(): void {
    for (const id of this.#left.keys()) {
      this.#left.delete(id)
      return
    }
  }
}

import { HttpError } from '../http/errors.ts'

/** A caller and the number of its calls per minute; null: the usual number. */
export interface Calls {
  readonly id: string
  readonly requestsPerMinute: number | null
}

/** Maximum number of remembered callers; beyond that, those that called longest ago are forgotten and start afresh. */
const mostRemembered = 100_000

const MINUTE_MS = 60_000
/** Tolerance for rounding errors in fractions of a minute. */
const ALMOST = 1e-6

/**
 * Rate limit of named keys: a token bucket that holds the calls of one minute and refills evenly. The secret of the owner is not
 * limited, so that the owner can always get in.
 */
export class RateLimit {
  readonly #usual: number
  readonly #clock: () => number
  /** Remaining calls at a moment, by the id of the key. */
  readonly #left = new Map<string, { calls: number; at: number }>()

  /** @param usual calls per minute, for keys without a limit of their own; 0: no limit */
  constructor(usual: number, clock = () => performance.now()) {
    this.#usual = usual
    this.#clock = clock
  }

  /** Takes one call. HttpError 429 if there is none left. */
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

import { settings } from '../config/settings.ts'
import { HttpError } from '../http/errors.ts'
import type { BodySize } from '../route.ts'
import type { Stage } from '../stage.ts'

const MEGABYTE = 2 ** 20

export interface SizeLimits {
  readonly maxRequestMb: number
  /** For calls that store no documents. */
  readonly maxQueryMb: number
  /** Maximum number of JSON values in one body. */
  readonly maxValues: number
  /** Share of the free memory that one body may take. */
  readonly maxRequestMemoryPercent: number
  /** Milliseconds for which a measurement of the free memory is reused. */
  readonly refreshMs: number
}

/** How many times larger settings and lists of ids may be than a query. */
const SETTINGS_PER_QUERY = 16

/** Maximum number of JSON values in the body of a query, per megabyte allowed for it. */
const VALUES_PER_MEGABYTE = 100_000

/** Maximum number of bytes of a body, both as sent and after decompression. */
export interface BodyLimit {
  /** Passes the bytes on; once they exceed the limit, throws and reads no more. */
  counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** Refuses a body by its Content-Length, before anything is read. */
  checkAnnounced(headers: Headers): void
}

/** Maximum number of bytes of a request (contract, 1.11). */
export class SizeLimit implements BodyLimit {
  readonly #limits: SizeLimits
  readonly #freeMemory: () => number
  readonly #clock: () => number
  #bytes = 0
  #until = Number.NEGATIVE_INFINITY

  constructor(
    limits: SizeLimits,
    freeMemory = () => process.availableMemory(),
    clock = () => performance.now(),
  ) {
    this.#limits = limits
    this.#freeMemory = freeMemory
    this.#clock = clock
  }

  get bytes(): number {
    const now = this.#clock()
    if (now >= this.#until) {
      const { maxRequestMb, maxRequestMemoryPercent, refreshMs } = this.#limits
      this.#bytes = Math.floor(
        Math.min(maxRequestMb * MEGABYTE, (this.#freeMemory() * maxRequestMemoryPercent) / 100),
      )
      this.#until = now + refreshMs
    }
    return this.#bytes
  }

  /** The limit for bodies of this kind. */
  of(size: BodySize): BodyLimit {
    if (size === 'data') return this
    const most = this.#limits.maxQueryMb * MEGABYTE * (size === 'settings' ? SETTINGS_PER_QUERY : 1)
    if (most >= this.bytes) return this
    return limited(most, ` by calls that store no documents; the server setting ${VARIABLE} allows more`)
  }

  /** Maximum number of JSON values in bodies of this kind. */
  values(size: BodySize): number {
    const { maxValues, maxQueryMb } = this.#limits
    return size === 'query' ? Math.min(maxValues, VALUES_PER_MEGABYTE * maxQueryMb) : maxValues
  }

  counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    return limited(this.bytes).counted(source)
  }

  checkAnnounced(headers: Headers): void {
    limited(this.bytes).checkAnnounced(headers)
  }

  /** `checkAnnounced` as a stage, for every call. */
  readonly check: Stage = async (context, next) => {
    this.checkAnnounced(context.req.raw.headers)
    await next()
  }
}

const VARIABLE = settings.maxQueryMb.variable

/** @param remedy text appended to the limit in the message */
function limited(limit: number, remedy = ''): BodyLimit {
  const tooLarge = (size: string) =>
    new HttpError(
      413,
      `The body is ${size}; expected at most ${limit} bytes, counted after unpacking${remedy}.`,
    )
  return {
    async *counted(source) {
      let sum = 0
      for await (const chunk of source) {
        sum += chunk.byteLength
        if (sum > limit) throw tooLarge('larger')
        yield chunk
      }
    },
    checkAnnounced(headers) {
      const announced = Number(headers.get('Content-Length') ?? 0)
      if (announced > limit) throw tooLarge(`of ${announced} bytes`)
    },
  }
}

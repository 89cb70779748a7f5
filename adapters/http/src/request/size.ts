import { settings } from '../config/settings.ts'
import { HttpError } from '../http/errors.ts'
import type { BodySize } from '../route.ts'
import type { Stage } from '../stage.ts'

const MEGABYTE = 2 ** 20

export interface SizeLimits {
  readonly maxRequestMb: number
  /** Of calls that bring no data. */
  readonly maxQueryMb: number
  /** In one body. */
  readonly maxValues: number
  /** Of the memory that is free, so that one body cannot take it all. */
  readonly maxRequestMemoryPercent: number
  /** Milliseconds that a look at the free memory is good for. */
  readonly refreshMs: number
}

/** How much larger settings and lists of ids may be than a question. */
const SETTINGS_PER_QUERY = 16

/** Values that the body of a question may have for each megabyte. */
const VALUES_PER_MEGABYTE = 100_000

/** How many bytes a body may bring: as sent, and as unpacked. */
export interface BodyLimit {
  /** Passes the bytes on until they are too many; then nothing more is read. */
  counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
  /** Refuses by Content-Length, before anything is read. */
  checkAnnounced(headers: Headers): void
}

/** How many bytes a request may bring (contract, 1.11). */
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

  /** The limit of a body of the kind. */
  of(size: BodySize): BodyLimit {
    if (size === 'data') return this
    const most = this.#limits.maxQueryMb * MEGABYTE * (size === 'settings' ? SETTINGS_PER_QUERY : 1)
    if (most >= this.bytes) return this
    return limited(most, ` by calls that store no documents; the server setting ${VARIABLE} allows more`)
  }

  /** Values of JSON that a body of the kind may have. */
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

  /** The same as a stage, for whatever is called. */
  readonly check: Stage = async (context, next) => {
    this.checkAnnounced(context.req.raw.headers)
    await next()
  }
}

const VARIABLE = settings.maxQueryMb.variable

/** @param remedy what is said of the limit besides */
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

import { HttpError } from './errors.ts'
import type { Stage } from './stage.ts'

const MEGABYTE = 2 ** 20

export interface SizeLimits {
  readonly maxRequestMb: number
  /** Of the memory that is free, so that one body cannot take it all. */
  readonly maxRequestMemoryPercent: number
  /** Milliseconds that a look at the free memory is good for. */
  readonly refreshMs: number
}

/** How many bytes a request may bring (contract, 1.11): as sent, and as unpacked. */
export class SizeLimit {
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

  /** Passes the bytes on until they are too many; then nothing more is read. */
  async *counted(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const limit = this.bytes
    let sum = 0
    for await (const chunk of source) {
      sum += chunk.byteLength
      if (sum > limit) throw tooLarge(limit)
      yield chunk
    }
  }

  /** Refuses by Content-Length, before anything is read. */
  readonly check: Stage = async (context, next) => {
    const announced = Number(context.req.raw.headers.get('Content-Length') ?? 0)
    const limit = this.bytes
    if (announced > limit) throw tooLarge(limit, announced)
    await next()
  }
}

function tooLarge(limit: number, announced?: number): HttpError {
  const size = announced === undefined ? 'larger' : `of ${announced} bytes`
  return new HttpError(413, `The body is ${size}; expected at most ${limit} bytes, counted after unpacking.`)
}

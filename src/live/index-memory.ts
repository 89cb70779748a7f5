import type { LiveIndex } from './live-index.ts'

interface IndexMemoryOptions {
  /** Bytes that the indexes may have together; none by default. */
  limit?: number | undefined
  warn(message: string, details: Record<string, unknown>): void
}

/** The loaded indexes of an engine. Beyond a limit those used longest ago are saved and let go. */
export class IndexMemory {
  readonly #limit: number
  readonly #warn: IndexMemoryOptions['warn']
  /** In the order of their last use. */
  readonly #indexes = new Set<LiveIndex>()
  #turn: Promise<void> = Promise.resolve()
  #hasWarned = false

  constructor({ limit = Infinity, warn }: IndexMemoryOptions) {
    this.#limit = limit
    this.#warn = warn
  }

  get isLimited(): boolean {
    return this.#limit < Infinity
  }

  get total(): number {
    let total = 0
    for (const { bytes } of this.#indexes) total += bytes
    return total
  }

  /** Tells that an index has just been used; resolves when there is room for it. */
  used(index: LiveIndex): Promise<void> {
    this.#indexes.delete(index)
    this.#indexes.add(index)
    if (this.#limit === Infinity) return this.#turn
    const room = this.#turn.then(() => this.#makeRoom())
    this.#turn = room.catch(() => undefined)
    return room
  }

  /** The dataset is gone. */
  forget(index: LiveIndex): void {
    this.#indexes.delete(index)
  }

  async #makeRoom(): Promise<void> {
    for (const index of [...this.#indexes].slice(0, -1)) {
      if (this.total <= this.#limit) return
      await index.release()
    }
    const last = [...this.#indexes].at(-1)
    if (last && last.bytes > this.#limit) this.#warnOnce(last)
  }

  #warnOnce({ name, bytes }: LiveIndex): void {
    if (this.#hasWarned) return
    this.#hasWarned = true
    const details = { dataset: name, bytes, limit: this.#limit }
    this.#warn(
      `The index of ${name} alone is larger than the memory for indexes; it stays while it is used.`,
      details,
    )
  }
}

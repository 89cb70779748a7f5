/** Whose work it is, where several share the places; by identity. */
export type Owner = object | undefined

/**
 * A number of places, and those who wait for one. A free place goes to the next owner in turn, so that nobody waits
 * for everything that another has begun to wait for.
 */
export class Turns {
  #free: number
  /** By owner, what each of them waits with; the first one is next. */
  readonly #waiting = new Map<Owner, Set<() => void>>()

  constructor(places: number) {
    this.#free = places
  }

  get isFree(): boolean {
    return this.#free > 0
  }

  /** Resolves when there is a place; rejects with the reason of the signal, which then has taken none. */
  async take(owner: Owner, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#handover(owner, signal)
  }

  /** Gives on a place that was taken. */
  give(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#free++
      return
    }
    const [owner, calls] = next
    const [go] = calls
    // Behind all others, if it waits with more.
    this.#waiting.delete(owner)
    this.#waiting.set(owner, calls)
    go!()
  }

  #handover(owner: Owner, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#remove(owner, go)
        signal.removeEventListener('abort', giveUp)
      }
      const go = () => {
        leave()
        resolve()
      }
      const giveUp = () => {
        leave()
        reject(signal.reason)
      }
      const calls = this.#waiting.get(owner) ?? new Set()
      this.#waiting.set(owner, calls.add(go))
      signal.addEventListener('abort', giveUp)
    })
  }

  #remove(owner: Owner, call: () => void): void {
    const calls = this.#waiting.get(owner)
    calls?.delete(call)
    if (calls?.size === 0) this.#waiting.delete(owner)
  }
}

/** The owner of work, compared by identity, if several share the places. */
export type Owner = object | undefined

/**
 * A number of places, and those who wait for one. A free place goes to the next owner in turn (round robin), so that nobody has
 * to wait for all the waiting work of another owner.
 */
export class Turns {
  #free: number
  /** The waiting work by owner; the first owner is next. */
  readonly #waiting = new Map<Owner, Set<() => void>>()

  constructor(places: number) {
    this.#free = places
  }

  get isFree(): boolean {
    return this.#free > 0
  }

  /** Resolves when it has got a place; rejects with the reason of the signal, without having taken one. */
  async take(owner: Owner, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#handover(owner, signal)
  }

  /** Passes on or frees a place that was taken. */
  give(): void {
    const [next] = this.#waiting
    if (!next) {
      this.#free++
      return
    }
    const [owner, calls] = next
    const [go] = calls
    // To the end of the queue, if the owner has more waiting work.
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

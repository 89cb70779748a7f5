interface Waiting {
  work: () => Promise<boolean>
  answer: (result: boolean | PromiseLike<boolean>) => void
}

const mostWaiting = 1_000

/**
 * Runs costly checks one after the other and lets the networks that ask take turns, so that one that floods waits
 * behind itself. When too many wait, the newest of the longest line is refused.
 */
export class Turns {
  /** The network whose turn it is comes first. No line is empty. */
  readonly #lines = new Map<string, Waiting[]>()
  #waiting = 0
  #busy = false

  take(network: string, work: () => Promise<boolean>): Promise<boolean> {
    return new Promise(answer => {
      const line = this.#lines.get(network) ?? []
      line.push({ work, answer })
      this.#lines.set(network, line)
      if (++this.#waiting > mostWaiting) this.#refuseOne()
      if (!this.#busy) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#busy = true
    for (let next = this.#next(); next; next = this.#next()) {
      const result = next.work()
      next.answer(result)
      // Whoever asked hears of the failure; the others still get their turn.
      await result.catch(() => false)
    }
    this.#busy = false
  }

  #next(): Waiting | undefined {
    for (const [network, line] of this.#lines) {
      this.#lines.delete(network)
      const first = line.shift()
      if (line.length > 0) this.#lines.set(network, line)
      this.#waiting--
      return first
    }
    return undefined
  }

  #refuseOne(): void {
    let longest: [string, Waiting[]] | undefined
    for (const entry of this.#lines) {
      if (!longest || entry[1].length > longest[1].length) longest = entry
    }
    if (!longest) return
    const [network, line] = longest
    line.pop()?.answer(false)
    if (line.length === 0) this.#lines.delete(network)
    this.#waiting--
  }
}

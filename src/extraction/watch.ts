const everyMs = 25

/** Polls a measurement, and reports when it exceeds its limit. */
export class LimitWatch {
  readonly #timer: NodeJS.Timeout

  /**
   * @param measure returns the limited quantity; undefined if it is unknown
   * @param reached is called once the quantity exceeds `limit`
   */
  constructor(measure: () => number | undefined, limit: number, reached: () => void) {
    this.#timer = setInterval(() => {
      if ((measure() ?? 0) <= limit) return
      this.end()
      reached()
    }, everyMs)
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

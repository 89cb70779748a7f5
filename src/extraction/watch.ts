const everyMs = 25

/** Looks again and again at how much something takes, and says when that is too much. */
export class LimitWatch {
  readonly #timer: NodeJS.Timeout

  /**
   * @param measure of what there is a limit; undefined where nobody knows
   * @param reached is called once it takes more than `limit`
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

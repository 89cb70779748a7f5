const everyMs = 25

/**
 * Looks at how much the process grows. Buffers lie outside of what a thread's own limit counts, so a file that unpacks
 * into buffers without end is noticed here.
 */
export class MemoryWatch {
  readonly #timer: NodeJS.Timeout

  /** @param reached is called once the process has grown by more than `limit` bytes */
  constructor(limit: number, reached: () => void) {
    const before = process.memoryUsage.rss()
    this.#timer = setInterval(() => {
      if (process.memoryUsage.rss() - before <= limit) return
      this.end()
      reached()
    }, everyMs)
  }

  end(): void {
    clearInterval(this.#timer)
  }
}

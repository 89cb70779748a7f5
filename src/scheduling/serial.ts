/** Work that is done one after the other, in the order in which it was asked for. */
export class Serial {
  #last: Promise<void> = Promise.resolve()

  /** Begins when all earlier work has ended, successfully or not. The caller gets its outcome. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.then(ignore, ignore)
    return done
  }

  /** Resolves when all that was asked for so far has ended. */
  idle(): Promise<void> {
    return this.#last
  }
}

const ignore = (): void => {}

/** Tasks in worker threads that belong together: if one of them fails, waiting for any of them fails. */
export class Crew {
  /** Aborts with the caller's signal, and when the crew is dismissed. */
  readonly signal: AbortSignal
  readonly #end = new AbortController()
  readonly #tasks = new Set<Promise<unknown>>()
  #failure: { readonly reason: unknown } | undefined
  #wake = () => {}

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#end.signal])
  }

  /** Number of tasks that have not ended. */
  get size(): number {
    return this.#tasks.size
  }

  /** @param done receives the result of the task first */
  add<T>(task: Promise<T>, done?: (result: T) => void): Promise<T> {
    this.#tasks.add(task)
    task.then(
      result => {
        this.#tasks.delete(task)
        done?.(result)
        this.wake()
      },
      reason => {
        this.#failure ??= { reason }
        this.wake()
      },
    )
    return task
  }

  /** Makes waiting callers check their condition again. */
  wake(): void {
    this.#wake()
  }

  /** Waits until the condition holds. Rejects when a task has failed. */
  async until(holds: () => boolean): Promise<void> {
    while (!this.#failure && !holds())
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    if (this.#failure) throw this.#failure.reason
  }

  /** Ends unfinished tasks: a task that waits for input that never comes would keep its thread for ever. */
  async dismiss(): Promise<void> {
    this.#end.abort()
    await Promise.allSettled(this.#tasks)
  }
}

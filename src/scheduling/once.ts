/** Something that is loaded once for all callers; it is loaded again after it was released or loading failed. */
export class Once<T> {
  readonly #load: () => Promise<T>
  #loading: Promise<T> | undefined
  #loaded: T | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** As it is there now, if it is. */
  get loaded(): T | undefined {
    return this.#loaded
  }

  /** Whether somebody has asked for it. */
  get isBegun(): boolean {
    return this.#loading !== undefined
  }

  get(): Promise<T> {
    return this.#loading ?? this.await(this.#load())
  }

  /** From now on it is what this comes to, unless that fails. */
  await(loading: Promise<T>): Promise<T> {
    this.letGo()
    this.#loading = loading
    loading.then(
      loaded => {
        if (this.awaits(loading)) this.put(loaded)
      },
      () => {
        if (this.awaits(loading)) this.letGo()
      },
    )
    return loading
  }

  /** Whether it is still to be what this comes to. */
  awaits(loading: Promise<T>): boolean {
    return this.#loading === loading
  }

  /** From now on it is this. */
  put(loaded: T): void {
    this.#loading = Promise.resolve(loaded)
    this.#loaded = loaded
  }

  /** Answers what is there, or on its way. */
  letGo(): Promise<T> | undefined {
    const before = this.#loading
    this.#loading = undefined
    this.#loaded = undefined
    return before
  }
}

/** Works with what there is now; once more where that fails and another has taken its place meanwhile. */
export async function withCurrent<T, Result>(
  current: () => T | Promise<T>,
  work: (now: T) => Promise<Result>,
  isSame: (one: T, other: T) => boolean = Object.is,
): Promise<Result> {
  for (;;) {
    const now = await current()
    try {
      return await work(now)
    } catch (error) {
      if (isSame(now, await current())) throw error
    }
  }
}

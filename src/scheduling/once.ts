/** Something that is loaded once for all callers; it is loaded again after it was released or loading failed. */
export class Once<T> {
  readonly #load: () => Promise<T>
  #loading: Promise<T> | undefined
  #loaded: T | undefined

  constructor(load: () => Promise<T>) {
    this.#load = load
  }

  /** The loaded value; undefined if there is none. */
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

  /** Makes the result of this promise the value, unless it fails. */
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

  /** Whether the result of this promise is still to become the value. */
  awaits(loading: Promise<T>): boolean {
    return this.#loading === loading
  }

  /** Makes this the value. */
  put(loaded: T): void {
    this.#loading = Promise.resolve(loaded)
    this.#loaded = loaded
  }

  /** Forgets the value, and returns what was loaded or being loaded. */
  letGo(): Promise<T> | undefined {
    const before = this.#loading
    this.#loading = undefined
    this.#loaded = undefined
    return before
  }
}

/** Runs work with the current value; repeats it as long as it fails and the value has been replaced meanwhile. */
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

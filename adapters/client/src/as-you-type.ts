import { wholeNumber } from './configuration.ts'
import type { CallOptions } from './connection.ts'
import { CallError, type Failure, failed, type Result } from './result.ts'

export interface TypingOptions {
  /** Milliseconds without a keystroke before a search is made. Default 100. */
  readonly debounce?: number | undefined
  /** Maximum number of cached answers; the least recently used are dropped. Default 100. */
  readonly cacheSize?: number | undefined
  /** Milliseconds for which a cached answer is valid. Default 60,000. */
  readonly maxAge?: number | undefined
  /** Minimum length of a text that is searched for. Default 1; with 0, an empty text is searched for, too. */
  readonly minLength?: number | undefined
}

/** The state of a session that a page shows; a new object after every change. */
export interface TypingState<R> {
  /** The text as last typed. */
  readonly text: string
  /** The latest answer; while typing continues, that of an earlier text. */
  readonly answer?: { readonly text: string; readonly result: R }
  /** Whether an answer to the text is on its way. */
  readonly isSearching: boolean
  /** Why there is no answer to the text. */
  readonly failure?: Failure
}

/** A search as somebody types: at most one call at a time, and only the answer to the latest text is shown. */
export class TypingSession<R> {
  readonly #ask: (text: string, options: CallOptions) => Promise<Result<R>>
  readonly #debounce: number
  readonly #minLength: number
  readonly #answers: Answers<R>
  readonly #listeners = new Set<(state: TypingState<R>) => void>()
  #state: TypingState<R> = { text: '', isSearching: false }
  #timer: ReturnType<typeof setTimeout> | undefined
  #call: AbortController | undefined

  constructor(ask: (text: string, options: CallOptions) => Promise<Result<R>>, options: TypingOptions = {}) {
    this.#ask = ask
    this.#debounce = wholeNumber('debounce', options.debounce, 100)
    this.#minLength = wholeNumber('minLength', options.minLength, 1)
    this.#answers = new Answers(
      wholeNumber('cacheSize', options.cacheSize, 100),
      wholeNumber('maxAge', options.maxAge, 60_000),
    )
  }

  get state(): TypingState<R> {
    return this.#state
  }

  /** Calls the listener after every change, until the returned function is called. */
  subscribe = (listener: (state: TypingState<R>) => void): (() => void) => {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Sets the text that is in the box: it is searched for as soon as typing pauses, or shown at once if its answer is cached. */
  type(text: string): void {
    if (text === this.#state.text && (this.#state.isSearching || this.#state.answer?.text === text)) return
    this.#drop()
    const known = this.#answers.get(text)
    if (text.trim().length < this.#minLength) this.#show({ text, isSearching: false })
    else if (known) this.#show({ text, isSearching: false, answer: { text, result: known } })
    else {
      // Before listeners are told: they may type, and may throw.
      this.#timer = setTimeout(() => this.#search(text), this.#debounce)
      this.#show({ text, isSearching: true, ...this.#shown() })
    }
  }

  /** Searches at once, as when somebody presses Enter. */
  flush(): void {
    if (this.#timer === undefined) return
    this.#drop()
    void this.#search(this.#state.text)
  }

  /** Clears the cache and searches again, because something other than the text has changed, such as a filter. */
  refresh(): void {
    const { text } = this.#state
    this.#answers.clear()
    this.#drop()
    if (text.trim().length < this.#minLength) return
    void this.#search(text)
    this.#show({ text, isSearching: true, ...this.#shown() })
  }

  /** Ends the session: a running call is aborted, and listeners are not called any more. */
  close(): void {
    this.#drop()
    this.#listeners.clear()
    this.#answers.clear()
  }

  async #search(text: string): Promise<void> {
    this.#timer = undefined
    const call = new AbortController()
    this.#call = call
    const result = await this.#asked(text, call.signal)
    // The answer is late: something else has been typed meanwhile.
    if (this.#call !== call) return
    this.#call = undefined
    if (!result.isSuccessful)
      return this.#show({ text, isSearching: false, ...this.#shown(), failure: result })
    this.#answers.set(text, result.responseObject)
    this.#show({ text, isSearching: false, answer: { text, result: result.responseObject } })
  }

  async #asked(text: string, signal: AbortSignal): Promise<Result<R>> {
    try {
      return await this.#ask(text, { signal })
    } catch (error) {
      return failureOf(error)
    }
  }

  #shown(): Pick<TypingState<R>, 'answer'> {
    const { answer } = this.#state
    return answer ? { answer } : {}
  }

  #drop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const call = this.#call
    this.#call = undefined
    call?.abort()
  }

  #show(state: TypingState<R>): void {
    this.#state = state
    for (const listener of [...this.#listeners]) {
      // A listener may have changed the state, of which all have been told then, or have ended others.
      if (this.#state !== state) return
      if (this.#listeners.has(listener)) listener(state)
    }
  }
}

/** The failure of a function that throws, as one that uses `unwrap` does. */
const failureOf = (error: unknown): Failure =>
  error instanceof CallError ? error.result : failed('unsent', String(error), error)

/** The most recently used answers, while they are valid. */
class Answers<R> {
  readonly #size: number
  readonly #maxAge: number
  readonly #kept = new Map<string, { readonly result: R; readonly since: number }>()

  constructor(size: number, maxAge: number) {
    this.#size = size
    this.#maxAge = maxAge
  }

  get(text: string): R | undefined {
    const one = this.#kept.get(text)
    this.#kept.delete(text)
    const age = Date.now() - (one?.since ?? 0)
    // Below 0, the clock was put back: how old the answer is, nobody knows.
    if (!one || age < 0 || age >= this.#maxAge) return undefined
    this.#kept.set(text, one)
    return one.result
  }

  set(text: string, result: R): void {
    this.#kept.delete(text)
    this.#kept.set(text, { result, since: Date.now() })
    if (this.#kept.size > this.#size) this.#kept.delete(this.#kept.keys().next().value!)
  }

  clear(): void {
    this.#kept.clear()
  }
}

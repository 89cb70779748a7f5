import { setImmediate as breathe } from 'node:timers/promises'
import { FindlingError } from '../errors.ts'

/** `running` and `cancelling` jobs are still at work; the other states are final. */
export type JobStatus = 'running' | 'cancelling' | 'cancelled' | 'finished' | 'failed'

/** The progress of a job. */
export interface Progress {
  /** Units done so far. */
  readonly done: number
  /** Total number of units, if known. */
  readonly total: number | undefined
  /** The current phase, in words for people. */
  readonly phase: string
}

/** A step of a job: its progress within a phase. */
export interface PhaseProgress extends Progress {
  /** Where in the job the phase begins and ends, from 0 to 1. Default: the phase is all of the job. */
  readonly share?: readonly [begin: number, end: number] | undefined
}

/** A job as it is listed and stored; times are milliseconds since 1970. */
export interface JobState {
  readonly id: string
  readonly kind: string
  readonly description: string
  /** Id of the service that it works for, if any. */
  readonly service?: string
  /** The datasets that it works on, by the names that they had when it began. */
  readonly datasets?: readonly string[]
  readonly status: JobStatus
  readonly startedAt: number
  readonly endedAt: number | null
  readonly progress: Progress
  /**
   * 0 to 100 with two decimals; 0 while no total is known, 100 when finished. It never goes back: where a phase begins anew,
   * it waits until the phase has come as far.
   */
  readonly percent: number
  /**
   * Why the job failed: an error code (`JOB_FAILED` for an error without one) and its message. `JOB_INTERRUPTED` also if it was
   * cancelled because the engine was closed.
   */
  readonly error: { readonly code: string; readonly message: string } | null
  /** What the body returned; null until then, and for bodies that return nothing. Stored as JSON. */
  readonly result: unknown
}

/**
 * The work of a job: yields after every unit, returns the result. Once the job is cancelled, it is not resumed (its `finally`
 * blocks run); pass `signal` to what it awaits, so that this stops as well.
 */
export type JobBody<T> = (context: {
  readonly signal: AbortSignal
  readonly id: string
}) => AsyncGenerator<PhaseProgress, T, void>

/** Options for watching and cancelling a job. */
export interface JobOptions {
  /** Cancels the job when it aborts; its reason becomes the cause of CANCELLED. */
  readonly signal?: AbortSignal | undefined
  /** Called after every step; an error thrown here fails the job. */
  readonly onProgress?: ((progress: Progress & { readonly percent: number }) => void) | undefined
}

interface Surroundings extends JobOptions {
  readonly clock: () => number
  readonly save: (state: JobState) => Promise<void>
  /** Called when a job fails and nobody has asked for its result or end by then. */
  readonly unheard: (state: JobState, error: unknown) => void
}

const saveEveryMs = 1000

/**
 * Long-running work, which starts at once. Await it for its result. If it fails and nobody awaits it, the engine's logger
 * receives the error. An async function that returns a job resolves to its result.
 */
export class Job<T> implements PromiseLike<T> {
  /** Unique in the store; `engine.job(id)` finds it. */
  readonly id: string
  /** The kind of work. */
  readonly kind: string
  readonly #outcome: Promise<T>
  #isObserved = false
  readonly #around: Surroundings
  readonly #abort = new AbortController()
  #state: JobState
  #savedAt: number

  constructor(
    about: Pick<JobState, 'id' | 'kind' | 'description' | 'service' | 'datasets'>,
    body: JobBody<T>,
    around: Surroundings,
  ) {
    this.id = about.id
    this.kind = about.kind
    this.#around = around
    this.#savedAt = around.clock()
    this.#state = {
      ...about,
      status: 'running',
      startedAt: this.#savedAt,
      endedAt: null,
      progress: { done: 0, total: undefined, phase: 'starting' },
      percent: 0,
      error: null,
      result: null,
    }
    this.#outcome = this.#run(body)
    this.#outcome.catch(error => this.#tellIfUnheard(error))
  }

  /** Its current progress, or how it ended. */
  get state(): JobState {
    return this.#state
  }

  /**
   * Its state as it would be if it ended now, without a result.
   * @internal
   */
  get asFinished(): JobState {
    return this.#over({ status: 'finished', percent: 100 })
  }

  /** The result; rejects with the error with which the work failed, or with CANCELLED. */
  get finished(): Promise<T> {
    this.#isObserved = true
    return this.#outcome
  }

  /** Resolves when the job is over, however it ended; it never rejects. */
  get ended(): Promise<void> {
    return this.#outcome.then(ignore, ignore)
  }

  /**
   * Same as `finished.then()`: a job can be awaited.
   * @example
   * const { stored } = await products.documents.import([{ id: 'p4', title: 'Desk lamp' }])
   * console.log(stored) // 1
   */
  // biome-ignore lint/suspicious/noThenProperty: to be awaited is what it is for.
  then<A = T, B = never>(
    onResult?: ((result: T) => A | PromiseLike<A>) | null,
    onFailure?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.finished.then(onResult, onFailure)
  }

  /**
   * Same as `finished.catch()`.
   * @example
   * const path = 'missing.csv'
   * const report = await products.documents.import(path).catch(() => 'cannot be read')
   * console.log(report) // cannot be read
   */
  catch<B = never>(onFailure?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.finished.catch(onFailure)
  }

  /**
   * Same as `finished.finally()`.
   * @example
   * const job = products.optimize()
   * await job.finally(() => console.log(job.state.status)) // finished
   */
  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.finished.finally(onEnd)
  }

  /**
   * Asks the job to stop; it is over when `finished` settles. Does nothing if the job is over or was asked before.
   * @param cause becomes the `cause` of the CANCELLED error
   * @example
   * const job = products.optimize()
   * job.cancel()
   * await job.finished.catch(() => {})
   * console.log(job.state.status) // cancelled
   */
  cancel(cause?: unknown): void {
    if (this.#state.status !== 'running') return
    this.#state = { ...this.#state, status: 'cancelling' }
    this.#abort.abort(
      new FindlingError('CANCELLED', `job ${this.id} (${this.kind}) was cancelled`, {}, cause),
    )
  }

  async #run(body: JobBody<T>): Promise<T> {
    const stopListening = this.#cancelWith(this.#around.signal)
    try {
      await this.#around.save(this.#state)
      const result = await this.#pull(body({ signal: this.#abort.signal, id: this.id }))
      const over = this.#over({ status: 'finished', percent: 100, result: result ?? null })
      await this.#around.save(over)
      this.#state = over
      return result
    } catch (error) {
      const over = this.#over(this.#outcomeOf(error))
      // The error that ended the job is more useful than one about storing its state.
      await this.#around.save(over).catch(() => undefined)
      // Only now, in the turn in which `ended` resolves: whoever sees that it is over finds what it occupied free.
      this.#state = over
      throw over.status === 'cancelled' ? this.#abort.signal.reason : error
    } finally {
      stopListening()
    }
  }

  #tellIfUnheard(error: unknown): void {
    if (!this.#isObserved && this.#state.status === 'failed') this.#around.unheard(this.#state, error)
  }

  #cancelWith(signal: AbortSignal | undefined): () => void {
    const cancel = () => this.cancel(signal?.reason)
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel)
    return () => signal?.removeEventListener('abort', cancel)
  }

  async #pull(steps: AsyncGenerator<PhaseProgress, T, void>): Promise<T> {
    try {
      for (;;) {
        this.#abort.signal.throwIfAborted()
        const step = await steps.next()
        if (step.done) return step.value
        await this.#advance(step.value)
        await breathe()
      }
    } finally {
      // The caller ignores the value that is passed through; an ended generator does nothing.
      await steps.return(undefined as T)
    }
  }

  async #advance(step: PhaseProgress): Promise<void> {
    const { done, total, phase } = step
    const progress = { done, total, phase }
    const percent = Math.max(this.#state.percent, percentOf(step))
    this.#state = { ...this.#state, progress, percent }
    this.#around.onProgress?.({ ...progress, percent })
    if (this.#around.clock() - this.#savedAt < saveEveryMs) return
    this.#savedAt = this.#around.clock()
    await this.#around.save(this.#state)
  }

  #over(change: Partial<JobState>): JobState {
    return { ...this.#state, ...change, endedAt: this.#around.clock() }
  }

  /** Nobody asked a job to stop that ends because its engine is closed. */
  get #interruption(): JobState['error'] {
    const { cause } = this.#abort.signal.reason as Error // given by `cancel`
    if (codeOf(cause) !== 'CLOSED') return null
    const message = `interrupted at ${this.#state.percent} % when the engine was closed`
    return { code: 'JOB_INTERRUPTED', message }
  }

  #outcomeOf(error: unknown): Partial<JobState> {
    const { aborted } = this.#abort.signal
    const stoppedBySignal =
      codeOf(error) === 'CANCELLED' || (error instanceof Error && error.name === 'AbortError')
    if (aborted && stoppedBySignal) return { status: 'cancelled', error: this.#interruption }
    const message = error instanceof Error ? error.message : String(error)
    return { status: 'failed', error: { code: codeOf(error) ?? 'JOB_FAILED', message } }
  }
}

function ignore(): void {}

function percentOf({ done, total, share: [begin, end] = [0, 1] }: PhaseProgress): number {
  const ofPhase = total ? Math.min(1, Math.max(0, done / total)) : 0
  return Math.round((begin + (end - begin) * ofPhase) * 10_000) / 100
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

import { FindlingError } from '../errors.ts'
import { describeValue } from '../input.ts'
import { Job, type JobBody, type JobOptions, type JobState, type JobStatus } from './job.ts'

/** Keeps job states. */
export interface JobStore {
  put(state: JobState): Promise<void>
  list(): Promise<JobState[]>
  remove(ids: string[]): Promise<void>
}

export interface StartOptions extends JobOptions {
  /** `false`: neither stored, nor listed once it is over. Default `true`. */
  readonly persist?: boolean
  /** Id of the service that it works for. */
  readonly service?: string
  /** Names of the datasets that it works on. */
  readonly datasets?: readonly string[]
}

/** Which jobs `engine.jobs()` lists; default all. */
export interface JobFilter {
  /** Only jobs in one of these states. */
  readonly status?: readonly JobStatus[]
  /** Only jobs started at this time (milliseconds since 1970) or later. */
  readonly since?: number
  /** Only jobs of the service with this id. */
  readonly service?: string
}

/** Number of finished jobs that stay listed and stored; older ones are deleted. */
export const keptJobs = 1000

/** Ids sort in the order of creation, which orders jobs that began in the same millisecond. */
function oldestFirst(a: JobState, b: JobState): number {
  return a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)
}

/** Starts jobs, lists them and keeps their states. */
export class JobRunner {
  readonly #store: JobStore
  readonly #clock: () => number
  readonly #newId: () => string
  readonly #unheard: (state: JobState, error: unknown) => void
  readonly #running = new Map<string, Job<unknown>>()
  /** Oldest first. */
  readonly #ended = new Map<string, JobState>()
  #closed = false

  /**
   * @param newId makes ids that sort in the order in which they are made
   * @param unheard receives every failure of a job that nobody awaits
   */
  constructor(options: {
    store: JobStore
    clock: () => number
    newId: () => string
    unheard: (state: JobState, error: unknown) => void
  }) {
    this.#store = options.store
    this.#clock = options.clock
    this.#newId = options.newId
    this.#unheard = options.unheard
  }

  /** Reads the states that earlier processes stored; jobs that were running then have failed: JOB_INTERRUPTED. */
  async recover(): Promise<void> {
    const states = await this.#store.list()
    for (const state of states.sort(oldestFirst)) {
      const over = state.endedAt === null ? this.#interrupted(state) : state
      if (over !== state) await this.#store.put(over)
      this.#ended.set(over.id, over)
    }
    await this.#forgetAllBut(keptJobs)
  }

  /** CLOSED after `close()`. */
  start<T>(kind: string, description: string, body: JobBody<T>, options: StartOptions = {}): Job<T> {
    if (this.#closed)
      throw new FindlingError('CLOSED', `The engine is closing, so this was not started: ${description}.`)
    const { persist = true, service, datasets, ...jobOptions } = options
    const about = {
      id: this.#newId(),
      kind,
      description,
      ...(service !== undefined && { service }),
      ...(datasets && { datasets }),
    }
    const job = new Job(about, body, {
      ...jobOptions,
      clock: this.#clock,
      unheard: this.#unheard,
      save: async state => {
        if (persist) await this.#save(state)
      },
    })
    this.#running.set(job.id, job)
    job.ended.then(() => {
      this.#running.delete(job.id)
      if (persist) this.#ended.set(job.id, job.state)
    })
    return job
  }

  /** The state of a running job as it would be if it ended now, without a result. */
  asFinished(id: string): JobState | undefined {
    return this.#running.get(id)?.asFinished
  }

  get(id: string): JobState | undefined {
    return this.#running.get(id)?.state ?? this.#ended.get(id)
  }

  /** Newest first. */
  list(filter: JobFilter = {}): JobState[] {
    const { status, since = Number.NEGATIVE_INFINITY, service } = filter
    const states = [...this.#ended.values(), ...[...this.#running.values()].map(job => job.state)]
    return states
      .filter(state => state.startedAt >= since && (status === undefined || status.includes(state.status)))
      .filter(state => service === undefined || state.service === service)
      .sort(oldestFirst)
      .reverse()
  }

  /** Does nothing if the job is over or was asked before. JOB_NOT_FOUND. */
  cancel(id: string): void {
    const job = this.#running.get(id)
    job?.cancel()
    if (job || this.#ended.has(id)) return
    const received = describeValue(id)
    throw new FindlingError('JOB_NOT_FOUND', `There is no job ${received}.`, {
      field: 'id',
      received,
      expected: 'the id of a job that jobs() lists',
    })
  }

  /** Stops listing finished jobs that were removed from the store. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#ended.delete(id)
  }

  /** Cancels running jobs and waits until all have stopped. */
  async close(): Promise<void> {
    this.#closed = true
    const jobs = [...this.#running.values()]
    const closed = new FindlingError('CLOSED', 'The engine is closing.')
    for (const job of jobs) job.cancel(closed)
    await Promise.all(jobs.map(job => job.ended))
  }

  async #save(state: JobState): Promise<void> {
    await this.#store.put(state)
    if (state.endedAt !== null) await this.#forgetAllBut(keptJobs - 1)
  }

  async #forgetAllBut(kept: number): Promise<void> {
    const old = [...this.#ended.keys()].slice(0, Math.max(0, this.#ended.size - kept))
    if (old.length === 0) return
    for (const id of old) this.#ended.delete(id)
    await this.#store.remove(old)
  }

  #interrupted(state: JobState): JobState {
    const error = {
      code: 'JOB_INTERRUPTED',
      message: `interrupted at ${state.percent} % when the process ended`,
    }
    return { ...state, status: 'failed', endedAt: this.#clock(), error }
  }
}

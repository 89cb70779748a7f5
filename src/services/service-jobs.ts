import type { Job, JobOptions, Progress } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { type Finish, finishing } from '../jobs/stored-jobs.ts'

/** What a job does, with a description for people. */
interface Task<T> {
  readonly kind: string
  readonly description: string
  readonly watch: JobOptions
  body(signal: AbortSignal, finish: Finish): AsyncGenerator<Progress, T>
}

/** The jobs of one service: at most one makes it busy; others run beside it. */
export class ServiceJobs {
  readonly #service: string
  readonly #runner: JobRunner
  #occupying: Job<void> | undefined
  readonly #beside = new Set<Job<unknown>>()
  #alone: Job<unknown> | undefined

  constructor(service: string, runner: JobRunner) {
    this.#service = service
    this.#runner = runner
  }

  /** Whether the service is being prepared or activated. */
  get areOccupying(): boolean {
    return this.#occupying !== undefined
  }

  /** Whether a job is running that excludes preparation. */
  get hasLoner(): boolean {
    return this.#alone !== undefined
  }

  get areIdle(): boolean {
    return !this.#occupying && this.#beside.size === 0
  }

  /** Ids of all jobs, oldest first, and of the running one. */
  get listed(): { all: string[]; running: string | null } {
    const all = this.#runner.list({ service: this.#service }).reverse()
    return {
      all: all.map(({ id }) => id),
      running: all.find(({ status }) => status === 'running')?.id ?? null,
    }
  }

  /** Makes the service busy. */
  occupy({ kind, description, watch, body }: Task<void>): Job<void> {
    const idle = (ended: Job<void>) => {
      if (this.#occupying === ended) this.#occupying = undefined
    }
    const runner = this.#runner
    const job: Job<void> = runner.start(
      kind,
      description,
      async function* ({ signal, id }) {
        try {
          yield* body(signal, finishing(runner, id))
        } finally {
          // Before the job ends, so that code awaiting it finds the service in its new state.
          idle(job)
        }
      },
      { ...watch, service: this.#service },
    )
    this.#occupying = job
    job.ended.then(() => idle(job))
    return job
  }

  /** Runs a job that leaves the status of the service as it is. */
  runBeside<T>({ kind, description, watch, body }: Task<T>, isAlone: boolean): Job<T> {
    const options = { ...watch, service: this.#service }
    const job = this.#runner.start(
      kind,
      description,
      ({ signal, id }) => body(signal, finishing(this.#runner, id)),
      options,
    )
    this.#beside.add(job)
    if (isAlone) this.#alone = job
    job.ended.then(() => {
      this.#beside.delete(job)
      if (this.#alone === job) this.#alone = undefined
    })
    return job
  }

  /** Cancels running jobs and resolves when they have ended. */
  async stop(): Promise<void> {
    const running = [...(this.#occupying ? [this.#occupying] : []), ...this.#beside]
    for (const job of running) job.cancel()
    await Promise.all(running.map(job => job.ended))
  }

  /** Forgets jobs that were removed from the store. */
  forget(ids: readonly string[]): void {
    this.#runner.forget(ids)
  }
}

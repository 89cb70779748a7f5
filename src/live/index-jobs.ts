import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod'
import type { DatasetState, Definition } from '../datasets/state.ts'
import { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import { parallel } from '../jobs/parallel.ts'
import type { JobRunner, StartOptions } from '../jobs/runner.ts'
import { finishing } from '../jobs/stored-jobs.ts'
import { watching } from '../jobs/watching.ts'
import type { Given } from '../options-reader.ts'
import type { Store } from '../store/store.ts'
import { IndexAhead } from './index-ahead.ts'
import type { IndexBeside } from './index-beside.ts'
import { fingerprint } from './indexing.ts'
import { refuseOutgrown, refuseRedefined } from './stored-index.ts'

/** Options of the jobs that build an index. */
export interface IndexJobOptions extends JobOptions {
  /**
   * Maximum number of worker threads that the job uses at a time, at least 1: one indexes, the others analyze for it while the
   * process has threads to spare. Default: all processors but one, which reads.
   */
  parallel?: number
}

const jobOptions = z.strictObject({ parallel, ...watching })

interface IndexJobsContext {
  readonly store: Store
  readonly state: DatasetState
  readonly jobs: JobRunner
}

/** How settings of a dataset are stored by way of somebody else. */
export interface Redefinition {
  /** Has indexes prepared for the settings, here and elsewhere. */
  announce(): Promise<unknown>
  /** Withdraws the announcement. */
  withdraw(): Promise<unknown>
  write(): Promise<unknown>
}

interface Parts {
  readonly beside: IndexBeside
  /** Called for each job that builds an index. */
  readonly started: (job: Job<void>) => void
  /** Resolves when the index follows the current settings. */
  readonly ready: () => Promise<void>
}

/** One job at a time builds the index; after `closing` none starts. */
type Work =
  | { readonly is: 'idle' | 'closing' }
  | { readonly is: 'building'; readonly kind: BuildKind; readonly job: Job<void> }

type BuildKind = keyof typeof DESCRIPTIONS

const IDLE: Work = { is: 'idle' }

/** Maximum number of documents of an index that is built within moments. */
export const SMALL = 4096

/** Milliseconds between two checks of the progress of an index, and between two announcements of its settings. */
const LOOK_EVERY = 200
const ANNOUNCE_EVERY = 60_000

/** The jobs that build the index of a dataset beside the one that answers. */
export class IndexJobs {
  readonly #context: IndexJobsContext
  readonly #beside: IndexBeside
  readonly #started: (job: Job<void>) => void
  readonly #ready: () => Promise<void>
  #begun: Work = IDLE
  /** Built for settings that have been announced. */
  #ahead: IndexAhead | undefined

  constructor(context: IndexJobsContext, { beside, started, ready }: Parts) {
    this.#context = context
    this.#beside = beside
    this.#started = started
    this.#ready = ready
  }

  get isIdle(): boolean {
    return this.#work.is === 'idle'
  }

  get isClosing(): boolean {
    return this.#begun.is === 'closing'
  }

  /** The job that is building the index. */
  get building(): Job<void> | undefined {
    const work = this.#work
    return work.is === 'building' ? work.job : undefined
  }

  get #work(): Work {
    const begun = this.#begun
    return begun.is === 'building' && begun.job.state.endedAt !== null ? IDLE : begun
  }

  /** Changes the settings. If this changes what is indexed, an index is built first. DATASET_BUSY */
  reconfigure(definition: Definition, options: Given<IndexJobOptions>): Job<void> {
    const { state } = this.#context
    const same = fingerprint(definition.settings) === fingerprint(state.settings)
    const { parallel, ...watch } = parseInput(jobOptions, options, 'options')
    const body = same ? changeSettings(this.#context, definition) : this.#build(definition, parallel)
    return this.#start('reconfigure', body, watch)
  }

  /** Builds the index from the documents, with the current settings. DATASET_BUSY */
  rebuild(): Job<void> {
    return this.#start('reconfigure', this.#build(this.#context.state, jobOptions.parse({}).parallel))
  }

  /** The same, under the name that users know. */
  optimize(options: Given<IndexJobOptions>): Job<void> {
    const { parallel, ...watch } = parseInput(jobOptions, options, 'options')
    return this.#start('optimize', this.#build(this.#context.state, parallel), watch)
  }

  /**
   * A job that has others store the settings, once an index for them is built. If they cannot be announced, the index is built
   * afterwards.
   */
  redefining({ announce, withdraw, write }: Redefinition, options: Given<IndexJobOptions>): Job<void> {
    const { jobs, state } = this.#context
    const { parallel: _, ...watch } = parseInput(jobOptions, options, 'options')
    const prepared = () => this.#ahead
    const ready = this.#ready
    const body: JobBody<void> = async function* () {
      yield { done: 0, total: 1, phase: 'indexing' }
      await announce().catch(() => {})
      let [announcedAt, isWritten] = [performance.now(), false]
      const ahead = prepared()
      try {
        while (ahead && !ahead.isBuilt) {
          yield ahead.job.state.progress
          await Promise.race([ahead.built, pause(LOOK_EVERY)])
          if (performance.now() - announcedAt < ANNOUNCE_EVERY) continue
          await announce().catch(() => {})
          announcedAt = performance.now()
        }
        await write()
        isWritten = true
      } finally {
        // Also after cancellation.
        if (!isWritten) await withdraw().catch(() => {})
      }
      await ready()
      yield { done: 1, total: 1, phase: 'indexing' }
    }
    return jobs.start('reconfigure', DESCRIPTIONS.reconfigure(state.name), body, {
      ...watch,
      datasets: [state.name],
    })
  }

  /**
   * Builds an index for announced settings, unless it is small or another one is being built. An index already being built for
   * announced settings is kept if these are the same, and given up otherwise.
   */
  prepare(definition: Definition): void {
    const { store, state } = this.#context
    const wanted = fingerprint(definition.settings)
    const ahead = this.#ahead
    if (ahead && !ahead.isOver) {
      if (ahead.fingerprint === wanted) ahead.keep()
      else void ahead.settingsAre(wanted).then(() => this.prepare(definition))
      return
    }
    const isSmall = store.counts(state.dataset).documents <= SMALL
    if (isSmall || wanted === fingerprint(state.settings) || !this.isIdle) return
    if (store.isClosing || state.removed) return
    const { parallel } = jobOptions.parse({})
    this.#ahead = new IndexAhead(wanted, whenWanted =>
      this.#start(
        'reconfigure',
        ({ signal }) => this.#beside.buildAhead(definition, { parallel, signal, wanted: whenWanted }),
        { persist: false },
      ),
    )
  }

  /** Puts a prepared index in place if it was built for the current settings, or gives it up; resolves when that is done. */
  async settingsAre(wanted: string): Promise<void> {
    await this.#ahead?.settingsAre(wanted)
  }

  /** Whether an index has been prepared for the settings. */
  hasPrepared(wanted: string): boolean {
    return this.#ahead?.fingerprint === wanted
  }

  /** Gives up a prepared index, and resolves when nothing is being built. */
  async settled(): Promise<void> {
    if (this.#ahead && !this.#ahead.isOver) this.#ahead.job.cancel()
    while (this.building) await this.building.ended
  }

  /** Cancels what is being built; no other job begins. */
  close(): Promise<void> {
    const { building } = this
    this.#begun = { is: 'closing' }
    building?.cancel()
    return building?.ended ?? Promise.resolve()
  }

  #build({ settings, schema, findsFields }: Definition, parallel: number): JobBody<void> {
    const { jobs, state } = this.#context
    const { redefinitions } = state
    const definition = { settings, schema, findsFields }
    return ({ signal, id }) =>
      this.#beside.build(definition, { redefinitions, parallel, signal, finish: finishing(jobs, id) })
  }

  #start(kind: BuildKind, body: JobBody<void>, watch?: StartOptions): Job<void> {
    const { jobs, state } = this.#context
    const before = this.#work
    if (before.is === 'building') {
      throw new FindlingError(
        'DATASET_BUSY',
        `The index of ${state.name} is being ${UNDER_WAY[before.kind]}. Wait for that job or cancel it.`,
        { job: before.job.id },
      )
    }
    const job = jobs.start(kind, DESCRIPTIONS[kind](state.name), body, {
      ...watch,
      datasets: [state.name],
    })
    if (before.is === 'idle') this.#begun = { is: 'building', kind, job }
    this.#started(job)
    return job
  }
}

const DESCRIPTIONS = {
  reconfigure: (name: string) => `Reindexing ${name}`,
  optimize: (name: string) => `Optimizing the index of ${name}`,
}

const UNDER_WAY = { reconfigure: 'rebuilt', optimize: 'optimized' } satisfies Record<BuildKind, string>

/** For settings that do not change what is indexed. */
function changeSettings({ store, state, jobs }: IndexJobsContext, definition: Definition): JobBody<void> {
  const { redefinitions } = state
  return async function* ({ id }) {
    await store.amend(transaction => {
      refuseRedefined(state, redefinitions)
      refuseOutgrown(transaction.dataset(state.dataset), definition)
      transaction.setEntry(state.dataset, definition)
      finishing(jobs, id)(transaction)
      // Before those of the same commit that add to the searched fields.
      transaction.whenDurable(() => state.apply(definition))
    })
    yield { done: 1, total: 1, phase: 'settings changed' }
  }
}

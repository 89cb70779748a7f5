import { FindlingError } from '../errors.ts'
import type { Generation } from '../generations/generation.ts'
import { type Flip, Generations } from '../generations/generations.ts'
import { parseInput } from '../input.ts'
import type { Job, Progress } from '../jobs/job.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { classifierPrefix } from '../store/keyspace.ts'
import { type DatasetEntry, datasetEntry } from '../store/manifest.ts'
import { classifierOptions } from './classifier-options.ts'
import { type Asked, formOf, type TrainedModel, type TrainingContext, trainModel } from './model-training.ts'
import { type LoadedClassifier, loadClassifier, loadStored } from './stored-classifier.ts'
import { TagClassifier } from './tag-classifier.ts'

export interface ClassifiersContext extends TrainingContext {
  readonly jobs: JobRunner
  warn(message: string, details: Record<string, unknown>): void
}

/**
 * Trains the classifier of a dataset and stores it: a generation that a job builds beside the one before. It does not
 * follow the documents, so it is nothing derived: it stays as it was trained until it is trained again.
 */
export class DatasetClassifiers {
  readonly #context: ClassifiersContext
  readonly #generations: Generations<DatasetEntry>
  #job: Job<TagClassifier> | undefined

  constructor(context: ClassifiersContext) {
    const { store, state, warn } = context
    this.#context = context
    this.#generations = new Generations({
      store,
      pointer: {
        prefix: generation => classifierPrefix(state.dataset, generation),
        read: ({ classifier = 0 }) => classifier,
        written: classifier => ({ classifier }),
        find: manifest => datasetEntry(manifest, state.dataset),
        entry: transaction => transaction.dataset(state.dataset),
        change: (transaction, change) => transaction.setEntry(state.dataset, change),
      },
      unswept: error =>
        warn('What an earlier classifier took could not be given back; the next open does it.', {
          dataset: state.name,
          error,
        }),
    })
  }

  /** DATASET_BUSY, INVALID_ARGUMENT; the job: TAG_NOT_FOUND, TOO_LARGE. */
  train(options: unknown): Job<TagClassifier> {
    const { jobs, state } = this.#context
    const { tags, nGrams, compression, parallel, ...watch } = parseInput(
      classifierOptions,
      options,
      'options',
    )
    state.assertThere()
    if (this.#job && this.#job.state.endedAt === null) {
      const message = `A classifier of ${state.name} is being trained. Wait for that job or cancel it.`
      throw new FindlingError('DATASET_BUSY', message, { job: this.#job.id })
    }
    const asked = { tags: tags ? [...new Set(tags)] : null, nGrams, compression }
    const self = this
    this.#job = jobs.start(
      'classifier',
      `Training a classifier of ${state.name}`,
      async function* ({ signal }) {
        let trained: LoadedClassifier | undefined
        yield* self.#generations.replace(async function* (beside) {
          const made = yield* self.#build(beside, asked, parallel, signal)
          trained = made.loaded
          return made.flip
        })
        return self.#handle(trained!)
      },
      watch,
    )
    return this.#job
  }

  /** Trains without storing: for whoever keeps what is learnt elsewhere. */
  learn(
    asked: Asked,
    how: { parallel: number; signal: AbortSignal },
  ): AsyncGenerator<Progress, TrainedModel> {
    return trainModel(this.#context, asked, how)
  }

  async load(): Promise<TagClassifier | undefined> {
    const { store, state } = this.#context
    store.assertOpen()
    state.assertThere()
    for (;;) {
      const generation = this.#generations.current
      try {
        const loaded = await loadStored(generation)
        return loaded && this.#handle(loaded)
      } catch (error) {
        // Another has taken its place while it was read.
        if (generation === this.#generations.current) throw error
      }
    }
  }

  /** Cancels what is being trained, and waits until it has ended. */
  async close(): Promise<void> {
    this.#job?.cancel()
    await this.#job?.ended
    await this.#generations.idle()
  }

  #handle(loaded: LoadedClassifier): TagClassifier {
    const { store, state, tags, jobs, pool } = this.#context
    return new TagClassifier(loaded, {
      store,
      state,
      tags,
      jobs,
      pool,
      form: asked => formOf(this.#context, asked),
    })
  }

  async *#build(
    beside: Generation,
    asked: Asked,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, { loaded: LoadedClassifier; flip: Flip<DatasetEntry> }> {
    const { seq } = this.#context.store
    const { contents, blobs } = yield* trainModel(this.#context, asked, { parallel, signal })
    const loaded = await loadClassifier(contents, name => blobs.get(name))
    await beside.saveBlobs(blobs)
    signal.throwIfAborted()
    const head = beside.head({ contents, obsolete: [] }, seq, '')
    return { loaded, flip: { head, check() {}, change: {}, inPlace() {} } }
  }
}

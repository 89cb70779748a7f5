import * as z from 'zod'
import {
  type AdoptThrough,
  ArtifactReader,
  artifactDamaged,
  artifactPieces,
  asDamage,
  passedOn,
  undamaged,
} from '../../artifacts/artifact.ts'
import type { OwnAnalyzers } from '../../datasets/analyzers.ts'
import { interpretedField } from '../../datasets/schema/dataset-settings.ts'
import {
  type DocumentForm,
  documentForm,
  documentFormSchema,
  refuseOtherForm,
} from '../../derived/constants/document-form.ts'
import { datasetPointer } from '../../derived/generations/dataset-pointer.ts'
import type { Generation } from '../../derived/generations/generation.ts'
import { type Flip, Generations } from '../../derived/generations/generations.ts'
import type { DerivedMemory } from '../../derived/memory.ts'
import { FindlingError } from '../../errors.ts'
import { invalid, parseInput, problem } from '../../input.ts'
import type { Job, JobOptions, Progress } from '../../jobs/job.ts'
import type { JobRunner } from '../../jobs/runner.ts'
import { jobOptions } from '../../jobs/watching.ts'
import { withCurrent } from '../../scheduling/once.ts'
import { classifierPrefix } from '../../store/keyspace.ts'
import type { DatasetEntry } from '../../store/manifest.ts'
import { modelBlobs } from '../model/stored-model.ts'
import { classifierOptions } from '../options.ts'
import { KeptClassifier } from './kept-classifier.ts'
import {
  learntFormOf,
  type TrainedModel,
  type TrainingContext,
  type TrainingRequest,
  trainModel,
} from './model-training.ts'
import {
  analyzerOf,
  type LoadedClassifier,
  loadClassifier,
  loadStored,
  readStoredClassifier,
  type StoredContents,
} from './stored-classifier.ts'
import { TagClassifier } from './tag-classifier.ts'

export interface ClassifiersContext extends TrainingContext {
  readonly jobs: JobRunner
  readonly memory: DerivedMemory
  /** If classifiers are handed over, has them adopted, here as well. */
  readonly adoptThrough: AdoptThrough | undefined
  /** The classifier that was learnt in the background, if any. */
  learntBeside(): Promise<LoadedClassifier | undefined>
  warn(message: string, details: Record<string, unknown>): void
}

/**
 * Trains the classifier of a dataset and stores it, as a generation that a job builds beside the previous one. It does not
 * follow the documents, so it is not a derived structure: it stays unchanged until it is trained again.
 */
export class DatasetClassifiers {
  readonly #context: ClassifiersContext
  readonly #generations: Generations<DatasetEntry>
  readonly #kept: KeptClassifier
  /** Classifiers that callers may still hold. */
  readonly #handed = new Set<WeakRef<TagClassifier>>()
  #job: Job<TagClassifier> | undefined

  constructor(context: ClassifiersContext) {
    const { store, state, warn } = context
    this.#context = context
    this.#generations = new Generations({
      store,
      pointer: datasetPointer(state.dataset, 'classifier', classifierPrefix),
      unswept: error =>
        warn(
          'The space of an earlier classifier could not be freed; this is retried when the store is next opened.',
          {
            dataset: state.name,
            error,
          },
        ),
    })
    this.#kept = new KeptClassifier({
      name: () => state.name,
      memory: context.memory,
      current: () => this.#generations.current,
      load: () => this.#load(),
    })
  }

  /** Memory of the dataset's classifiers, both those that callers hold and the one that is kept. */
  get bytes(): number {
    let bytes = this.#kept.bytes
    for (const one of this.#handed) {
      const classifier = one.deref()
      if (classifier) bytes += classifier.bytes
      else this.#handed.delete(one)
    }
    return bytes
  }

  /** The last trained classifier, which stays in memory, or else the one for categories of queries. NOT_TRAINED */
  async answering(): Promise<TagClassifier> {
    const { store, state, learntBeside } = this.#context
    store.assertOpen()
    state.assertThere()
    const classifier = await this.#kept.get()
    if (classifier) return classifier
    const beside = await learntBeside()
    if (beside) return this.#handle(beside)
    throw notTrained(state.name)
  }

  /** DATASET_BUSY, INVALID_ARGUMENT; the job: TAG_NOT_FOUND, TOO_LARGE. */
  train(options: unknown): Job<TagClassifier> {
    const { state } = this.#context
    const { tags, nGrams, compression, fields, parallel, ...watch } = parseInput(
      classifierOptions,
      options,
      'options',
    )
    state.assertThere()
    if (fields) refuseUnsearched(fields, state.settings.interpretedFields)
    const asked = {
      tags: tags ? [...new Set(tags)] : null,
      nGrams,
      compression,
      fields: fields ? [...new Set(fields)] : null,
    }
    const { adoptThrough } = this.#context
    return this.#start('Training a classifier of', watch, signal =>
      adoptThrough
        ? this.#trainingFor(adoptThrough, asked, parallel, signal)
        : this.#training(asked, parallel, signal),
    )
  }

  /** The same without storing it; adopting it does. */
  async *#trainingFor(
    adoptThrough: AdoptThrough,
    asked: TrainingRequest,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, LoadedClassifier> {
    const { state } = this.#context
    const { loaded, blobs } = yield* this.#train(asked, parallel, signal)
    const contents: ArtifactContents = {
      form: documentForm(state.settings),
      classifier: loaded.contents,
    }
    const sizes = Array.from(blobs, ([name, { byteLength }]): [string, number] => [name, byteLength])
    signal.throwIfAborted()
    const artifact = artifactPieces({ ...ARTIFACT, contents, blobs: sizes }, name => [blobs.get(name)!])
    await adoptThrough({ kind: 'classifier', dataset: state.name }, artifact)
    return loaded
  }

  async *#training(
    asked: TrainingRequest,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, LoadedClassifier> {
    const self = this
    let trained: LoadedClassifier | undefined
    yield* this.#generations.replace(async function* (beside) {
      const made = yield* self.#build(beside, asked, parallel, signal)
      trained = made.loaded
      return made.flip
    })
    return trained!
  }

  /** One at a time. */
  #start(
    what: string,
    watch: JobOptions,
    work: (signal: AbortSignal) => AsyncGenerator<Progress, LoadedClassifier>,
  ): Job<TagClassifier> {
    const { jobs, state } = this.#context
    state.assertThere()
    if (this.#job && this.#job.state.endedAt === null) {
      const message = `A classifier of ${state.name} is being trained. Wait for that job or cancel it.`
      throw new FindlingError('DATASET_BUSY', message, { job: this.#job.id })
    }
    const self = this
    const job = jobs.start(
      'classifier',
      `${what} ${state.name}`,
      async function* ({ signal }) {
        return self.#hand(self.#handle(yield* work(signal)))
      },
      { ...watch, datasets: [state.name] },
    )
    this.#job = job
    // The job holds the classifier, which belongs to its caller alone.
    job.ended.then(() => {
      if (this.#job === job) this.#job = undefined
    })
    return job
  }

  /** The last trained classifier as an artifact. NOT_TRAINED, STORE_CORRUPT; DATASET_BUSY if another replaced it meanwhile. */
  async *export(): AsyncGenerator<Uint8Array, void> {
    const { store, state } = this.#context
    store.assertOpen()
    state.assertThere()
    const generation = this.#generations.current
    const head = await generation.stored()
    if (!head) throw notTrained(state.name)
    const contents: ArtifactContents = {
      form: documentForm(state.settings),
      classifier: readStoredClassifier(head.contents),
    }
    const { blobs } = generation
    try {
      yield* artifactPieces({ ...ARTIFACT, contents, blobs }, name => generation.outgoing(name))
    } catch (error) {
      if (this.#generations.current === generation) throw error
      const message = `The classifier of ${state.name} was replaced while it was being exported. Export it again.`
      throw new FindlingError('DATASET_BUSY', message, { field: 'dataset', received: state.name }, error)
    }
  }

  /** Replaces the last trained classifier by an exported one. Like training: DATASET_BUSY. */
  adopt(source: unknown, options: unknown): Job<TagClassifier> {
    const watch = parseInput(jobOptions, options, 'options')
    const self = this
    return this.#start('Adopting a classifier for', watch, async function* (signal) {
      const loaded = await self.#adoptedFrom(source, signal)
      yield { done: 1, total: 1, phase: 'adopting' }
      return loaded
    })
  }

  async #adoptedFrom(source: unknown, signal: AbortSignal): Promise<LoadedClassifier> {
    const { adoptThrough, state } = this.#context
    if (!adoptThrough) return await this.adoptHere(source, signal)
    await adoptThrough({ kind: 'classifier', dataset: state.name }, passedOn(source))
    const loaded = await this.#loadStored()
    if (!loaded) throw notTrained(state.name)
    return loaded
  }

  /** The same for a classifier that was handed over, even while another is being trained. */
  async adoptHere(source: unknown, signal: AbortSignal): Promise<LoadedClassifier> {
    const { store, state } = this.#context
    const generations = this.#generations
    state.assertThere()
    return await ArtifactReader.reading(source, ARTIFACT, async reader => {
      const { form, classifier: contents } = readArtifact(reader.head.contents)
      refuseOtherForm(form, documentForm(state.settings))
      let adopted: LoadedClassifier | undefined
      const adopting = generations.replace(async function* (beside): AsyncGenerator<
        void,
        Flip<DatasetEntry>
      > {
        for (const [name, bytes] of reader.head.blobs) {
          await beside.saveIncoming(name, bytes, size => reader.read(size))
          signal.throwIfAborted()
          yield
        }
        await reader.end()
        adopted = await loadedFrom(beside, contents, state.analyzers)
        signal.throwIfAborted()
        const head = beside.head({ contents, obsolete: [] }, store.seq, '')
        return {
          head,
          check: () => refuseOtherForm(form, documentForm(state.settings)),
          change: {},
          inPlace() {},
        }
      })
      for await (const _ of adopting);
      return adopted!
    })
  }

  /** Trains without storing, for services, which store the model elsewhere. */
  learn(
    asked: TrainingRequest,
    how: { parallel: number; signal: AbortSignal },
  ): AsyncGenerator<Progress, TrainedModel> {
    return trainModel(this.#context, asked, how)
  }

  /** The last trained classifier, for its caller alone. */
  async load(): Promise<TagClassifier | undefined> {
    const { store, state } = this.#context
    store.assertOpen()
    state.assertThere()
    const classifier = await this.#load()
    return classifier && this.#hand(classifier)
  }

  async #load(): Promise<TagClassifier | undefined> {
    const loaded = await this.#loadStored()
    return loaded && this.#handle(loaded)
  }

  #loadStored(): Promise<LoadedClassifier | undefined> {
    const { analyzers } = this.#context.state
    return withCurrent(
      () => this.#generations.current,
      generation => loadStored(generation, analyzers),
    )
  }

  /** Cancels what is being trained, and waits until it has ended. */
  async close(): Promise<void> {
    this.#job?.cancel()
    await this.#job?.ended
    await this.#generations.idle()
    await this.#kept.close()
  }

  #hand(classifier: TagClassifier): TagClassifier {
    this.#handed.add(new WeakRef(classifier))
    return classifier
  }

  #handle(loaded: LoadedClassifier): TagClassifier {
    const { store, state, tags, jobs, pool } = this.#context
    return new TagClassifier(loaded, {
      store,
      state,
      tags,
      jobs,
      pool,
      form: asked => learntFormOf(this.#context, asked),
    })
  }

  async *#build(
    beside: Generation,
    asked: TrainingRequest,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, { loaded: LoadedClassifier; flip: Flip<DatasetEntry> }> {
    const { seq } = this.#context.store
    const { loaded, blobs } = yield* this.#train(asked, parallel, signal)
    await beside.saveBlobs(blobs)
    signal.throwIfAborted()
    const head = beside.head({ contents: loaded.contents, obsolete: [] }, seq, '')
    return { loaded, flip: { head, check() {}, change: {}, inPlace() {} } }
  }

  async *#train(
    asked: TrainingRequest,
    parallel: number,
    signal: AbortSignal,
  ): AsyncGenerator<Progress, { loaded: LoadedClassifier; blobs: TrainedModel['blobs'] }> {
    const { state } = this.#context
    const { contents, blobs } = yield* trainModel(this.#context, asked, { parallel, signal })
    const analyzer = await analyzerOf(contents, state.analyzers)
    return { loaded: await loadClassifier(contents, analyzer, name => blobs.get(name)), blobs }
  }
}

/** The version is incremented when the format of exported classifiers changes. */
const ARTIFACT = { kind: 'classifier', version: 1 } as const

const artifactSchema = z.strictObject({ form: documentFormSchema, classifier: z.unknown() })
type ArtifactContents = z.output<typeof artifactSchema>

/** ARTIFACT_DAMAGED */
function readArtifact(contents: unknown): { form: DocumentForm; classifier: StoredContents } {
  const { data } = artifactSchema.safeParse(contents)
  if (!data) throw artifactDamaged('its contents cannot be read')
  return { form: data.form, classifier: undamaged(() => readStoredClassifier(data.classifier)) }
}

/** What was just stored, as it will answer. ARTIFACT_DAMAGED, ANALYZER_MISSING */
async function loadedFrom(
  beside: Generation,
  contents: StoredContents,
  analyzers: OwnAnalyzers,
): Promise<LoadedClassifier> {
  const analyzer = await analyzerOf(contents, analyzers)
  try {
    const blobs = await beside.readBlobs(undamaged(() => modelBlobs(contents.model)))
    return await loadClassifier(contents, analyzer, name => blobs.get(name))
  } catch (error) {
    throw asDamage(error)
  }
}

function notTrained(dataset: string): FindlingError {
  const message = `The dataset ${dataset} has no classifier yet: train one first.`
  return new FindlingError('NOT_TRAINED', message, { field: 'dataset', received: dataset })
}

/** @throws FindlingError INVALID_ARGUMENT */
function refuseUnsearched(fields: readonly string[], searched: readonly string[]): void {
  for (const [i, field] of fields.entries()) {
    if (searched.includes(field)) continue
    throw invalid('INVALID_ARGUMENT', 'options', [
      problem(`fields[${i}]`, field, interpretedField(field, searched)),
    ])
  }
}

import type * as z from 'zod'
import type { DatasetClassifiers } from '../classification/dataset/dataset-classifiers.ts'
import type { TagView } from '../datasets/tags/tag-tree.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import type { Searchable } from '../search/search.ts'
import type { ComparisonTasks } from '../similarity/tasks.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'

/** A tag that a text seems to belong to. */
export interface Recommendation {
  tagId: string
  /** Above 0. Scores can be compared within one answer only. */
  score: number
  tag: TagView | null
  /** Whether it comes first because the text has every word of its name. */
  isEmphasized: boolean
}

/** The tags that a text seems to belong to, best first; undefined when the service is not active any more. */
export type Recommend = (
  text: string,
  count: number,
  deadline: Deadline | undefined,
) => Promise<Recommendation[] | undefined>

/** What of a dataset services need. */
export interface ServiceDataset extends Searchable {
  readonly classifiers: DatasetClassifiers
  /** Threads that documents are compared in. */
  readonly pool: WorkerPool<ComparisonTasks>
}

/** What a service works with as long as it is active. */
export interface Surroundings {
  /** The dataset that has the name now: after a swap another. DATASET_NOT_FOUND. */
  dataset(): ServiceDataset
  /** How another service recommends tags; undefined unless it is active and does so. */
  recommender(idOrAlias: string): Recommend | undefined
}

/** What a model is made from. */
export interface Making<Settings> {
  readonly dataset: ServiceDataset
  readonly settings: Settings
  /** Aborts when the job is cancelled. */
  readonly signal: AbortSignal
  /** Stores a part of the model, which loading finds again by this name. */
  keep(name: string, bytes: Uint8Array): Promise<void>
}

/** What making a model comes to, besides the parts that were kept. JSON. */
export interface Made<Settings, Activation> {
  /** Those that were given, completed by what was chosen where nothing was. */
  readonly settings: Settings
  /** Settings for the use of the model. */
  readonly recommended: Activation
  /** What loading needs to know of the model. */
  readonly contents: unknown
}

/** A model as it is stored. */
export interface StoredParts {
  /** Under which its keys lie: what is stored below goes with it. */
  readonly prefix: string
  readonly contents: unknown
  /** Parts by their names, each compared with its checksum. STORE_CORRUPT. */
  parts(names: readonly string[]): Promise<Map<string, Uint8Array>>
}

/** What is checked before a model is used by these settings. */
export interface Checking<Settings, Activation> extends Surroundings {
  readonly prepared: Settings
  readonly settings: Activation
  /** Which of them are given now; the others were checked when they were. */
  readonly given: object
}

/** What a model is loaded from. */
export interface Loading<Activation> extends StoredParts, Surroundings {
  readonly settings: Activation
  readonly signal: AbortSignal
}

/** One type of service, as a value: all that the lifecycle of every service has to know of it. */
export interface ServiceDefinition<
  PrepareSettings extends z.ZodRawShape,
  GivenSettings extends z.ZodRawShape,
  Settings,
  Activation extends object,
  Active,
> {
  /** One word. */
  readonly type: string
  /** Members of the settings of `prepare`, besides the dataset. */
  readonly prepareSettings: PrepareSettings
  /**
   * Members of the settings of `activate`, all of them optional: what is not given stays as it was given before, else as
   * preparing recommended. Objects are laid over each other member by member, everything else is replaced.
   */
  readonly activateSettings: GivenSettings
  /** Throws INVALID_ARGUMENT where the settings do not fit the dataset, before anything has begun. */
  checkPreparation?(making: {
    readonly dataset: ServiceDataset
    readonly settings: z.output<z.ZodObject<PrepareSettings>>
  }): void
  /** Makes a model. Yields after every unit of work. */
  prepare(
    making: Making<z.output<z.ZodObject<PrepareSettings>>>,
  ): AsyncGenerator<Progress, Made<Settings, Activation>>
  /** Settings as they are shown, where some of them follow the dataset. Default: as they are. */
  shown?(given: Surroundings & { readonly settings: Activation }): Activation
  /** Throws INVALID_ARGUMENT where the settings do not fit the dataset or the model. */
  check(checking: Checking<Settings, Activation>): void
  /** Loads a model for its use: at activation, and whenever the store is opened with the service active. */
  load(loading: Loading<Activation>): AsyncGenerator<Progress, Active>
  /**
   * Contents that another engine has stored as they are of use here. Default: as they are.
   * @param dataset number of the dataset here, undefined unless its documents and their changes are those of there
   */
  adopted?(contents: unknown, dataset: DatasetNumber | undefined): unknown
  /** Memory that it takes. */
  bytes?(active: Active): number
  /** Nobody will ask it any more; calls that are under way may still be using it. */
  forget?(active: Active): void
  /** For services that recommend tags. */
  recommend?(
    active: Active,
    text: string,
    count: number,
    deadline: Deadline | undefined,
  ): Promise<Recommendation[]>
}

/** A definition of which nobody has to know what it is about. */
export type AnyDefinition = ServiceDefinition<z.ZodRawShape, z.ZodRawShape, unknown, object, unknown>

/** Checks a definition as a whole; from then on the lifecycle knows no more of its settings than that they are objects. */
export function defineService<
  PrepareSettings extends z.ZodRawShape,
  GivenSettings extends z.ZodRawShape,
  Settings,
  Activation extends object,
  Active,
>(
  definition: ServiceDefinition<PrepareSettings, GivenSettings, Settings, Activation, Active>,
): AnyDefinition {
  // The caller passes what the schemas have parsed and what it has itself returned.
  return definition as unknown as AnyDefinition
}

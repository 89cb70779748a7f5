import type * as z from 'zod'
import type { DatasetClassifiers } from '../classification/dataset/dataset-classifiers.ts'
import type { TagView } from '../datasets/tags/tag-tree.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import type { Searchable } from '../search/search.ts'
import type { ComparisonTasks } from '../similarity/tasks.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'

/** A tag that a text probably belongs to. */
export interface Recommendation {
  tagId: string
  /** Above 0. Scores can be compared within one answer only. */
  score: number
  tag: TagView | null
  /** Whether it is ranked first because the text contains every word of its name. */
  isEmphasized: boolean
}

/** The tags that a text probably belongs to, best first; undefined when the service is no longer active. */
export type Recommend = (
  text: string,
  count: number,
  deadline: Deadline | undefined,
) => Promise<Recommendation[] | undefined>

/** The parts of a dataset that services need. */
export interface ServiceDataset extends Searchable {
  readonly classifiers: DatasetClassifiers
  /** Threads in which documents are compared. */
  readonly pool: WorkerPool<ComparisonTasks>
}

/** The surroundings of a service while it is active. */
export interface Surroundings {
  /** The dataset that currently has the name: a different one after a swap. DATASET_NOT_FOUND. */
  dataset(): ServiceDataset
  /** How another service recommends tags; undefined unless that service is active and can. */
  recommender(idOrAlias: string): Recommend | undefined
}

/** What a model is made from. */
export interface Making<Settings> {
  readonly dataset: ServiceDataset
  readonly settings: Settings
  /** Aborts when the job is cancelled. */
  readonly signal: AbortSignal
  /** Stores a part of the model; loading finds it by this name. */
  keep(name: string, bytes: Uint8Array): Promise<void>
}

/** The result of making a model, besides the parts that were kept. JSON. */
export interface Made<Settings, Activation> {
  /** The given settings, completed with the values chosen for the others. */
  readonly settings: Settings
  /** Settings for the use of the model. */
  readonly recommended: Activation
  /** What loading needs to know about the model. */
  readonly contents: unknown
}

/** A model as it is stored. */
export interface StoredParts {
  /** The prefix of its keys: everything stored below it is removed with the model. */
  readonly prefix: string
  readonly contents: unknown
  /** Parts by their names, each verified against its checksum. STORE_CORRUPT. */
  parts(names: readonly string[]): Promise<Map<string, Uint8Array>>
}

/** What is checked before a model is used with these settings. */
export interface Checking<Settings, Activation> extends Surroundings {
  readonly prepared: Settings
  readonly settings: Activation
  /** The settings that are given now; the others were checked when they were given. */
  readonly given: object
}

/** What a model is loaded from. */
export interface Loading<Activation> extends StoredParts, Surroundings {
  readonly settings: Activation
  readonly signal: AbortSignal
}

/** One type of service as a value: everything that the lifecycle has to know about it. */
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
   * Members of the settings of `activate`, all of them optional: a setting that is not given stays as it was given before, or else
   * as preparation recommended it. Objects are merged member by member, everything else is replaced.
   */
  readonly activateSettings: GivenSettings
  /** Throws INVALID_ARGUMENT if the settings do not fit the dataset, before anything has begun. */
  checkPreparation?(making: {
    readonly dataset: ServiceDataset
    readonly settings: z.output<z.ZodObject<PrepareSettings>>
  }): void
  /** Makes a model. Yields after every unit of work. */
  prepare(
    making: Making<z.output<z.ZodObject<PrepareSettings>>>,
  ): AsyncGenerator<Progress, Made<Settings, Activation>>
  /** Settings as they are shown, if some of them depend on the dataset. Default: unchanged. */
  shown?(given: Surroundings & { readonly settings: Activation }): Activation
  /** Throws INVALID_ARGUMENT if the settings do not fit the dataset or the model. */
  check(checking: Checking<Settings, Activation>): void
  /** Loads a model for its use: at activation, and whenever the store is opened with the service active. */
  load(loading: Loading<Activation>): AsyncGenerator<Progress, Active>
  /**
   * Adapts contents that another engine stored for use in this one. Default: unchanged.
   * @param dataset number of the dataset here; undefined unless its documents and their change numbers equal those there
   */
  adopted?(contents: unknown, dataset: DatasetNumber | undefined): unknown
  /** The settings that an exported model comes with, complete: by which it was prepared, and which it recommends. */
  readonly exportedSettings: { readonly prepared: z.ZodType<object>; readonly recommended: z.ZodType<object> }
  /** Whether the exported contents were made with these settings. Default: always. STORE_CORRUPT, FORMAT_UNSUPPORTED. */
  areOf?(contents: unknown, prepared: Settings): boolean
  /** Names of the parts without which contents cannot be loaded. Default: none. STORE_CORRUPT, FORMAT_UNSUPPORTED. */
  neededParts?(contents: unknown): readonly string[]
  /** Memory that the loaded model takes. */
  bytes?(active: Active): number
  /** Called when nobody will ask the model any more; calls under way may still be using it. */
  forget?(active: Active): void
  /** For services that recommend tags. */
  recommend?(
    active: Active,
    text: string,
    count: number,
    deadline: Deadline | undefined,
  ): Promise<Recommendation[]>
}

/** A definition with its type parameters erased. */
export type AnyDefinition = ServiceDefinition<z.ZodRawShape, z.ZodRawShape, unknown, object, unknown>

/** Type-checks a definition as a whole; to the lifecycle its settings are then merely objects. */
export function defineService<
  PrepareSettings extends z.ZodRawShape,
  GivenSettings extends z.ZodRawShape,
  Settings,
  Activation extends object,
  Active,
>(
  definition: ServiceDefinition<PrepareSettings, GivenSettings, Settings, Activation, Active>,
): AnyDefinition {
  // The lifecycle passes in only values that the schemas have parsed or that the definition has returned.
  return definition as unknown as AnyDefinition
}

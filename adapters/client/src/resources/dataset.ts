import type {
  ClassifierTraining,
  DataSetProfile,
  DataSetSettings,
  DataSetSettingsUpdate,
  DoubtfulTagsRequest,
  JsonObject,
  Process,
  ProfileRequest,
} from '../api/models.ts'
import {
  getDataSetsByNameProfile,
  getDataSetsByNameSettings,
  postDataSetsByNameClassifierDoubtfulTags,
  postDataSetsByNameClassifierEvaluate,
  postDataSetsByNameClassifierTrain,
  postDataSetsByNameOptimize,
  postDataSetsByNameProfile,
  postDataSetsByNameReconfigure,
} from '../api/operations.ts'
import type { CallOptions, Connection } from '../connection.ts'
import { DatasetSearch } from '../dataset-search.ts'
import type { Result } from '../result.ts'
import { Documents } from './documents.ts'
import { Tags } from './tags.ts'

/** One dataset: its documents and tags, its settings, and searches. `T` is the type of a document. */
export class Dataset<T extends object = JsonObject> extends DatasetSearch<T> {
  override readonly name: string
  readonly documents: Documents<T>
  readonly tags: Tags

  constructor(connection: Connection, name: string) {
    super(connection, name)
    this.name = name
    this.documents = new Documents<T>(connection, name)
    this.tags = new Tags(connection, name)
  }

  /** The settings by which it is searched. */
  settings(options?: CallOptions): Promise<Result<DataSetSettings>> {
    return this.connection.send(getDataSetsByNameSettings, this.#path, options)
  }

  /** Changes these settings, as a process; those left out stay as they are. */
  reconfigure(changes: DataSetSettingsUpdate, options?: CallOptions): Promise<Result<Process>> {
    return this.connection.send(postDataSetsByNameReconfigure, { ...this.#path, body: changes }, options)
  }

  /** Rebuilds the index to make it small and fast, as a process; never required. */
  optimize(options?: CallOptions): Promise<Result<Process>> {
    return this.connection.send(postDataSetsByNameOptimize, this.#path, options)
  }

  /** Learns from the documents which tags texts belong to, as a process. */
  trainClassifier(training: ClassifierTraining = {}, options?: CallOptions): Promise<Result<Process>> {
    const parts = { ...this.#path, body: training }
    return this.connection.send(postDataSetsByNameClassifierTrain, parts, options)
  }

  /** Evaluates the classifier, as a process with a file. */
  evaluateClassifier(options?: CallOptions): Promise<Result<Process>> {
    return this.connection.send(postDataSetsByNameClassifierEvaluate, this.#path, options)
  }

  /** Finds out what is in the documents and what is probably wrong in them, as a process. */
  startProfile(request: ProfileRequest = {}, options?: CallOptions): Promise<Result<Process>> {
    return this.connection.send(postDataSetsByNameProfile, { ...this.#path, body: request }, options)
  }

  /** The latest profile; a failure with 404 if there is none yet. */
  profile(options?: CallOptions): Promise<Result<DataSetProfile>> {
    return this.connection.send(getDataSetsByNameProfile, this.#path, options)
  }

  /** Looks for documents whose tags are likely to be wrong, as a process with a file. */
  doubtfulTags(request: DoubtfulTagsRequest = {}, options?: CallOptions): Promise<Result<Process>> {
    const parts = { ...this.#path, body: request }
    return this.connection.send(postDataSetsByNameClassifierDoubtfulTags, parts, options)
  }

  get #path() {
    return { path: { name: this.name } }
  }
}

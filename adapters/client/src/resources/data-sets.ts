import type { DataSet, DataSetInput } from '../api/models.ts'
import {
  deleteDataSetsByName,
  getDataSets,
  getDataSetsByName,
  postDataSets,
  postDataSetsByNameSwapByOther,
  postDataSetsSchema,
  putDataSetsByName,
} from '../api/operations.ts'
import type { CallOptions, Connection } from '../connection.ts'
import type { Result } from '../result.ts'

/** The datasets of an installation. For the contents of one, use `client.dataset(name)`. */
export class DataSets {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  list(options?: CallOptions): Promise<Result<DataSet[]>> {
    return this.#connection.send(getDataSets, {}, options)
  }

  get(name: string, options?: CallOptions): Promise<Result<DataSet>> {
    return this.#connection.send(getDataSetsByName, { path: { name } }, options)
  }

  /** Creates a dataset for documents like its `sampleDocument`. */
  create(dataSet: DataSetInput, options?: CallOptions): Promise<Result> {
    return this.#connection.send(postDataSets, { body: dataSet }, options)
  }

  /** Creates a dataset for documents that follow its `schema`. */
  createBySchema(dataSet: DataSetInput, options?: CallOptions): Promise<Result> {
    return this.#connection.send(postDataSetsSchema, { body: dataSet }, options)
  }

  rename(name: string, newName: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(putDataSetsByName, { path: { name }, body: { name: newName } }, options)
  }

  remove(name: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(deleteDataSetsByName, { path: { name } }, options)
  }

  /** Exchanges the names of two datasets in one step. */
  swap(name: string, other: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(postDataSetsByNameSwapByOther, { path: { name, other } }, options)
  }
}

import type { BulkResults, Process, Tag, TagInput, TagsExportWordsSettings } from '../api/models.ts'
import {
  deleteTagsById,
  getTags,
  getTagsById,
  postTags,
  postTagsBulk,
  postTagsCleanDocuments,
  postTagsExportWords,
  putTagsById,
} from '../api/operations.ts'
import type { CallOptions, Connection } from '../connection.ts'
import type { Result } from '../result.ts'

export interface TagDetails {
  /** Whether documents and words are counted. Default false. */
  readonly withDetails?: boolean | undefined
}

export interface TagRemoval {
  /** Whether a tag with other tags below it is removed, together with these. Default false. */
  readonly force?: boolean | undefined
  /** Whether the removed tags are also removed from documents. Default false. */
  readonly cleanDocuments?: boolean | undefined
}

/** The tags of a dataset, which form a tree. */
export class Tags {
  readonly #connection: Connection
  readonly #dataset: string | undefined

  constructor(connection: Connection, dataset: string | undefined) {
    this.#connection = connection
    this.#dataset = dataset
  }

  list(query: TagDetails = {}, options?: CallOptions): Promise<Result<Tag[]>> {
    return this.#connection.send(getTags, { dataset: this.#dataset, query }, options)
  }

  get(id: string, query: TagDetails = {}, options?: CallOptions): Promise<Result<Tag>> {
    return this.#connection.send(getTagsById, { path: { id }, dataset: this.#dataset, query }, options)
  }

  create(tag: TagInput, options?: CallOptions): Promise<Result<Tag>> {
    return this.#connection.send(postTags, { dataset: this.#dataset, body: tag }, options)
  }

  /** Changes name, parent or id. */
  update(id: string, tag: TagInput, options?: CallOptions): Promise<Result> {
    return this.#connection.send(putTagsById, { path: { id }, dataset: this.#dataset, body: tag }, options)
  }

  remove(id: string, query: TagRemoval = {}, options?: CallOptions): Promise<Result> {
    return this.#connection.send(deleteTagsById, { path: { id }, dataset: this.#dataset, query }, options)
  }

  /** Replaces all tags. */
  bulk(tags: readonly TagInput[], options?: CallOptions): Promise<Result<BulkResults>> {
    return this.#connection.send(postTagsBulk, { dataset: this.#dataset, body: { tags } }, options)
  }

  /** Removes ids of tags that do not exist from all documents. */
  cleanDocuments(options?: CallOptions): Promise<Result> {
    return this.#connection.send(postTagsCleanDocuments, { dataset: this.#dataset }, options)
  }

  /** Counts words by tag, as a process with a file. */
  exportWords(settings: TagsExportWordsSettings, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(postTagsExportWords, { dataset: this.#dataset, body: settings }, options)
  }
}

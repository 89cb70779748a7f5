import { parsed } from '../answer.ts'
import type {
  BulkResults,
  DocumentChanges,
  DocumentFilterSettings,
  DocumentSampleSettings,
  DocumentTransfer,
  DuplicatesRequest,
  JsonObject,
  PaginatedList,
  Process,
} from '../api/models.ts'
import {
  deleteDocumentsById,
  getDocumentsById,
  getDocumentsChanges,
  getDocumentsExport,
  postDocuments,
  postDocumentsBulk,
  postDocumentsCopy,
  postDocumentsDuplicates,
  postDocumentsFilter,
  postDocumentsFilterByScrollId,
  postDocumentsImport,
  postDocumentsMove,
  postDocumentsSample,
  putDocumentsById,
} from '../api/operations.ts'
import { brokenOff, type CallOptions, type Connection } from '../connection.ts'
import { typed } from '../dataset-search.ts'
import { importBody, linesOf, type Rows } from '../json-lines.ts'
import type { QueryOf } from '../operation.ts'
import { failed, type Result, unwrap } from '../result.ts'

export type ExportOptions = QueryOf<typeof getDocumentsExport>
export type ChangesOptions = QueryOf<typeof getDocumentsChanges>
/** How to read a column of a table. */
export interface ImportColumn {
  /** Dotted path of the field. Default: the name of the column. */
  readonly field?: string | undefined
  readonly type?: 'text' | 'number' | 'boolean' | 'date' | 'list' | 'json' | undefined
  /** For dates, such as `dd.MM.yyyy`. */
  readonly format?: string | undefined
  /** Of a list. Default `|`. */
  readonly separator?: string | undefined
}
export interface ImportOptions extends Omit<QueryOf<typeof postDocumentsImport>, 'columns'> {
  /**
   * By names of the header: the field, optionally followed by `:` and a type, or how to read the column, or null to ignore it:
   * `{ 'Preis (€)': 'price:number' }`. Other columns keep their names.
   */
  readonly columns?: Readonly<Record<string, string | ImportColumn | null>> | undefined
  /** Content type of a file: `text/csv`, `application/json` and so on. Default: JSON lines. */
  readonly type?: string | undefined
}

/** The documents of a dataset. */
export class Documents<T extends object = JsonObject> {
  readonly #connection: Connection
  readonly #dataset: string | undefined

  constructor(connection: Connection, dataset: string | undefined) {
    this.#connection = connection
    this.#dataset = dataset
  }

  get(id: string, options?: CallOptions): Promise<Result<T>> {
    const parts = { path: { id }, dataset: this.#dataset }
    return typed(this.#connection.send(getDocumentsById, parts, options))
  }

  /** Stores a new document. */
  create(document: T, options?: CallOptions): Promise<Result> {
    return this.#connection.send(postDocuments, { dataset: this.#dataset, body: document }, options)
  }

  /** Changes the given fields; a different id renames the document. Answers with the whole document. */
  update(id: string, changes: Partial<T>, options?: CallOptions): Promise<Result<T>> {
    const parts = { path: { id }, dataset: this.#dataset, body: changes }
    return typed(this.#connection.send(putDocumentsById, parts, options))
  }

  remove(id: string, options?: CallOptions): Promise<Result> {
    return this.#connection.send(deleteDocumentsById, { path: { id }, dataset: this.#dataset }, options)
  }

  /** Stores documents, and replaces existing ones with the same ids. Each has its own result, as some may be refused. */
  bulk(documents: readonly T[], options?: CallOptions): Promise<Result<BulkResults>> {
    return this.#connection.send(postDocumentsBulk, { dataset: this.#dataset, body: { documents } }, options)
  }

  /** The first page of a list; its `scrollId` gets the next one. */
  filter(settings: DocumentFilterSettings, options?: CallOptions): Promise<Result<PaginatedList<T>>> {
    const parts = { dataset: this.#dataset, body: settings }
    return typed(this.#connection.send(postDocumentsFilter, parts, options))
  }

  scroll(scrollId: string, options?: CallOptions): Promise<Result<PaginatedList<T>>> {
    const parts = { path: { scrollId }, dataset: this.#dataset }
    return typed(this.#connection.send(postDocumentsFilterByScrollId, parts, options))
  }

  /**
   * All documents of a list, read page by page, in their state at the first page. Throws as `unwrap` does.
   *
   * @example
   * for await (const { title } of shop.documents.filterAll({ filter: { query: 'price:<10' } })) console.log(title)
   */
  async *filterAll(
    settings: Partial<DocumentFilterSettings> = {},
    options?: CallOptions,
  ): AsyncGenerator<T, void, undefined> {
    const pagination = settings.pagination ?? { limit: 1000 }
    let page = await unwrap(this.filter({ ...settings, pagination }, options))
    for (;;) {
      yield* page.items
      if (page.scrollId === null || page.count === 0) return
      page = await unwrap(this.scroll(page.scrollId, options))
    }
  }

  sample(settings: DocumentSampleSettings, options?: CallOptions): Promise<Result<PaginatedList<T>>> {
    const parts = { dataset: this.#dataset, body: settings }
    return typed(this.#connection.send(postDocumentsSample, parts, options))
  }

  copy(transfer: DocumentTransfer, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(postDocumentsCopy, { dataset: this.#dataset, body: transfer }, options)
  }

  move(transfer: DocumentTransfer, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(postDocumentsMove, { dataset: this.#dataset, body: transfer }, options)
  }

  /**
   * Stores any number of documents as they stream in: documents one after the other, or a file as text, bytes, Blob or
   * stream. Texts of an iterable or a stream are chunks of a file, not rows: each row needs the end of its line. Answers with
   * the process once all has been sent.
   *
   * @example
   * await unwrap(client.processes.wait(shop.documents.import([{ id: '1', title: 'Drill', tag: [] }])))
   */
  async import(
    rows: Rows<T>,
    { type = 'application/x-ndjson', columns, ...given }: ImportOptions = {},
    options?: CallOptions,
  ): Promise<Result<Process>> {
    let thrown: { readonly error: unknown } | undefined
    try {
      const { body: stream, end } = await importBody(rows, error => {
        thrown = { error }
      })
      const query = { ...given, ...(columns && { columns: JSON.stringify(columns) }) }
      const parts = { dataset: this.#dataset, query, stream, type }
      const result = await this.#connection.send(postDocumentsImport, parts, options)
      if (!result.isSuccessful) end()
      if (!thrown) return result
    } catch (error) {
      thrown ??= { error }
    }
    return failed('unsent', `The rows cannot be read: ${String(thrown.error)}`, thrown.error)
  }

  /** All documents as they are at one moment, as the bytes of a file. */
  export(query: ExportOptions = {}, options?: CallOptions): Promise<Result<ReadableStream<Uint8Array>>> {
    return this.#connection.send(getDocumentsExport, { dataset: this.#dataset, query }, options)
  }

  /** All documents as they are at one moment, one after the other. Throws as `unwrap` does. */
  async *exportAll(options?: CallOptions): AsyncGenerator<T, void, undefined> {
    const stream = await unwrap(this.export({ format: 'jsonl' }, options))
    const lost = (error: unknown) => unwrap<never>(brokenOff(error, options?.signal))
    for await (const line of linesOf(stream, lost)) {
      const document = parsed(line)
      yield (document === undefined ? await lost('a line is not whole') : document) as T // which the caller says
    }
  }

  /** The documents that have changed since a given change. */
  changes(query: ChangesOptions, options?: CallOptions): Promise<Result<DocumentChanges>> {
    return this.#connection.send(getDocumentsChanges, { dataset: this.#dataset, query }, options)
  }

  /** Looks for likely duplicates, as a process with a file. */
  duplicates(request: DuplicatesRequest = {}, options?: CallOptions): Promise<Result<Process>> {
    return this.#connection.send(postDocumentsDuplicates, { dataset: this.#dataset, body: request }, options)
  }
}

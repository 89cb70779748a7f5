import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { describeValue, invalid, parseInput, problem } from '../input.ts'
import type { Job, JobOptions } from '../jobs/job.ts'
import { abortSignal, jobOptions } from '../jobs/watching.ts'
import { type JsonObject, toJsonObject } from '../json.ts'
import type { Given } from '../options-reader.ts'
import type { Condition } from '../query/condition-query.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { changesSince } from '../store/change-log.ts'
import type { ChangeKind, Mutation } from '../store/transaction.ts'
import { textsByPath } from './attachments.ts'
import { type BulkRow, Superseding, storingRows, writeRows } from './bulk.ts'
import { byQuery } from './by-query.ts'
import { type ImportOptions, type ImportReport, importing } from './import.ts'
import { type DocumentOperation, writeOne } from './job-steps.ts'
import { recordIn } from './record.ts'
import { RowSteps } from './row-steps.ts'
import { mostColumns } from './rows/column-options.ts'
import { knownFieldsOf } from './rows/csv-cells.ts'
import { type RowFormat, type RowSource, rowFormats, rowsAsText } from './rows/row-reader.ts'
import { checkId } from './schema/ids.ts'
import { allDocuments, type DocumentRecord, readRecords } from './stored-documents.ts'
import { type TransferReport, transferring } from './transfer.ts'
import {
  type DocumentsContext,
  deletion,
  insertion,
  type MaybePromise,
  type OwnerOptions,
  ownerMember,
  patching,
  updating,
  upsertion,
  type WriteOptions,
  type Written,
} from './writes.ts'

/** One change that `documents.changes()` yields; `seq` grows with every write of the store. */
export interface DocumentChange {
  seq: number
  id: string
  kind: ChangeKind
}

/** JSON lines, CSV (RFC 4180), or one JSON list. */
export type ExportFormat = RowFormat

const ownerOptions = z.strictObject(ownerMember)
const writeOptions = ownerOptions.extend({ ifSeq: z.int().nonnegative().optional() })
const bulkOptions = ownerOptions.extend({ mode: z.enum(['upsert', 'insert']).default('upsert') })
const ownedJobOptions = jobOptions.extend(ownerMember)
const scanOptions = z.strictObject({ signal: abortSignal })
const sinceOptions = z.strictObject({
  since: z.int().nonnegative().default(0),
  begun: z.int().nonnegative().default(0),
  signal: abortSignal,
})
const exportOptions = z.strictObject({
  format: z.enum(rowFormats).default('jsonl'),
  columns: z.array(z.string()).min(1).max(mostColumns).optional(),
  signal: abortSignal,
})
const rowsSchema = z.custom<Iterable<unknown>>(
  value => typeof value === 'object' && value !== null && Symbol.iterator in value,
  'a list of documents, or another iterable of them; import() takes streams',
)
const idsSchema = z.array(z.unknown())
const BULK_ROWS = 500

/**
 * The documents of the dataset that currently has the name; running calls keep the data they started with. Documents are read
 * as `T` and written as `I`, which differ if a zod object has defaults or transforms.
 */
export class Documents<T extends object = JsonObject, I extends object = T> {
  readonly #find: () => DocumentsContext
  /** By owner, a promise that settles when the files of all its writes so far have been read; it never rejects. */
  readonly #reading = new Map<string, Promise<unknown>>()

  /** @param find looks up the dataset; every call calls it again */
  constructor(find: () => DocumentsContext) {
    this.#find = find
  }

  get #context(): DocumentsContext {
    return this.#find()
  }

  /** The number of documents. */
  get count(): number {
    const { store, state } = this.#context
    return store.counts(state.dataset).documents
  }

  /**
   * Stores a new document. DOCUMENT_EXISTS when its id is taken, INVALID_DOCUMENT when it breaks a rule.
   * @example
   * const { id } = await products.documents.insert({ id: 'p4', title: 'Desk lamp' })
   * const refused = await products.documents.insert({ id: 'p4', title: 'Another' }).catch(error => error)
   * console.log(id, refused.code) // p4 DOCUMENT_EXISTS
   */
  async insert(document: I, options: Given<OwnerOptions> = {}): Promise<Written> {
    const { owner } = parseInput(ownerOptions, options, 'options')
    refuseList(document)
    const context = this.#context
    if (context.steps.areHandedOver)
      return await written(context, { type: 'insert', document: plain(context, document) }, owner)
    return await this.#write(owner, context => insertion(context, document))
  }

  /**
   * Stores a document; one with the same id is replaced. INVALID_DOCUMENT, SEQUENCE_MISMATCH.
   * @example
   * const { seq } = await products.documents.upsert({ id: 'p4', title: 'Desk lamp' })
   * await products.documents.upsert({ id: 'p4', title: 'Desk lamp, oak' }, { ifSeq: seq })
   */
  async upsert(document: I, options: Given<WriteOptions> = {}): Promise<Written> {
    const { owner, ifSeq } = parseInput(writeOptions, options, 'options')
    refuseList(document)
    const context = this.#context
    if (context.steps.areHandedOver)
      return await written(
        context,
        { type: 'upsert', document: plain(context, document), ...onlyIf(ifSeq) },
        owner,
      )
    return await this.#write(owner, context => upsertion(context, document, { ifSeq }))
  }

  /**
   * Changes the given fields: objects are merged member by member at every depth, everything else is replaced.
   * A different id moves the document. DOCUMENT_NOT_FOUND, DOCUMENT_EXISTS, INVALID_DOCUMENT, SEQUENCE_MISMATCH.
   * @example
   * const { document } = await products.documents.update('p1', { price: 79, size: { w: 12 } })
   * console.log(document.title, document.price, document.size) // Wireless headphones 79 { w: 12 }
   */
  async update(
    id: string | number,
    patch: DeepPartial<I>,
    options: Given<WriteOptions> = {},
  ): Promise<Written & { document: T }> {
    const { owner, ifSeq } = parseInput(writeOptions, options, 'options')
    const context = this.#context
    if (context.steps.areHandedOver) {
      const changes = plain(context, patch)
      const operation = { type: 'update', id: checkId(id, 'id'), patch: changes, ...onlyIf(ifSeq) } as const
      const made = await written(context, operation, owner)
      const record = await this.record(made.id)
      if (record) return { ...made, document: record.document }
      const message = `The document ${made.id} was updated, but has since been removed.`
      throw new FindlingError('DOCUMENT_NOT_FOUND', message)
    }
    const write = (context: DocumentsContext) => patching(context, checkId(id, 'id'), patch, { ifSeq })
    // The merged document has passed the dataset's rules, like every stored one.
    return (await this.#write(owner, write)) as Written & { document: T }
  }

  /**
   * Deletes a document. Returns false when there was no such document. SEQUENCE_MISMATCH.
   * @example
   * console.log(await products.documents.delete('p1')) // true
   * console.log(await products.documents.delete('p1')) // false
   */
  async delete(id: string | number, options: Given<WriteOptions> = {}): Promise<boolean> {
    const { owner, ifSeq } = parseInput(writeOptions, options, 'options')
    const context = this.#context
    if (context.steps.areHandedOver) {
      const operation = { type: 'delete', id: checkId(id, 'id'), ...onlyIf(ifSeq) } as const
      return (await written(context, operation, owner)).seq !== null
    }
    const write = (context: DocumentsContext) => deletion(context, checkId(id, 'id'), { ifSeq })
    return (await this.#write(owner, write)) !== null
  }

  /**
   * Reads a document; undefined when there is none with that id.
   * @example
   * console.log((await products.documents.get('p1'))?.title) // Wireless headphones
   * console.log(await products.documents.get('p9')) // undefined
   */
  async get(id: string | number): Promise<T | undefined> {
    return (await this.record(id))?.document
  }

  /**
   * Reads a document together with its change number and modification time.
   * @example
   * const record = await products.documents.record('p1')
   * if (record) await products.documents.update('p1', { price: 79 }, { ifSeq: record.seq })
   */
  async record(id: string | number): Promise<DocumentRecord<T> | undefined> {
    const [record] = await readRecords(this.#context, [checkId(id, 'id')])
    return record as DocumentRecord<T> | undefined
  }

  /**
   * Reads the texts of the files in a document that is not stored yet, by the paths of their fields. If you pass them to
   * `engine.write` with the document, no engine reads the files again. INVALID_DOCUMENT names a file that cannot be read.
   * @example
   * console.log(await products.documents.fileTexts({ id: 'p7', title: 'No files' })) // {}
   */
  async fileTexts(document: object, options: OwnerOptions = {}): Promise<Record<string, string>> {
    const { owner } = parseInput(ownerOptions, options, 'options')
    return await textsByPath({ ...this.#context, owner }, document)
  }

  /**
   * Reads several documents, in the order of the ids; undefined where there is none.
   * @example
   * const found = await products.documents.getMany(['p3', 'p9'])
   * console.log(found.map(document => document?.title)) // [ 'Garden hose', undefined ]
   */
  async getMany(ids: readonly (string | number)[]): Promise<(T | undefined)[]> {
    return (await this.records(ids)).map(record => record?.document)
  }

  /**
   * Like getMany(), but each document comes with its change number and modification time.
   * @example
   * const [record] = await products.documents.records(['p1'])
   * console.log(record?.id, typeof record?.modifiedAt) // p1 number
   */
  async records(ids: readonly (string | number)[]): Promise<(DocumentRecord<T> | undefined)[]> {
    const checked = parseInput(idsSchema, ids, 'ids').map((id, i) => checkId(id, `ids[${i}]`))
    // What is stored has passed the dataset's rules.
    return (await readRecords(this.#context, checked)) as (DocumentRecord<T> | undefined)[]
  }

  /**
   * Stores many documents and reports on each row; a wrong row fails alone. If several rows have the same id, the last one is
   * stored in mode `upsert` (default), the first one in mode `insert`. Rows are written in order, 500 at a time, or fewer if they
   * are large.
   * @example
   * const rows = await products.documents.bulk([{ id: 'p4', title: 'Desk lamp' }, { title: 'No id' }])
   * console.log(rows.map(({ status }) => status)) // [ 'stored', 'failed' ]
   */
  async bulk(
    documents: Iterable<I>,
    options: Given<{ mode?: 'upsert' | 'insert' } & OwnerOptions> = {},
  ): Promise<BulkRow[]> {
    const { mode, owner } = parseInput(bulkOptions, options, 'options')
    const context = { ...this.#context, owner }
    const rows = parseInput(rowsSchema, documents, 'documents')
    const results: BulkRow[] = []
    const superseding = mode === 'upsert' ? new Superseding() : undefined
    const write = bulkWriting(context, mode)
    const stretch = new Stretch()
    let chunk: unknown[] = []
    const flush = async () => {
      const how = { first: results.length, stretch }
      for (const result of await write(chunk, how)) {
        results.push(result)
        superseding?.take(result)
      }
      chunk = []
    }
    for (const document of rows) {
      chunk.push(document)
      if (chunk.length === BULK_ROWS) await flush()
    }
    if (chunk.length > 0) await flush()
    return results
  }

  /**
   * Deletes all documents that match, as a job whose result is their number. The condition is an object of conditions or a
   * query string, whose words are looked up in the searched fields. The job works in steps of up to 200 documents, each
   * atomic and durable. A document that changes in the meantime is deleted if it still matches when its turn comes; one that
   * is added in the meantime stays. Steps completed before a crash, an error or a cancellation stay done.
   * QUERY_INVALID.
   * @example
   * await products.documents.deleteWhere({ tag: 'garden' })
   * console.log(products.documents.count) // 2
   * await products.documents.deleteWhere('price:[10 TO 50} OR "wireless headphones"')
   * console.log(products.documents.count) // 0
   */
  deleteWhere(where: Condition<T>, options: Given<JobOptions> = {}): Job<number> {
    const context = this.#context
    return byQuery(context, where, options, {
      kind: 'delete-where',
      description: `Deleting documents of ${context.state.name}`,
      phase: 'deleting',
      prepare: () => ({
        write: id => deletion(context, id),
        operation: ({ id, seq }) => ({ type: 'delete', dataset: context.state.name, id, ifSeq: seq }),
      }),
    })
  }

  /**
   * Updates all documents that match an object of conditions or a query string, in steps like deleteWhere(). The job fails at
   * the first document that would break a rule. QUERY_INVALID, INVALID_DOCUMENT.
   * @example
   * await products.documents.updateWhere({ price: { lt: 50 } }, { cheap: true })
   * console.log((await products.documents.get('p2'))?.cheap) // true
   */
  updateWhere(
    where: Condition<T>,
    patch: DeepPartial<I>,
    options: Given<JobOptions & OwnerOptions> = {},
  ): Job<number> {
    const { owner, ...watch } = parseInput(ownedJobOptions, options, 'options')
    const context = { ...this.#context, owner }
    const { rules, settings, name } = context.state
    const changes = toJsonObject(patch, 'patch')
    if (Object.hasOwn(changes, settings.idField)) {
      const issue = problem(
        `patch.${settings.idField}`,
        changes[settings.idField],
        'a patch that leaves the id as it is',
      )
      throw invalid('INVALID_ARGUMENT', '', [issue])
    }
    rules.checkPatch(changes)
    return byQuery(context, where, watch, {
      kind: 'update-where',
      description: `Updating documents of ${name}`,
      phase: 'updating',
      prepare: () => updating(context, changes),
    })
  }

  /**
   * Copies documents into another dataset, whose rules apply; the documents that it refuses are reported.
   * @example
   * const sale = await engine.datasets.create('sale')
   * const { transferred } = await products.documents.copy(['p1', 'p2'], sale.documents)
   * console.log(transferred, products.documents.count) // 2 3
   */
  copy<U extends object, V extends object>(
    ids: readonly (string | number)[],
    target: Documents<U, V>,
    options: Given<JobOptions & OwnerOptions> = {},
  ): Job<TransferReport> {
    return transferring(this.#context, ids, this.#contextOf(target), options, 'copy')
  }

  /**
   * Like copy(), but each copied document is removed from this dataset in the same write.
   * @example
   * const sold = await engine.datasets.create('sold')
   * await products.documents.move(['p1'], sold.documents)
   * console.log(products.documents.count, sold.documents.count) // 2 1
   */
  move<U extends object, V extends object>(
    ids: readonly (string | number)[],
    target: Documents<U, V>,
    options: Given<JobOptions & OwnerOptions> = {},
  ): Job<TransferReport> {
    return transferring(this.#context, ids, this.#contextOf(target), options, 'move')
  }

  /**
   * Yields all documents, ordered by the bytes of their ids, as of the moment when the first was read.
   * @example
   * const titles = []
   * for await (const { document } of products.documents.scan()) titles.push(document.title)
   * console.log(titles.length, titles[2]) // 3 Garden hose
   */
  async *scan(options: Given<{ signal?: AbortSignal }> = {}): AsyncGenerator<DocumentRecord<T>> {
    yield* scanning<T>(this.#context, parseInput(scanOptions, options, 'options'))
  }

  /**
   * Yields the latest change of each document that changed after `since`, oldest first; since 0, that is every document. For a
   * document that was removed and stored again, its removals may come first. CHANGES_PRUNED when some removals after `since` are
   * no longer kept: read everything from 0. If you read from 0 in several calls, pass as `begun` what `prunedSeq` was before the
   * first one: you never saw the documents that were removed up to then.
   * @example
   * let last = 0
   * for await (const { seq } of products.documents.changes()) last = seq
   * await products.documents.delete('p3')
   * const news = []
   * for await (const { id, kind } of products.documents.changes({ since: last })) news.push(`${id} ${kind}`)
   * console.log(news) // [ 'p3 removal' ]
   */
  async *changes(
    options: Given<{ since?: number; begun?: number; signal?: AbortSignal }> = {},
  ): AsyncGenerator<DocumentChange> {
    const { since, ...how } = parseInput(sinceOptions, options, 'options')
    const { store, state } = this.#context
    state.assertThere()
    for await (const batch of changesSince(store, state.dataset, since, how)) yield* batch
  }

  /** Number of the last change up to which `changes()` has forgotten removals; 0 while it has all of them. */
  get prunedSeq(): number {
    const { store, state } = this.#context
    return store.counts(state.dataset).prunedSeq
  }

  /**
   * Imports JSON lines, a JSON list, CSV or objects as a stream. The result reports what went wrong with each row, how the source
   * was read, and what was doubtful. If there are rows and none can be stored, the job fails: INVALID_ROW, with the report as
   * `details.report`.
   * @example
   * const { stored } = await products.documents.import([{ id: 'p4', title: 'Desk lamp' }])
   * console.log(stored) // 1
   * @example
   * const prices = Buffer.from('Nr;Preis\np1;1.299,00 €\np2;39,90\np9;5,00\n')
   * const { stored, errors } = await products.documents.import(prices, {
   *   format: 'csv',
   *   mode: 'update',
   *   columns: { Nr: 'id', Preis: 'price:number' },
   * })
   * console.log(stored, errors[0]?.code) // 2 DOCUMENT_NOT_FOUND
   * console.log((await products.documents.get('p1'))?.price) // 1299
   */
  import(source: RowSource, options: Given<ImportOptions> = {}): Job<ImportReport> {
    return importing(this.#context, source, options)
  }

  /**
   * Yields all documents as text. Importing the text, in any format, restores the same documents, into a dataset with the same
   * settings or with none. CSV reads the documents twice; if a document with a new member is stored in between, the export
   * fails with INVALID_ARGUMENT. With `columns` you get a table for other programs with only these columns, named by dotted
   * paths as in the header; a column that neither the schema nor any document has is INVALID_ARGUMENT.
   * @example
   * let csv = ''
   * for await (const text of products.documents.export({ format: 'csv', columns: ['id', 'title'] })) csv += text
   * console.log(csv.split(/\r?\n/)[1]) // p1,Wireless headphones
   */
  async *export(
    options: Given<{ format?: ExportFormat; columns?: readonly string[]; signal?: AbortSignal }> = {},
  ): AsyncGenerator<string> {
    const { format, columns, signal } = parseInput(exportOptions, options, 'options')
    // Both passes of a CSV read the same data, whatever name they have by then.
    const context = this.#context
    const known = knownFieldsOf(context.state)
    const documents = () => documentsOf(scanning<T>(context, { signal }))
    yield* rowsAsText(documents, format, { columns, known })
  }

  /** Dataset ids belong to one engine: in another store they would name another dataset. */
  #contextOf(target: unknown): DocumentsContext {
    const known = target instanceof Documents && #context in target ? target.#context : undefined
    if (known?.store === this.#context.store) return known
    const expected = 'the documents of another dataset of the same engine'
    const received = known ? 'those of another engine' : describeValue(target)
    throw new FindlingError('INVALID_ARGUMENT', `target is ${received}; expected ${expected}`, {
      field: 'target',
      received,
      expected,
    })
  }

  /** Writes in the order of the owner's calls, even while the files of an earlier one are still being read. */
  async #write<R>(
    owner: string,
    prepare: (context: DocumentsContext) => MaybePromise<Mutation<R>>,
  ): Promise<R> {
    const context = { ...this.#context, owner }
    const { store } = context
    const write = prepare(context)
    const earlier = this.#reading.get(owner)
    if (!(write instanceof Promise) && !earlier) return await store.write(write)
    const ready = Promise.all([write, earlier])
    const reading = Promise.allSettled([write, earlier])
    this.#reading.set(owner, reading)
    void reading.then(() => {
      if (this.#reading.get(owner) === reading) this.#reading.delete(owner)
    })
    const [mutation] = await ready
    return await store.write(mutation)
  }
}

type Named = DocumentOperation extends infer O ? (O extends unknown ? Omit<O, 'dataset'> : never) : never

/** The result of a write that was handed over. `seq` is null only if there was nothing to delete. */
async function written(
  { steps, state }: DocumentsContext,
  operation: Named,
  owner: string,
): Promise<Written> {
  const { id, seq } = await writeOne(steps, { ...operation, dataset: state.name } as DocumentOperation, owner)
  return { id, seq: seq as number }
}

function refuseList(document: unknown): void {
  if (!Array.isArray(document)) return
  const expected = 'one document; for a list of documents, use bulk()'
  throw invalid('INVALID_DOCUMENT', 'the document', [problem('', document, expected)])
}

const onlyIf = (ifSeq: number | undefined) => (ifSeq === undefined ? {} : { ifSeq })

/** The document as plain JSON, for handing it over. INVALID_DOCUMENT if it is not JSON. */
const plain = ({ limits }: DocumentsContext, input: unknown): JsonObject =>
  toJsonObject(input, '', 'INVALID_DOCUMENT', limits)

/** How some of the rows of a bulk are written. */
function bulkWriting(context: DocumentsContext, mode: 'upsert' | 'insert') {
  const { state, steps } = context
  type How = Parameters<typeof writeRows>[3]
  if (steps.areHandedOver) {
    const rows = new RowSteps(context, mode, { isCounted: false })
    return (chunk: readonly unknown[], how: How) => writeRows(state, chunk, rows, how)
  }
  const prepare = mode === 'insert' ? insertion : upsertion
  const rows = storingRows(context, document => prepare(context, document))
  return (chunk: readonly unknown[], how: How) => writeRows(state, chunk, rows, how)
}

/** The type with every member optional, at every depth; lists are replaced as a whole. */
export type DeepPartial<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [K in keyof T]?: DeepPartial<T[K]> | undefined }
    : T

/** All documents, as of the moment when the first is requested. */
async function* scanning<T>(
  context: DocumentsContext,
  options: { signal?: AbortSignal | undefined },
): AsyncGenerator<DocumentRecord<T>> {
  context.state.assertThere()
  for await (const batch of allDocuments(context, options)) {
    for (const [id, payload] of batch) {
      const record = recordIn(payload)
      yield { ...record, id, document: record.document as T }
    }
  }
}

async function* documentsOf<T>(records: AsyncIterable<DocumentRecord<T>>): AsyncGenerator<T> {
  for await (const { document } of records) yield document
}

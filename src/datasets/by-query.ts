import { parseInput } from '../input.ts'
import type { Job, JobBody, JobOptions } from '../jobs/job.ts'
import { jobOptions } from '../jobs/watching.ts'
import type { JsonObject } from '../json.ts'
import { compilingCondition } from '../query/condition-query.ts'
import { begun } from '../scheduling/begun.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { documentKey } from '../store/keyspace.ts'
import { applying, type Mutation } from '../store/transaction.ts'
import type { DocumentOperation } from './job-steps.ts'
import { documentIn, recordIn, seqIn } from './record.ts'
import type { DatasetState } from './state.ts'
import { allDocuments, readRecords } from './stored-documents.ts'
import { allOrNone, type DocumentsContext, type MaybePromise } from './writes.ts'

interface PreparedChange {
  readonly kind: string
  readonly description: string
  readonly phase: string
  /** Reads what the change needs. */
  prepare(): MaybePromise<PerDocument>
}

/** A document that matched when it was read, and the number of its last change. */
export interface MatchedDocument {
  readonly id: string
  readonly seq: number
  readonly document: JsonObject
}

/** How a document that matches is changed. */
interface PerDocument {
  write(id: string): Mutation<unknown>
  /** The same as an operation on exactly that version. A change that breaks a rule is refused here. */
  operation(match: MatchedDocument): ConditionalOperation
}

export type ConditionalOperation = Extract<DocumentOperation, { id: unknown }> & {
  readonly id: string
  readonly ifSeq: number
}

/** Maximum number and size of the documents of a slice; a larger document is a slice of its own. */
const SLICE_DOCUMENTS = 200
const SLICE_BYTES = 2 ** 20

type Matches = (document: JsonObject) => boolean

/** Documents that are changed together. */
interface Slice {
  add(match: MatchedDocument): void
  /** How many were changed. */
  write(): Promise<number>
}

/** Changes all documents that matched when it began and still match when their slice is written. */
export function byQuery(
  context: DocumentsContext,
  where: unknown,
  options: JobOptions,
  change: PreparedChange,
): Job<number> {
  const checked = parseInput(jobOptions, options, 'options')
  const { store, state, jobs, steps } = context
  const readCondition = begun(compilingCondition(where, state.queryFields, 'where'))
  store.assertOpen()
  state.assertThere()
  const body: JobBody<number> = async function* (job) {
    const matches = await readCondition()
    const perDocument = await change.prepare()
    const { documents: total } = store.counts(state.dataset)
    const newSlice = (): Slice =>
      steps.areHandedOver
        ? new HandedSlice(context, perDocument, matches, job.signal)
        : new StoredSlice(context, perDocument, matches)
    let [done, changed, documents, bytes] = [0, 0, 0, 0]
    let slice = newSlice()
    let pending: Promise<void> = Promise.resolve()
    /** At most one slice is being written while the next is gathered. */
    const flush = async () => {
      const full = slice
      slice = newSlice()
      documents = 0
      bytes = 0
      await pending
      pending = full.write().then(written => {
        changed += written
      })
      pending.catch(() => {})
    }
    const stretch = new Stretch()
    try {
      for await (const batch of allDocuments(context, { signal: job.signal })) {
        for (const [id, payload] of batch) {
          if (stretch.isOver) await stretch.pause()
          done++
          const { document, seq } = recordIn(payload)
          if (!(await stretch.through(matches.deciding(document)))) continue
          if (documents > 0 && bytes + payload.byteLength > SLICE_BYTES) {
            await flush()
            yield { done, total, phase: change.phase }
          }
          slice.add({ id, seq, document })
          documents++
          bytes += payload.byteLength
          if (documents < SLICE_DOCUMENTS) continue
          await flush()
          yield { done, total, phase: change.phase }
        }
        yield { done, total, phase: change.phase }
      }
      if (documents > 0) await flush()
    } finally {
      // A job that is over, even by cancellation, writes nothing more.
      await pending
    }
    return changed
  }
  return jobs.start(change.kind, change.description, body, {
    ...checked,
    datasets: [state.name],
  })
}

/** A slice that is written atomically: whether a document still matches is decided when its turn comes. */
class StoredSlice implements Slice {
  readonly #context: DocumentsContext
  readonly #change: PerDocument
  readonly #matches: Matches
  readonly #writes: Mutation<boolean>[] = []

  constructor(context: DocumentsContext, change: PerDocument, matches: Matches) {
    this.#context = context
    this.#change = change
    this.#matches = matches
  }

  add(match: Omit<MatchedDocument, 'document'>): void {
    this.#writes.push(ifStill(this.#change.write(match.id), this.#context.state, match, this.#matches))
  }

  async write(): Promise<number> {
    const written = await this.#context.store.writeWhenRoom(allOrNone(this.#writes))
    return written.filter(Boolean).length
  }
}

/** A slice of operations on the versions that were read: documents that changed before their turn are read and decided again. */
class HandedSlice implements Slice {
  readonly #context: DocumentsContext
  readonly #change: PerDocument
  readonly #matches: Matches
  readonly #signal: AbortSignal
  readonly #operations: ConditionalOperation[] = []

  constructor(context: DocumentsContext, change: PerDocument, matches: Matches, signal: AbortSignal) {
    this.#context = context
    this.#change = change
    this.#matches = matches
    this.#signal = signal
  }

  add(match: MatchedDocument): void {
    this.#operations.push(this.#change.operation(match))
  }

  async write(): Promise<number> {
    let changed = 0
    for (let left = this.#operations; left.length > 0; ) {
      const outcomes = await this.#handOver(left)
      const stale = left.filter((_, i) => outcomes[i] === 'stale')
      changed += outcomes.filter(outcome => outcome === 'changed').length
      left = this.#signal.aborted ? [] : await this.#decideAgain(stale)
    }
    return changed
  }

  async #handOver(operations: readonly ConditionalOperation[]): Promise<('changed' | 'stale' | 'gone')[]> {
    const { steps, state, owner = '' } = this.#context
    // By the dataset's current name.
    const named = operations.map(operation => ({ ...operation, dataset: state.name }))
    const outcomes = await steps.write(named, owner)
    return outcomes.map(({ error, ...result }) => {
      if (!error) return 'seq' in result && result.seq === null ? 'gone' : 'changed'
      if (error.code === 'SEQUENCE_MISMATCH') return 'stale'
      if (error.code === 'DOCUMENT_NOT_FOUND') return 'gone'
      throw error
    })
  }

  async #decideAgain(stale: readonly ConditionalOperation[]): Promise<ConditionalOperation[]> {
    if (stale.length === 0) return []
    const records = await readRecords(
      this.#context,
      stale.map(({ id }) => id),
    )
    return records.flatMap(record =>
      record && this.#matches(record.document) ? [this.#change.operation(record)] : [],
    )
  }
}

/** Writes a document and returns true if it exists and matches when its turn comes, whatever happened since it was found. */
function ifStill(
  write: Mutation<unknown>,
  { dataset, name }: DatasetState,
  { id, seq }: Pick<MatchedDocument, 'id' | 'seq'>,
  matches: Matches,
): Mutation<boolean> {
  return {
    ...write,
    *apply(transaction) {
      transaction.dataset(dataset, name)
      const value = transaction.read(documentKey(dataset, id))
      if (!value || (seqIn(value) !== seq && !matches(documentIn(value)))) return false
      yield* applying(write, transaction)
      return true
    },
  }
}

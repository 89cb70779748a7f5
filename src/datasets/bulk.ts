import { attempt, FindlingError } from '../errors.ts'
import { Stretch } from '../scheduling/stretch.ts'
import { applying, type Mutation } from '../store/transaction.ts'
import { learnFields } from './first-fields.ts'
import { checkId } from './schema/ids.ts'
import type { DatasetState } from './state.ts'
import type { DocumentsContext, DocumentWrite, MaybePromise, Written } from './writes.ts'

/** The result of one row of `documents.bulk()`. */
export interface BulkRow {
  /** Position in the bulk, from 0. */
  row: number
  /** Null when the row has no readable id. */
  id: string | null
  /** `superseded`: a later row of the same bulk has the same id and won. */
  status: 'stored' | 'superseded' | 'failed'
  error?: FindlingError
}

/** A group of prepared rows ends with the row that exceeds this many bytes. */
const GROUP_BYTES = 2 ** 20
/** Maximum number of rows of a group whose files are being read; more would only wait, holding copies of their files. */
const MOST_READING = 64

/** How rows are written. */
export interface RowWriter<P extends { readonly bytes: number }> {
  /** Refuses what no turn could accept. */
  prepare(row: unknown): MaybePromise<P>
  /** Writes a group; each row succeeds or fails individually. */
  write(group: readonly (P | FindlingError)[]): Promise<(Written | FindlingError)[]>
}

/** Writes rows directly into the store: a group is one commit. */
export const storingRows = (
  { store, state }: DocumentsContext,
  prepare: (row: unknown) => MaybePromise<DocumentWrite>,
): RowWriter<DocumentWrite> => ({
  prepare,
  write: group => store.writeWhenRoom(rowByRow(state, group)),
})

/**
 * Writes rows in order: they are checked in short stretches and written in one group, or in several if they are large.
 * @param first number of the first row
 */
export async function writeRows<P extends { readonly bytes: number }>(
  state: DatasetState,
  rows: readonly unknown[],
  writer: RowWriter<P>,
  { first = 0, stretch = new Stretch() }: { first?: number; stretch?: Stretch } = {},
): Promise<BulkRow[]> {
  const results: BulkRow[] = []
  let group: (MaybePromise<P> | FindlingError)[] = []
  let bytes = 0
  let reading = 0
  const write = async () => {
    const prepared = areRead(group) ? group : await Promise.all(group.map(attempted))
    group = []
    bytes = 0
    reading = 0
    if (stretch.isOver) await stretch.pause()
    for (const outcome of await writer.write(prepared))
      results.push(resultOf(outcome, rows[results.length], first + results.length, state))
  }
  for (const row of rows) {
    if (stretch.isOver) await stretch.pause()
    const one = attempt(() => writer.prepare(row))
    group.push(one)
    if (one instanceof Promise) {
      reading++
      one.catch(() => {}) // it may fail before the group is complete, and is told then
    } else if ('bytes' in one) bytes += one.bytes
    if (bytes >= GROUP_BYTES || reading === MOST_READING) await write()
  }
  if (group.length > 0) await write()
  return results
}

function resultOf(
  outcome: Written | FindlingError,
  given: unknown,
  row: number,
  state: DatasetState,
): BulkRow {
  return outcome instanceof FindlingError
    ? { row, id: idOf(given, state), status: 'failed', error: outcome }
    : { row, id: outcome.id, status: 'stored' }
}

/** Of several rows with one id the last one wins: when a row comes, its predecessor becomes `superseded`. */
export class Superseding {
  readonly #last = new Map<string, BulkRow>()

  take(result: BulkRow): void {
    if (result.id === null || result.status !== 'stored') return
    const before = this.#last.get(result.id)
    if (before) before.status = 'superseded'
    this.#last.set(result.id, result)
  }
}

const areRead = <T>(all: readonly MaybePromise<T>[]): all is readonly T[] =>
  !all.some(one => one instanceof Promise)

/** `attempt` for a promise. CLOSED is rethrown: that the engine was closed meanwhile is not the fault of a row. */
async function attempted<R>(step: R | Promise<R>): Promise<R | FindlingError> {
  try {
    return await step
  } catch (error) {
    if (error instanceof FindlingError && error.code !== 'CLOSED') return error
    throw error
  }
}

/** A row's write decides before it stages anything, so a refusal leaves no trace in the transaction. */
function rowByRow(
  state: DatasetState,
  rows: readonly (DocumentWrite | FindlingError)[],
): Mutation<(Written | FindlingError)[]> {
  const writes = rows.filter((row): row is DocumentWrite => !(row instanceof FindlingError))
  const documents = writes.map(({ document }) => document).filter(document => document !== undefined)
  return {
    reads: writes.flatMap(write => write.reads),
    bytes: writes.reduce((sum, write) => sum + write.bytes, 0),
    *apply(transaction) {
      const before = transaction.manifest
      learnFields(transaction, state, documents)
      const results: (Written | FindlingError)[] = []
      for (const row of rows) {
        try {
          results.push(row instanceof FindlingError ? row : yield* applying(row, transaction))
        } catch (error) {
          if (!(error instanceof FindlingError)) throw error
          results.push(error)
        }
        yield
      }
      // If the dataset did not change, nobody would learn of its new fields.
      if (results.every(result => result instanceof FindlingError)) transaction.manifest = before
      return results
    },
  }
}

function idOf(row: unknown, state: DatasetState): string | null {
  if (typeof row !== 'object' || row === null || !Object.hasOwn(row, state.settings.idField)) return null
  const id = attempt(() => checkId(Reflect.get(row, state.settings.idField), 'id'))
  return id instanceof FindlingError ? null : id
}

import { FindlingError } from '../errors.ts'
import type { Mutation } from '../store/transaction.ts'
import { learnFields } from './first-fields.ts'
import { checkId } from './ids.ts'
import type { DatasetState } from './state.ts'
import type { DocumentsContext, DocumentWrite, Prepared, Written } from './writes.ts'

/** What became of one row of `documents.bulk()`. */
export interface BulkRow {
  /** Position in the bulk, from 0. */
  row: number
  /** Null when the row has no readable id. */
  id: string | null
  /** `superseded`: a later row of the same bulk has the same id and won. */
  status: 'stored' | 'superseded' | 'failed'
  error?: FindlingError
}

/** One group of rows: prepared, then written as one commit in which every row is decided for itself. */
export async function writeRows(
  { store, state }: DocumentsContext,
  rows: readonly unknown[],
  prepare: (row: unknown) => Prepared<DocumentWrite>,
): Promise<BulkRow[]> {
  const begun = rows.map(row => attempt(() => prepare(row)))
  const prepared = areRead(begun) ? begun : await Promise.all(begun.map(attempted))
  const decided = await store.writeWhenRoom(rowByRow(state, prepared))
  return decided.map((outcome, row) =>
    outcome instanceof FindlingError
      ? { row, id: idOf(rows[row], state), status: 'failed', error: outcome }
      : { row, id: outcome.id, status: 'stored' },
  )
}

/** Of the rows of one id the last one won: the others say so. */
export function markSuperseded(results: BulkRow[]): BulkRow[] {
  const last = new Map<string, number>()
  for (const { id, row, status } of results) if (id !== null && status === 'stored') last.set(id, row)
  return results.map(result =>
    result.status === 'stored' && last.get(result.id!) !== result.row
      ? { ...result, status: 'superseded' }
      : result,
  )
}

const areRead = <T>(all: readonly Prepared<T>[]): all is readonly T[] =>
  !all.some(one => one instanceof Promise)

/** The same of what comes later. */
async function attempted<R>(step: R | Promise<R>): Promise<R | FindlingError> {
  try {
    return await step
  } catch (error) {
    if (error instanceof FindlingError) return error
    throw error
  }
}

/** The error of a step as a value; what is no FindlingError goes on. */
export function attempt<R>(step: () => R): R | FindlingError {
  try {
    return step()
  } catch (error) {
    if (error instanceof FindlingError) return error
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
    apply(transaction) {
      learnFields(transaction, state, documents)
      return rows.map(row => (row instanceof FindlingError ? row : attempt(() => row.apply(transaction))))
    },
  }
}

function idOf(row: unknown, state: DatasetState): string | null {
  if (typeof row !== 'object' || row === null || !Object.hasOwn(row, state.settings.idField)) return null
  const id = attempt(() => checkId(Reflect.get(row, state.settings.idField), 'id'))
  return id instanceof FindlingError ? null : id
}

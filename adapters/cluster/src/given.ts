import { randomUUID } from 'node:crypto'
import {
  type Datasets,
  FindlingError,
  type SingleOperation,
  type WriteOperation,
  type WriteResult,
} from 'findling'
import { singles } from './commands.ts'

/** Completes an operation with everything that only the node that was asked can know: ids, and texts of files. */
export async function given(datasets: Datasets, operation: WriteOperation): Promise<WriteOperation> {
  if (operation.type === 'together') {
    const operations = await Promise.all(operation.operations.map(one => given(datasets, one)))
    return { ...operation, operations: operations as SingleOperation[] }
  }
  if (operation.type === 'createService')
    return { ...operation, service: { ...operation.service, id: operation.service.id ?? randomUUID() } }
  if (!withDocument(operation) || operation.texts || !datasets.has(operation.dataset)) return operation
  const { documents } = datasets.get(operation.dataset)
  const content = operation.type === 'update' ? operation.patch : operation.document
  // A file that cannot be read here has no text, so every node refuses the document when it applies it.
  const texts = await documents.fileTexts(content).catch(refusedLater)
  return Object.keys(texts).length > 0 ? { ...operation, texts } : operation
}

/** Whether all datasets exist here that `given` needs. */
export const knows = (datasets: Datasets, operations: readonly WriteOperation[]): boolean =>
  operations.flatMap(singles).every(one => !withDocument(one) || datasets.has(one.dataset))

const contents: ReadonlySet<string> = new Set(['insert', 'upsert', 'update', 'delete', 'put'])

export const changesMoreThanContents = (operation: WriteOperation): boolean =>
  singles(operation).some(({ type }) => !contents.has(type))

/** Nests the results of operations that were written together, as the operations were nested. */
export function inShape(
  operations: readonly WriteOperation[],
  results: readonly WriteResult[],
): WriteResult[] {
  let from = 0
  return operations.map(operation => {
    if (operation.type !== 'together') return results[from++]!
    const own = results.slice(from, from + operation.operations.length)
    from += own.length
    return { id: '', seq: null, results: own }
  })
}

type WithDocument = Extract<SingleOperation, { type: 'insert' | 'upsert' | 'update' }>

const withDocument = (operation: SingleOperation): operation is WithDocument =>
  operation.type === 'insert' || operation.type === 'upsert' || operation.type === 'update'

function refusedLater(error: unknown): Record<string, string> {
  if (error instanceof FindlingError && error.code === 'INVALID_DOCUMENT') return {}
  throw error
}

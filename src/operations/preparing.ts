import { learnFields } from '../datasets/first-fields.ts'
import type {
  CleaningOperation,
  DocumentOperation,
  StepOperation,
  TagOperation,
  TransferOperation,
  WriteOutcome,
  WriteResult,
} from '../datasets/job-steps.ts'
import type { DatasetRegistry } from '../datasets/registry.ts'
import { checkId } from '../datasets/schema/ids.ts'
import type { DatasetState } from '../datasets/state.ts'
import type { StoredTagTree } from '../datasets/tags/stored-tag-tree.ts'
import { cleaning, declareDead } from '../datasets/tags/tag-cleaning.ts'
import { sameDataset } from '../datasets/transfer.ts'
import {
  allOrNone,
  type DocumentWrite,
  deletion,
  insertion,
  type MaybePromise,
  patching,
  transfer,
  upsertion,
  type WriteContext,
} from '../datasets/writes.ts'
import { type ErrorCode, FindlingError } from '../errors.ts'
import type { ServiceRegistry } from '../services/registry.ts'
import { datasetEntry } from '../store/manifest.ts'
import type { Namespace } from '../store/namespace.ts'
import { applying, type Mutation, type Transaction } from '../store/transaction.ts'
import type { CheckedOperation, ServiceOperation, WriteOperation } from './operation.ts'

/** What operations may write to. */
export interface Writable {
  readonly registry: DatasetRegistry
  /** DATASET_NOT_FOUND. @param field the member that names it, if not `dataset` */
  documents(dataset: string, field?: string): WriteContext
  /** DATASET_NOT_FOUND. */
  tags(dataset: string): StoredTagTree
  namespace(name: string): Namespace
  readonly services: ServiceRegistry
}

/** Who makes the writes, and when: undefined is the time of the clock. */
interface Circumstances {
  readonly owner: string
  readonly at?: number | undefined
  /** Whether replicas make the same writes: then nothing depends on the state of this engine alone, and no file is read. */
  readonly isReplayed?: boolean
}

/** What a caller or a job has given. */
type Preparable = CheckedOperation | StepOperation | WriteOperation

/** Checks one operation as far as that is possible before its turn, and has its files read. */
function preparing(
  writable: Writable,
  operation: Preparable,
  circumstances: Circumstances,
): MaybePromise<Mutation<WriteResult>> {
  switch (operation.type) {
    case 'insert':
    case 'upsert':
    case 'update':
    case 'delete':
      // The schema has accepted it, and the types leave only this.
      return document(writable, operation as DocumentOperation, circumstances)
    case 'copy':
    case 'move':
      return transferral(writable, operation as TransferOperation, circumstances)
    case 'declareDeadTags':
    case 'cleanDocuments':
    case 'forgetDeadTags':
      return cleaningStep(writable, operation)
    case 'put': {
      const { namespace, ...entry } = operation
      return answering(writable.namespace(namespace).writing([entry]), ([isStored]) => ({
        id: operation.key,
        seq: null,
        ...(!isStored && { unchanged: true as const }),
      }))
    }
    case 'createTag':
    case 'updateTag':
    case 'removeTag':
    case 'replaceTags':
      return tags(writable, operation as TagOperation)
    case 'together':
      return answering(prepareTogether(writable, operation.operations, circumstances), results => ({
        id: '',
        seq: null,
        results,
      }))
    case 'createService':
    case 'updateService':
    case 'removeService':
    case 'activateService':
    case 'deactivateService':
      return service(writable, operation as ServiceOperation, circumstances)
    default:
      return answering(dataset(writable, operation, circumstances), answerOf(operation.dataset))
  }
}

/** A file that one engine cannot read, or not in time, another might. */
function notRead(): Promise<never> {
  const received = 'a file without its text'
  const details = { received, expected: 'a file whose text is given in texts' }
  return Promise.reject(new FindlingError('FILE_UNSUPPORTED', 'The text of a file is not given.', details))
}

function document(
  writable: Writable,
  operation: DocumentOperation,
  circumstances: Circumstances,
): MaybePromise<Mutation<WriteResult>> {
  const context = contextOf(writable.documents(operation.dataset), circumstances)
  switch (operation.type) {
    case 'insert':
      return insertion(context, operation.document, operation)
    case 'upsert':
      return upsertion(context, operation.document, operation)
    case 'update': {
      let isSame = false
      const same = () => {
        isSame = true
      }
      const { ifChanged, ...options } = operation
      return answering(
        patching(context, checkId(operation.id, 'id'), operation.patch, {
          ...options,
          ...(ifChanged && { same }),
        }),
        ({ id, seq }) => ({ id, seq, ...(isSame && { unchanged: true as const }) }),
      )
    }
    case 'delete': {
      const id = checkId(operation.id, 'id')
      return answering(deletion(context, id, operation), seq => ({ id, seq }))
    }
  }
}

const contextOf = (context: WriteContext, { owner, at, isReplayed }: Circumstances): WriteContext => ({
  ...context,
  owner,
  ...(at !== undefined && { clock: () => at }),
  ...(isReplayed && { readFile: notRead }),
})

function transferral(
  writable: Writable,
  { dataset, to, as, ...operation }: TransferOperation,
  circumstances: Circumstances,
): Mutation<WriteResult> {
  const [source, target] = [writable.documents(dataset), writable.documents(to, 'to')]
  if (source.state.dataset === target.state.dataset) throw sameDataset(dataset, 'to')
  const id = checkId(operation.id, 'id')
  const there = as === undefined ? id : checkId(as, 'as')
  return transfer(source, contextOf(target, circumstances), { ...operation, id, as: there })
}

function cleaningStep(writable: Writable, operation: CleaningOperation): Mutation<WriteResult> {
  const { dataset, type } = operation
  return answering(cleaning(writable.documents(dataset).state, operation), changed => ({
    id: dataset,
    seq: null,
    ...(type === 'cleanDocuments' && { changed }),
  }))
}

type DatasetChange = Extract<CheckedOperation, { type: `${string}Dataset` | 'swapDatasets' }>

function dataset(
  { registry }: Writable,
  operation: DatasetChange,
  { at, isReplayed }: Circumstances,
): Mutation<unknown> {
  switch (operation.type) {
    case 'createDataset':
      return registry.creating(operation.dataset, operation.definition ?? {}, at, 'dataset')
    case 'removeDataset':
      return registry.removing(operation.dataset, isReplayed, 'dataset')
    case 'renameDataset':
      return registry.renaming(operation.dataset, operation.to, { from: 'dataset', to: 'to' })
    case 'swapDatasets':
      return registry.swapping(operation.dataset, operation.with, { one: 'dataset', other: 'with' })
    case 'configureDataset':
      return registry.configuring(operation.dataset, operation.settings, 'dataset')
    case 'prepareDataset':
      return registry.announcing(operation.dataset, operation.settings, 'dataset')
  }
}

async function tags(writable: Writable, operation: TagOperation): Promise<Mutation<WriteResult>> {
  const tree = writable.tags(operation.dataset)
  switch (operation.type) {
    case 'createTag':
      return answering(await tree.changing(planned => planned.planCreate(operation.tag)), ({ first }) => ({
        id: first!.id,
        seq: null,
      }))
    case 'updateTag': {
      const id = checkId(operation.id, 'id')
      const changed = await tree.changing(planned => planned.planUpdate(id, operation.change))
      return answering(changed, ({ first }) => ({ id: first!.id, seq: null }))
    }
    case 'removeTag': {
      const id = checkId(operation.id, 'id')
      const { force = false, cleanDocuments = false } = operation
      const { state } = writable.documents(operation.dataset)
      const declare = (transaction: Transaction, removed: readonly string[]) =>
        declareDead(transaction, state.dataset, removed)
      const removing = await tree.changing(
        planned => planned.planRemove(id, { force }),
        cleanDocuments ? declare : undefined,
      )
      return answering(removing, ({ remove }) => ({ id, seq: null, removed: [...remove] }))
    }
    case 'replaceTags':
      return answering(await tree.replacing(operation.tags), answerOf(operation.dataset))
  }
}

function service(
  { services }: Writable,
  operation: ServiceOperation,
  { at, isReplayed = false }: Circumstances,
): MaybePromise<Mutation<WriteResult>> {
  switch (operation.type) {
    case 'createService':
      return answering(services.creating(operation.service, at), id => ({ id, seq: null }))
    case 'updateService':
      return answering(services.updating(operation.id, operation.changes), answerOf(operation.id))
    case 'removeService':
      return answering(services.removing(operation.id), answerOf(operation.id))
    case 'activateService':
      return answering(
        services.activating(operation.id, operation.settings ?? {}, isReplayed),
        answerOf(operation.id),
      )
    case 'deactivateService':
      return answering(services.deactivating(operation.id), answerOf(operation.id))
  }
}

/** Looks each dataset up once, however many operations are for it. */
function lookingUpOnce(writable: Writable): Writable {
  const known = new Map<string, WriteContext>()
  return {
    ...writable,
    documents(dataset, field) {
      const context = known.get(dataset) ?? writable.documents(dataset, field)
      known.set(dataset, context)
      return context
    },
  }
}

/** Prepares all operations or none: synchronously if no files have to be read and no tags loaded. */
export function prepareTogether(
  writable: Writable,
  operations: readonly Preparable[],
  circumstances: Circumstances,
): MaybePromise<Mutation<WriteResult[]>> {
  const place = lookingUpOnce(writable)
  const writes = operations.map(operation => {
    const write = preparing(place, operation, circumstances)
    // Its rejection is reported below, unless a later operation is refused first; either way a file must not end the process.
    if (write instanceof Promise) write.catch(() => {})
    return write
  })
  return areThere(writes) ? allTogether(writes) : Promise.all(writes).then(allTogether)
}

/** Prepares each operation individually, for one commit. */
export function prepareEach(
  writable: Writable,
  operations: readonly Preparable[],
  circumstances: Circumstances,
): MaybePromise<Mutation<WriteOutcome[]>> {
  const place = lookingUpOnce(writable)
  const writes = operations.map(operation => {
    try {
      const write = preparing(place, operation, circumstances)
      return write instanceof Promise ? write.catch(refusal) : write
    } catch (error) {
      return refusal(error)
    }
  })
  return areThere(writes) ? eachForItself(writes) : Promise.all(writes).then(eachForItself)
}

const areThere = <T>(all: readonly MaybePromise<T>[]): all is readonly T[] =>
  !all.some(one => one instanceof Promise)

type Prepared = Mutation<WriteResult> & Pick<DocumentWrite, 'document' | 'state'>

/** Consecutive documents of one dataset choose its searched fields together. */
function* learnTogether(
  run: readonly (Prepared | FindlingError)[],
  transaction: Transaction,
): Generator<void> {
  const into = stateOf(run[0])
  if (!into || run.length === 1 || !datasetEntry(transaction.manifest, into.dataset)) return
  learnFields(
    transaction,
    into,
    run.map(write => (write as DocumentWrite).document!),
  )
  yield
}

/** How many writes from that position on are documents of the same dataset; 1 for everything else. */
function runFrom(writes: readonly (Prepared | FindlingError)[], from: number): number {
  const into = stateOf(writes[from])
  let end = from + 1
  while (into && end < writes.length && stateOf(writes[end]) === into) end++
  return end - from
}

const stateOf = (write: Prepared | FindlingError | undefined): DatasetState | undefined =>
  write && !(write instanceof FindlingError) ? write.state : undefined

/** Several writes as one: all or none. */
const allTogether = (writes: readonly Prepared[]): Mutation<WriteResult[]> => ({
  ...allOrNone(writes),
  apply: transaction => inRuns(writes, transaction, applying),
})

function eachForItself(writes: readonly (Prepared | FindlingError)[]): Mutation<WriteOutcome[]> {
  const made = writes.filter((write): write is Prepared => !(write instanceof FindlingError))
  return {
    reads: made.flatMap(({ reads }) => reads),
    bytes: made.reduce((sum, { bytes }) => sum + bytes, 0),
    apply: transaction => inRuns(writes, transaction, outcomeOf),
  }
}

function* inRuns<Write extends Prepared | FindlingError, Result extends WriteOutcome>(
  writes: readonly Write[],
  transaction: Transaction,
  decide: (write: Write, transaction: Transaction) => Generator<void, Result>,
): Generator<void, Result[]> {
  const results: Result[] = []
  for (let at = 0; at < writes.length; ) {
    const run = writes.slice(at, at + runFrom(writes, at))
    const before = transaction.manifest
    yield* learnTogether(run, transaction)
    for (const write of run) {
      results.push(yield* decide(write, transaction))
      yield
    }
    // If the dataset did not change, nobody would learn of its new fields.
    if (run.length > 1 && results.slice(at).every(({ error }) => error)) transaction.manifest = before
    at += run.length
  }
  return results
}

function* outcomeOf(
  write: Mutation<WriteResult> | FindlingError,
  transaction: Transaction,
): Generator<void, WriteOutcome> {
  if (write instanceof FindlingError) return { error: write }
  try {
    return yield* transaction.attempt(write)
  } catch (error) {
    return { error: refusal(error) }
  }
}

/** Errors of the store, the process or the machine, not of a single write: they refuse all writes. */
const faultsElsewhere: ReadonlySet<ErrorCode> = new Set([
  'CLOSED',
  'STORE_CORRUPT',
  'STORE_FAILED',
  'PACKAGE_MISSING',
  'WORKER_FAILED',
])

function refusal(error: unknown): FindlingError {
  if (error instanceof FindlingError && !faultsElsewhere.has(error.code)) return error
  throw error
}

export const removesDataset = (operation: CheckedOperation): boolean =>
  operation.type === 'together'
    ? operation.operations.some(removesDataset)
    : operation.type === 'removeDataset'

/** The same write with change numbers that follow the given one. */
export const numberedFrom = <T>(seqFrom: number, write: Mutation<T>): Mutation<T> => ({
  ...write,
  *apply(transaction) {
    transaction.raiseSeq(seqFrom)
    const result = yield* applying(write, transaction)
    // So that the same write is refused the second time, even if no document has changed.
    if (transaction.seq === seqFrom) transaction.nextSeq()
    return result
  },
})

const answerOf = (id: string) => (): WriteResult => ({ id, seq: null })

/** The same write with another answer. */
function answering<T>(write: Mutation<T>, answer: (result: T) => WriteResult): Mutation<WriteResult>
function answering<T>(
  write: MaybePromise<Mutation<T>>,
  answer: (result: T) => WriteResult,
): MaybePromise<Mutation<WriteResult>>
function answering<T>(
  write: MaybePromise<Mutation<T>>,
  answer: (result: T) => WriteResult,
): MaybePromise<Mutation<WriteResult>> {
  if (write instanceof Promise) return write.then(read => answering(read, answer))
  return {
    ...write,
    *apply(transaction) {
      return answer(yield* applying(write, transaction))
    },
  }
}

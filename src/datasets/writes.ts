import * as z from 'zod'
import { FindlingError } from '../errors.ts'
import { invalid, problem } from '../input.ts'
import type { JobRunner } from '../jobs/runner.ts'
import {
  checkGrowth,
  type DocumentLimits,
  isWithin,
  type JsonObject,
  jsonLength,
  mergeDeep,
  toJsonObject,
} from '../json.ts'
import { logEntry } from '../store/change-log.ts'
import type { DatasetNumber } from '../store/dataset-number.ts'
import { changeKey, documentKey } from '../store/keyspace.ts'
import type { Store } from '../store/store.ts'
import { applying, type ChangeKind, type Mutation, type Transaction } from '../store/transaction.ts'
import {
  attachedTexts,
  type FileReader,
  type FileTexts,
  giveTexts,
  pathTexts,
  withFileTexts,
  withKnownTexts,
} from './attachments.ts'
import { CommittedChange } from './committed-change.ts'
import { learnFields } from './first-fields.ts'
import type { Steps, TransferOperation } from './job-steps.ts'
import type { PathTags } from './path-tags.ts'
import { complete, documentInPieces, draft, modifiedAtIn, seqIn, sizeOf } from './record.ts'
import type { DatasetState } from './state.ts'

/** The result of a write of a document. */
export interface Written {
  id: string
  /** Number of the change; pass it as `ifSeq` to write only if the document has not changed since. */
  seq: number
}

/** The owner of a write. */
export interface OwnerOptions {
  /**
   * The owner of the write. Owners take turns in having their attachments read, however many files each of them writes, and calls
   * do not wait for files of other owners. By default all writes have the same owner.
   */
  owner?: string | undefined
}

export const ownerMember = { owner: z.string().max(1000).default('') }

/** A condition on a write, and its owner. */
export interface WriteOptions extends OwnerOptions {
  /** Write only if the document's last change has this number; 0: only if the document does not exist. */
  ifSeq?: number | undefined
}

/** The same, with the texts of files that then need not be read, by the paths of their fields. */
export interface GivenTexts extends WriteOptions {
  texts?: Readonly<Record<string, string>> | undefined
}

/** A value that is available at once, or once files have been read. */
export type MaybePromise<T> = T | Promise<T>

/** A checked write of one document, ready to be decided when its turn comes. */
export interface DocumentWrite<T = Written> extends Mutation<T> {
  /** The document to be written, if it is a whole one, and the dataset that it is for. */
  readonly document?: JsonObject
  readonly state?: DatasetState
}

/** What every write of a dataset needs to know. */
export interface WriteContext {
  state: DatasetState
  readFile: FileReader
  limits: DocumentLimits
  /** The owner of the writes; by default one without a name. */
  owner?: string
  clock(): number
}

/** The surroundings of a dataset's documents. */
export interface DocumentsContext extends WriteContext {
  store: Store
  jobs: JobRunner
  steps: Steps
  /** Reads the cells of a spreadsheet when its owner has a turn. */
  readSheet(bytes: Uint8Array, sheet: string | null, owner: string, signal?: AbortSignal): Promise<string>
  /** @param separator between the names of a path */
  pathTags(separator: string): PathTags
}

export function insertion(
  context: WriteContext,
  input: unknown,
  options: GivenTexts = {},
): MaybePromise<DocumentWrite> {
  const refuseKnown: Accept = (before, id) => {
    if (before) {
      throw new FindlingError(
        'DOCUMENT_EXISTS',
        `The dataset ${context.state.name} already has a document ${show(id)}.`,
        { field: context.state.settings.idField, received: show(id), expected: 'an id that is not taken' },
      )
    }
  }
  return withFileTexts(context, input, (given, read) => whole(context, given, read, options, refuseKnown), {
    texts: options.texts,
  })
}

export const upsertion = (
  context: WriteContext,
  input: unknown,
  options: GivenTexts = {},
): MaybePromise<DocumentWrite> =>
  withFileTexts(context, input, (given, texts) => whole(context, given, texts, options, () => {}), {
    texts: options.texts,
  })

/**
 * One of the writes of an import.
 * @param tell called once it is decided whether such a document existed
 */
export const replacing = (
  context: WriteContext,
  input: unknown,
  tell: (isThere: boolean) => void,
): MaybePromise<DocumentWrite> =>
  withFileTexts(context, input, (given, texts) =>
    whole(context, given, texts, {}, before => tell(before !== undefined)),
  )

type Accept = (before: Uint8Array | undefined, id: string) => void

function whole(
  context: WriteContext,
  input: unknown,
  texts: FileTexts,
  { ifSeq }: WriteOptions,
  accept: Accept,
): DocumentWrite {
  const { state } = context
  const document = giveTexts(
    state.schema.root,
    state.admit(toJsonObject(input, '', 'INVALID_DOCUMENT', context.limits)),
    texts,
  )
  const id = state.rules.documentId(document)
  const key = documentKey(state.dataset, id)
  return {
    reads: [key],
    bytes: sizeOf(document),
    document,
    state,
    *apply(transaction) {
      learnFields(transaction, state, [document])
      const before = transaction.read(key)
      accept(before, id)
      checkSeq(id, before, ifSeq)
      const { dataset } = state
      return yield* putDocument(transaction, { dataset, id, document, kind: 'content' }, context.clock)
    },
  }
}

type Patched = Written & { document: JsonObject }

interface PatchOptions extends GivenTexts {
  /** Called if the patch changes nothing; the document is then not written again. */
  readonly same?: () => void
}

/** A partial update (spec: objects merge member by member at every depth, other values are replaced). */
export function patching(
  context: WriteContext,
  id: string,
  input: unknown,
  options: PatchOptions = {},
): MaybePromise<DocumentWrite<Patched>> {
  return withPatch(context, input, (patch, texts) => patchOf(context, id, patch, texts, options), options)
}

/** Calls `use` with a patch and the texts of its files once they have been read. */
export function withPatch<T>(
  context: WriteContext,
  input: unknown,
  use: (patch: unknown, texts: FileTexts) => T,
  { texts }: Pick<GivenTexts, 'texts'> = {},
): MaybePromise<T> {
  const check = (patch: JsonObject) => {
    context.state.rules.checkPatch(patch)
    return patch
  }
  return withFileTexts(context, input, use, { check, texts })
}

/** The update of one document by a patch whose files have been read. */
function patchOf(
  context: WriteContext,
  id: string,
  input: unknown,
  texts: FileTexts,
  { ifSeq, same }: PatchOptions = {},
): DocumentWrite<Patched> {
  const { state } = context
  const patch = toJsonObject(input, '', 'INVALID_DOCUMENT', context.limits)
  state.rules.checkPatch(patch)
  const movesTo = Object.hasOwn(patch, state.settings.idField) ? state.rules.documentId(patch) : id
  const key = documentKey(state.dataset, id)
  const targetKey = documentKey(state.dataset, movesTo)
  return {
    reads: [key, targetKey],
    bytes: 1024 + jsonLength(patch) + lengthOf(texts),
    *apply(transaction) {
      transaction.dataset(state.dataset, state.name)
      const before = transaction.read(key)
      if (!before) throw notFound(state, id)
      checkSeq(id, before, ifSeq)
      if (movesTo !== id && transaction.read(targetKey)) throw taken(state, movesTo)
      const earlier = yield* documentInPieces(before)
      if (same && isWithin(patch, earlier)) {
        same()
        return { id, seq: seqIn(before), document: earlier }
      }
      const document = merged(context, { id: movesTo, earlier, patch, texts })
      learnFields(transaction, state, [document])
      if (movesTo !== id) removeDocument(transaction, state.dataset, id)
      const { dataset } = state
      const patched = movesTo === id ? earlier : undefined
      const content = { dataset, id: movesTo, document, kind: 'content', patched } as const
      return { ...(yield* putDocument(transaction, content, context.clock)), document }
    },
  }
}

/** One patch of many documents, as a write and as an operation of the version that was read. */
export function updating(context: WriteContext, patch: JsonObject) {
  const { state } = context
  return withPatch(context, patch, (_, texts) => {
    const given = pathTexts(state.schema.root, patch, texts)
    return {
      write: (id: string) => patchOf(context, id, patch, texts),
      operation: ({ id, seq, document }: { id: string; seq: number; document: JsonObject }) => {
        merged(context, { id, earlier: document, patch, texts })
        const condition = { id, ifSeq: seq, ...(given && { texts: given }) }
        return { type: 'update' as const, dataset: state.name, patch, ...condition }
      },
    }
  })
}

interface Merging {
  readonly id: string
  readonly earlier: JsonObject
  readonly patch: JsonObject
  readonly texts: FileTexts
}

/** A document with a patch, and its files with their texts. INVALID_DOCUMENT where that breaks a rule. */
function merged({ state, limits }: WriteContext, { id, earlier, patch, texts }: Merging): JsonObject {
  const { root } = state.schema
  const known = new Map([...attachedTexts(root, earlier), ...texts])
  const document = giveTexts(root, state.admitMerged(mergeDeep(earlier, patch)), known)
  refuseOtherId(state, document, id)
  checkGrowth(document, earlier, limits)
  return document
}

const lengthOf = (texts: FileTexts): number => [...texts.values()].reduce((sum, text) => sum + text.length, 0)

/** A zod object that changes ids would leave the document under another id than its own. */
function refuseOtherId({ rules, settings }: DatasetState, document: JsonObject, id: string): void {
  if (rules.documentId(document) === id) return
  const issue = problem(settings.idField, document[settings.idField], `the id ${show(id)}`)
  throw invalid('INVALID_DOCUMENT', 'document', [issue])
}

/** The number of the change, or null when there was no such document. */
export function deletion(
  { state }: WriteContext,
  id: string,
  { ifSeq }: WriteOptions = {},
): Mutation<number | null> {
  const key = documentKey(state.dataset, id)
  return {
    reads: [key],
    bytes: 128,
    apply(transaction) {
      transaction.dataset(state.dataset, state.name)
      checkSeq(id, transaction.read(key), ifSeq)
      return removeDocument(transaction, state.dataset, id)
    },
  }
}

/** A document of one dataset into another, as it is when its turn comes. INVALID_DOCUMENT as the rules there say. */
export function transfer(
  source: WriteContext,
  target: WriteContext,
  { type, ...given }: Pick<TransferOperation, 'type' | 'ifSeq' | 'texts'> & { id: string; as: string },
): DocumentWrite {
  const { id, as, ifSeq, texts } = given
  const [from, into] = [source.state, target.state]
  const key = documentKey(from.dataset, id)
  return {
    reads: [key, documentKey(into.dataset, as)],
    bytes: 1024 + lengthOf(new Map(Object.entries(texts ?? {}))),
    *apply(transaction) {
      transaction.dataset(from.dataset, from.name)
      const value = transaction.read(key)
      if (!value) throw notFound(from, id)
      checkSeq(id, value, ifSeq)
      const document = yield* documentInPieces(value)
      const known = attachedTexts(from.schema.root, document)
      const arrive = (admitted: unknown, read: FileTexts) => whole(target, admitted, read, {}, () => {})
      const arrival = withKnownTexts(target, document, arrive, { known, texts })
      refuseOtherId(into, arrival.document!, as)
      if (type === 'move') removeDocument(transaction, from.dataset, id)
      return yield* applying(arrival, transaction)
    },
  }
}

/** Takes tags out of a document without touching its modification time. */
export function* putCleaned(
  transaction: Transaction,
  dataset: DatasetNumber,
  id: string,
  document: JsonObject,
): Generator<void> {
  const before = transaction.read(documentKey(dataset, id))
  if (!before) return
  yield* putDocument(transaction, { dataset, id, document, kind: 'tags' }, () => modifiedAtIn(before))
}

interface Content {
  readonly dataset: DatasetNumber
  readonly id: string
  readonly document: JsonObject
  readonly kind: ChangeKind
  /** What a patch has made it of. */
  readonly patched?: JsonObject | undefined
}

function* putDocument(
  transaction: Transaction,
  { dataset, id, document, kind, patched }: Content,
  clock: () => number,
): Generator<void, Written> {
  const key = documentKey(dataset, id)
  const value = yield* draft(document)
  const before = transaction.read(key)
  const seq = transaction.nextSeq()
  if (before) transaction.delete(changeKey(dataset, seqIn(before)))
  transaction.put(key, complete(value, seq, clock()))
  transaction.put(changeKey(dataset, seq), logEntry({ id, kind }))
  transaction.count(dataset, id, before, value)
  transaction.changes.push(new CommittedChange({ dataset, seq, id, kind, document, patched }, before))
  return { id, seq }
}

function removeDocument(transaction: Transaction, dataset: DatasetNumber, id: string): number | null {
  const key = documentKey(dataset, id)
  const before = transaction.read(key)
  if (!before) return null
  const seq = transaction.nextSeq()
  transaction.delete(changeKey(dataset, seqIn(before)))
  transaction.delete(key)
  transaction.put(changeKey(dataset, seq), logEntry({ id, kind: 'removal' }))
  transaction.count(dataset, id, before, undefined)
  const counts = transaction.counts(dataset)
  transaction.setCounts(dataset, { ...counts, tombstones: counts.tombstones + 1 })
  transaction.changes.push(new CommittedChange({ dataset, seq, id, kind: 'removal', document: null }, before))
  return seq
}

/** Several writes as one: all or none. */
export function allOrNone<T>(writes: readonly Mutation<T>[]): Mutation<T[]> {
  return {
    reads: writes.flatMap(write => write.reads),
    bytes: writes.reduce((sum, write) => sum + write.bytes, 0),
    *apply(transaction) {
      const results: T[] = []
      for (const write of writes) {
        results.push(yield* applying(write, transaction))
        yield
      }
      return results
    },
  }
}

function checkSeq(id: string, before: Uint8Array | undefined, ifSeq: number | undefined): void {
  if (ifSeq === undefined) return
  const seq = before ? seqIn(before) : 0
  if (seq === ifSeq) return
  throw new FindlingError(
    'SEQUENCE_MISMATCH',
    `The document ${show(id)} was last changed by change ${seq}, not by ${ifSeq}. Read it again, then decide.`,
    { field: 'ifSeq', received: String(ifSeq), expected: String(seq) },
  )
}

export function notFound(state: DatasetState, id: string, field = 'id'): FindlingError {
  return new FindlingError('DOCUMENT_NOT_FOUND', `The dataset ${state.name} has no document ${show(id)}.`, {
    field,
    received: show(id),
    expected: 'the id of a document that exists',
  })
}

function taken(state: DatasetState, id: string): FindlingError {
  return new FindlingError(
    'DOCUMENT_EXISTS',
    `The document cannot become ${show(id)}: the dataset ${state.name} already has a document with that id.`,
    { field: state.settings.idField, received: show(id), expected: 'an id that is not taken' },
  )
}

const show = (id: string): string => JSON.stringify(id.length > 80 ? `${id.slice(0, 80)}…` : id)

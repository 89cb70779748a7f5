import * as z from 'zod'
import type { DatasetDefinition } from '../datasets/dataset-definition.ts'
import type {
  CleaningOperation,
  DocumentOperation,
  TagOperation,
  TransferOperation,
  WriteResult,
} from '../datasets/job-steps.ts'
import type { DatasetSettingsInput } from '../datasets/schema/dataset-settings.ts'
import { type OwnerOptions, ownerMember } from '../datasets/writes.ts'
import { longList, longTexts } from '../long-members.ts'
import type { ServiceUse } from '../services/lifecycle-context.ts'
import type { NewService } from '../services/registry.ts'
import type { ServiceChanges } from '../services/service.ts'
import { entryMembers } from '../store/namespace.ts'

/** One write of `engine.write`. */
export type WriteOperation = SingleOperation | TogetherOperation

/** Several writes that are made together or not at all, even in a call whose writes are otherwise decided individually. */
export interface TogetherOperation {
  type: 'together'
  operations: readonly SingleOperation[]
}

/** One write that does not consist of others. */
export type SingleOperation =
  | DocumentOperation
  | TransferOperation
  | CleaningOperation
  | EntryOperation
  | DatasetOperation
  | TagOperation
  | ServiceOperation

/** A write to a key of a namespace; without a value the key is deleted. */
export interface EntryOperation {
  type: 'put'
  namespace: string
  key: string
  value?: unknown
  /** Write only if the key has no value yet; otherwise the result is `unchanged`. */
  ifAbsent?: boolean
  /** Write only if the key has a value; otherwise the result is `unchanged`. */
  ifPresent?: boolean
  /** Write only if the key still has this value; otherwise the result is `unchanged`. */
  ifValue?: unknown
}

/** A change to a dataset, as the methods of `engine.datasets` and `reconfigure()` make it. */
export type DatasetOperation =
  | { type: 'createDataset'; dataset: string; definition?: DatasetDefinition }
  | { type: 'removeDataset'; dataset: string }
  | { type: 'renameDataset'; dataset: string; to: string }
  | { type: 'swapDatasets'; dataset: string; with: string }
  | { type: 'configureDataset'; dataset: string; settings: DatasetSettingsInput }
  /**
   * Builds an index in advance for settings that `configureDataset` will set, so that no search has to wait for it then. With
   * empty settings, the advance index is given up.
   */
  | { type: 'prepareDataset'; dataset: string; settings: DatasetSettingsInput }

/** A change to a service, as `engine.services.create()` and the methods of a service make it, apart from its model. */
export type ServiceOperation =
  | { type: 'createService'; service: NewService }
  | { type: 'updateService'; id: string; changes: ServiceChanges }
  | { type: 'removeService'; id: string }
  | ServiceUse

/** The single operations that an operation consists of. */
export const singles = (operation: WriteOperation): readonly SingleOperation[] =>
  operation.type === 'together' ? operation.operations : [operation]

/** Groups the results of writes that were made together by the operations that asked for them. */
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

/** What `engine.write` takes besides the writes. */
export interface EngineWriteOptions extends OwnerOptions {
  /** Each write is accepted or refused individually, all in one commit. By default, if one is refused, all are. */
  each?: boolean
  /** The time of the writes, in milliseconds since 1970. Default: the time of the clock. */
  at?: number
  /**
   * The changes get the numbers that follow this one. SEQUENCE_MISMATCH if the store already has a higher one: writes replayed in
   * the same order get the same numbers, and are refused the second time. With it, nothing depends on the state of this engine
   * alone: files whose texts are not given are not read, and a dataset is removed even if a service was prepared from it. Await
   * each call before the next.
   */
  seqFrom?: number
}

const ifSeq = z.int().nonnegative().optional()
const object = z.custom<object>(value => typeof value === 'object' && value !== null, 'an object')
const id = z.union([z.string(), z.number()])
const dataset = z.string()
const texts = longTexts.optional()

const transferMembers = { dataset, id, to: z.string(), as: id.optional(), ifSeq, texts }

const singleSchemas = [
  z.strictObject({ type: z.literal('insert'), dataset, document: object, texts }),
  z.strictObject({ type: z.literal('upsert'), dataset, document: object, ifSeq, texts }),
  z.strictObject({
    type: z.literal('update'),
    dataset,
    id,
    patch: object,
    ifSeq,
    ifChanged: z.boolean().optional(),
    texts,
  }),
  z.strictObject({ type: z.literal('delete'), dataset, id, ifSeq }),
  z.strictObject({ type: z.literal('copy'), ...transferMembers }),
  z.strictObject({ type: z.literal('move'), ...transferMembers }),
  z.strictObject({ type: z.literal('declareDeadTags'), dataset, tags: longList(id) }),
  z.strictObject({ type: z.literal('cleanDocuments'), dataset, ids: longList(id) }),
  z.strictObject({ type: z.literal('forgetDeadTags'), dataset, tags: longList(id) }),
  z.strictObject({ type: z.literal('put'), namespace: z.string(), key: z.string(), ...entryMembers }),
  z.strictObject({ type: z.literal('createDataset'), dataset, definition: object.optional() }),
  z.strictObject({ type: z.literal('removeDataset'), dataset }),
  z.strictObject({ type: z.literal('renameDataset'), dataset, to: z.string() }),
  z.strictObject({ type: z.literal('swapDatasets'), dataset, with: z.string() }),
  z.strictObject({ type: z.literal('configureDataset'), dataset, settings: object }),
  z.strictObject({ type: z.literal('prepareDataset'), dataset, settings: object }),
  z.strictObject({ type: z.literal('createTag'), dataset, tag: object }),
  z.strictObject({ type: z.literal('updateTag'), dataset, id, change: object }),
  z.strictObject({
    type: z.literal('removeTag'),
    dataset,
    id,
    force: z.boolean().default(false),
    cleanDocuments: z.boolean().default(false),
  }),
  z.strictObject({ type: z.literal('replaceTags'), dataset, tags: z.array(z.unknown()) }),
  z.strictObject({ type: z.literal('createService'), service: object }),
  z.strictObject({ type: z.literal('updateService'), id: z.string(), changes: object }),
  z.strictObject({ type: z.literal('removeService'), id: z.string() }),
  z.strictObject({ type: z.literal('activateService'), id: z.string(), settings: object.optional() }),
  z.strictObject({ type: z.literal('deactivateService'), id: z.string() }),
] as const

const single = z.discriminatedUnion('type', singleSchemas)
export const operationsSchema = z.array(
  z.discriminatedUnion('type', [
    ...singleSchemas,
    z.strictObject({ type: z.literal('together'), operations: longList(single) }),
  ]),
)
export type CheckedOperation = z.output<typeof operationsSchema>[number]

export const writeOptions = z.strictObject({
  ...ownerMember,
  each: z.boolean().default(false),
  at: z.number().nonnegative().optional(),
  seqFrom: z.int().nonnegative().optional(),
})

import * as z from 'zod'
import type { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'

/** One document. */
export type DocumentOperation =
  | { type: 'insert'; dataset: string; document: object; texts?: FileTextsByPath }
  | { type: 'upsert'; dataset: string; document: object; ifSeq?: number; texts?: FileTextsByPath }
  | {
      type: 'update'
      dataset: string
      id: string | number
      patch: object
      ifSeq?: number
      /** A patch that changes nothing writes nothing. */
      ifChanged?: boolean
      texts?: FileTextsByPath
    }
  | { type: 'delete'; dataset: string; id: string | number; ifSeq?: number }

/** The texts of attached files by the paths of their fields, such as `manuals[0]`: what is given is not read again. */
export type FileTextsByPath = Readonly<Record<string, string>>

/** A document, as it is when the operation is applied, into another dataset under the rules there. */
export interface TransferOperation {
  /** With `move` the document leaves its dataset in the same write. */
  type: 'copy' | 'move'
  dataset: string
  id: string | number
  /** The other dataset. */
  to: string
  /** Its id there, where that takes it from another field. Default: the same. */
  as?: string | number
  ifSeq?: number
  /** Of files that are none in its own dataset; the texts of others come along. */
  texts?: FileTextsByPath
}

/** How ids of tags that are gone leave the documents. */
export type CleaningOperation =
  /** The ids are to leave all documents. */
  | { type: 'declareDeadTags'; dataset: string; tags: readonly (string | number)[] }
  /** They leave these documents, whose modification times stay. */
  | { type: 'cleanDocuments'; dataset: string; ids: readonly (string | number)[] }
  /** They have left all documents, or need not any more. */
  | { type: 'forgetDeadTags'; dataset: string; tags: readonly (string | number)[] }

/** A tag as a caller gives it; blank and null parents are roots. */
export interface TagInput {
  id: string | number
  name: string
  parentId?: string | number | null
}

/** Tags, as the methods of `dataset.tags` change them. */
export type TagOperation =
  | { type: 'createTag'; dataset: string; tag: TagInput }
  | { type: 'updateTag'; dataset: string; id: string | number; change: Partial<TagInput> }
  | {
      type: 'removeTag'
      dataset: string
      id: string | number
      force?: boolean
      /** The ids are to leave the documents: see `dataset.tags.resumeCleaning()`. */
      cleanDocuments?: boolean
    }
  | { type: 'replaceTags'; dataset: string; tags: readonly TagInput[] }

/** What jobs write, as `engine.write` takes it. */
export type StepOperation = DocumentOperation | TransferOperation | CleaningOperation | TagOperation

/** What was written: a document, an entry, a tag, a service or a dataset by its id, key or name. */
export interface WriteResult {
  /** Empty for writes that are made together. */
  id: string
  /** The number of the change of a document; null when there was nothing to delete, and for everything else. */
  seq: number | null
  /** Of writes that are made together, each. */
  results?: WriteResult[]
  /** Of `removeTag`: the ids of the tag and of those below it. */
  removed?: readonly string[]
  /** Of `update` with `ifChanged`, and `put` with `ifAbsent`, `ifPresent` or `ifValue`: there was nothing to write. */
  unchanged?: true
  /** Of `cleanDocuments`: how many of the documents have lost a tag. */
  changed?: number
}

/** The result of one write of `engine.write` with `each`: what was written, or why it was refused. */
export type WriteOutcome = (WriteResult & { error?: undefined }) | { error: FindlingError }

/** Makes the writes of an engine in its place: in an order that is agreed on elsewhere, here and in other engines. */
export interface WriteThrough<Operation = StepOperation> {
  /**
   * Gets the operations of one call or of one step of a job, and resolves with their outcomes, in order, once this engine has
   * made them by `engine.write` with `each` and `seqFrom`.
   */
  write(operations: Operation[], options: { owner: string }): Promise<readonly WriteOutcome[]>
}

/** Where jobs write what they have decided, and calls what they were asked for. */
export interface Steps<Operation = StepOperation> {
  /** Whether somebody else writes them, and other writes may come first. */
  readonly areHandedOver: boolean
  /** Each for itself. */
  write(operations: Operation[], owner: string): Promise<readonly WriteOutcome[]>
}

/** The result of one write; throws what it was refused for. */
export async function writeOne<Operation>(
  steps: Steps<Operation>,
  operation: Operation,
  owner = '',
): Promise<WriteResult> {
  const [outcome] = await steps.write([operation], owner)
  if (outcome!.error) throw outcome!.error
  return outcome!
}

const isOutcome = (value: unknown): value is WriteOutcome =>
  typeof value === 'object' && value !== null && ('id' in value || 'error' in value)

/** Steps that somebody else writes, whose answers are checked. */
export const handedOver = <Operation>(writeThrough: WriteThrough<Operation>): Steps<Operation> => ({
  areHandedOver: true,
  async write(operations, owner) {
    const expected = `a list of ${operations.length} outcomes of engine.write with each`
    const outcomes = z
      .array(z.custom<WriteOutcome>(isOutcome, 'an outcome of engine.write with each'), { error: expected })
      .length(operations.length, { error: expected })
    return parseInput(
      z.object({ writeThrough: outcomes }),
      { writeThrough: await writeThrough.write(operations, { owner }) },
      'options',
    ).writeThrough
  },
})

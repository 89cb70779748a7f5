import * as z from 'zod'
import type { FindlingError } from '../errors.ts'
import { parseInput } from '../input.ts'

/** A write of one document. */
export type DocumentOperation =
  | { type: 'insert'; dataset: string; document: object; texts?: FileTextsByPath }
  | { type: 'upsert'; dataset: string; document: object; ifSeq?: number; texts?: FileTextsByPath }
  | {
      type: 'update'
      dataset: string
      id: string | number
      patch: object
      ifSeq?: number
      /** If the patch changes nothing, nothing is written. */
      ifChanged?: boolean
      texts?: FileTextsByPath
    }
  | { type: 'delete'; dataset: string; id: string | number; ifSeq?: number }

/** The texts of attached files by the paths of their fields, such as `manuals[0]`; these files are not read again. */
export type FileTextsByPath = Readonly<Record<string, string>>

/** Copies or moves a document, as it is when the operation is applied, into another dataset, under that dataset's rules. */
export interface TransferOperation {
  /** With `move`, the document is removed from its dataset in the same write. */
  type: 'copy' | 'move'
  dataset: string
  id: string | number
  /** The target dataset. */
  to: string
  /** Its id in the target, if that takes ids from another field. Default: the same id. */
  as?: string | number
  ifSeq?: number
  /** Texts of files that are not files in the source dataset; the texts of other files are copied. */
  texts?: FileTextsByPath
}

/** Removes the ids of removed tags from documents. */
export type CleaningOperation =
  /** Declares that these ids have to be removed from all documents. */
  | { type: 'declareDeadTags'; dataset: string; tags: readonly (string | number)[] }
  /** Removes the declared ids from these documents, whose modification times stay. */
  | { type: 'cleanDocuments'; dataset: string; ids: readonly (string | number)[] }
  /** Declares that the ids are removed from all documents, or need not be. */
  | { type: 'forgetDeadTags'; dataset: string; tags: readonly (string | number)[] }

/** A tag as a caller gives it; blank and null parents are roots. */
export interface TagInput {
  id: string | number
  name: string
  parentId?: string | number | null
}

/** A change to tags, as the methods of `dataset.tags` make it. */
export type TagOperation =
  | { type: 'createTag'; dataset: string; tag: TagInput }
  | { type: 'updateTag'; dataset: string; id: string | number; change: Partial<TagInput> }
  | {
      type: 'removeTag'
      dataset: string
      id: string | number
      force?: boolean
      /** Also has the ids removed from the documents: see `dataset.tags.resumeCleaning()`. */
      cleanDocuments?: boolean
    }
  | { type: 'replaceTags'; dataset: string; tags: readonly TagInput[] }

/** A write of a job, as `engine.write` takes it. */
export type StepOperation = DocumentOperation | TransferOperation | CleaningOperation | TagOperation

/** The result of a write. */
export interface WriteResult {
  /** The id, key or name of the document, entry, tag, service or dataset; empty for writes that are made together. */
  id: string
  /** The change number of the document; null if there was nothing to delete, and for anything but documents. */
  seq: number | null
  /** For writes that are made together: the result of each. */
  results?: WriteResult[]
  /** For `removeTag`: the ids of the tag and of those below it. */
  removed?: readonly string[]
  /** For `update` with `ifChanged`, and `put` with `ifAbsent`, `ifPresent` or `ifValue`: nothing was written. */
  unchanged?: true
  /** For `cleanDocuments`: how many of the documents have lost a tag. */
  changed?: number
}

/** The result of one write of `engine.write` with `each`: what was written, or why it was refused. */
export type WriteOutcome = (WriteResult & { error?: undefined }) | { error: FindlingError }

/** Takes over the writes of an engine, to make them in an order that is agreed on elsewhere, in this engine and in replicas. */
export interface WriteThrough<Operation = StepOperation> {
  /**
   * Receives the operations of one call or of one step of a job, and resolves with their outcomes, in order, once they have been
   * made in this engine by `engine.write` with `each` and `seqFrom`.
   */
  write(operations: Operation[], options: { owner: string }): Promise<readonly WriteOutcome[]>
}

/** Makes the writes of calls and of steps of jobs. */
export interface Steps<Operation = StepOperation> {
  /** Whether the writes are handed over, so that other writes may come first. */
  readonly areHandedOver: boolean
  /** Each operation succeeds or fails individually. */
  write(operations: Operation[], owner: string): Promise<readonly WriteOutcome[]>
}

/** Makes one write and returns its result; throws the error if it was refused. */
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

/** Hands the writes over, and checks the outcomes that come back. */
export const handedOver = <Operation>(writeThrough: WriteThrough<Operation>): Steps<Operation> => ({
  areHandedOver: true,
  async write(operations, owner) {
    const expected = `a list of ${operations.length} outcomes, as engine.write returns them with the option each`
    const outcomes = z
      .array(
        z.custom<WriteOutcome>(isOutcome, 'an outcome, as engine.write returns it with the option each'),
        { error: expected },
      )
      .length(operations.length, { error: expected })
    return parseInput(
      z.object({ writeThrough: outcomes }),
      { writeThrough: await writeThrough.write(operations, { owner }) },
      'options',
    ).writeThrough
  },
})

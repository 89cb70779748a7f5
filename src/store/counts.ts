import * as z from 'zod'
import { sealText } from './checksum.ts'
import { type ContentSum, noContent } from './content-sum.ts'
import type { Operation } from './database.ts'
import { type DatasetNumber, datasetNumberSchema } from './dataset-number.ts'
import { CHECKPOINT_KEY } from './keyspace.ts'

/** What a dataset must hold, known without reading it, for comparison by the doctor and the recovery. */
export interface Counts {
  documents: number
  /** Sum, modulo 2^32, of the checksums of all documents. */
  digest: number
  /** A stronger sum without the number of the dataset, to compare stores; earlier versions did not count it. */
  content?: ContentSum | undefined
  /** Number of removals still in the change log. */
  tombstones: number
  /** Removals up to this sequence number have left the change log. */
  prunedSeq: number
}

export const noCounts = (): Counts => ({
  documents: 0,
  digest: 0,
  content: noContent,
  tombstones: 0,
  prunedSeq: 0,
})

const countsSchema = z.object({
  documents: z.int().nonnegative(),
  digest: z.int().nonnegative(),
  content: z.tuple([z.int().nonnegative(), z.int().nonnegative()]).readonly().optional(),
  tombstones: z.int().nonnegative(),
  prunedSeq: z.int().nonnegative(),
})

const stateMembers = {
  counts: z.array(z.tuple([datasetNumberSchema, countsSchema])),
  /**
   * Checksum of the manifest's stored value, which distinguishes it from an older one with a valid seal; in the journal, if this
   * commit wrote one.
   */
  manifest: z.int().nonnegative().optional(),
}

export const checkpointSchema = z.object({ seq: z.int().nonnegative(), ...stateMembers })

/** One commit. `first` is the sequence number after the previous entry's `last`: a missing entry shows as a gap. */
export const journalSchema = z.object({
  first: z.int().positive(),
  last: z.int().positive(),
  ...stateMembers,
})
export type JournalEntry = z.output<typeof journalSchema>

/** Stores the counts as of a change, and deletes the journal entries up to it. */
export function checkpointOperations(
  { seq, counts, manifest }: { seq: number; counts: Map<DatasetNumber, Counts>; manifest: number },
  journalled: readonly string[],
): Operation[] {
  const value = sealText(CHECKPOINT_KEY, JSON.stringify({ seq, counts: [...counts], manifest }))
  const operations: Operation[] = [{ type: 'put', key: CHECKPOINT_KEY, value }]
  for (const key of journalled) operations.push({ type: 'del', key })
  return operations
}

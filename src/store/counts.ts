import * as z from 'zod'

/** What a dataset must hold, known without reading it: the doctor and the recovery compare. */
export interface Counts {
  documents: number
  /** Sum, modulo 2^32, of the checksums of all documents. */
  digest: number
  /** Removals the change log still tells of. */
  tombstones: number
  /** Removals up to this sequence number have left the change log. */
  prunedSeq: number
}

export const noCounts = (): Counts => ({ documents: 0, digest: 0, tombstones: 0, prunedSeq: 0 })

const countsSchema = z.object({
  documents: z.int().nonnegative(),
  digest: z.int().nonnegative(),
  tombstones: z.int().nonnegative(),
  prunedSeq: z.int().nonnegative(),
})

export const checkpointSchema = z.object({
  seq: z.int().nonnegative(),
  counts: z.array(z.tuple([z.int().positive(), countsSchema])),
})

/** One commit. `first` is the sequence number after the previous entry's `last`: a missing entry shows as a gap. */
export const journalSchema = z.object({
  first: z.int().positive(),
  last: z.int().positive(),
  counts: z.array(z.tuple([z.int().positive(), countsSchema])),
})
export type JournalEntry = z.output<typeof journalSchema>

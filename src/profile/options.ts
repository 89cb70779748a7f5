import * as z from 'zod'
import type { JobOptions } from '../jobs/job.ts'
import { watching } from '../jobs/watching.ts'

const MOST_TABLES = 10
const MOST_JUDGED = 20_000
const field = z.string().min(1).max(1_000)

/** What `dataset.profile()` takes, all of it optional. */
export interface ProfileOptions extends JobOptions {
  /** Pairs of fields whose values are counted together, at most 10. Default none. */
  crossTables?: readonly (readonly [string, string])[]
  /**
   * Maximum number of documents whose tags are judged, spread evenly over the dataset: 0 to 20,000; each thousand takes about a
   * second of CPU time. Default 5,000; 0 turns the search for doubtful tags off.
   */
  judged?: number
}

export const profileOptions = z.strictObject({
  crossTables: z
    .array(z.tuple([field, field]))
    .max(MOST_TABLES)
    .default([]),
  judged: z.int().min(0).max(MOST_JUDGED).default(5_000),
  ...watching,
})

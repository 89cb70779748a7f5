import * as z from 'zod'
import type { JobOptions } from '../jobs/job.ts'
import { watching } from '../jobs/watching.ts'

const MOST_TABLES = 10
const field = z.string().min(1).max(1_000)

/** What `dataset.profile()` takes, all of it optional. */
export interface ProfileOptions extends JobOptions {
  /** Pairs of fields whose values are counted together, at most 10. Default none. */
  crossTables?: readonly (readonly [string, string])[]
}

export const profileOptions = z.strictObject({
  crossTables: z
    .array(z.tuple([field, field]))
    .max(MOST_TABLES)
    .default([]),
  ...watching,
})

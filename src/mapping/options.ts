import * as z from 'zod'
import type { JobOptions } from '../jobs/job.ts'
import { watching } from '../jobs/watching.ts'

/** Maximum number of points of a map. */
export const MOST_POINTS = 5_000

/** What `dataset.map()` takes, all of it optional. */
export interface MapJobOptions extends JobOptions {
  /** Whether documents are points, or the tags that they name. Default `documents`. */
  of?: 'documents' | 'tags'
  /** Maximum number of documents to examine, spread evenly over the dataset: 1 to 5,000. Default 2,000. */
  sample?: number
  /** Seed of the random numbers, an integer from 0: the same documents and seed give the same map. Default 1. */
  seed?: number
}

export const mapJobOptions = z.strictObject({
  of: z.enum(['documents', 'tags']).default('documents'),
  sample: z.int().min(1).max(MOST_POINTS).default(2_000),
  seed: z
    .int()
    .min(0)
    .max(2 ** 31)
    .default(1),
  ...watching,
})

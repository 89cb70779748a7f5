import { availableParallelism } from 'node:os'
import * as z from 'zod'

/** Worker threads that a job may use at the same time: by default one is left for everything else. */
export const parallel = z
  .int()
  .positive()
  .default(() => Math.max(1, availableParallelism() - 1))

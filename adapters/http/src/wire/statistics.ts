import * as z from 'zod'

/** Contract, 12. */
export const Statistics = z
  .object({
    Sum: z.int().describe('All requests so far'),
    Statistics: z.record(
      z.string().regex(/^\d{4}-\d{2}$/),
      z.object({ Actions: z.array(z.object({ Name: z.string(), Count: z.int() })), Sum: z.int() }),
    ),
  })
  .meta({ id: 'Statistics' })

import * as z from 'zod'

/** Contract, 13. */
export const Status = z
  .object({
    ApiVersion: z.string(),
    ProcessorCount: z.int(),
    CpuUsage: z.number().describe('Percent'),
    AvailableFreeSpace: z.number().describe('Megabytes of the disk with the data, as are the others'),
    TotalSpace: z.number(),
    TotalMemory: z.number(),
    FreeMemory: z.number(),
  })
  .meta({ id: 'Status' })

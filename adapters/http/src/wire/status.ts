import type { MemoryUse } from 'findling'
import * as z from 'zod'
import { megabytes } from '../status/status.ts'
import { toWire } from './casing.ts'

/** Contract, 13; the list of what is loaded is an extension. */
export const Status = z
  .object({
    ApiVersion: z.string(),
    ProcessorCount: z.int(),
    CpuUsage: z.number().describe('Percent'),
    AvailableFreeSpace: z
      .number()
      .describe('Free space on the disk with the data, in megabytes like the other sizes'),
    TotalSpace: z.number(),
    TotalMemory: z.number(),
    FreeMemory: z.number(),
    Loaded: z
      .object({
        Total: z.number(),
        DataSets: z.array(
          z.object({
            Name: z.string(),
            Index: z.number(),
            Completions: z.number(),
            Likeness: z.number(),
            Words: z.number(),
            Vectors: z.number(),
            Classifiers: z.number(),
          }),
        ),
        Services: z.array(z.object({ Id: z.string(), Name: z.string(), Size: z.number() })),
      })
      .optional()
      .describe(
        'If asked for: the megabytes of memory that indexes, completions, document comparison, words by tag, vectors, classifiers and active services use',
      )
      .meta({ 'x-extension': true }),
  })
  .meta({ id: 'Status' })

export const StatusQuery = z.object({
  withMemory: z
    .boolean()
    .default(false)
    .describe('true: also shows how much memory the datasets use')
    .meta({ 'x-extension': true }),
})

export function loadedModel({ total, datasets, services }: MemoryUse) {
  const taken = datasets.map(({ name, index, completions, likeness, words, vectors, classifiers }) => ({
    name,
    index: megabytes(index),
    completions: megabytes(completions),
    likeness: megabytes(likeness),
    words: megabytes(words),
    vectors: megabytes(vectors),
    classifiers: megabytes(classifiers),
  }))
  const active = services.map(({ id, name, bytes }) => ({ id, name, size: megabytes(bytes) }))
  return toWire({ total: megabytes(total), dataSets: taken, services: active })
}

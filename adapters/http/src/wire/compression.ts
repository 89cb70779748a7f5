import type { Compression } from 'findling'
import * as z from 'zod'

const CompressSettings = z
  .object({
    CategoryOccurence: z.int().min(0).default(0).describe('Maximum number of occurrences in the tag'),
    DataSetOccurence: z.int().min(0).default(0).describe('Maximum number of occurrences in the dataset'),
    Operator: z.enum(['AND', 'OR']).default('AND'),
  })
  .meta({ id: 'CompressSettings' })

function optionally<Schema extends z.ZodType>(settings: Schema) {
  return settings
    .nullable()
    .optional()
    .describe(
      'Terms this rare are left out, unless one of the numbers is 0. Takes precedence over CompressLevel',
    )
}

/** Contract, 7.5. */
export const compressionMembers = {
  CompressLevel: z
    .int()
    .min(0)
    .max(2)
    .default(0)
    .describe('1 leaves out what occurs once, 2 what occurs at most twice in each tag'),
  CompressSettings: optionally(CompressSettings),
}

/** Of an extension, which refuses unknown members. */
export const strictCompressionMembers = {
  ...compressionMembers,
  CompressSettings: optionally(CompressSettings.strict()),
}

type Given = z.output<z.ZodObject<typeof compressionMembers>>

export function compressionIn({ CompressLevel, CompressSettings: given }: Given): 0 | 1 | 2 | Compression {
  if (!given) return CompressLevel as 0 | 1 | 2 // the bounds of its schema
  return { inTag: given.CategoryOccurence, inDataset: given.DataSetOccurence, operator: given.Operator }
}

export function compressionModel(compression: 0 | 1 | 2 | Compression): Given {
  if (typeof compression === 'number') return { CompressLevel: compression, CompressSettings: null }
  const { inTag, inDataset, operator } = compression
  return {
    CompressLevel: 0,
    CompressSettings: { CategoryOccurence: inTag, DataSetOccurence: inDataset, Operator: operator },
  }
}

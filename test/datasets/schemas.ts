import type * as z from 'zod'
import type { DatasetSettings } from '../../src/datasets/schema/dataset-settings.ts'
import type { DatasetSchema } from '../../src/datasets/schema/schema.ts'
import { readJsonSchema, settleSchema } from '../../src/datasets/schema/schema-json.ts'
import { readSample, settleSample } from '../../src/datasets/schema/schema-sample.ts'
import { readZod } from '../../src/datasets/schema/schema-zod.ts'

/** The schemas of datasets with these settings. */
export const schemaFromJsonSchema = (json: unknown, settings: DatasetSettings): DatasetSchema =>
  settleSchema(readJsonSchema(json), settings)

export const schemaFromSample = (sample: unknown, settings: DatasetSettings): DatasetSchema =>
  settleSample(readSample(sample), settings)

export const schemaFromZod = (type: z.ZodObject, settings: DatasetSettings): DatasetSchema =>
  settleSchema(readZod(type), settings)

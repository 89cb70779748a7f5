import type { Dataset } from 'findling'
import * as z from 'zod'
import { raw, toWire } from './casing.ts'
import { content, dataSetName, fieldName, fieldPath } from './rules.ts'

const nGramCount = z.int('a whole number from 1 to 6').min(1).max(6)

/** Contract, 3.1. */
export const DataSetInput = z
  .object({
    Name: dataSetName,
    NGramCount: nGramCount,
    IdField: fieldName,
    TagField: fieldName,
    InterpretedFields: z.array(fieldPath).default([]),
    SampleDocument: z.unknown().optional().describe('An object, or text holding one as JSON'),
    Schema: z.unknown().optional().describe('A JSON schema, or text holding one'),
  })
  .meta({ id: 'DataSetInput' })

export const DataSetUpdate = z.object({ Name: dataSetName }).meta({ id: 'DataSetUpdate' })

export const DataSet = z
  .object({
    Name: z.string(),
    NGramCount: z.int(),
    IdField: z.string(),
    TagField: z.string(),
    InterpretedFields: z.array(z.string()),
    Statistics: z.object({ DocumentsCount: z.int() }),
    SampleDocument: content.nullable(),
    Schema: content.nullable(),
  })
  .meta({ id: 'DataSet' })

export function dataSetModel({ name, settings, schema, documents }: Dataset): z.output<typeof DataSet> {
  const { nGramCount, idField, tagField, interpretedFields } = settings
  return toWire({
    name,
    nGramCount,
    idField,
    tagField,
    interpretedFields,
    statistics: { documentsCount: documents.count },
    sampleDocument: raw(schema.source === 'sample' ? schema.given : null),
    schema: raw(schema.source === 'schema' ? schema.given : null),
  }) as z.output<typeof DataSet> // what was given as sample or schema is an object
}

/** What can change after a dataset was made; what is left out stays. */
export const DataSetSettings = z
  .object({
    InterpretedFields: z.array(fieldPath).optional(),
    NGramCount: nGramCount.optional(),
    Language: z.enum(['English', 'None']).optional(),
    Validation: z.enum(['Strict', 'Lenient']).optional(),
    Weights: z
      .array(
        z.object({
          Field: fieldPath,
          Weight: z.number().gt(0).max(100).optional(),
          B: z.number().min(0).max(1).optional(),
        }),
      )
      .optional()
      .describe('How much a match in a field counts, and how much a long text counts against one'),
  })
  .meta({ id: 'DataSetSettings' })

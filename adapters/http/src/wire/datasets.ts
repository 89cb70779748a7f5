import type { Dataset } from 'findling'
import * as z from 'zod'
import { raw, toWire } from './casing.ts'
import { content, dataSetName, fieldName, fieldPath } from './rules.ts'
import { givenExtras, nGramCount } from './settings.ts'

/** Contract, 3.1, plus settings that the contract does not have. Both ways to create a dataset have it as their model. */
const givenDataSet = z
  .object({
    Name: dataSetName,
    NGramCount: nGramCount,
    IdField: fieldName,
    TagField: fieldName,
    InterpretedFields: z.array(fieldPath).default([]),
    SampleDocument: z.unknown().optional().describe('An object, or a text that contains one as JSON'),
    Schema: z.unknown().optional().describe('A JSON schema, or a text that contains one'),
    ...givenExtras,
  })
  .meta({ id: 'DataSetInput' })

/** What the sample or schema has to be. */
export const shapeRule = 'an object, or a text that contains one as JSON'

/** Beside problems of other members, a missing shape is reported with them; alone, only after a taken name (contract, 3.4). */
const withShape = (shape: 'SampleDocument' | 'Schema') =>
  givenDataSet.refine(given => given[shape] !== undefined && given[shape] !== null, {
    path: [shape],
    error: shapeRule,
    when: ({ issues }) => issues.some(({ path }) => path !== undefined && path.length > 0),
  })

export const DataSetBySample = withShape('SampleDocument')
export const DataSetBySchema = withShape('Schema')

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
  }) as z.output<typeof DataSet> // the given sample or schema is an object
}

import * as z from 'zod'
import { describeValue, invalid, parseInput, problem, refuseIssues } from '../input.ts'
import { isObject } from '../json.ts'
import { knownFields } from '../query/fields.ts'
import { OwnAnalyzers } from './analyzers.ts'
import { queryFields } from './query-fields.ts'
import {
  type DatasetSettings,
  type DatasetSettingsInput,
  parseSettings,
  refuseUseless,
} from './schema/dataset-settings.ts'
import { type DatasetSchema, openSchema, type SchemaSource } from './schema/schema.ts'
import { readJsonSchema, settleSchema } from './schema/schema-json.ts'
import { readSample, settleSample } from './schema/schema-sample.ts'
import { jsonSchemaOfZod, readZod } from './schema/schema-zod.ts'
import type { Definition } from './state.ts'

/** The definition of a dataset: its settings, and a sample document, a schema or neither. */
export interface DatasetDefinition extends DatasetSettingsInput {
  /** A typical document, or text holding one as JSON. */
  sample?: unknown
  /** A zod object, a JSON schema, or text holding one. */
  schema?: unknown
}

const anObject = z.custom<object>(isObject, 'an object of settings')

/**
 * Everything a dataset is made from, checked and with defaults. A sample or schema that is null counts as absent.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function defineDataset(definition: unknown, analyzers = OwnAnalyzers.none): Definition {
  const checked = parseInput(anObject, definition, 'dataset settings')
  const { sample, schema, ...given }: DatasetDefinition = analyzers.chosen(checked)
  const source = readSource(sample ?? undefined, schema ?? undefined)
  const settings = parseSettings(given, source?.root)
  refuseUseless(settings, given.interpretedFields, source?.root)
  const findsFields = !source && given.interpretedFields === undefined
  if (!source) return { settings, schema: openSchema(settings), findsFields }
  const settled = source.source === 'sample' ? settleSample(source, settings) : settleSchema(source, settings)
  refuseUnknownFields(given, settings, settled)
  return { settings, schema: settled, findsFields }
}

/**
 * Refuses the names of fields that the sample or schema lacks, in those settings that may name any of its fields.
 * @throws FindlingError INVALID_ARGUMENT
 */
export function refuseUnknownFields(
  { groupBy, signals }: DatasetSettingsInput,
  settings: DatasetSettings,
  schema: DatasetSchema,
): void {
  const fields = queryFields(settings, schema)
  const named = [
    ...(typeof groupBy === 'string' ? [['groupBy', groupBy] as const] : []),
    ...Object.keys(signals ?? {}).map(name => ['signals', name] as const),
  ]
  const unknown = named.filter(([, name]) => !fields.find(name))
  refuseIssues(
    'dataset settings',
    unknown.map(([setting, name]) => problem(setting, name, knownFields(name, fields))),
  )
}

/** The definition as JSON: a zod object becomes a JSON schema. */
export const travelling = (definition: DatasetDefinition): DatasetDefinition =>
  definition.schema instanceof z.ZodObject
    ? { ...definition, schema: jsonSchemaOfZod(definition.schema) }
    : definition

function readSource(sample: unknown, schema: unknown): SchemaSource | undefined {
  if (sample !== undefined && schema !== undefined) {
    const issue = { field: 'schema', received: 'given together with a sample', expected: 'only one of them' }
    throw invalid('INVALID_ARGUMENT', 'dataset settings', [issue])
  }
  if (sample !== undefined) return readSample(sample)
  if (schema === undefined) return undefined
  if (schema instanceof z.ZodObject) return readZod(schema)
  refuseOtherSchema(schema)
  return readJsonSchema(schema)
}

/** Schemas of other libraries, and zod schemas that are not objects, are named in the error. */
function refuseOtherSchema(schema: unknown): void {
  if (!isObject(schema)) return
  const prototype: unknown = Object.getPrototypeOf(schema)
  const received = '_zod' in schema ? zodName(schema) : '_def' in schema ? 'a schema of zod 3' : undefined
  if (received === undefined && (prototype === Object.prototype || prototype === null)) return
  const expected = "an object of zod 4, z.object({…}) from 'zod', or a JSON schema"
  const issue = { field: 'schema', received: received ?? describeValue(schema), expected }
  throw invalid('INVALID_ARGUMENT', 'dataset settings', [issue])
}

function zodName(schema: object): string {
  const name = schema.constructor.name
  return name.startsWith('ZodMini') ? `${name} of zod/mini` : `${name} of zod`
}

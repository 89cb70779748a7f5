import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { invalid } from '../../input.ts'
import type { JsonObject } from '../../json.ts'

export const fieldTypes = [
  'string',
  'long',
  'integer',
  'short',
  'byte',
  'double',
  'float',
  'boolean',
  'date',
  'attachment',
  'object',
  'array',
  'any',
] as const

/** The types that a field can have. */
export type FieldType = (typeof fieldTypes)[number]

/** One field as the engine knows it; plain JSON, stored with the dataset. */
export interface FieldSchema {
  type: FieldType
  /** Of dates only. */
  format?: string | undefined
  /** Of lists only: the elements. */
  items?: FieldSchema | undefined
  /** Of objects only. Pairs, not an object, so that no name is special. */
  properties?: [name: string, field: FieldSchema][] | undefined
}

export interface TagShape {
  /** `simple` is one id, `array` a list of ids; lenient datasets accept `either`. */
  shape: 'simple' | 'array' | 'either'
  /** Tag ids must be whole numbers. Decided when the dataset is created. */
  integer: boolean
}

/** The fields of the documents, as far as a sample or schema declares them. */
export interface DatasetSchema {
  source: 'sample' | 'schema' | 'none'
  /** The sample or JSON schema as it was given, or null. */
  given: JsonObject | null
  root: FieldSchema
  tag: TagShape
}

/** What a sample or schema says before the settings are checked against it. */
export type SchemaSource = Omit<DatasetSchema, 'tag'>

/** Without sample and schema every field is accepted. Strict datasets need one of them. */
export function openSchema(settings: { readonly validation: 'lenient' | 'strict' }): DatasetSchema {
  if (settings.validation === 'strict') {
    throw invalid('INVALID_ARGUMENT', 'dataset settings', [
      { field: 'validation', received: '"strict"', expected: 'a sample or a schema to go with it' },
    ])
  }
  return { source: 'none', given: null, root: { type: 'object', properties: [] }, tag: looseTag }
}

export const looseTag: TagShape = { shape: 'either', integer: false }

/** The field at a dotted path through objects, and through lists of them on demand. */
export function fieldAt(root: FieldSchema, path: string, throughLists = false): FieldSchema | undefined {
  let field: FieldSchema | undefined = root
  for (const name of path.split('.')) {
    if (throughLists && field?.items) field = field.items
    field = field?.properties?.find(([known]) => known === name)?.[1]
  }
  return field
}

/** Paths of the text fields in their order, lists of text among them on demand. */
export function textFields(field: FieldSchema, withLists: boolean, prefix = ''): string[] {
  return (field.properties ?? []).flatMap(([name, member]) => {
    // A name with a dot cannot be reached by a path.
    if (name === '' || name.includes('.')) return []
    const isText = member.type === 'string' || (withLists && member.items?.type === 'string')
    return isText ? [prefix + name] : textFields(member, withLists, `${prefix}${name}.`)
  })
}

/** What the values of each type are. */
const kinds = {
  string: 'text',
  long: 'whole',
  integer: 'whole',
  short: 'whole',
  byte: 'whole',
  double: 'number',
  float: 'number',
  boolean: 'boolean',
  date: 'date',
  attachment: 'file',
  object: 'object',
  array: 'list',
  any: 'any',
} as const satisfies Record<FieldType, string>

export type FieldKind = (typeof kinds)[FieldType]

export const kindOfValues = (type: FieldType): FieldKind => kinds[type]

/** Types whose value is one text, number, boolean or date. */
export function isSimple(type: FieldType): boolean {
  const kind = kinds[type]
  return kind === 'text' || isNumberType(type) || kind === 'boolean' || kind === 'date'
}

export function isWhole(type: FieldType): boolean {
  return kinds[type] === 'whole'
}

export function isNumberType(type: FieldType): boolean {
  return isWhole(type) || kinds[type] === 'number'
}

const fieldSchema: z.ZodType<FieldSchema> = z.strictObject({
  type: z.enum(fieldTypes),
  format: z.string().optional(),
  get items() {
    return fieldSchema.optional()
  },
  get properties() {
    return z.array(z.tuple([z.string(), fieldSchema])).optional()
  },
})

const stored = z.strictObject({
  source: z.enum(['sample', 'schema', 'none']),
  // Passed on as it is: zod's own objects lose the name __proto__.
  given: z.custom<JsonObject | null>(value => typeof value === 'object' && !Array.isArray(value)),
  root: fieldSchema,
  tag: z.strictObject({ shape: z.enum(['simple', 'array', 'either']), integer: z.boolean() }),
})

/**
 * Reads a schema back from the JSON it was stored as.
 * @throws FindlingError STORE_CORRUPT when it is not one
 */
export function readSchema(value: unknown): DatasetSchema {
  const result = stored.safeParse(value)
  if (result.success) return result.data
  throw new FindlingError('STORE_CORRUPT', 'the stored schema of a dataset cannot be read', {}, result.error)
}

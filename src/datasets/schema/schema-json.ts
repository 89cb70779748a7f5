import { FindlingError } from '../../errors.ts'
import { fieldPath, type Issue, problem, refuseIssues } from '../../input.ts'
import { isJsonObject, type JsonObject, type JsonValue, own } from '../../json.ts'
import { type DatasetSettings, isStrictName, strictNameRule } from './dataset-settings.ts'
import { compileDateFormat } from './dates.ts'
import {
  type DatasetSchema,
  type FieldSchema,
  type FieldType,
  fieldAt,
  fieldTypes,
  isSimple,
  isWhole,
  looseTag,
  type SchemaSource,
} from './schema.ts'
import { keywordIssues } from './schema-keywords.ts'
import { objectOf } from './schema-text.ts'

/**
 * The schema that a JSON schema declares. `type`, `format` (of dates), `items` and `properties` are read, and the keywords of
 * schema-keywords.ts are enforced; other rules of JSON schema are refused by name. `null` is allowed for every field that is
 * not required; keywords that only describe are kept for output.
 * @param json an object, or text holding one as JSON
 * @throws FindlingError INVALID_ARGUMENT with one issue for each problem
 */
export function readJsonSchema(json: unknown): SchemaSource {
  const given = objectOf(json, 'schema')
  const issues: Issue[] = []
  const root = fieldOf(given, '', issues)
  if (issues.length === 0 && root.type !== 'object') issues.push(problem('type', root.type, rootRule))
  refuseIssues('schema', issues)
  return { source: 'schema', given, root }
}

function fieldOf(schema: JsonValue | undefined, path: string, issues: Issue[]): FieldSchema {
  if (!isJsonObject(schema)) return refused(path, schema, 'an object with a type', issues)
  const type = typeOf(schema)
  if (type === undefined) {
    const expected = path === '' ? rootRule : typeRule
    return refused(fieldPath(['type'], path), own(schema, 'type'), expected, issues)
  }
  issues.push(...keywordIssues(schema, type, path))
  if (type === 'array')
    return { type, items: fieldOf(own(schema, 'items'), fieldPath(['items'], path), issues) }
  if (type === 'object') return { type, properties: membersOf(own(schema, 'properties') ?? {}, path, issues) }
  if (type === 'date') return dateOf(own(schema, 'format'), fieldPath(['format'], path), issues)
  return { type }
}

function membersOf(properties: JsonValue, path: string, issues: Issue[]): [string, FieldSchema][] {
  const here = fieldPath(['properties'], path)
  if (!isJsonObject(properties)) {
    refused(here, properties, 'an object', issues)
    return []
  }
  return Object.keys(properties).map(name => [
    name,
    fieldOf(properties[name], fieldPath([name], here), issues),
  ])
}

const rootRule = '"object" at the top'
const typeRule = `one of ${fieldTypes.join(', ')}, number`
const types = new Map<JsonValue | undefined, FieldType>([
  ...fieldTypes.map((type): [string, FieldType] => [type, type]),
  ['number', 'double'],
])

function typeOf(schema: JsonObject): FieldType | undefined {
  const type = own(schema, 'type')
  if (!Array.isArray(type)) return types.get(type)
  const [only, ...others] = type.filter(one => one !== 'null')
  return others.length === 0 ? types.get(only) : undefined
}

function dateOf(format: JsonValue | undefined, path: string, issues: Issue[]): FieldSchema {
  if (format === undefined) return { type: 'date' }
  if (typeof format !== 'string') return refused(path, format, 'the text of a date format', issues)
  try {
    compileDateFormat(format, path)
  } catch (error) {
    if (!(error instanceof FindlingError)) throw error
    return refused(path, format, error.details.expected ?? 'a date format', issues)
  }
  return { type: 'date', format }
}

function refused(
  field: string,
  value: JsonValue | undefined,
  expected: string,
  issues: Issue[],
): FieldSchema {
  issues.push(problem(field, value, expected))
  return { type: 'any' }
}

/** Checks the settings against a schema. */
export function settleSchema(source: SchemaSource, settings: DatasetSettings): DatasetSchema {
  const { root } = source
  const strict = settings.validation === 'strict'
  const issues = [
    ...(strict ? nameIssues(root) : []),
    ...fieldIssues(root, settings.idField, 'the id field', strict, isSimple),
    ...tagIssues(root, settings.tagField, strict),
    ...settings.interpretedFields.flatMap(path => textIssues(root, path, strict)),
  ]
  refuseIssues('schema', issues)
  const tag = fieldAt(root, settings.tagField)
  if (!strict || !tag) return { ...source, tag: looseTag }
  const integer = isWhole(tag.items?.type ?? tag.type)
  return { ...source, tag: { shape: tag.type === 'array' ? 'array' : 'simple', integer } }
}

function nameIssues(field: FieldSchema, parent = ''): Issue[] {
  const members = (field.properties ?? []).flatMap(([name, member]) => {
    const path = fieldPath([name], parent)
    return isStrictName(name) ? nameIssues(member, path) : [problem(path, name, strictNameRule)]
  })
  return field.items ? [...members, ...nameIssues(field.items, parent)] : members
}

function fieldIssues(
  root: FieldSchema,
  path: string,
  role: string,
  strict: boolean,
  accepts: (type: FieldType) => boolean,
): Issue[] {
  const type = fieldAt(root, path)?.type
  if (type && (accepts(type) || (!strict && type === 'any'))) return []
  return [simpleExpected(path, type, role)]
}

const simpleExpected = (field: string, type: FieldType | undefined, role: string): Issue => ({
  field,
  received: type ?? 'missing',
  expected: `a field of a simple type, because it is ${role}`,
})

function tagIssues(root: FieldSchema, tagField: string, strict: boolean): Issue[] {
  const field = fieldAt(root, tagField)
  if (!field && !strict) return []
  if (field?.items && (isSimple(field.items.type) || (!strict && field.items.type === 'any'))) return []
  return fieldIssues(root, tagField, 'the tag field', strict, isSimple)
}

const searchedField = 'a searched field'

function textIssues(root: FieldSchema, path: string, strict: boolean): Issue[] {
  const isText = (type: FieldType) => isSimple(type) || type === 'attachment'
  if (strict) return fieldIssues(root, path, searchedField, strict, isText)
  const field = fieldAt(root, path, true)
  const type = (field?.items ?? field)?.type
  if (type && (isText(type) || type === 'any')) return []
  return [simpleExpected(path, field?.type, searchedField)]
}

import { fieldPath, type Issue, problem, refuseIssues } from '../../input.ts'
import { isJsonObject, type JsonObject, type JsonValue, own, valueAt } from '../../json.ts'
import { type DatasetSettings, isStrictName, strictNameRule } from './dataset-settings.ts'
import { idRule, idText } from './ids.ts'
import { type DatasetSchema, type FieldSchema, looseTag, type SchemaSource, type TagShape } from './schema.ts'
import { objectOf } from './schema-text.ts'

/**
 * The schema a sample document shows: whole numbers are `long`, other numbers `double`; dates stay text. All
 * elements of a list are looked at.
 * @param sample an object, or text holding one as JSON
 */
export function readSample(sample: unknown): SchemaSource {
  const given = objectOf(sample, 'sample')
  return { source: 'sample', given, root: fieldOf(given) }
}

/** The type that a value suggests. */
export function fieldOf(value: JsonValue): FieldSchema {
  if (typeof value === 'string') return { type: 'string' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'long' : 'double' }
  if (Array.isArray(value)) return { type: 'array', items: elementOf(value.map(fieldOf)) }
  if (value === null) return { type: 'any' }
  return { type: 'object', properties: Object.keys(value).map(name => [name, fieldOf(value[name]!)]) }
}

function elementOf([first, ...rest]: readonly FieldSchema[]): FieldSchema {
  return first ? rest.reduce(unite, first) : { type: 'any' }
}

/** A field that accepts both: objects have the members of both, numbers the wider type; anything else may hold any value. */
function unite(a: FieldSchema, b: FieldSchema): FieldSchema {
  if (a.type !== b.type) return { type: isNumber(a) && isNumber(b) ? 'double' : 'any' }
  if (a.items && b.items) return { type: 'array', items: unite(a.items, b.items) }
  if (!a.properties || !b.properties) return a
  const members = new Map(a.properties)
  for (const [name, field] of b.properties) {
    const known = members.get(name)
    members.set(name, known ? unite(known, field) : field)
  }
  return { type: 'object', properties: [...members] }
}

function isNumber({ type }: FieldSchema): boolean {
  return type === 'long' || type === 'double'
}

/** Checks the settings against a sample; problems are reported in the order of the contract. */
export function settleSample(source: SchemaSource, settings: DatasetSettings): DatasetSchema {
  const sample = source.given ?? {}
  const strict = settings.validation === 'strict'
  refuseIssues('sample', [
    ...(strict ? nameIssues(sample) : []),
    ...idIssues(sample, settings.idField),
    ...tagIssues(own(sample, settings.tagField), settings.tagField, strict),
    ...settings.interpretedFields.flatMap(path => textIssues(sample, path, strict)),
  ])
  return { ...source, tag: strict ? tagShape(own(sample, settings.tagField)) : looseTag }
}

function nameIssues(value: JsonValue, parent = ''): Issue[] {
  if (Array.isArray(value)) return value.flatMap(element => nameIssues(element, parent))
  if (!isJsonObject(value)) return []
  return Object.keys(value).flatMap(name => {
    const field = fieldPath([name], parent)
    return isStrictName(name) ? nameIssues(value[name]!, field) : [problem(field, name, strictNameRule)]
  })
}

function idIssues(sample: JsonObject, idField: string): Issue[] {
  const id = own(sample, idField)
  return idText(id) === undefined ? [problem(idField, id, `${idRule}, because it is the id field`)] : []
}

const isTagField = 'because it is the tag field'

function tagIssues(tag: JsonValue | undefined, tagField: string, strict: boolean): Issue[] {
  if (!strict) {
    const fits = !isJsonObject(tag) && typeof tag !== 'boolean'
    return fits ? [] : [problem(tagField, tag, `text, a number or a list of them, ${isTagField}`)]
  }
  const first = Array.isArray(tag) ? tag[0] : tag
  if (isTag(first)) return []
  const expected = `text that is not blank, a whole number, or a list that begins with one, ${isTagField}`
  return [problem(tagField, tag, expected)]
}

function isTag(value: JsonValue | undefined): boolean {
  return typeof value === 'string' ? value.trim() !== '' : Number.isInteger(value)
}

function tagShape(tag: JsonValue | undefined): TagShape {
  const isList = Array.isArray(tag)
  return { shape: isList ? 'array' : 'simple', integer: typeof (isList ? tag[0] : tag) === 'number' }
}

function textIssues(sample: JsonObject, path: string, strict: boolean): Issue[] {
  const value = valueAt(sample, path)
  if (strict) {
    const fits = typeof value === 'string' || Number.isInteger(value)
    return fits ? [] : [problem(path, value, 'text or a whole number, because it is a searched field')]
  }
  const values = valuesAt(sample, path)
  const fits = values.length > 0 && values.flat().every(one => typeof one !== 'object' || one === null)
  return fits
    ? []
    : [problem(path, value, 'text, a number or a list of them, because it is a searched field')]
}

/** The values at a dotted path of own members. Lists along the path are entered, those at its end are not: an empty one is a value. */
function valuesAt(doc: JsonObject, path: string): JsonValue[] {
  let values: JsonValue[] = [doc]
  for (const name of path.split('.')) {
    const objects = values.flatMap(value => (Array.isArray(value) ? value : [value])).filter(isJsonObject)
    values = objects.flatMap(object => {
      const value = own(object, name)
      return value === undefined ? [] : [value]
    })
  }
  return values
}

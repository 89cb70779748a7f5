import { shownText } from '../analysis/shown-text.ts'
import { FindlingError } from '../errors.ts'
import { fileTexts } from '../file-texts.ts'
import { fieldPath, invalid, problem } from '../input.ts'
import { isJsonObject, type JsonObject, type JsonValue, own, valueAt, valuesIn } from '../json.ts'
import { type DatasetSettings, isStrictName, strictNameRule } from './schema/dataset-settings.ts'
import { attachmentRule, looseText, strictText, type TypeRule, typeRule } from './schema/field-types.ts'
import { idRule, idText, idTextRule } from './schema/ids.ts'
import type { DatasetSchema, FieldSchema, TagShape } from './schema/schema.ts'
import { compileKeywords } from './schema/schema-keywords.ts'
import { compileVectors } from './vector-values.ts'

/** The rules of one dataset, compiled once. Checks throw FindlingError INVALID_DOCUMENT at the first broken rule. */
export interface DatasetRules {
  /** A whole document, before it is stored. */
  checkDocument(doc: JsonObject): void
  /** A partial update: the rules of the fields it gives. */
  checkPatch(patch: JsonObject): void
  /** A checked document merged with a checked patch: required fields must still be present. */
  checkMerged(doc: JsonObject): void
  documentId(doc: JsonObject): string
  tagIds(doc: JsonObject): string[]
  /** One entry per interpreted field. */
  fieldTexts(doc: JsonObject): (string | string[] | undefined)[]
}

/** A rule of one field, wherever its path leads. */
interface FieldRule extends TypeRule {
  readonly path: string
  readonly required: boolean
}

type Check = (doc: JsonObject) => void

/**
 * The strict rules are checked in the order of the contract: names, id, tag, interpreted, attachments, unknown fields, types; then
 * vectors.
 * @param findsFields whether the first documents determine the searched fields: then these may hold anything
 */
export function compileRules(
  settings: DatasetSettings,
  schema: DatasetSchema,
  findsFields = false,
): DatasetRules {
  const strict = settings.validation === 'strict'
  const texts = findsFields ? [] : settings.interpretedFields
  const required = strict
    ? strictRules(settings, schema)
    : lenientRules({ ...settings, interpretedFields: texts })
  const given = required.map(rule => ({ ...rule, required: false }))
  const names: Check[] = strict ? [doc => checkNames(doc, '')] : []
  const known: Check[] = strict ? [compileKnown(schema.root)] : []
  const types: Check[] = strict && schema.source === 'sample' ? [] : [compileTypes(settings, schema)]
  const vectors: Check[] = settings.vectors ? [compileVectors(settings)] : []
  const keywords = schema.source === 'schema' ? compileKeywords(schema.given ?? undefined) : undefined
  const compile = (rules: readonly FieldRule[], isPartial: boolean): Check => {
    const checks = [...names, (doc: JsonObject) => checkFields(rules, doc), ...known, ...types, ...vectors]
    if (keywords) checks.push(doc => keywords(doc, '', isPartial))
    return doc => {
      for (const check of checks) check(doc)
    }
  }
  return {
    checkDocument: compile(required, false),
    checkPatch: compile(given, true),
    checkMerged(doc) {
      checkFields(required, doc)
      keywords?.(doc, '', false)
    },
    documentId: doc => documentId(doc, settings),
    tagIds: doc => tagIds(doc, settings),
    fieldTexts: doc =>
      fieldTexts(doc, settings.interpretedFields, { root: schema.root, markup: settings.markup }),
  }
}

/**
 * The document's id as text.
 * @throws FindlingError INVALID_DOCUMENT when it has none
 */
export function documentId(doc: JsonObject, { idField }: Pick<DatasetSettings, 'idField'>): string {
  const id = own(doc, idField)
  return idText(id) ?? refuse(idField, id, idRule)
}

/** The ids of the document's tags as text, each once. */
export function tagIds(doc: JsonObject, { tagField }: Pick<DatasetSettings, 'tagField'>): string[] {
  const tag = own(doc, tagField)
  if (typeof tag === 'string') return tag === '' ? [] : [tag]
  if (!Array.isArray(tag)) return typeof tag === 'number' ? [String(tag)] : []
  const ids = tag
    .filter(one => typeof one === 'number' || (typeof one === 'string' && one !== ''))
    .map(String)
  return ids.length > 1 ? [...new Set(ids)] : ids
}

/**
 * The text at each path: text, numbers and booleans as text, the texts of a list (and of lists within it), or undefined. If the
 * path leads through lists of objects, the texts of them all. The text of an attachment is that of its file, and markup is read
 * as the text that it displays.
 */
export function fieldTexts(
  doc: JsonObject,
  fields: readonly string[],
  { root, markup }: TextForm,
): (string | string[] | undefined)[] {
  return fields.map(field => {
    const isFile = root !== undefined && isAttachment(root, field)
    const said = isFile ? fileTexts(doc) : doc
    if (!said) return undefined
    const read = markup && !isFile ? shownTextOf : textOf
    const value = valueAt(said, field)
    if (!Array.isArray(value) && (value !== undefined || !field.includes('.'))) return read(value)
    const texts = textsOf(valuesIn(said, field), read)
    return texts.length > 0 || Array.isArray(value) ? texts : undefined
  })
}

/** How fields are read as text. */
export interface TextForm {
  /** The fields that the dataset's schema declares. */
  readonly root?: FieldSchema | undefined
  /** The dataset's setting `markup`. */
  readonly markup: boolean
}

/** Cached, because it is looked up for every field of every document and few datasets have attachments at all. */
const attachments = new WeakMap<FieldSchema, ReadonlySet<string>>()

function isAttachment(root: FieldSchema, field: string): boolean {
  let paths = attachments.get(root)
  if (!paths) {
    paths = new Set(attachmentPaths(root, true))
    attachments.set(root, paths)
  }
  return paths.size > 0 && paths.has(field)
}

const textsOf = (values: readonly JsonValue[], read: typeof textOf): string[] =>
  values.flatMap(one => read(one) ?? [])

function shownTextOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? shownText(value) : textOf(value)
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
}

function strictRules(
  { idField, tagField, interpretedFields }: DatasetSettings,
  schema: DatasetSchema,
): FieldRule[] {
  const required = (path: string, rule: TypeRule): FieldRule => ({ path, required: true, ...rule })
  return [
    required(idField, idType),
    required(tagField, tagType(schema.tag)),
    ...interpretedFields
      .filter(path => !isAttachment(schema.root, path))
      .map(path => required(path, strictText)),
    ...attachmentPaths(schema.root, false).map(path => required(path, attachmentRule)),
  ]
}

function lenientRules({ idField, tagField, interpretedFields }: DatasetSettings): FieldRule[] {
  const optional = (path: string, rule: TypeRule): FieldRule => ({ path, required: false, ...rule })
  return [
    { path: idField, required: true, ...idType },
    optional(tagField, tagType({ shape: 'either', integer: false })),
    ...interpretedFields.map(path => optional(path, looseText)),
  ]
}

const idType: TypeRule = { fits: value => idText(value) !== undefined, expected: idRule }

function tagType({ shape, integer }: TagShape): TypeRule {
  const one = integer ? 'a whole number' : shape === 'either' ? idRule : `${idTextRule}, or a whole number`
  const isId = (value: JsonValue) =>
    (typeof value === 'string' ? !integer : shape === 'either' || Number.isInteger(value)) &&
    idText(value) !== undefined
  const isOne = (value: JsonValue) => value === '' || isId(value)
  const each = { fits: integer ? isId : isOne, expected: one }
  const isList = (value: JsonValue) => Array.isArray(value) && value.every(each.fits)
  const shapes = {
    simple: { fits: isOne, expected: `null, empty text, or ${one}` },
    array: { fits: isList, expected: `null, or a list of which each element is ${one}`, each },
    either: {
      fits: (value: JsonValue) => isOne(value) || isList(value),
      expected: `${one}; or a list of them`,
      each,
    },
  }
  const rule: TypeRule = shapes[shape]
  return { ...rule, fits: value => value === null || rule.fits(value) }
}

/** @param throughLists also of those in lists */
function attachmentPaths(field: FieldSchema, throughLists: boolean, prefix = ''): string[] {
  return (field.properties ?? []).flatMap(([name, given]) => {
    let member = given
    while (throughLists && member.items) member = member.items
    return member.type === 'attachment'
      ? [prefix + name]
      : attachmentPaths(member, throughLists, `${prefix}${name}.`)
  })
}

function checkFields(rules: readonly FieldRule[], doc: JsonObject): void {
  for (const rule of rules) {
    const value = valueAt(doc, rule.path)
    if (value === undefined ? rule.required : !rule.fits(value)) refuseBy(rule, rule.path, value)
  }
}

function checkNames(value: JsonValue, path: string): void {
  if (Array.isArray(value)) {
    for (const element of value) checkNames(element, path)
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      if (!isStrictName(name)) refuse(fieldPath([name], path), name, strictNameRule)
      const member = value[name]!
      if (typeof member === 'object') checkNames(member, fieldPath([name], path))
    }
  }
}

/** The names an object may have; `undefined` where anything may be. */
type KnownNames = Map<string, KnownNames | undefined>

function compileKnown(root: FieldSchema): Check {
  const known = knownNames(root)
  return doc => {
    const unknown = new Set<string>()
    collectUnknown(doc, known, '', unknown)
    if (unknown.size > 0) throw unknownFields([...unknown])
  }
}

function knownNames(field: FieldSchema): KnownNames | undefined {
  if (field.items) return knownNames(field.items)
  if (field.type === 'any') return undefined
  return new Map((field.properties ?? []).map(([name, member]) => [name, knownNames(member)]))
}

function collectUnknown(
  value: JsonValue,
  known: KnownNames | undefined,
  path: string,
  unknown: Set<string>,
): void {
  if (!known) return
  if (Array.isArray(value)) {
    for (const element of value) collectUnknown(element, known, path, unknown)
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const member = value[name]!
      if (!known.has(name)) unknown.add(fieldPath([name], path))
      else if (typeof member === 'object')
        collectUnknown(member, known.get(name), fieldPath([name], path), unknown)
    }
  }
}

const mostListed = 100

function unknownFields(paths: readonly string[]): FindlingError {
  const expected = 'only fields of the sample or schema'
  const more = paths.length > mostListed ? ` and ${paths.length - mostListed} more` : ''
  const listed = paths.slice(0, mostListed)
  const message = `document has unknown fields: ${listed.join(', ')}${more}; expected ${expected}`
  const issues = listed.map(field => ({ field, received: 'not known', expected }))
  return new FindlingError('INVALID_DOCUMENT', message, { ...issues[0]!, issues })
}

interface TypeNode extends TypeRule {
  readonly members: Map<string, TypeNode> | undefined
  readonly items: TypeNode | undefined
}

/** Id and tag have rules of their own, whatever type the sample or schema gives them. */
function compileTypes({ idField, tagField, validation }: DatasetSettings, schema: DatasetSchema): Check {
  const lenient = validation === 'lenient'
  const fields = schema.root.properties?.filter(([name]) => name !== idField && name !== tagField)
  const members = compileMembers(fields, lenient, schema.source)
  return doc => checkMembers(members, doc, '')
}

function compileMembers(
  fields: FieldSchema['properties'],
  lenient: boolean,
  source: DatasetSchema['source'],
): Map<string, TypeNode> {
  const members = new Map<string, TypeNode>()
  for (const [name, field] of fields ?? []) {
    const node = compileType(field, lenient, source)
    if (node) members.set(name, node)
  }
  return members
}

function compileType(
  field: FieldSchema,
  lenient: boolean,
  source: DatasetSchema['source'],
): TypeNode | undefined {
  const rule = typeRule(field, lenient)
  // Fields that are numbers in a sample are often less regular in the data: other values are stored and not indexed.
  const isGuess = source === 'sample' && (field.type === 'long' || field.type === 'double')
  if (!rule || isGuess) return undefined
  return {
    ...rule,
    members: field.properties && compileMembers(field.properties, lenient, source),
    items: field.items && compileType(field.items, lenient, source),
  }
}

function checkMembers(members: Map<string, TypeNode>, object: JsonObject, path: string): void {
  for (const name of Object.keys(object)) {
    const node = members.get(name)
    if (node) checkType(node, object[name]!, path, name)
  }
}

function checkType(node: TypeNode, value: JsonValue, parent: string, key: string | number): void {
  if (value === null) return
  if (!node.fits(value)) refuseBy(node, fieldPath([key], parent), value)
  if (node.members && isJsonObject(value)) checkMembers(node.members, value, fieldPath([key], parent))
  if (!node.items || !Array.isArray(value)) return
  const path = fieldPath([key], parent)
  for (let i = 0; i < value.length; i++) checkType(node.items, value[i]!, path, i)
}

/** Names the entry that is wrong, if it is one of a list. */
function refuseBy({ each, expected }: TypeRule, field: string, value: JsonValue | undefined): never {
  if (!each || !Array.isArray(value)) return refuse(field, value, expected)
  const wrong = value.findIndex(entry => !each.fits(entry))
  return refuse(fieldPath([wrong], field), value[wrong], each.expected)
}

function refuse(field: string, value: JsonValue | undefined, expected: string): never {
  throw invalid('INVALID_DOCUMENT', 'document', [problem(field, value, expected)])
}

import { type Analyzer, analyzerFor } from '../analysis/analyzer.ts'
import type { QueryField, QueryFields, QueryFieldType } from '../query/fields.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'
import { compileDateFormat, defaultDateFormat } from './schema/dates.ts'
import type { DatasetSchema, FieldSchema } from './schema/schema.ts'

/**
 * The fields of a dataset as queries see them. Without sample and schema every field may hold anything.
 * @param analyzer decides what words are
 */
export function queryFields(
  settings: DatasetSettings,
  schema: DatasetSchema,
  analyzer: Analyzer = analyzerFor('none'),
): QueryFields {
  const { idField, tagField, interpretedFields: searched, vectors = {} } = settings
  const known = new Map<string, QueryField>()
  const add = (path: string, field: FieldSchema) => {
    const described = describe(field, searched.includes(path))
    if (!known.has(path)) known.set(path, described)
    if (described.type === 'object') addMembers(field, `${path}.`)
  }
  const addMembers = (field: FieldSchema, prefix: string) => {
    // A name with a dot cannot be reached by a path.
    for (const [name, member] of elementOf(field).properties ?? [])
      if (name !== '' && !name.includes('.') && prefix.length + name.length <= longestPath)
        add(prefix + name, member)
  }
  // Id and tag have rules of their own, whatever a sample shows.
  if (settings.validation === 'lenient') for (const path of [idField, tagField]) add(path, { type: 'any' })
  for (const path of Object.keys(vectors)) known.set(path, { type: 'vector', searched: false })
  addMembers(schema.root, '')
  for (const path of searched) if (!known.has(path)) known.set(path, { type: 'any', searched: true })
  const isOpen = schema.source === 'none'
  return {
    names: [...known.keys()],
    searched,
    analyzer,
    markup: settings.markup,
    find: path =>
      known.get(path) ?? (isInside(path, known) || (isOpen && path !== '') ? anything : undefined),
  }
}

/** Longer ones would have to be joined and compared for each field; they are not asked for. */
const longestPath = 1000

const anything: QueryField = { type: 'any', searched: false }

/** Whether the path leads into a field that may hold anything. */
function isInside(path: string, known: ReadonlyMap<string, QueryField>): boolean {
  for (let dot = path.indexOf('.'); dot > 0; dot = path.indexOf('.', dot + 1)) {
    if (known.get(path.slice(0, dot))?.type === 'any') return true
  }
  return false
}

/** The elements of a list, or the field itself. */
const elementOf = (field: FieldSchema): FieldSchema => {
  let element = field
  while (element.items) element = element.items
  return element
}

function describe(field: FieldSchema, searched: boolean): QueryField {
  const { type: given, format } = elementOf(field)
  const type = typeOf(given)
  if (type !== 'date') return { type, searched }
  const time = compileDateFormat(format ?? defaultDateFormat)
  const usual = compileDateFormat(defaultDateFormat)
  return { type, searched, time, moment: (text, last) => time(text, last) ?? usual(text, last) }
}

function typeOf(type: FieldSchema['type']): QueryFieldType {
  switch (type) {
    case 'string':
      return 'text'
    case 'long':
    case 'integer':
    case 'short':
    case 'byte':
    case 'double':
    case 'float':
      return 'number'
    case 'attachment':
      return 'file'
    case 'array':
      return 'any'
    default:
      return type
  }
}

import type { Dataset, FieldSchema } from 'findling'
import { HttpError } from '../http/errors.ts'

type Fields = Pick<Dataset, 'settings' | 'schema'>

/** Contract, 6.2. */
export function shownFields(
  { settings, schema }: Fields,
  given: readonly string[] | null | undefined,
): readonly string[] {
  if (given?.length) return given
  const { idField, tagField, interpretedFields } = settings
  const isFile = (path: string) => fieldAt(schema.root, path)?.type === 'attachment'
  return [...new Set([idField, tagField, ...interpretedFields])].filter(path => !isFile(path))
}

const manyValued = new Set<FieldSchema['type']>(['array', 'object', 'attachment'])

/** Contract, 6.1. Stricter than the engine, which also orders by the first value of a list. Fields that a sample lacks may be of any type. */
export function requireOrder({ schema, settings }: Fields, field: string): void {
  const known = fieldAt(schema.root, field)
  const { idField, tagField, interpretedFields } = settings
  const mayBe = schema.source === 'none' || [idField, tagField, ...interpretedFields].includes(field)
  if (known ? !manyValued.has(known.type) : mayBe) return
  const expected = 'a field with one text, number, date or boolean'
  throw new HttpError(400, `Order.OrderByField is ${JSON.stringify(field)}; expected ${expected}`)
}

function fieldAt(root: FieldSchema, path: string): FieldSchema | undefined {
  let field: FieldSchema | undefined = root
  for (const name of path.split('.')) {
    while (field?.items) field = field.items
    field = field?.properties?.find(([known]) => known === name)?.[1]
  }
  return field
}

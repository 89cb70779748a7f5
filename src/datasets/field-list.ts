import { isJsonObject, type JsonObject, type JsonValue, own } from '../json.ts'
import { fieldAt } from './schema/schema.ts'
import type { DatasetState } from './state.ts'

/** Whether documents may have the field, a dotted path; without sample and schema they may have any. */
export function mayHave({ settings, schema }: DatasetState, path: string): boolean {
  const { idField, tagField, interpretedFields } = settings
  if (schema.source === 'none' || [idField, tagField, ...interpretedFields].includes(path)) return true
  return fieldAt(schema.root, path, true) !== undefined
}

/** Only these fields of a document, by dotted paths through objects and lists, in the document's order; `*` for all. */
export function pickFields(document: JsonObject, paths: readonly string[]): JsonObject {
  return paths.includes('*')
    ? document
    : pickMembers(
        document,
        paths.map(path => path.split('.')),
        0,
      )
}

function pickMembers(object: JsonObject, paths: readonly (readonly string[])[], depth: number): JsonObject {
  const picked: [string, JsonValue][] = []
  for (const name of Object.keys(object)) {
    const leading = paths.filter(path => path[depth] === name)
    if (leading.length === 0) continue
    const value = own(object, name)!
    const isWhole = leading.some(path => path.length === depth + 1)
    const part = isWhole ? value : pickInside(value, leading, depth + 1)
    if (part !== undefined) picked.push([name, part])
  }
  return Object.fromEntries(picked)
}

/** What has no members has none of these. */
function pickInside(
  value: JsonValue,
  paths: readonly (readonly string[])[],
  depth: number,
): JsonValue | undefined {
  if (Array.isArray(value)) {
    const members = value.map(member => pickInside(member, paths, depth))
    return members.filter(member => member !== undefined)
  }
  return isJsonObject(value) ? pickMembers(value, paths, depth) : undefined
}

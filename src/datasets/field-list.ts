import { isJsonObject, type JsonObject, type JsonValue, own } from '../json.ts'
import { fieldAt } from './schema/schema.ts'
import type { DatasetState } from './state.ts'

/** Whether documents may have the field, a dotted path; without sample and schema they may have any. */
export function mayHave({ settings, schema }: DatasetState, path: string): boolean {
  const { idField, tagField, interpretedFields } = settings
  if (schema.source === 'none' || [idField, tagField, ...interpretedFields].includes(path)) return true
  return fieldAt(schema.root, path, true) !== undefined
}

/** Fields by the names that lead to them: those that are picked as a whole, and the members picked inside of the others. */
interface FieldTree {
  isWhole: boolean
  readonly members: Map<string, FieldTree>
}

/**
 * Returns a function that picks these fields of a document, by dotted paths through objects and lists, in the document's order;
 * `*` picks all. A path after a `-` is left out; if only such paths are given, from all fields.
 */
export function fieldPicker(paths: readonly string[]): (document: JsonObject) => JsonObject {
  const named = paths.filter(path => !path.startsWith('-'))
  const left = treeOf(paths.filter(path => path.startsWith('-')).map(path => path.slice(1)))
  const shown = named.length === 0 || named.includes('*') ? undefined : treeOf(named)
  return document => {
    const picked = shown ? pickMembers(document, shown) : document
    return left.members.size > 0 ? omitMembers(picked, left) : picked
  }
}

function treeOf(paths: readonly string[]): FieldTree {
  const root: FieldTree = { isWhole: false, members: new Map() }
  for (const path of paths) {
    let tree = root
    for (const name of path.split('.')) {
      const inside = tree.members.get(name) ?? { isWhole: false, members: new Map() }
      tree.members.set(name, inside)
      tree = inside
    }
    tree.isWhole = true
  }
  return root
}

function pickMembers(object: JsonObject, { members }: FieldTree): JsonObject {
  const picked: [string, JsonValue][] = []
  for (const name of Object.keys(object)) {
    const tree = members.get(name)
    if (!tree) continue
    const value = own(object, name)!
    const part = tree.isWhole ? value : pickInside(value, tree)
    if (part !== undefined) picked.push([name, part])
  }
  return Object.fromEntries(picked)
}

/** A value without members has none of these fields. */
function pickInside(value: JsonValue, tree: FieldTree): JsonValue | undefined {
  if (Array.isArray(value)) {
    const members = value.map(member => pickInside(member, tree))
    return members.filter(member => member !== undefined)
  }
  return isJsonObject(value) ? pickMembers(value, tree) : undefined
}

function omitMembers(object: JsonObject, { members }: FieldTree): JsonObject {
  const kept: [string, JsonValue][] = []
  for (const name of Object.keys(object)) {
    const tree = members.get(name)
    const value = own(object, name)!
    if (!tree) kept.push([name, value])
    else if (!tree.isWhole) kept.push([name, omitInside(value, tree)])
  }
  return Object.fromEntries(kept)
}

function omitInside(value: JsonValue, tree: FieldTree): JsonValue {
  if (Array.isArray(value)) return value.map(member => omitInside(member, tree))
  return isJsonObject(value) ? omitMembers(value, tree) : value
}

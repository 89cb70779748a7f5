import * as z from 'zod'
import { FindlingError } from '../../errors.ts'
import { describeValue, parseInput, readingList } from '../../input.ts'
import { eachInPieces } from '../../scheduling/each-in-pieces.ts'
import { checkId } from '../schema/ids.ts'
import {
  addChild,
  below,
  type Children,
  isDigits,
  maxTagLevel,
  newTag,
  notDigits,
  type RefusedTag,
  type Tag,
} from './tag-tree.ts'

const tagsAndGaps = z.array(newTag.nullable()).min(1)

/**
 * Reads a list of tags that form one tree, in any order, piece by piece; null entries are skipped and the parent `NULL`
 * means root. If some do not fit, the error has the code of the first, and all of them as `details.refused`.
 * INVALID_ARGUMENT, TAG_PARENT_NOT_FOUND, TAG_CYCLE.
 */
export function* readTags(
  input: unknown,
  { integerIds }: { readonly integerIds: boolean },
): Generator<void, Tag[]> {
  const given = yield* readingList(tagsAndGaps, input, 'tags')
  yield* eachInPieces(given.entries(), ([place, tag]) => tag && checkId(tag.id, `tags[${place}].id`))
  const tags = given.filter(tag => tag !== null).map(withRootWord)
  if (tags.length === 0) parseInput(tagsAndGaps, tags, 'tags')
  yield
  yield* checkingUnique(tags)
  yield
  const refused = integerIds ? tags.filter(tag => !isDigits(tag.id)).map(notDigits) : []
  if (refused.length === 0) for (const tag of yield* unplaced(tags)) refused.push(tag)
  refuseTags(refused)
  return tags
}

function withRootWord(tag: Tag): Tag {
  return tag.parentId === 'NULL' ? { ...tag, parentId: null } : tag
}

function* checkingUnique(tags: readonly Tag[]): Generator<void> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  yield* eachInPieces(tags, ({ id }) => (seen.has(id) ? repeated : seen).add(id))
  if (repeated.size === 0) return
  const [first] = repeated
  const message = `tags: the id ${describeValue(first)} is given more than once (${repeated.size} such ids)`
  throw new FindlingError('INVALID_ARGUMENT', message, { field: 'tags', repeated: [...repeated] })
}

function refuseTags(refused: readonly RefusedTag[]): void {
  const [first] = refused
  if (!first) return
  const more = refused.length > 1 ? ` (and ${refused.length - 1} more)` : ''
  throw new FindlingError(first.code, first.message + more, {
    field: 'tags',
    received: describeValue(first.id),
    expected: 'tags that make one tree',
    refused,
  })
}

/** Tags that no root leads to, or that lie too deep. */
function* unplaced(tags: readonly Tag[]): Generator<void, RefusedTag[]> {
  const children = new Map<string | null, Set<string>>()
  yield* eachInPieces(tags, tag => addChild(children, tag))
  const levels = yield* levelsOf(children)
  const ids = new Set<string>()
  yield* eachInPieces(tags, ({ id }) => ids.add(id))
  const orphans = tags.filter(tag => tag.parentId !== null && !ids.has(tag.parentId))
  yield
  const orphaned = below(
    children,
    orphans.map(tag => tag.id),
  )
  const refused: RefusedTag[] = []
  yield* eachInPieces(tags, ({ id }) => {
    const level = levels.get(id)
    if (level === undefined) refused.push(orphaned.has(id) ? orphan(id) : inCycle(id))
    else if (level > maxTagLevel) refused.push(tooDeep(id))
  })
  return refused
}

function* levelsOf(children: Children): Generator<void, Map<string, number>> {
  const levels = new Map<string, number>()
  for (const root of children.get(null) ?? []) levels.set(root, 1)
  // The list grows while it is iterated.
  yield* eachInPieces(levels, ([id, level]) => {
    for (const child of children.get(id) ?? []) levels.set(child, level + 1)
  })
  return levels
}

function orphan(id: string): RefusedTag {
  const message = `tag ${describeValue(id)} is not below any root: its parent, or one above, does not exist`
  return { id, code: 'TAG_PARENT_NOT_FOUND', message }
}

function inCycle(id: string): RefusedTag {
  return {
    id,
    code: 'TAG_CYCLE',
    message: `tag ${describeValue(id)} is not below any root: it is in or below a cycle`,
  }
}

function tooDeep(id: string): RefusedTag {
  return {
    id,
    code: 'INVALID_ARGUMENT',
    message: `tag ${describeValue(id)} lies deeper than ${maxTagLevel} levels`,
  }
}

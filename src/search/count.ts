import * as z from 'zod'
import { deadlineMembers } from '../jobs/watching.ts'
import { optionsReader } from '../options-reader.ts'
import { Deadline } from '../scheduling/deadline.ts'
import { askFiltered, filterFields, filterFor, readCondition, type Selections } from './condition.ts'
import { tagMembers, visibilityMembers } from './read.ts'
import type { Searchable } from './search.ts'
import { readVisible } from './visible.ts'

const readOptions = optionsReader(
  z.strictObject({ ...tagMembers, ...visibilityMembers, ...deadlineMembers }),
  'options',
)

/** How many documents match. */
export async function count(find: () => Searchable, filtered: unknown, options: unknown): Promise<number> {
  const dataset = find()
  const { state, documents, index } = dataset
  const { tags, tagsBelow, visible: given, ...ends } = readOptions(options)
  const deadline = Deadline.of(ends)
  const fields = filterFields(state)
  const condition = await readCondition({ filter: filtered, tags, tagsBelow }, dataset, fields, { deadline })
  const filter = filterFor(condition, fields, dataset)
  const visible = await readVisible(given, dataset, deadline)
  if (!filter && !visible) return documents.store.counts(state.dataset).documents
  const sizeOf = (_: unknown, [selection]: Selections) => selection?.size ?? 0
  return await askFiltered({ index, documents, deadline }, [filter], sizeOf, [], visible)
}

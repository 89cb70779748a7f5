import * as z from 'zod'
import { optionsReader } from '../options-reader.ts'
import { askFiltered, filterFields, filterFor, readCondition } from './condition.ts'
import { tagMembers } from './read.ts'
import type { Searchable } from './search.ts'

const readOptions = optionsReader(z.strictObject(tagMembers), 'options')

/** How many documents match. */
export async function count(find: () => Searchable, given: unknown, options: unknown): Promise<number> {
  const dataset = find()
  const { state, documents, index } = dataset
  const { tags, tagsBelow } = readOptions(options)
  const fields = filterFields(state)
  const condition = await readCondition({ filter: given, tags, tagsBelow }, dataset, fields)
  const filter = filterFor(condition, [], fields, dataset)
  if (!filter) return documents.store.counts(state.dataset).documents
  return await askFiltered(index, documents, [filter], (_, [selection]) => selection?.size ?? 0)
}

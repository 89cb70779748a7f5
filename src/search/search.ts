import type { QueryAnswer } from '../fulltext/ranking/searcher.ts'
import type { LiveIndex } from '../live/live-index.ts'
import type { PresentedAnswer } from './answer.ts'
import { askFiltered, type ConditionContext, filterFields, filterFor, readCondition } from './condition.ts'
import { presentDocuments, presentScores } from './present.ts'
import { readSearch, type SearchRequest } from './read.ts'

/** What of a dataset a search needs. */
export interface Searchable extends ConditionContext {
  readonly index: LiveIndex
}

/**
 * The way of a search: it is read, matched and ranked, and what was found is presented.
 * @param find the dataset of the name that was asked
 */
export async function search<T extends object>(
  find: () => Searchable,
  query: unknown,
  options: unknown,
): Promise<PresentedAnswer<T>> {
  const dataset = find()
  const { state, documents } = dataset
  const { settings, schema } = state
  const request = readSearch(query, options, state, documents.clock())
  // Resolves the words, matches and ranks: one call, as the index must not change in between.
  const found = await matched(dataset, request)
  const hits =
    request.documents || request.highlights
      ? await presentDocuments<T>(found, request, { documents, settings, root: schema.root })
      : presentScores<T>(found, settings)
  const { words, total, isCut: truncated, relaxed } = found
  return { hits, words, total, truncated, ...(relaxed.length > 0 && { relaxed: [...relaxed] }) }
}

async function matched(
  dataset: Searchable,
  { query, matching, condition }: SearchRequest,
): Promise<QueryAnswer> {
  const { state, documents, index } = dataset
  if (!condition) return await index.search(query, matching)
  const fields = filterFields(state)
  const filter = filterFor(await readCondition(condition, dataset, fields), [], fields, dataset)
  return await askFiltered(index, documents, [filter], (whole, [selection]) =>
    whole.search(query, { ...matching, selection }),
  )
}

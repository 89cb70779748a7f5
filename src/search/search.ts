import type { Filter } from '../filters/filter.ts'
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
  const request = readSearch(query, options, state, documents.clock())
  const { condition } = request
  const fields = filterFields(state)
  const filter = condition && filterFor(await readCondition(condition, dataset, fields), [], fields, dataset)
  return await searchWithin<T>(dataset, request, filter)
}

/** Documents that match a condition have a value added to their score. */
export interface Weight {
  readonly filter: Filter
  readonly value: number
}

/** The same for what was read before: `filter` says which documents may be found. */
export async function searchWithin<T extends object>(
  dataset: Searchable,
  request: SearchRequest,
  filter: Filter | undefined,
  weights: readonly Weight[] = [],
): Promise<PresentedAnswer<T>> {
  const { state, documents } = dataset
  const { settings, schema } = state
  // Resolves the words, matches and ranks: one call, as the index must not change in between.
  const found = await matched(dataset, request, filter, weights)
  const hits =
    request.documents || request.highlights
      ? await presentDocuments<T>(found, request, { documents, settings, root: schema.root })
      : presentScores<T>(found, settings)
  const { words, total, isCut: truncated, relaxed } = found
  return { hits, words, total, truncated, ...(relaxed.length > 0 && { relaxed: [...relaxed] }) }
}

async function matched(
  { documents, index }: Searchable,
  { query, matching }: SearchRequest,
  filter: Filter | undefined,
  weights: readonly Weight[],
): Promise<QueryAnswer> {
  if (!filter && weights.length === 0) return await index.search(query, matching)
  const filters = [filter, ...weights.map(({ filter }) => filter)]
  return await askFiltered(index, documents, filters, (whole, [selection, ...weighed]) => {
    const boosts = weights.map(({ value }, i) => ({ value, selection: weighed[i] }))
    return whole.search(query, { ...matching, selection, boosts })
  })
}

import type { DatasetState } from '../datasets/state.ts'
import type { DocumentsContext } from '../datasets/writes.ts'
import type { LiveIndex } from '../live/live-index.ts'
import type { PresentedAnswer } from './answer.ts'
import { presentDocuments, presentScores } from './present.ts'
import { readSearch } from './read.ts'

/** What of a dataset a search needs. */
export interface Searchable {
  readonly state: DatasetState
  readonly documents: DocumentsContext
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
  const { state, documents, index } = find()
  const { settings, schema } = state
  const request = readSearch(query, options, state, documents.clock())
  // Resolves the words, matches and ranks: one call, as the index must not change in between.
  const found = await index.search(request.query, request.matching)
  const hits =
    request.documents || request.highlights
      ? await presentDocuments<T>(found, request, { documents, settings, root: schema.root })
      : presentScores<T>(found, settings)
  const { words, total, isCut: truncated, relaxed } = found
  return { hits, words, total, truncated, ...(relaxed.length > 0 && { relaxed: [...relaxed] }) }
}

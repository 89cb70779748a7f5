import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { View } from '../fulltext/matching/views.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import type { CheckedSuggestOptions } from '../spelling/suggest-options.ts'
import type { Suggestion } from '../spelling/suggestions.ts'
import { askFiltered } from './condition.ts'
import type { Searchable } from './search.ts'
import { readVisible } from './visible.ts'

/** Corrected versions of a text, in words of the documents that are there. */
export async function suggest(
  dataset: Searchable,
  text: string,
  options: CheckedSuggestOptions,
  { visible: given, deadline }: { readonly visible?: unknown; readonly deadline: Deadline | undefined },
): Promise<Suggestion[]> {
  const { index, documents } = dataset
  const visible = await readVisible(given, dataset, deadline)
  if (!visible) return await index.suggest(text, options, deadline)
  const ask = (whole: FulltextIndex, _: unknown, __: unknown, view: View | undefined) =>
    whole.suggest(text, options, view)
  return await askFiltered({ index, documents, deadline }, [], ask, [], visible)
}

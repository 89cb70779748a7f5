import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { View } from '../fulltext/matching/views.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import type { CheckedSuggestOptions } from '../spelling/suggest-options.ts'
import type { Suggestion } from '../spelling/suggestions.ts'
import { askFiltered } from './condition.ts'
import type { Searchable } from './search.ts'
import { readVisible } from './visible.ts'
import type { WrittenForms } from './written-forms.ts'

/** Corrected versions of a text, in words of the visible documents. */
export async function suggest(
  dataset: Searchable,
  text: string,
  options: CheckedSuggestOptions,
  { visible: given, deadline }: { readonly visible?: unknown; readonly deadline: Deadline | undefined },
): Promise<Suggestion[]> {
  const { index, documents } = dataset
  const visible = await readVisible(given, dataset, deadline)
  const ask = (whole: FulltextIndex, _: unknown, __: unknown, view: View | undefined) =>
    whole.suggest(text, options, view)
  if (!visible) return await index.suggest(text, options, deadline)
  const found = await askFiltered({ index, documents, deadline }, [], ask, [], visible)
  return await written(found, dataset, { visible, deadline })
}

/** Suggestions in the spelling of the visible documents. */
async function written(
  suggestions: readonly Suggestion[],
  dataset: Searchable,
  limits: Parameters<WrittenForms['of']>[1],
): Promise<Suggestion[]> {
  const words = new Set(suggestions.flatMap(({ text }) => text.split(' ')))
  const forms = await dataset.written.of(words, limits)
  return suggestions.map(({ text, score }) => {
    const spelt = text.split(' ').map(word => forms.get(word)!)
    return { text: spelt.join(' '), score }
  })
}

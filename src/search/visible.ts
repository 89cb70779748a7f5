import { isSet } from '../arrays/set-bits.ts'
import { columnsAt } from '../filters/field-columns.ts'
import { Filter, type IndexState, isMissing, type Missing } from '../filters/filter.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Selection } from '../fulltext/matching/selection.ts'
import type { View } from '../fulltext/matching/views.ts'
import type { JsonObject } from '../json.ts'
import type { LiveIndex } from '../live/live-index.ts'
import { readingVisible } from '../query/condition-query.ts'
import type { Predicate } from '../query/predicate.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { inStretches } from '../scheduling/stretch.ts'
import { askFiltered, type ConditionContext, filterFields, type Onlooker } from './condition.ts'
import type { VisibleCondition } from './cursors.ts'

/** The visible documents: for the caller, the dataset has no others. */
export class Visible implements Onlooker {
  /** Equal conditions have equal names. */
  readonly name: string
  readonly matches: Predicate
  readonly #filter: Filter
  /** Number of the last change in the index when documents were first read for it. */
  #readAt: number | undefined

  constructor(name: string, filter: Filter) {
    this.name = name
    this.matches = filter.matches
    this.#filter = filter
  }

  view(index: FulltextIndex, seq: number): View | Missing {
    const known = index.view(this.name)
    if (known) return known
    const selected = this.#filter.select(index.state)
    if (isMissing(selected)) {
      if (selected.documents.length > 0) this.#readAt ??= seq
      return selected
    }
    // A document may have been read before it changed to what the index has now.
    const keeps = this.#readAt === undefined || this.#readAt === seq
    return index.addView(this.name, selected, keeps)
  }

  learn(id: string, document: JsonObject | undefined): Generator<void> {
    return this.#filter.learn(id, document)
  }
}

/** @throws FindlingError QUERY_INVALID, INVALID_ARGUMENT */
export async function readVisible(
  given: unknown,
  context: ConditionContext,
  deadline: Deadline | undefined,
): Promise<Visible | undefined> {
  if (given === undefined) return undefined
  const { state } = context
  const fields = filterFields(state)
  deadline?.check()
  const query = await inStretches(readingVisible(given, fields.query), deadline, context.documents.store.turn)
  if (query.kind === 'everything') return undefined
  return new Visible(
    // A word without a field is looked for in all searched ones.
    JSON.stringify([state.settings.interpretedFields, state.settings.markup, query]),
    new Filter({ query }, fields, document => state.rules.tagIds(document)),
  )
}

/** Whether a document, as it is stored now, is visible. */
export const isThere = (stored: JsonObject | undefined, { matches }: VisibleCondition): boolean =>
  stored !== undefined && matches(stored)

/** What completions need to know of somebody who sees only some documents. */
export interface OnlookerOfTitles extends Pick<Visible, 'name' | 'matches'> {
  /** Ids of the tags of visible documents, and of the tags above them. */
  readonly tags: ReadonlySet<string>
}

export async function completionsFor(
  dataset: ConditionContext & { readonly index: LiveIndex },
  given: unknown,
  deadline: Deadline | undefined,
): Promise<OnlookerOfTitles | undefined> {
  const visible = await readVisible(given, dataset, deadline)
  if (!visible) return undefined
  const { index, documents, state, tags } = dataset
  const { tagField } = state.settings
  const ask = (whole: FulltextIndex, _: unknown, __: unknown, view: View | undefined) =>
    tagsOf(whole.state, view!.selection, tagField)
  const own = await askFiltered({ index, documents, deadline }, [], ask, [], visible)
  const tree = await tags.tree.current()
  const { name, matches } = visible
  return { name, matches, tags: new Set([...own].flatMap(id => [id, ...tree.ancestors(id)])) }
}

function tagsOf({ segments }: IndexState, selection: Selection, field: string): Set<string> {
  const found = new Set<string>()
  for (const [place, { segment }] of segments.entries()) {
    if (selection.sizes[place] === 0) continue
    for (const column of columnsAt(segment.columns, field, 'tags')) {
      const { starts, ordinals, texts } = column
      const isThere = new Uint8Array(texts.count)
      for (let document = 0; document < segment.shape.documents; document++)
        if (!isSet(selection.hidden[place], document))
          for (let at = starts[document]!; at < starts[document + 1]!; at++) isThere[ordinals[at]!] = 1
      for (const [ordinal, one] of isThere.entries()) if (one === 1) found.add(texts.text(ordinal))
    }
  }
  return found
}

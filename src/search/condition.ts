import type { DatasetState } from '../datasets/state.ts'
import { readDocuments } from '../datasets/stored-documents.ts'
import type { StoredTagTree } from '../datasets/tags/stored-tag-tree.ts'
import type { DocumentsContext } from '../datasets/writes.ts'
import { Filter, type FilterCondition, isMissing, type Missing } from '../filters/filter.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Selection } from '../fulltext/matching/selection.ts'
import type { View } from '../fulltext/matching/views.ts'
import type { JsonObject } from '../json.ts'
import type { IndexAsking, LiveIndex } from '../live/live-index.ts'
import { readingCondition } from '../query/condition-query.ts'
import { everything } from '../query/query.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { inStretches, Stretch } from '../scheduling/stretch.ts'

/** Documents that are read at a time. */
const READ_AT_ONCE = 200

/** What one more segment costs filters, orders and facets, in searches: 4.3 microseconds against one. */
const FILTER_LOOKS = 4

/** A condition on the documents, as the caller gave it. */
export interface GivenCondition {
  readonly filter?: unknown
  readonly tags?: readonly string[] | undefined
  readonly tagsBelow?: boolean
}

export interface ConditionContext {
  readonly state: DatasetState
  readonly documents: DocumentsContext
  readonly tags: { readonly tree: StoredTagTree }
}

/** What filters need to know of a dataset. */
export function filterFields({ settings, queryFields }: DatasetState): FilterFields {
  const { idField, tagField, interpretedFields } = settings
  return { query: queryFields, idField, tagField, indexed: interpretedFields }
}

/**
 * @throws FindlingError SEARCH_TIMEOUT, CANCELLED, QUERY_INVALID for a query string and INVALID_ARGUMENT for an object that
 * cannot be read
 */
export async function readCondition(
  { filter, tags, tagsBelow = true }: GivenCondition,
  { state, documents, tags: { tree } }: ConditionContext,
  fields: FilterFields,
  { deadline }: { readonly deadline?: Deadline | undefined } = {},
): Promise<FilterCondition> {
  deadline?.check()
  const query =
    filter === undefined
      ? everything
      : await inStretches(readingCondition(filter, fields.query), deadline, documents.store.turn)
  if (!tags) return { query }
  if (!tagsBelow) return { query, tags: [tags] }
  state.assertThere()
  const known = await tree.current()
  return { query, tags: [known.within(tags)] }
}

/** The filter for a condition; undefined where it lets every document through. */
export function filterFor(
  { query, tags }: FilterCondition,
  fields: FilterFields,
  { state }: ConditionContext,
): Filter | undefined {
  if (query.kind === 'everything' && !tags?.length) return undefined
  return new Filter({ query, tags }, fields, document => state.rules.tagIds(document))
}

/** Somebody to whom only some documents of an index are visible. */
export interface Onlooker {
  /** The index as the onlooker sees it, or what has to be read first. @param seq number of the last change in it */
  view(index: FulltextIndex, seq: number): View | Missing
  learn(id: string, document: JsonObject | undefined): Generator<void>
}

/** The selection of each filter, all of the same state of the index. */
export type Selections = readonly (Selection | undefined)[]

/** What has to be built or read before an index can be asked. */
export interface Preparation {
  /** What is missing; undefined where it is ready. */
  prepare(index: FulltextIndex): Missing | undefined
  /** The same once it is known which documents may be found. */
  prepareFor?(index: FulltextIndex, selections: Selections): Missing | undefined
  /** Takes in a document; what takes long is returned to be run piece by piece. */
  learn(id: string, document: JsonObject | undefined): Iterator<void> | undefined
}

/** Work on the whole index at rest, with the selections of the filters. @param seq number of the last change in the index */
type Work<T> = (index: FulltextIndex, selections: Selections, seq: number, view: View | undefined) => T

/** Who asks. */
export interface Asker {
  readonly index: LiveIndex
  readonly documents: DocumentsContext
  /** When the answer is due. */
  readonly deadline?: Deadline | undefined
}

/**
 * Hands the whole index, at rest, to synchronous work, with the filters' selections among the documents that are visible
 * to the onlooker, and the number of the last change in the index.
 */
export async function askFiltered<T>(
  asker: Asker,
  filters: readonly (Filter | undefined)[],
  work: Work<T>,
  preparations: readonly Preparation[] = [],
  onlooker?: Onlooker,
): Promise<T> {
  const most = Number.POSITIVE_INFINITY
  const asked = await askReadingFew(asker, filters, work, preparations, most, onlooker)
  return asked!.answer
}

/** The same, or undefined if a filter requires reading more than this many documents at a time. */
export async function askReadingFew<T>(
  { index, documents, deadline }: Asker,
  filters: readonly (Filter | undefined)[],
  work: Work<T>,
  preparations: readonly Preparation[],
  most: number,
  onlooker?: Onlooker,
): Promise<{ readonly answer: T } | undefined> {
  const stretch = new Stretch(deadline, documents.store.turn)
  const asking: IndexAsking = { deadline }
  for (;;) {
    const asked = await index.ask((whole, seq) => {
      for (const preparation of preparations) {
        const missing = preparation.prepare(whole)
        if (missing) return { learner: preparation, missing: missing.documents }
      }
      const view = onlooker?.view(whole, seq)
      if (onlooker && view && 'documents' in view) return { learner: onlooker, missing: view.documents }
      const there = view as View | undefined
      const selections: (Selection | undefined)[] = []
      for (const filter of filters) {
        const selected = filter ? filter.select(whole.state, there) : there?.selection
        if (filter && selected && isMissing(selected)) return { learner: filter, missing: selected.documents }
        selections.push(selected as Selection | undefined)
      }
      for (const preparation of preparations) {
        const missing = preparation.prepareFor?.(whole, selections)
        if (missing) return { learner: preparation, missing: missing.documents }
      }
      whole.looked(FILTER_LOOKS)
      return { answer: work(whole, selections, seq, there) }
    }, asking)
    if ('answer' in asked) return { answer: asked.answer }
    if (asked.missing.length > most) return undefined
    if (stretch.isOver) await stretch.pause()
    await learn(asked.learner, asked.missing, documents, stretch)
  }
}

/** Reads the documents that columns and postings do not decide on, and hands them to the learner. */
async function learn(
  learner: Pick<Preparation, 'learn'>,
  ids: readonly string[],
  documents: DocumentsContext,
  stretch: Stretch,
): Promise<void> {
  for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
    const some = ids.slice(at, at + READ_AT_ONCE)
    const stored = await readDocuments(documents, some)
    for (const [i, id] of some.entries()) {
      const pieces = learner.learn(id, stored[i])
      if (pieces) await stretch.through(pieces)
      if (stretch.isOver) await stretch.pause()
    }
  }
}

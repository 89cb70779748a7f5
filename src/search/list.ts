import * as z from 'zod'
import type { DocumentsContext } from '../datasets/writes.ts'
import type { Facet } from '../facets/facet.ts'
import { type FacetOptions, facetList } from '../facets/facet-options.ts'
import { MatchSet } from '../fulltext/matching/match-set.ts'
import { type MatchOrder, pageBy } from '../fulltext/reordering/match-order.ts'
import { deadlineMembers } from '../jobs/watching.ts'
import type { JsonObject } from '../json.ts'
import type { ContextOptions, IdentifiedAnswer } from '../observing/observation.ts'
import { contextMembers, shownHits } from '../observing/observing.ts'
import { optionsReader } from '../options-reader.ts'
import type { VisibilityOptions } from '../query/condition-query.ts'
import { bothMatch } from '../query/predicate.ts'
import { Deadline, type DeadlineOptions } from '../scheduling/deadline.ts'
import { inStretches, Stretch } from '../scheduling/stretch.ts'
import { askFiltered, filterFields, readCondition } from './condition.ts'
import { countedFacets } from './counted-facets.ts'
import type { ListCursor } from './cursors.ts'
import type { DistanceOf } from './distances.ts'
import { idAt, indexOrder, type ScoreOrder } from './match-list.ts'
import { firstDistance, Ordering, orderKeys } from './order.ts'
import { queryScores } from './query-scores.ts'
import { orderMembers, pageMembers, type TagOptions, tagMembers, visibilityMembers } from './read.ts'
import {
  checkResponseFields,
  type ResponseFieldOptions,
  responseFieldMembers,
  showing,
} from './response-fields.ts'
import type { Searchable } from './search.ts'
import { type Meant, stillMeant } from './still-meant.ts'
import { readVisible, type Visible } from './visible.ts'

/** What `dataset.filter()` takes, all of it optional. */
export interface ListOptions<T = JsonObject>
  extends TagOptions,
    ResponseFieldOptions,
    VisibilityOptions<T>,
    DeadlineOptions,
    ContextOptions {
  /** Maximum number of documents, up to 10,000. Default 10. */
  limit?: number
  /** Number of documents to skip, up to 1,000,000. Default 0. */
  offset?: number
  /**
   * Fields to order by, as `price:asc` or `released:desc`; `asc` may be left out. Of a list, the first value counts.
   * `location(52.5, 13.4)` is the distance from this latitude and longitude to the nearest point of the document. In both directions, numbers come before texts, which are compared by code units; `false` and `true` count as 0 and 1, and documents without a value come last.
   * Documents with the same values come in no particular order, which writes may change: add the field of ids for one that
   * stays. Default: documents with more and rarer words of the filter first, otherwise in no particular order.
   */
  sort?: readonly string[]
  /** `true`: the answer has a cursor if there is more. A cursor: the next page, with the options of the first. */
  cursor?: boolean | string
  /** The owner of the cursor, as in a search. */
  cursorOwner?: string
  /** Fields whose values are counted over all matching documents; an object sets options for one. At most 100. */
  facets?: readonly (string | FacetOptions)[]
}

/** Documents that match, in order. */
export interface ListAnswer<T> extends IdentifiedAnswer {
  /** `distance`, where `sort` begins with one: how many meters the nearest point of the document is away, if it has one. */
  hits: { id: string; document: T; distance?: number }[]
  total: { count: number; exact: true }
  /** Fetches the next page; null if there is none, or none was requested. */
  cursor: string | null
  /** By field, if requested; only on the first page of a cursor. */
  facets?: Record<string, Facet>
}

const listOptions = z.strictObject({
  ...tagMembers,
  ...visibilityMembers,
  ...responseFieldMembers,
  ...pageMembers,
  ...orderMembers,
  ...deadlineMembers,
  ...contextMembers,
  facets: facetList.optional(),
})

const readOptions = optionsReader(listOptions, 'options')

/** Documents that match a filter, page by page. */
export async function list<T>(
  find: () => Searchable,
  filter: unknown,
  options: unknown,
): Promise<ListAnswer<T>> {
  const dataset = find()
  const { state, observing } = dataset
  const began = observing?.begin()
  const checked = readOptions(options)
  const { cursor, tags, facets, sort, context } = checked
  const deadline = Deadline.of(checked)
  const visible = await readVisible(checked.visible, dataset, deadline)
  const { answer, before } =
    typeof cursor === 'string'
      ? await nextPage<T>(dataset, cursor, { visible, deadline })
      : await firstPage<T>(dataset, filter, checked, { visible, deadline })
  observing?.answered(
    began,
    {
      type: 'list',
      dataset: state.name,
      filter,
      tags,
      facets: facets?.map(({ field }) => field),
      sort,
      total: answer.total,
      hits: shownHits(answer.hits, before),
      context,
    },
    answer,
  )
  return answer
}

/** A page, and how many documents precede it. */
interface Page<T> {
  readonly answer: ListAnswer<T>
  readonly before: number
}

interface Asker {
  readonly visible: Visible | undefined
  readonly deadline: Deadline | undefined
}

async function firstPage<T>(
  dataset: Searchable,
  given: unknown,
  checked: z.output<typeof listOptions>,
  { visible, deadline }: Asker,
): Promise<Page<T>> {
  const { limit, offset, sort, cursor, tags, tagsBelow, responseFields } = checked
  const { state, cursors } = dataset
  checkResponseFields(responseFields, state, 'options')
  const show = showing(responseFields)
  const fields = filterFields(state)
  const keys = orderKeys(sort, fields, state.schema, visible === undefined)
  const condition = await readCondition({ filter: given, tags, tagsBelow }, dataset, fields, { deadline })
  const counted = await countedFacets(checked.facets, condition, dataset, fields)
  const ordering = new Ordering(keys)
  const distanceOf = firstDistance(keys, fields.query)
  const { index, documents } = dataset
  const { segments, page, size, counting, id } = await askFiltered(
    { index, documents, deadline },
    counted.filters,
    (whole, selections, seq, view) => {
      const segments = [...whole.state.segments]
      const sets = selections.map(selection => MatchSet.selected(segments, selection))
      const matches = sets[0]!
      const { size } = matches
      const order =
        keys.length > 0
          ? ordering.of(segments)
          : orderFor(queryScores(condition.query, whole, { selection: selections[0], view }, state.settings))
      const page = pageBy(order, matches, offset, limit)
      const isOpen = cursor && page.length > 0 && offset + page.length < size
      const kept = {
        kind: 'list',
        segments,
        matches,
        order,
        limit,
        last: page.at(-1),
        given: offset + page.length,
        show,
        distanceOf,
        visible,
      } as const
      // Opened in the same step: changes from now on are kept for it.
      const id = isOpen ? cursors.open(kept, seq, checked.cursorOwner) : null
      return { segments, page, size, counting: counted.count(whole, sets, view?.selection), id }
    },
    [...counted.preparations, ordering],
    visible,
  )
  const facets = counting && (await inStretches(counting, deadline, documents.store.turn))
  const answer: ListAnswer<T> = {
    hits: await presented<T>(
      dataset,
      {
        segments,
        show,
        distanceOf,
        matches: bothMatch(visible?.matches, counted.filters[0]?.matches),
        visible,
        deadline,
      },
      page,
      id,
    ),
    total: { count: size, exact: true },
    cursor: id,
    ...(facets && { facets }),
  }
  return { answer, before: offset }
}

const orderFor = (scores: ScoreOrder): MatchOrder => (scores.isEmpty ? indexOrder : scores)

async function nextPage<T>(dataset: Searchable, id: string, { visible, deadline }: Asker): Promise<Page<T>> {
  deadline?.begin()
  const cursor = dataset.cursors.next(id, 'list', { visible })
  const { matches, order, limit, last, given: before, segments, show, distanceOf } = cursor
  const page = order.first(matches, limit, last)
  cursor.last = page.at(-1) ?? last
  cursor.given += page.length
  const shown = { segments, show, distanceOf, visible: cursor.visible, deadline }
  const hits = await presented<T>(dataset, shown, page, id)
  // It may have expired meanwhile, together with the earlier contents of documents.
  dataset.cursors.next(id, 'list', { visible })
  if (page.length === 0) dataset.cursors.close(id)
  const total = { count: matches.size, exact: true } as const
  return { answer: { hits, total, cursor: page.length === 0 ? null : id }, before }
}

interface Shown
  extends Pick<ListCursor, 'segments' | 'show' | 'distanceOf'>,
    Pick<Meant, 'matches' | 'visible'> {
  readonly deadline?: Deadline | undefined
}

/**
 * Leaves out documents that are gone or no longer match, unless a cursor has kept their earlier contents, and always those
 * that are hidden by now.
 */
async function presented<T>(
  dataset: Searchable,
  { segments, show, distanceOf, matches, visible, deadline }: Shown,
  page: readonly number[],
  cursor: string | null,
): Promise<ListAnswer<T>['hits']> {
  const ids = page.map(document => idAt(segments, document))
  const before = cursor === null ? undefined : (id: string) => dataset.cursors.before(cursor, id)
  const stretch = new Stretch(deadline, dataset.documents.store.turn)
  return await meantHits<T>(dataset.documents, ids, { matches, before, visible, show, distanceOf }, stretch)
}

/** The documents that may still be shown, reduced to the requested fields. */
export async function meantHits<T>(
  documents: DocumentsContext,
  ids: readonly string[],
  {
    show,
    distanceOf,
    ...meant
  }: Meant & Pick<ListCursor, 'show'> & { readonly distanceOf?: DistanceOf | undefined },
  stretch: Stretch,
): Promise<ListAnswer<T>['hits']> {
  const hits: ListAnswer<T>['hits'] = []
  for (const [i, document] of (await stillMeant(documents, ids, meant, stretch)).entries()) {
    if (stretch.isOver) await stretch.pause()
    if (!document) continue
    const distance = distanceOf?.(document)
    hits.push({ id: ids[i]!, document: show(document) as T, ...(distance !== undefined && { distance }) })
  }
  return hits
}

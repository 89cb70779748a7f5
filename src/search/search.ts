import type { Facet } from '../facets/facet.ts'
import type { FilterCondition } from '../filters/filter.ts'
import type { QueryAnswer, QueryOptions } from '../fulltext/ranking/searcher.ts'
import type { JsonObject } from '../json.ts'
import type { LiveIndex } from '../live/live-index.ts'
import { inStretches } from '../stretch.ts'
import type { PresentedAnswer } from './answer.ts'
import { askFiltered, type ConditionContext, filterFields, readCondition } from './condition.ts'
import { countedFacets } from './counted-facets.ts'
import type { Cursors } from './cursors.ts'
import { Groups } from './groups.ts'
import { Ordering, orderKeys } from './order.ts'
import { type Choose, presentDocuments, presentScores } from './present.ts'
import { readSearch, type SearchRequest } from './read.ts'
import { type Weight, WeightSums } from './weights.ts'

/** What of a dataset a search needs. */
export interface Searchable extends ConditionContext {
  readonly index: LiveIndex
  readonly cursors: Cursors
}

/** So many hits a cursor leads through. */
const MOST_KEPT = 20_000

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
  if (typeof request.cursor === 'string') return await nextPage<T>(dataset, request.cursor)
  const condition = await readCondition(request.condition ?? {}, dataset, filterFields(state))
  return await searchWithin<T>(dataset, request, condition)
}

/** What is done with the scores of what is found, and which documents are shown then. */
export interface Scoring {
  readonly weights?: readonly Weight[]
  readonly choose?: Choose | undefined
}

/** A search that was read, among the documents of a condition. */
export async function searchWithin<T extends object>(
  dataset: Searchable,
  request: SearchRequest,
  condition: FilterCondition,
  { weights = [], choose }: Scoring = {},
): Promise<PresentedAnswer<T>> {
  // Resolves the words, matches and ranks: one call, as the index must not change in between.
  const { cursors } = dataset
  const { found, matches, facets, seq } = await matched(dataset, request, condition, weights)
  const { limit } = request.matching
  const page = { ...found, hits: request.cursor ? found.hits.slice(0, limit) : found.hits }
  const isOpen = request.cursor && limit > 0 && found.hits.length > limit
  const kept = { kind: 'hits', request, found: { ...found, matches: [] }, limit, given: limit } as const
  const id = isOpen ? cursors.open(kept, seq) : null
  return {
    ...(await presented<T>(dataset, request, page, { id, matches, choose })),
    ...(facets && { facets }),
    ...(request.cursor && { cursor: id }),
  }
}

async function nextPage<T extends object>(dataset: Searchable, id: string): Promise<PresentedAnswer<T>> {
  const cursor = dataset.cursors.next(id, 'hits')
  const { found, request, limit, given } = cursor
  const hits = found.hits.slice(given, given + limit)
  cursor.given += hits.length
  const answer = await presented<T>(dataset, request, { ...found, hits }, { id })
  // It may have expired meanwhile, and with it what documents said before.
  dataset.cursors.next(id, 'hits')
  const isOver = cursor.given === found.hits.length
  if (isOver) dataset.cursors.close(id)
  return { ...answer, cursor: isOver ? null : id }
}

async function presented<T extends object>(
  { state: { settings, schema }, documents, cursors }: Searchable,
  request: Pick<SearchRequest, 'documents' | 'highlights'>,
  found: QueryAnswer,
  {
    id: cursor,
    matches,
    choose,
  }: { readonly id: string | null } & Pick<Matched, 'matches'> & Pick<Scoring, 'choose'>,
): Promise<PresentedAnswer<T>> {
  const before = cursor === null ? undefined : (id: string) => cursors.before(cursor, id)
  const hits =
    request.documents || request.highlights
      ? await presentDocuments<T>(found, request, {
          documents,
          settings,
          root: schema.root,
          matches,
          before,
          choose,
        })
      : presentScores<T>(found, settings)
  const { words, total, isCut: truncated, relaxed } = found
  return { hits, words, total, truncated, ...(relaxed.length > 0 && { relaxed: [...relaxed] }) }
}

interface Matched {
  readonly found: QueryAnswer
  /** Whether a document itself is meant; undefined where all are. */
  readonly matches?: ((document: JsonObject) => boolean) | undefined
  readonly facets?: Record<string, Facet> | undefined
  /** Number of the last change that it has seen, where there is a cursor. */
  readonly seq: number
}

async function matched(
  dataset: Searchable,
  request: SearchRequest,
  condition: FilterCondition,
  weights: readonly Weight[],
): Promise<Matched> {
  const { query, matching, facets, sort, cursor } = request
  const { state, documents, index } = dataset
  const isBare = condition.query.kind === 'everything' && !condition.tags?.length && weights.length === 0
  const grouping = matching.groupBy && new Groups(matching.groupBy.path)
  if (isBare && !facets && !sort && !cursor && !grouping)
    return { found: await index.search(query, matching), seq: 0 }
  const fields = filterFields(state)
  const keys = orderKeys(sort, fields, state.schema)
  const counted = await countedFacets(facets, condition, dataset, fields)
  const ordering = new Ordering(keys)
  const sums = new WeightSums(weights)
  const { counting, ...answer } = await askFiltered(
    index,
    documents,
    counted.filters,
    (whole, selections, seq) => {
      const options: QueryOptions = {
        ...matching,
        limit: cursor ? MOST_KEPT : matching.limit,
        selection: selections[0],
        collect: facets ? selections : [],
        order: keys.length > 0 ? ordering.of(whole.state.segments) : undefined,
        boosts: sums.of(whole.state),
      }
      const found = whole.search(query, options)
      const { matches } = counted.filters[0] ?? {}
      return { found, matches, counting: counted.count(whole, found.matches), seq }
    },
    [...counted.preparations, ordering, sums, ...(grouping ? [grouping] : [])],
  )
  return { ...answer, facets: counting && (await inStretches(counting)) }
}

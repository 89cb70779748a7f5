import type { QueryCategories, QuerySubject } from '../classification/query-categories.ts'
import type { DatasetState } from '../datasets/state.ts'
import type { Facet } from '../facets/facet.ts'
import type { FilterCondition } from '../filters/filter.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import { EVERYTHING, type QueryAnswer, type QueryOptions } from '../fulltext/searching/text-query.ts'
import type { MatchedWord } from '../fulltext/words/slot.ts'
import type { UnderstoodWord } from '../fulltext/words/written-texts.ts'
import type { LiveIndex } from '../live/live-index.ts'
import { type Observing, shownHits } from '../observing/observing.ts'
import { bothMatch, type Predicate } from '../query/predicate.ts'
import { everything } from '../query/query.ts'
import { inStretches } from '../scheduling/stretch.ts'
import type { LiveVectors } from '../vectors/dataset/live-vectors.ts'
import type { PresentedAnswer } from './answer.ts'
import { askFiltered, type ConditionContext, filterFields, readCondition } from './condition.ts'
import { countedFacets } from './counted-facets.ts'
import type { Cursors, VisibleCondition } from './cursors.ts'
import type { DistanceOf } from './distances.ts'
import { grouping } from './groups.ts'
import { firstDistance, Ordering, orderKeys } from './order.ts'
import { type Choose, presentDocuments, presentScores } from './present.ts'
import { readSearch, type SearchRequest } from './read.ts'
import { readingRules } from './read-rules.ts'
import { VectorMatches } from './vector-matches.ts'
import { type VectorRequest, vectorOf, vectorsFor } from './vector-options.ts'
import { readVisible, type Visible } from './visible.ts'
import { type Weight, WeightSums } from './weights.ts'
import type { WrittenForms } from './written-forms.ts'

/** What a search needs of a dataset. */
export interface Searchable extends ConditionContext {
  readonly index: LiveIndex
  readonly cursors: Cursors
  readonly categories: QueryCategories
  readonly vectors: LiveVectors
  /** How its documents write words. */
  readonly written: WrittenForms
  /** Undefined where nobody observes. */
  readonly observing?: Observing | undefined
}

/** Maximum number of hits of a cursor. */
const MOST_KEPT = 20_000

/**
 * Runs a search: reads the request, matches and ranks, and presents what was found.
 * @param find returns the dataset that was named
 */
export async function searchDocuments<T extends object>(
  find: () => Searchable,
  query: unknown,
  options: unknown,
): Promise<PresentedAnswer<T>> {
  const dataset = find()
  const { state, documents, observing } = dataset
  const began = observing?.begin()
  const request = readSearch(query, options, state, documents.clock())
  // Most searches have neither a cursor nor a deadline, and are over in less time than an await takes.
  const { cursor: page, deadline } = request
  const visible =
    request.visible === undefined ? undefined : await readVisible(request.visible, dataset, deadline)
  if (typeof page === 'string') {
    const { visibleFields } = request
    const { answer, before, text } = await nextPage<T>(dataset, page, { visible, visibleFields, deadline })
    observing?.answered(began, observed(dataset, { ...request, text }, answer, before), answer)
    return answer
  }
  const condition = request.condition
    ? await readCondition(request.condition, dataset, namedFields(request, state), { deadline })
    : unconditional
  const told = subjectOf(dataset, request)
  const subject = told instanceof Promise ? await told : told
  const found = await searchWithin<T>(dataset, heeding(subject, request), condition, { visible })
  const categories = subject ? await subject.shown() : []
  const answer = categories.length > 0 ? { ...found, categories } : found
  observing?.answered(began, observed(dataset, request, answer, request.matching.offset ?? 0), answer)
  return answer
}

/** What a text is about; without a promise where nothing has to be loaded. */
function subjectOf(
  { categories }: Searchable,
  { query, text, matching, categories: isAsked }: SearchRequest,
): ReturnType<QueryCategories['of']> {
  return isAsked && query !== EVERYTHING ? categories.of(text, matching.exclusion ?? true) : undefined
}

/** The request with its ranking adjusted to what it is about, unless it has an order. */
function heeding(subject: QuerySubject | undefined, request: SearchRequest): SearchRequest {
  const categories = subject?.weighs
  if (!categories || request.sort) return request
  return { ...request, matching: { ...request.matching, categories } }
}

const unconditional: FilterCondition = { query: everything }

/** The fields that the request may name. */
/** What filters may name. */
export function namedFields(
  { visibleFields }: Pick<SearchRequest, 'visibleFields'>,
  state: DatasetState,
): FilterFields {
  const all = filterFields(state)
  if (!visibleFields) return all
  const tagField = visibleFields.has(all.tagField) ? all.tagField : ''
  return { ...all, query: visibleFields.ofQuery(all.query), tagField }
}

/** @param before how many hits come before those of the answer */
function observed(
  { state, observing }: Searchable,
  { text, condition, facets, sort, vector, context }: SearchRequest,
  { hits, total, words, relaxed }: PresentedAnswer<object>,
  before: number,
) {
  return {
    type: 'search',
    dataset: state.name,
    text,
    filter: condition?.filter,
    tags: condition?.tags,
    facets: facets?.map(({ field }) => field),
    sort,
    vector: vector && { field: vector.field, ...('like' in vector && { like: vector.like }) },
    // A copy: what an observer does with it must not change the answer.
    total: { ...total },
    hits: shownHits(hits, before),
    words: observing?.isObserved ? words.map(word => ({ ...word, surfaces: [...word.surfaces] })) : words,
    relaxed: [...(relaxed ?? [])],
    context,
  } as const
}

/** What is added to the scores, and which documents are shown. */
export interface Scoring {
  readonly weights?: readonly Weight[]
  readonly choose?: Choose | undefined
  /** The documents that are visible. */
  readonly visible?: Visible | undefined
}

/** Runs a request that was read, among the documents that meet a condition. */
export async function searchWithin<T extends object>(
  dataset: Searchable,
  request: SearchRequest,
  condition: FilterCondition,
  { weights = [], choose, visible }: Scoring = {},
): Promise<PresentedAnswer<T>> {
  // Resolves the words, matches and ranks: one call, as the index must not change in between.
  const asked = isBare(request, condition, weights, visible)
    ? ofTextAlone(dataset, request)
    : request.vector
      ? matchedByVector(dataset, request, request.vector, condition, { weights, visible })
      : matched(dataset, request, condition, { weights, visible })
  const { found: read, matches, distanceOf, facets, seq } = asked instanceof Promise ? await asked : asked
  const isMeant = visible && read.words.some(({ suggestion }) => suggestion !== undefined)
  const found = isMeant
    ? await withReadSuggestions(read, dataset, { visible, deadline: request.deadline })
    : read
  const id = openedCursor(dataset, request, found, { seq, distanceOf }, visible)
  const shown = presented<T>(dataset, request, found, { id, matches, distanceOf, choose, visible })
  const answer = shown instanceof Promise ? await shown : shown
  if (facets) answer.facets = facets
  if (request.cursor) answer.cursor = id
  return answer
}

/** The cursor for further pages; null where there are none, or none was requested. */
function openedCursor(
  { cursors }: Searchable,
  request: SearchRequest,
  found: QueryAnswer,
  { seq, distanceOf }: Pick<Matched, 'seq' | 'distanceOf'>,
  visible: Visible | undefined,
): string | null {
  const { limit, offset = 0 } = request.matching
  if (!found.kept || limit === 0 || found.kept.length <= limit) return null
  const { kept, hits: _, ...more } = found
  const { documents, highlights, show, text, tellsGroup, visibleFields } = request
  const asked = { documents, highlights, show, text, tellsGroup }
  const given = { request: asked, limit, offset, given: limit, visible, visibleFields }
  const cursor = { kind: 'hits', found: { ...more, matches: [] }, kept, distanceOf, ...given } as const
  return cursors.open(cursor, seq, request.cursorOwner)
}

/** Suggestions in the spelling of visible documents: the index knows only the spelling across all of them. */
async function withReadSuggestions(
  found: QueryAnswer,
  { written }: Searchable,
  limits: Parameters<WrittenForms['of']>[1],
): Promise<QueryAnswer> {
  const suggestions = found.words.flatMap(({ suggestion }) => suggestion ?? [])
  const forms = await written.of(suggestions, limits)
  const words = found.words.map(word =>
    word.suggestion === undefined ? word : { ...word, suggestion: forms.get(word.suggestion)! },
  )
  return { ...found, words }
}

async function nextPage<T extends object>(
  dataset: Searchable,
  id: string,
  {
    deadline,
    ...onlooker
  }: Pick<SearchRequest, 'visibleFields' | 'deadline'> & {
    visible: Visible | undefined
  },
): Promise<{ answer: PresentedAnswer<T>; before: number; text: string }> {
  deadline?.begin()
  const cursor = dataset.cursors.next(id, 'hits', onlooker)
  const { found, kept, request, limit, given } = cursor
  const before = cursor.offset + given
  const hits = kept.slice(given, given + limit)
  cursor.given += hits.length
  const seen = { id, visible: cursor.visible, distanceOf: cursor.distanceOf }
  const answer = await presented<T>(dataset, { ...request, deadline }, { ...found, hits }, seen)
  // It may have expired meanwhile, together with the earlier contents of documents.
  dataset.cursors.next(id, 'hits', onlooker)
  const isOver = cursor.given === kept.length
  if (isOver) dataset.cursors.close(id)
  return { answer: { ...answer, cursor: isOver ? null : id }, before, text: request.text }
}

interface Page extends Pick<Matched, 'matches' | 'distanceOf'>, Pick<Scoring, 'choose'> {
  /** The cursor's. */
  readonly id: string | null
  readonly visible: VisibleCondition | undefined
}

/** A promise only where documents have to be read: an await costs a noticeable part of the whole search. */
function presented<T extends object>(
  dataset: Searchable,
  request: Pick<SearchRequest, 'documents' | 'highlights' | 'show' | 'tellsGroup' | 'deadline'>,
  found: QueryAnswer,
  page: Page,
): PresentedAnswer<T> | Promise<PresentedAnswer<T>> {
  const readsDocuments =
    request.documents || request.highlights || (page.visible !== undefined && page.id !== null)
  if (!readsDocuments) return answerOf(presentScores<T>(found, dataset.state.settings), found, request)
  return withDocuments<T>(dataset, request, found, page)
}

async function withDocuments<T extends object>(
  { state: { settings, schema }, documents, cursors }: Searchable,
  request: Parameters<typeof presented>[1],
  found: QueryAnswer,
  { id: cursor, matches, distanceOf, choose, visible }: Page,
): Promise<PresentedAnswer<T>> {
  const hits = await presentDocuments<T>(found, request, {
    deadline: request.deadline,
    documents,
    settings,
    root: schema.root,
    matches,
    before: cursor === null ? undefined : (id: string) => cursors.before(cursor, id),
    distanceOf,
    choose,
    visible,
  })
  return answerOf(hits, found, request)
}

function answerOf<T>(
  hits: PresentedAnswer<T>['hits'],
  { words, total, isCut: truncated, relaxed }: QueryAnswer,
  { tellsGroup }: Pick<SearchRequest, 'tellsGroup'>,
): PresentedAnswer<T> {
  if (!tellsGroup) for (const hit of hits) delete hit.group
  const answer: PresentedAnswer<T> = { hits, words: words.map(shownWord), total, truncated }
  if (relaxed.length > 0) answer.relaxed = [...relaxed]
  return answer
}

/** With the word that it was taken for in the spelling of the documents. */
export function shownWord(understood: UnderstoodWord): MatchedWord {
  if (!understood.written) return understood
  const { written, ...word } = understood
  return { ...word, ...written }
}

interface Matched {
  readonly found: QueryAnswer
  /** Whether a document still matches; undefined where all do. */
  readonly matches?: Predicate | undefined
  /** If the hits are ordered by distance. */
  readonly distanceOf?: DistanceOf | undefined
  readonly facets?: Record<string, Facet> | undefined
  /** Number of the last change included, for a cursor. */
  readonly seq: number
}

function ofTextAlone({ index }: Searchable, request: SearchRequest): Matched | Promise<Matched> {
  const found = index.search(request.query, request.matching, request.deadline)
  return found instanceof Promise ? found.then(found => ({ found, seq: 0 })) : { found, seq: 0 }
}

/** Whether the text alone decides what is found. */
function isBare(
  { facets, sort, cursor, matching, vector }: SearchRequest,
  { query, tags }: FilterCondition,
  weights: readonly Weight[],
  visible: Visible | undefined,
): boolean {
  if (query.kind !== 'everything' || tags?.length || weights.length > 0 || visible) return false
  return !facets && !sort && !cursor && !vector && !matching.groupBy
}

async function matchedByVector(
  dataset: Searchable,
  request: SearchRequest,
  vector: VectorRequest,
  condition: FilterCondition,
  scoring: Scoring,
): Promise<Matched> {
  const { deadline } = request
  if ('like' in vector) {
    const { hidden = [] } = request.matching
    const others = { ...request, matching: { ...request.matching, hidden: [...hidden, vector.like] } }
    const query = await vectorOf(vector, dataset.documents, { visible: scoring.visible?.matches, deadline })
    return await matchedByVector(dataset, others, query, condition, scoring)
  }
  return await dataset.vectors.use(vectors => {
    const near = new VectorMatches(vector, request.query, vectorsFor(vector, vectors), dataset.vectors)
    return matched(dataset, request, condition, { ...scoring, near })
  }, deadline)
}

async function matched(
  dataset: Searchable,
  request: SearchRequest,
  condition: FilterCondition,
  { weights = [], visible, near }: Scoring & { readonly near?: VectorMatches },
): Promise<Matched> {
  const { query, matching, facets, sort, cursor, deadline } = request
  const { state, documents, index } = dataset
  const fields = namedFields(request, state)
  const seesAll = visible === undefined && request.visibleFields === undefined
  const keys = orderKeys(sort, fields, state.schema, seesAll)
  const counted = await countedFacets(facets, condition, dataset, fields)
  const ordering = new Ordering(keys)
  const sums = new WeightSums(weights)
  const { counting, ...answer } = await askFiltered(
    { index, documents, deadline },
    counted.filters,
    (whole, selections, seq, view) => {
      const options: QueryOptions = {
        ...matching,
        keeps: cursor ? MOST_KEPT : undefined,
        selection: selections[0],
        view,
        collect: facets ? selections : [],
        order: keys.length > 0 ? ordering.of(whole.state.segments) : undefined,
        boosts: sums.of(whole.state),
      }
      const found = near ? near.search(whole, query, options) : whole.search(query, options)
      const matches = bothMatch(visible?.matches, counted.filters[0]?.matches)
      return { found, matches, counting: counted.count(whole, found.matches, view?.selection), seq }
    },
    [
      ...counted.preparations,
      ordering,
      sums,
      ...(near ? [near] : []),
      ...(matching.groupBy ? [grouping(matching.groupBy.path)] : []),
      ...(matching.rules ? [readingRules(matching.rules)] : []),
    ],
    visible,
  )
  const distanceOf = firstDistance(keys, fields.query)
  return {
    ...answer,
    distanceOf,
    facets: counting && (await inStretches(counting, deadline, documents.store.turn)),
  }
}

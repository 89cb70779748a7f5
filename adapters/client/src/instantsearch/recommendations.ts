import type {
  BasketResult,
  BoughtTogetherRequest,
  SearchRequest,
  SearchResult,
  SimilarRequest,
  SimilarResult,
  TrendingRequest,
} from '../api/models.ts'
import { hitOf, type InstantAnswer, type InstantHit } from './answer.ts'
import { levelOf } from './hierarchies.ts'
import { readRequest } from './members.ts'
import { type Plan, planOf, type Surroundings } from './plan.ts'
import { type InstantRequest, refused } from './request.ts'

/** What the widgets `relatedProducts`, `lookingSimilar`, `frequentlyBoughtTogether` and `trendingItems` request. */
export interface RecommendRequest {
  readonly indexName: string
  readonly model: string
  /** Id of the document that others are compared with, or bought together with. */
  readonly objectID?: string | undefined
  /** Of trending items: a field and its value, which all of them have. */
  readonly facetName?: string | undefined
  readonly facetValue?: string | undefined
  /** Default 30, also for 0. */
  readonly maxRecommendations?: number | undefined
  /** Minimum score, from 0 to 100. */
  readonly threshold?: number | undefined
  /** Filters, and what is shown of hits. */
  readonly queryParameters?: Readonly<Record<string, unknown>> | undefined
  /** A search whose hits follow if there are too few recommendations. */
  readonly fallbackParameters?: Readonly<Record<string, unknown>> | undefined
}

export interface RecommendedHit extends InstantHit {
  /** From 0 to 100; 0 for hits of the fallback. */
  readonly _score: number
}

/** An answer as the widgets of recommendations expect it. */
export interface InstantRecommendations {
  readonly index: string
  /** For insights, if the server keeps analytics. */
  readonly queryID?: string
  readonly hits: readonly RecommendedHit[]
  readonly nbHits: number
  readonly processingTimeMS: number
}

/** How recommendations are found. */
export interface RecommendingBy {
  readonly around: Surroundings
  /** By dataset, the field of the vectors that `lookingSimilar` compares. */
  readonly vectors: Readonly<Record<string, string>>
  /** Undefined if there is no document with the id. */
  similar(dataset: string, request: SimilarRequest): Promise<SimilarResult | undefined>
  /** Undefined if there is no document with the id. */
  nearest(dataset: string, request: SearchRequest): Promise<SearchResult | undefined>
  together(dataset: string, request: BoughtTogetherRequest): Promise<BasketResult>
  trending(dataset: string, request: TrendingRequest): Promise<BasketResult>
  search(request: InstantRequest): Promise<InstantAnswer>
}

const trendingItems = 'trending-items'
const models = ['related-products', 'looking-similar', 'bought-together', trendingItems]

/** Members of `queryParameters` that recommendations follow. */
const followed = new Set([
  ...['filters', 'facetFilters', 'numericFilters', 'aroundLatLng', 'aroundRadius'],
  ...['insideBoundingBox', 'insidePolygon', 'aroundLatLngViaIP'],
  ...['attributesToRetrieve', 'attributesToHighlight', 'attributesToSnippet', 'snippetEllipsisText'],
  ...['highlightPreTag', 'highlightPostTag', 'restrictHighlightAndSnippetArrays', 'responseFields'],
  ...['userToken', 'analyticsTags', 'analytics', 'clickAnalytics', 'enablePersonalization'],
])

const defaultCount = 30

/** Answers one request. @throws TypeError that names what is not supported, or has an invalid value */
export async function recommendationsOf(
  request: RecommendRequest,
  by: RecommendingBy,
): Promise<InstantRecommendations> {
  const start = performance.now()
  const read = readRecommend(request)
  const { count } = read
  const plan = await planOf(askedOf(request), by.around)
  const found = await foundBy(request.model, read, plan, by)
  const hits = (found?.hits ?? []).map(hit => ({
    ...hitOf({ ...hit, highlights: {} }, plan.asked, 0),
    _score: Math.round(hit.score * 10_000) / 100,
  }))
  const all = [...hits, ...(await fallbackOf(request, { hits, count }, by))]
  return {
    index: request.indexName,
    ...(found?.queryId !== undefined && { queryID: found.queryId }),
    hits: all,
    nbHits: all.length,
    processingTimeMS: Math.round(performance.now() - start),
  }
}

interface Found extends Pick<SimilarResult, 'queryId'> {
  readonly hits: readonly Pick<SearchResult['hits'][number], 'id' | 'score' | 'document'>[]
}

async function foundBy(
  model: string,
  { objectID, count, least }: ReturnType<typeof readRecommend>,
  plan: Plan,
  by: RecommendingBy,
): Promise<Found | undefined> {
  const { dataset } = plan
  if (model === 'bought-together')
    return relative(await by.together(dataset, { ...basketRequest(plan, count), ids: [objectID] }), least)
  if (model === trendingItems) return relative(await by.trending(dataset, basketRequest(plan, count)), least)
  const comparesVectors = model === 'looking-similar' && Object.hasOwn(by.vectors, dataset)
  const field = comparesVectors ? by.vectors[dataset] : undefined
  return field === undefined
    ? await by.similar(dataset, { ...similarRequest(plan, by.around), id: objectID, count, least })
    : await by.nearest(dataset, nearestRequest(plan, { field, like: objectID, nearest: count, least }))
}

/** Scores of baskets have no upper bound: here the best is 1. */
function relative({ hits, ...result }: BasketResult, least: number): Found {
  const best = hits[0]?.score ?? 1
  return {
    ...result,
    hits: hits.map(hit => ({ ...hit, score: hit.score / best })).filter(({ score }) => score >= least),
  }
}

function readRecommend({ model, objectID = '', maxRecommendations, threshold = 0 }: RecommendRequest) {
  if (!models.includes(model))
    throw refused('model', `expected one of ${models.join(', ')}, received ${String(model).slice(0, 50)}`)
  if (model !== trendingItems && (typeof objectID !== 'string' || objectID === ''))
    throw refused('objectID', 'expected the id of a document')
  const count = maxRecommendations || defaultCount
  if (!Number.isSafeInteger(count) || count < 1)
    throw refused(
      'maxRecommendations',
      `expected a whole number from 0 on, received ${String(count).slice(0, 50)}`,
    )
  if (typeof threshold !== 'number' || !(threshold >= 0 && threshold <= 100))
    throw refused('threshold', `expected a number from 0 to 100, received ${String(threshold).slice(0, 50)}`)
  return { objectID, count, least: threshold / 100 }
}

function askedOf({ indexName, model, queryParameters = {}, facetName, facetValue }: RecommendRequest) {
  for (const [name, value] of Object.entries(queryParameters))
    if (value !== undefined && value !== null && !followed.has(name))
      throw refused(name, 'it is not supported by recommendations')
  if (model !== trendingItems || facetName === undefined)
    return readRequest({ indexName, params: queryParameters })
  if (typeof facetName !== 'string' || facetName === '')
    throw refused('facetName', 'expected the name of a facet')
  if (typeof facetValue !== 'string') throw refused('facetValue', 'expected a value of the facet, as text')
  const given = queryParameters.facetFilters ?? []
  const facetFilters = [...(Array.isArray(given) ? given : [given]), `${facetName}:${facetValue}`]
  return readRequest({ indexName, params: { ...queryParameters, facetFilters } })
}

const countingOf = ({ search: { user, tags, analytics } }: Plan['asked']) => ({
  ...(user !== undefined && { user }),
  ...(tags && { tags }),
  ...(analytics !== undefined && { analytics }),
})

const basketRequest = ({ asked, filter: { query, tagIdList } }: Plan, count: number): TrendingRequest => ({
  ...countingOf(asked),
  count,
  ...(query && { filter: query }),
  ...(tagIdList && { tagIdList: [...tagIdList] }),
})

function similarRequest({ asked, filter }: Plan, { hierarchies }: Surroundings): SimilarRequest {
  for (const text of asked.facetFilters.flat())
    if (levelOf(text.slice(0, text.indexOf(':')), hierarchies))
      throw refused('facetFilters', 'words cannot be compared within levels of a hierarchy')
  return { ...countingOf(asked), ...(filter.query && { filter: filter.query }) }
}

function nearestRequest(
  { asked, filter }: Plan,
  vector: NonNullable<SearchRequest['vector']>,
): SearchRequest {
  const { nearest: limit } = vector
  return { text: '', vector, filter, tagsBelow: true, ...(limit && { limit }), ...countingOf(asked) }
}

async function fallbackOf(
  { indexName, objectID, fallbackParameters }: RecommendRequest,
  { hits, count }: { readonly hits: readonly InstantHit[]; readonly count: number },
  by: RecommendingBy,
): Promise<RecommendedHit[]> {
  if (!fallbackParameters || hits.length >= count) return []
  const known = new Set([objectID, ...hits.map(hit => hit.objectID)])
  // A page view counts once.
  const params = { ...fallbackParameters, analytics: false, hitsPerPage: count + 1 }
  const { hits: others } = await by.search({ indexName, params })
  return others
    .filter(hit => !known.has(hit.objectID))
    .slice(0, count - hits.length)
    .map(hit => ({ ...hit, _score: 0 }))
}

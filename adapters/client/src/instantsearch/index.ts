// What InstantSearch and autocomplete libraries expect of a search client

import type { BasketResult, SearchResult, SimilarResult } from '../api/models.ts'
import type { DatasetSearch, PartialSearch } from '../dataset-search.ts'
import { type Result, unwrap } from '../result.ts'
import { answerOf, facetAnswerOf, type InstantAnswer, type InstantFacetAnswer } from './answer.ts'
import { type Hierarchy, levelOf, TagPaths } from './hierarchies.ts'
import { KeptAnswers } from './kept-answers.ts'
import { readRequest } from './members.ts'
import { type InstantIndex, planOf, type SearchDefaults, type Surroundings } from './plan.ts'
import {
  type InstantRecommendations,
  type RecommendingBy,
  type RecommendRequest,
  recommendationsOf,
} from './recommendations.ts'
import { type Asked, type InstantRequest, refused } from './request.ts'

export type { InstantAnswer, InstantFacetAnswer, InstantHit } from './answer.ts'
export type { Hierarchy } from './hierarchies.ts'
export { type InsightsClient, type InsightsEvent, insightsClient } from './insights.ts'
export type { Marked, MarkedText } from './marked-fields.ts'
export type { InstantIndex, SearchDefaults } from './plan.ts'
export type { InstantRecommendations, RecommendedHit, RecommendRequest } from './recommendations.ts'
export type { InstantRequest } from './request.ts'

export interface InstantSearchOptions {
  /**
   * The meaning of index names. Default: an index is a dataset, and `products/sort/price:asc,title:desc` is the dataset
   * `products` in that order.
   */
  readonly indexes?: Readonly<Record<string, InstantIndex>> | undefined
  /**
   * The tags of a dataset as levels: with `{ categories: {} }`, the facets `categories.lvl0`, `categories.lvl1` and so on have
   * paths of names as values, as a hierarchical menu needs them.
   */
  readonly hierarchies?: Readonly<Record<string, Hierarchy>> | undefined
  /** The field of points, for searches around a point or inside an area. Default `_geoloc`. */
  readonly points?: string | undefined
  /** The fields that `facets: ['*']` stands for, which dynamic widgets request. Default: such a request is refused. */
  readonly facets?: readonly string[] | undefined
  /**
   * By dataset, the field of the vectors that `lookingSimilar` compares, as in `{ products: 'embedding' }`. Default: it compares
   * words, as `relatedProducts` does.
   */
  readonly vectors?: Readonly<Record<string, string>> | undefined
  /**
   * Further options of every search. Default: all words must match, words are dropped if no document has all, and the last word is
   * matched as a prefix.
   */
  readonly search?: SearchDefaults | undefined
  /** Maximum number of hits that can be reached by paging. Default 1,000. */
  readonly mostHits?: number | undefined
  /** Maximum number of cached answers. Default 200; 0 disables the cache. */
  readonly cacheSize?: number | undefined
  /** Milliseconds for which a cached answer is valid. Default 120,000. */
  readonly maxAge?: number | undefined
}

/** A search client as InstantSearch takes it. */
export interface InstantSearchClient {
  search(
    requests: readonly InstantRequest[] | { readonly requests: readonly InstantRequest[] },
  ): Promise<{ results: (InstantAnswer | InstantFacetAnswer)[] }>
  searchForFacetValues(requests: readonly InstantRequest[]): Promise<InstantFacetAnswer[]>
  /** Answers the widgets `relatedProducts`, `lookingSimilar`, `frequentlyBoughtTogether` and `trendingItems`. */
  getRecommendations(
    requests: readonly RecommendRequest[] | { readonly requests: readonly RecommendRequest[] },
  ): Promise<{ results: InstantRecommendations[] }>
  /** Clears the cached answers, and the known tags of hierarchies. */
  clearCache(): Promise<void>
}

/** Maximum number of searches in one call, which is the limit of public keys. */
const mostTogether = 10

/**
 * Lets the widgets of InstantSearch search Findling.
 *
 * @param search from `createSearch` or `client.dataset`; its own dataset does not matter
 * @example
 * const searchClient = instantSearchClient(createSearch({ baseAddress, key }), { hierarchies: { categories: {} } })
 */
export function instantSearchClient(
  search: Pick<DatasetSearch, 'multi' | 'forDataset'>,
  options: InstantSearchOptions = {},
): InstantSearchClient {
  const { mostHits = 1000 } = options
  const paths = new TagPaths(search)
  const newKept = <Answer>() => new KeptAnswers<Answer>(options.cacheSize ?? 200, options.maxAge ?? 120_000)
  const kept = newKept<SearchResult>()
  const keptSimilar = newKept<SimilarResult | undefined>()
  const keptNearest = newKept<SearchResult | undefined>()
  const keptTogether = newKept<BasketResult>()
  const keptTrending = newKept<BasketResult>()
  const around: Surroundings = {
    indexes: options.indexes ?? {},
    hierarchies: options.hierarchies ?? {},
    points: options.points ?? '_geoloc',
    facets: options.facets,
    search: { operator: 'And', relax: true, prefix: true, ...options.search },
    mostHits,
    paths,
  }

  const find = (searches: readonly PartialSearch[]): Promise<SearchResult[]> =>
    kept.of(searches, async missing => {
      const calls: Promise<{ results: SearchResult[] }>[] = []
      for (let at = 0; at < missing.length; at += mostTogether)
        calls.push(unwrap(search.multi(missing.slice(at, at + mostTogether))))
      return (await Promise.all(calls)).flatMap(({ results }) => results)
    })

  async function answers(
    requests: readonly InstantRequest[],
  ): Promise<(InstantAnswer | InstantFacetAnswer)[]> {
    const start = performance.now()
    const plans = await Promise.all(
      requests.map(async request => {
        const asked = readRequest(request)
        const isFacet = request.type === 'facet'
        return { isFacet, plan: await planOf(isFacet ? facetAsked(asked, around) : asked, around) }
      }),
    )
    const searches = plans.map(({ plan, isFacet }) => (isFacet ? [facetSearch(plan)] : plan.searches))
    const results = await find(searches.flat())
    const milliseconds = Math.round(performance.now() - start)
    let at = 0
    return plans.map(({ plan, isFacet }, i) => {
      const own = results.slice(at, at + searches[i]!.length)
      at += own.length
      return isFacet
        ? facetAnswerOf(plan.asked, own[0]!, milliseconds)
        : answerOf({ plan, results: own, paths, mostHits, milliseconds })
    })
  }

  const recommendingBy: RecommendingBy = {
    around,
    vectors: options.vectors ?? {},
    similar: async (dataset, request) => {
      const ask = async () => [await unlessMissing(search.forDataset(dataset).similar(request))]
      return (await keptSimilar.of([{ dataset, request }], ask))[0]
    },
    nearest: async (dataset, request) => {
      const ask = async () => [await unlessMissing(search.forDataset(dataset).search(request))]
      return (await keptNearest.of([{ dataset, request }], ask))[0]
    },
    together: async (dataset, request) => {
      const ask = async () => [await unwrap(search.forDataset(dataset).boughtTogether(request))]
      return (await keptTogether.of([{ dataset, request }], ask))[0]!
    },
    trending: async (dataset, request) => {
      const ask = async () => [await unwrap(search.forDataset(dataset).trending(request))]
      return (await keptTrending.of([{ dataset, request }], ask))[0]!
    },
    search: async request => (await answers([request]))[0] as InstantAnswer,
  }

  return {
    search: async requests => ({
      results: await answers('requests' in requests ? requests.requests : requests),
    }),
    // All requests are for facet values, and so are the answers.
    searchForFacetValues: async requests =>
      (await answers(requests.map(request => ({ ...request, type: 'facet' })))) as InstantFacetAnswer[],
    getRecommendations: async given => {
      const requests = 'requests' in given ? given.requests : given
      return { results: await Promise.all(requests.map(one => recommendationsOf(one, recommendingBy))) }
    },
    clearCache: async () => {
      for (const one of [kept, keptSimilar, keptNearest, keptTogether, keptTrending, paths]) one.clear()
    },
  }
}

/** Undefined if there is no document with the id, or no vector in it: a page may know one that has been deleted. */
async function unlessMissing<T>(call: Promise<Result<T>>): Promise<T | undefined> {
  const result = await call
  if (result.isSuccessful) return result.responseObject
  const { errorCode, errors } = result
  const hasNoVector =
    errorCode === 'INVALID_ARGUMENT' && errors.errors.some(text => text.includes('Vector.Like'))
  return errorCode === 'DOCUMENT_NOT_FOUND' || hasNoVector ? undefined : await unwrap(result)
}

function facetAsked(asked: Asked, { hierarchies }: Surroundings): Asked {
  if (asked.facetName === '') throw refused('facetName', 'expected the name of a facet')
  if (levelOf(asked.facetName, hierarchies))
    throw refused('facetName', 'levels of a hierarchy cannot be searched individually')
  return { ...asked, facets: [], hitsPerPage: 0, highlighted: [], snippets: new Map() }
}

function facetSearch({ asked, searches }: Awaited<ReturnType<typeof planOf>>): PartialSearch {
  const { facetName, facetQuery, mostFacetHits, valuesBy } = asked
  const facet = {
    field: facetName,
    limit: mostFacetHits,
    sort: valuesBy,
    ...(facetQuery && { search: facetQuery }),
  }
  return { ...searches[0]!, analytics: false, limit: 0, facets: [facet] }
}

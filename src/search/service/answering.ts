import type { Facet } from '../../facets/facet.ts'
import type { MatchedWord } from '../../fulltext/words/slot.ts'
import type { FieldHighlight } from '../../highlighting/document-highlights.ts'
import type { JsonObject } from '../../json.ts'
import type { IdentifiedAnswer } from '../../observing/observation.ts'
import type { Deadline } from '../../scheduling/deadline.ts'
import type { Recommendation, Surroundings } from '../../services/service-definition.ts'
import type { Suggestion } from '../../spelling/suggestions.ts'
import type { Choose } from '../present.ts'
import type { Searchable } from '../search.ts'
import { suggest } from '../suggest.ts'
import { BOOSTED_HITS, BOOSTED_TAGS, boostCategories } from './category-boost.ts'
import { match, type ServiceExplanation } from './matching.ts'
import { mergeRequest } from './merging.ts'
import type { Activation, GivenSettings } from './settings.ts'

/** A document that was found, with the fields to show. */
export interface ServiceHit<T> {
  id: string
  /** Higher is better, unless an order is set: then it is unrelated to the position. Comparable within one answer only. */
  score: number
  document: Partial<T>
  /** The highlights by field, if requested; also in fields that are not shown. */
  highlights?: Record<string, FieldHighlight[]>
  /** If requested. */
  explanation?: ServiceExplanation
  /** With `categoryBoost`: the additional factor on the score; 1 where the document's tags are not likely for the text. */
  categoryFactor?: number
}

/** A tag recommended for the text. */
export interface FoundTag extends Recommendation {
  /** Whether one of the hits has the tag. */
  isFound: boolean
}

/** The text as it was likely meant; all its words occur together in at least one document. */
export interface Correction {
  text: string
  /** Above 0 and below 1. */
  score: number
  /** The tags for this corrected text; null where none are recommended. */
  tags: FoundTag[] | null
}

/** What a search service answers. */
export interface ServiceAnswer<T> extends IdentifiedAnswer {
  hits: ServiceHit<T>[]
  /** The number of matching documents; with a `groupBy` of the dataset, of those that grouping leaves. */
  total: number
  /** Best first; null if none were requested (`count` 0). */
  corrections: Correction[] | null
  /** Best first; null if no service recommends tags. */
  tags: FoundTag[] | null
  /** By field, if requested. */
  facets?: Record<string, Facet>
  /** Words that were dropped because no document matched with them, if the dataset's setting `relax` is on. */
  relaxed?: string[]
}

/** A search service while it is active. */
export interface ActiveSearch extends Surroundings {
  readonly activation: Activation
}

/** Corrected phrases for the text, whose words occur together in a document. */
async function correct(
  dataset: Searchable,
  text: string,
  { count, confidence, maxErrors }: Activation['corrections'],
  deadline: Deadline | undefined,
): Promise<Suggestion[]> {
  const options = { limit: count, confidence, maximumErrors: maxErrors }
  return count === 0 ? [] : await suggest(dataset, text, options, { deadline })
}

/** @returns the answer, and how the words of the text were understood */
export async function answer<T extends object>(
  { activation, dataset: find, recommender }: ActiveSearch,
  text: string,
  request: GivenSettings,
  deadline: Deadline | undefined,
): Promise<{ answer: ServiceAnswer<T>; words: readonly MatchedWord[] }> {
  const settings = mergeRequest(activation, request)
  const dataset = find()
  const { search } = settings
  const { id = '', count = 0, categoryBoost = 0 } = settings.classifier ?? {}
  // With an order, the position does not follow from the score.
  const strength = search.limit > 0 && search.order === null ? categoryBoost : 0
  const recommend = count > 0 || strength > 0 ? recommender(id) : undefined
  const isBoosted = recommend !== undefined && strength > 0
  const wanted = isBoosted ? { ...search, limit: Math.max(search.limit, BOOSTED_HITS) } : search
  const recommended = recommend?.(text, isBoosted ? Math.max(count, BOOSTED_TAGS) : count, deadline)
  const tagsOf = ({ document }: { readonly document: JsonObject }) => dataset.state.rules.tagIds(document)
  const factors = new Map<string, number>()
  const choose: Choose = async best => {
    // No boost if the service has been deactivated meanwhile.
    const boosted = boostCategories(best, (await recommended) ?? [], strength, tagsOf).slice(0, search.limit)
    return boosted.map(({ hit, score, factor }) => {
      factors.set(hit.id, factor)
      return { ...hit, score }
    })
  }
  const [{ hits, total, facets, relaxed, words }, corrected, likely] = await Promise.all([
    match(
      dataset,
      text,
      { ...settings, search: wanted },
      { choose: isBoosted ? choose : undefined, deadline },
    ),
    correct(dataset, text, settings.corrections, deadline),
    recommended,
  ])
  const found = new Set(hits.flatMap(tagsOf))
  const shownTags = (tags: readonly Recommendation[] | undefined): FoundTag[] | null =>
    count > 0 && tags ? tags.slice(0, count).map(tag => ({ ...tag, isFound: found.has(tag.tagId) })) : null
  const tagsFor = async (phrase: string): Promise<FoundTag[] | null> =>
    shownTags(count > 0 ? await recommend?.(phrase, count, deadline) : undefined)
  const corrections = corrected.map(async one => ({ ...one, tags: await tagsFor(one.text) }))
  const answer: ServiceAnswer<T> = {
    // What is stored has passed the dataset's rules.
    hits: hits.map(({ id, score, shown, highlights, explanation }) => ({
      id,
      score,
      document: shown as object as Partial<T>,
      ...(highlights && { highlights }),
      ...(explanation && { explanation }),
      ...(factors.has(id) && { categoryFactor: factors.get(id)! }),
    })),
    total,
    corrections: settings.corrections.count === 0 ? null : await Promise.all(corrections),
    tags: shownTags(likely),
    ...(facets && { facets }),
    ...(relaxed && { relaxed: [...relaxed] }),
  }
  return { answer, words }
}

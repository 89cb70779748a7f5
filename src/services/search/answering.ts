import type { Facet } from '../../facets/facet.ts'
import type { FieldHighlight } from '../../highlighting/document-highlights.ts'
import type { Searchable } from '../../search/search.ts'
import type { Suggestion } from '../../spelling/suggestions.ts'
import type { Recommendation, Surroundings } from '../definition.ts'
import { match, type ServiceExplanation } from './matching.ts'
import { mergeRequest } from './merging.ts'
import type { Activation, GivenSettings } from './settings.ts'

/** A document that was found, with the fields that are shown. */
export interface ServiceHit<T> {
  id: string
  /** Higher is better; with an order it says nothing of the place. Scores can be compared within one answer only. */
  score: number
  document: Partial<T>
  /** What was found, by field, when asked for; also in fields that are not shown. */
  highlights?: Record<string, FieldHighlight[]>
  /** When asked for. */
  explanation?: ServiceExplanation
}

/** A tag for the text. */
export interface FoundTag extends Recommendation {
  /** Whether one of the hits has it. */
  isFound: boolean
}

/** The text as it was likely meant; all its words occur together in at least one document. */
export interface Correction {
  text: string
  /** Above 0 and below 1. */
  score: number
  /** The tags for this text; null where none are recommended. */
  tags: FoundTag[] | null
}

/** What a search service answers. */
export interface ServiceAnswer<T> {
  hits: ServiceHit<T>[]
  /** Of all documents that match. */
  total: number
  /** Best first; null when their count is 0. */
  corrections: Correction[] | null
  /** Best first; null where no service recommends tags. */
  tags: FoundTag[] | null
  /** By field, when asked for. */
  facets?: Record<string, Facet>
}

/** What a search service is while it is active. */
export interface ActiveSearch extends Surroundings {
  readonly activation: Activation
}

/** Phrases in the place of the text, whose words occur together in a document. */
async function correct(
  { index }: Searchable,
  text: string,
  { count, confidence, maxErrors }: Activation['corrections'],
): Promise<Suggestion[]> {
  return count === 0 ? [] : await index.suggest(text, { count, confidence, maximumErrors: maxErrors })
}

export async function answer<T extends object>(
  { activation, dataset: find, recommender }: ActiveSearch,
  text: string,
  request: GivenSettings,
): Promise<ServiceAnswer<T>> {
  const settings = mergeRequest(activation, request)
  const dataset = find()
  const [{ hits, total, facets }, corrected] = await Promise.all([
    match(dataset, text, settings),
    correct(dataset, text, settings.corrections),
  ])
  const { classifier } = settings
  const recommend = classifier && classifier.count > 0 ? recommender(classifier.id) : undefined
  const found = new Set(hits.flatMap(({ document }) => dataset.state.rules.tagIds(document)))
  const tagsFor = async (phrase: string): Promise<FoundTag[] | null> => {
    const tags = await recommend?.(phrase, classifier!.count)
    return tags?.map(tag => ({ ...tag, isFound: found.has(tag.tagId) })) ?? null
  }
  const corrections = corrected.map(async one => ({ ...one, tags: await tagsFor(one.text) }))
  return {
    // What is stored has passed the dataset's rules.
    hits: hits.map(({ id, score, shown, highlights, explanation }) => ({
      id,
      score,
      document: shown as object as Partial<T>,
      ...(highlights && { highlights }),
      ...(explanation && { explanation }),
    })),
    total,
    corrections: settings.corrections.count === 0 ? null : await Promise.all(corrections),
    tags: await tagsFor(text),
    ...(facets && { facets }),
  }
}

import type { Recommendation } from '../../services/service-definition.ts'

/** How many of the best hits, and how many tags, are boosted: beyond that a boost has no visible effect. */
export const BOOSTED_HITS = 100
export const BOOSTED_TAGS = 100

interface Ranked {
  readonly score: number
}

/** A hit, and the factor on its score for tags that the text is likely about. */
interface Boosted<Hit> {
  readonly hit: Hit
  readonly score: number
  readonly factor: number
}

/**
 * Multiplies the scores of the best hits by 1 + `strength` x the probability that the text is about the tags of the document.
 * As no factor is below 1, hits further down keep their places.
 */
export function boostCategories<Hit extends Ranked>(
  hits: readonly Hit[],
  likely: readonly Recommendation[],
  strength: number,
  tagsOf: (hit: Hit) => readonly string[],
): Boosted<Hit>[] {
  const shares = new Map(likely.map(({ tagId, score }) => [tagId, score]))
  const boosted = hits.map((hit, place) => {
    const own = place < BOOSTED_HITS ? tagsOf(hit) : []
    const share = own.reduce((sum, tag) => sum + (shares.get(tag) ?? 0), 0)
    const factor = 1 + strength * Math.min(1, share)
    return { hit, score: hit.score * factor, factor }
  })
  return boosted.sort((a, b) => b.score - a.score)
}

import type { Recommendation } from '../../services/service-definition.ts'

/** How many of the best hits and of the tags are boosted: beyond them a boost has no visible effect. */
export const BOOSTED_HITS = 100
export const BOOSTED_TAGS = 100

interface Ranked {
  readonly score: number
}

/** A hit, and what its score is multiplied with, since the tags of the document are likely to be what was searched for. */
interface Boosted<Hit> {
  readonly hit: Hit
  readonly score: number
  readonly factor: number
}

/**
 * Multiplies the scores of the best by 1 + `strength` x how likely the text is about the tags of the document. As no factor
 * is below 1, those further down keep their places.
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

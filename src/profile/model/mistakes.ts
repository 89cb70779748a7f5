import type { Mistake, UnusualNumber } from './profile.ts'
import type { SameWordsGroup } from './same-words.ts'

/** A tag of a document that a classifier contradicts. */
export interface ContradictedTag {
  readonly id: string
  readonly tagId: string
  readonly likelier: string
  readonly score: number
  readonly likelierScore: number
}

/** How sure the classifier has to be. */
const LEAST_LIKELY = 0.8

/** Whether the other tag is likely enough to be reported. */
export const isConfident = ({ likelierScore }: Pick<ContradictedTag, 'likelierScore'>): boolean =>
  likelierScore >= LEAST_LIKELY

/**
 * @param without searched fields that were not read, since they give away the tag
 * @param named returns the name of a tag for people
 */
export function doubtfulTag(
  { id, tagId, likelier, score, likelierScore }: ContradictedTag,
  without: readonly string[],
  named: (tagId: string) => string,
): Mistake {
  const read = without.length > 0 ? `, not counting ${without.join(' and ')},` : ''
  return {
    kind: 'doubtful-tag',
    ids: [id],
    tagIds: [tagId, likelier],
    field: null,
    reason: `Its words${read} are typical of documents tagged ${named(likelier)} (${percent(likelierScore)}), not ${named(tagId)} (${percent(score)}).`,
    evidence: { score, likelierScore },
  }
}

export function duplicate({ ids, tagIds, documents, words, isAcrossTags }: SameWordsGroup): Mistake {
  return {
    kind: isAcrossTags ? 'duplicate-across-tags' : 'duplicate',
    ids: [...ids],
    tagIds: [...tagIds],
    field: null,
    reason: `${documents} documents have the same ${words} words in their searched fields${isAcrossTags ? ', but not the same tags' : ''}.`,
    evidence: { documents, words },
  }
}

export function unusualNumber(
  { id, tagId, field, value, usual: [from, to] }: UnusualNumber,
  named: (tagId: string) => string,
): Mistake {
  return {
    kind: 'unusual-number',
    ids: [id],
    tagIds: [tagId],
    field,
    reason: `${field} is ${told(value)}; half of the documents tagged ${named(tagId)} have ${told(from)} to ${told(to)}.`,
    evidence: { value, from, to },
  }
}

const percent = (share: number): string => `${Math.round(100 * share)} %`
const told = (value: number): string => String(Number(value.toPrecision(6)))

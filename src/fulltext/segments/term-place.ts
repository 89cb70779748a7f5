import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { Segment } from './segment.ts'

/** Where the postings of a surface or family are, -1 for none; in a segment from before a family, its base stands for it. */
export function placeOf(term: number, segment: Segment, vocabulary: Vocabulary): number {
  const at = segment.find(term)
  if (at >= 0 || !vocabulary.isFamily(term)) return at
  const base = vocabulary.baseOf(term)
  return base < 0 ? -1 : segment.find(base)
}

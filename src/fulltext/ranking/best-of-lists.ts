import { lowerBound, type PostingList } from '../segments/posting-list.ts'

/** If the segment has more documents than this for each one found, sorting is faster than scanning all. */
const SORTED_SHARE = 16

/**
 * Notes, by document, the highest value that any list gives it, if it is at least `least`; returns these documents, in list
 * order. With `among`, only documents with a value in it are considered.
 */
export function noteBest(
  lists: readonly PostingList[],
  least: number,
  best: Int32Array,
  among?: Int32Array,
): number[] {
  const found: number[] = []
  for (const { documents, impacts, from, to, weight } of lists) {
    const leastImpact = least / weight
    for (let p = from; p < to; p++) {
      const impact = impacts[p]!
      if (impact < leastImpact) continue
      const document = documents[p]!
      if (among !== undefined && among[document] === 0) continue
      if (best[document] === 0) found.push(document)
      if (impact * weight > best[document]!) best[document] = impact * weight
    }
  }
  return found
}

/** The documents, of `count` in the segment, for which something is noted, in order. */
export function inOrder(found: readonly number[], best: Int32Array, count: number): ArrayLike<number> {
  if (found.length * SORTED_SHARE < count) return Uint16Array.from(found).sort()
  const documents = new Uint16Array(found.length)
  let size = 0
  for (let document = 0; document < count; document++) if (best[document] !== 0) documents[size++] = document
  return documents
}

/** Resets what was noted of these documents to zero. */
export function forget(found: ArrayLike<number>, best: Int32Array): void {
  for (let i = 0; i < found.length; i++) best[found[i]!] = 0
}

/** The highest value for a single document, looked up in each list. */
export function bestOf(lists: readonly PostingList[], document: number): number {
  let best = 0
  for (const { documents, impacts, from, to, weight } of lists) {
    const at = lowerBound(documents, from, to, document)
    if (at < to && documents[at] === document) best = Math.max(best, impacts[at]! * weight)
  }
  return best
}

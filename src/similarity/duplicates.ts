import type { SimilarityIndex } from './similarity-index.ts'

/** Two documents, the smaller id first. */
export interface SimilarPair {
  readonly ids: readonly [string, string]
  readonly score: number
}

/** Documents that are taken for the same, and how sure that is. */
export interface DuplicateGroup {
  /** Two or more, in order. */
  readonly ids: readonly string[]
  /** All pairs of the group that reach the threshold, best first. */
  readonly pairs: readonly SimilarPair[]
}

/** Tells every pair that is at least so alike once; it yields the pairs of one document with each step, or none. */
export function* findPairs(
  index: SimilarityIndex,
  threshold: number,
  some: Iterable<string> = index.ids(),
): Generator<SimilarPair[], void> {
  for (const id of some) {
    const others = index.allLike(id, threshold).filter(other => id < other.id)
    yield others.map(other => ({ ids: [id, other.id], score: other.score }))
  }
}

/** Documents that are one group so far, and by other group how many pairs join the two. */
interface Growing {
  readonly ids: string[]
  readonly joined: Map<Growing, number>
}

/**
 * Groups pairs, best first: two groups become one when at least half of all pairs between them are among these. Links
 * alone would make one group of a chain of documents, of which the ends have little in common.
 */
export function groupPairs(pairs: readonly SimilarPair[]): DuplicateGroup[] {
  const sorted = [...pairs].sort(inOrder)
  const groups = new Map<string, Growing>()
  const groupOf = (id: string): Growing => {
    const known = groups.get(id)
    if (known) return known
    const group: Growing = { ids: [id], joined: new Map() }
    groups.set(id, group)
    return group
  }
  for (const { ids } of sorted) {
    const [one, other] = [groupOf(ids[0]), groupOf(ids[1])]
    if (one === other) continue
    const count = (one.joined.get(other) ?? 0) + 1
    one.joined.set(other, count)
    other.joined.set(one, count)
    if (2 * count >= one.ids.length * other.ids.length) unite(one, other, groups)
  }
  return groupsWith(sorted, groups)
}

function unite(one: Growing, other: Growing, groups: Map<string, Growing>): void {
  const [large, small] = one.ids.length < other.ids.length ? [other, one] : [one, other]
  for (const id of small.ids) groups.set(id, large)
  large.ids.push(...small.ids)
  large.joined.delete(small)
  for (const [third, count] of small.joined) {
    third.joined.delete(small)
    if (third === large) continue
    const sum = (large.joined.get(third) ?? 0) + count
    large.joined.set(third, sum)
    third.joined.set(large, sum)
  }
}

function groupsWith(pairs: readonly SimilarPair[], groups: ReadonlyMap<string, Growing>): DuplicateGroup[] {
  const within = new Map<Growing, SimilarPair[]>()
  for (const pair of pairs) {
    const group = groups.get(pair.ids[0])!
    if (group !== groups.get(pair.ids[1])) continue
    if (within.has(group)) within.get(group)!.push(pair)
    else within.set(group, [pair])
  }
  return [...within].map(([{ ids }, ofGroup]) => ({ ids: ids.sort(), pairs: ofGroup }))
}

const inOrder = (a: SimilarPair, b: SimilarPair): number =>
  b.score - a.score || (a.ids.join('\n') < b.ids.join('\n') ? -1 : 1)

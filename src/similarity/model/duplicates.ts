import type { NearDocument, SimilarityIndex } from './similarity-index.ts'

/** Two documents, the smaller id first. */
export interface SimilarPair {
  readonly ids: readonly [string, string]
  readonly score: number
}

/** Documents that are taken to be the same. */
export interface SameDocuments {
  /** Two or more, in order. */
  readonly ids: readonly string[]
  /** All pairs of the group that reach the threshold, best first. */
  readonly pairs: readonly SimilarPair[]
}

/**
 * The default threshold for duplicates. Chosen from .3 to .8 on the odd ids of three catalogues whose duplicates are
 * known: F1 of groups .75, .64 and .56, precision .84, .80 and .51. With .35, F1 is as good, but precision
 * is lower.
 */
export const LIKE_ENOUGH = 0.4

/** Maximum number of pairs held for connected documents, the best ones: a document similar to everything has too many. */
const MOST_PAIRS = 200_000
const AT_ONCE = 2_048
const SHELVES = 1_024

/**
 * Yields each group as soon as everything connected with it has been examined, and undefined for a step that completes none.
 * Only the pairs of one connected component are held at a time.
 */
export function* findSame(
  index: SimilarityIndex,
  threshold: number,
  mostPairs = MOST_PAIRS,
): Generator<SameDocuments | undefined, void> {
  const met = new Set<string>()
  for (const id of index.ids().sort()) {
    if (met.has(id)) continue
    const pairs = yield* heapOf(id, index, { threshold, met, mostPairs })
    if (pairs.length > 0) yield* yield* groupPairs(pairs)
  }
}

interface Walk {
  readonly threshold: number
  readonly met: Set<string>
  readonly mostPairs: number
}

/** The pairs of the connected component of a document. */
function* heapOf(
  first: string,
  index: SimilarityIndex,
  { threshold, met, mostPairs }: Walk,
): Generator<undefined, SimilarPair[]> {
  let pairs: SimilarPair[] = []
  const waiting = [first]
  met.add(first)
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const others = index.allLike(id, threshold)
    for (const pair of pairsOf(id, others)) pairs.push(pair)
    for (const { id: other } of others) {
      if (met.has(other)) continue
      met.add(other)
      waiting.push(other)
    }
    if (pairs.length > 2 * mostPairs) pairs = (yield* bestFirst(pairs)).slice(0, mostPairs)
    yield
  }
  return pairs
}

/** The pairs of a document with those like it whose ids are greater, so that no pair is met twice. */
export function pairsOf(id: string, others: readonly NearDocument[]): SimilarPair[] {
  return others
    .filter(other => id < other.id)
    .map((other): SimilarPair => ({ ids: [id, other.id], score: other.score }))
    .sort((a, b) => (a.ids[1] < b.ids[1] ? -1 : 1))
}

/** Equal pairs keep their order. Bucketed by score first, so that no step has much to sort. */
function* bestFirst(pairs: readonly SimilarPair[]): Generator<undefined, SimilarPair[]> {
  const shelves: SimilarPair[][] = Array.from({ length: SHELVES }, () => [])
  for (const [at, pair] of pairs.entries()) {
    shelves[Math.min(SHELVES - 1, Math.floor((1 - pair.score) * SHELVES))]!.push(pair)
    if (at % AT_ONCE === AT_ONCE - 1) yield
  }
  const sorted: SimilarPair[] = []
  for (const shelf of shelves) {
    if (shelf.length === 0) continue
    for (const pair of shelf.sort((a, b) => b.score - a.score)) sorted.push(pair)
    yield
  }
  return sorted
}

/** The documents of a group so far, and, by other group, how many pairs join the two. */
interface Growing {
  readonly ids: string[]
  readonly joined: Map<Growing, number>
}

/**
 * Groups pairs, best first. Two groups are merged when at least half of all possible pairs between them are given. Single
 * links alone would turn a chain of documents into one group, although its ends have little in common.
 */
export function* groupPairs(pairs: readonly SimilarPair[]): Generator<undefined, SameDocuments[]> {
  const sorted = yield* bestFirst(pairs)
  const groups = new Map<string, Growing>()
  const groupOf = (id: string): Growing => {
    const known = groups.get(id)
    if (known) return known
    const group: Growing = { ids: [id], joined: new Map() }
    groups.set(id, group)
    return group
  }
  for (const [at, { ids }] of sorted.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) yield
    const [one, other] = [groupOf(ids[0]), groupOf(ids[1])]
    if (one === other) continue
    const count = (one.joined.get(other) ?? 0) + 1
    one.joined.set(other, count)
    other.joined.set(one, count)
    if (2 * count >= one.ids.length * other.ids.length) unite(one, other, groups)
  }
  return yield* groupsWith(sorted, groups)
}

function unite(one: Growing, other: Growing, groups: Map<string, Growing>): void {
  const [large, small] = one.ids.length < other.ids.length ? [other, one] : [one, other]
  for (const id of small.ids) {
    groups.set(id, large)
    large.ids.push(id)
  }
  large.joined.delete(small)
  for (const [third, count] of small.joined) {
    third.joined.delete(small)
    if (third === large) continue
    const sum = (large.joined.get(third) ?? 0) + count
    large.joined.set(third, sum)
    third.joined.set(large, sum)
  }
}

function* groupsWith(
  pairs: readonly SimilarPair[],
  groups: ReadonlyMap<string, Growing>,
): Generator<undefined, SameDocuments[]> {
  const within = new Map<Growing, SimilarPair[]>()
  for (const [at, pair] of pairs.entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) yield
    const group = groups.get(pair.ids[0])!
    if (group !== groups.get(pair.ids[1])) continue
    if (within.has(group)) within.get(group)!.push(pair)
    else within.set(group, [pair])
  }
  return [...within].map(([{ ids }, ofGroup]) => ({ ids: ids.sort(), pairs: ofGroup }))
}

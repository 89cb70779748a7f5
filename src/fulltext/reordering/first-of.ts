import { First } from '../../arrays/first.ts'

/**
 * The first `count` items in an order, starting after `after`.
 * @param compare below 0 where the first one comes first
 */
export function firstOf(
  things: ArrayLike<number>,
  count: number,
  compare: (one: number, other: number) => number,
  after?: number,
): number[] {
  const first = new First(count, compare)
  for (let i = 0; i < things.length; i++)
    if (after === undefined || compare(things[i]!, after) > 0) first.offer(things[i]!)
  return first.sorted()
}

/** A page that ends beyond this share of all items is found by partitioning at its ends; otherwise the first are collected. */
const DEEP = 1 / 8

/** Whether a page that ends at a place is so deep that partitioning all items at its ends is faster. */
export const isDeep = (end: number, size: number): boolean => end > DEEP * size

/**
 * The items at places `from` to `to` of a strict order. Only these are sorted, after they have been partitioned from the
 * others (quickselect: C. A. R. Hoare, Algorithm 65, 1961). Reorders `things`.
 */
export function between(
  things: Uint32Array,
  from: number,
  to: number,
  compare: (one: number, other: number) => number,
): number[] {
  const end = Math.min(to, things.length)
  if (from >= end) return []
  if (from > 0) part(things, from, 0, things.length, compare)
  if (end < things.length) part(things, end, from, things.length, compare)
  return [...things.subarray(from, end)].sort(compare)
}

/** Partitions `things[first..end)` at a place: what precedes it in the order is moved before it, all else after it. */
function part(
  things: Uint32Array,
  place: number,
  first: number,
  end: number,
  compare: (one: number, other: number) => number,
): void {
  let [low, high] = [first, end - 1]
  while (low < high) {
    const pivot = median(things, low, high, compare)
    let [i, j] = [low, high]
    while (i <= j) {
      while (compare(things[i]!, pivot) < 0) i++
      while (compare(pivot, things[j]!) < 0) j--
      if (i > j) break
      const thing = things[i]!
      things[i++] = things[j]!
      things[j--] = thing
    }
    if (place <= j) high = j
    else if (place >= i) low = i
    else return
  }
}

/** The median of three at unpredictable places, so that no order of the items is slow. */
function median(
  things: Uint32Array,
  low: number,
  high: number,
  compare: (one: number, other: number) => number,
): number {
  const some = () => things[low + Math.floor(Math.random() * (high - low + 1))]!
  const [a, b, c] = [some(), some(), some()]
  if (compare(a, b) < 0) return compare(b, c) < 0 ? b : compare(a, c) < 0 ? c : a
  return compare(a, c) < 0 ? a : compare(b, c) < 0 ? c : b
}

/**
 * Where pinned documents stand among `others` that are ranked, from 0: at their positions, which are ascending and count
 * from 1, or after the last where there are not so many. Of two with the same position the second comes next.
 */
export function pinnedPlaces(positions: readonly number[], others = Number.POSITIVE_INFINITY): number[] {
  let last = -1
  return positions.map((position, i) => {
    last = Math.min(Math.max(position - 1, last + 1), others + i)
    return last
  })
}

/** Which of the others are on a page: this many after the first ones. */
export function othersOn(
  places: readonly number[],
  offset: number,
  limit: number,
): { offset: number; limit: number } {
  const before = places.filter(place => place < offset).length
  const on = places.filter(place => place >= offset && place < offset + limit).length
  return { offset: offset - before, limit: limit - on }
}

/** A page of both. */
export function merged<T>(
  pinned: readonly T[],
  places: readonly number[],
  others: readonly T[],
  offset: number,
  limit: number,
): T[] {
  const page: T[] = []
  let next = 0
  for (let place = offset; place < offset + limit; place++) {
    const pin = places.indexOf(place)
    const one = pin >= 0 ? pinned[pin] : others[next++]
    if (one === undefined) break
    page.push(one)
  }
  return page
}

/**
 * The places, from 0, of pinned documents among `others` ranked ones: at their positions, which are ascending and count
 * from 1, or at the end if there are too few others. Of two with the same position, the second comes right after the first.
 */
export function pinnedPlaces(positions: readonly number[], others = Number.POSITIVE_INFINITY): number[] {
  let last = -1
  return positions.map((position, i) => {
    last = Math.min(Math.max(position - 1, last + 1), others + i)
    return last
  })
}

/** Which of the others are on a page, as a number to skip and a number to take. */
export function othersOn(
  places: readonly number[],
  offset: number,
  limit: number,
): { offset: number; limit: number } {
  const before = places.filter(place => place < offset).length
  const on = places.filter(place => place >= offset && place < offset + limit).length
  return { offset: offset - before, limit: limit - on }
}

/** A page of pinned documents and others. */
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

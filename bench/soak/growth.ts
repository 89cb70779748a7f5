/** What a process held at a moment. */
export interface Sample {
  /** Since the beginning. */
  readonly seconds: number
  /** Bytes. */
  readonly resident: number
  readonly heap: number
  /** Outside the heap, but known to Node: typed arrays above all. */
  readonly external: number
}

/** The least of each stretch of time, which is what was left after a collection. */
export interface Stretch extends Sample {
  readonly samples: number
}

/** The least that was held in each `length` seconds. */
export function stretches(samples: readonly Sample[], length: number): Stretch[] {
  const groups = new Map<number, Sample[]>()
  for (const sample of samples) {
    const place = Math.floor(sample.seconds / length)
    const group = groups.get(place)
    if (group) group.push(sample)
    else groups.set(place, [sample])
  }
  return [...groups].map(([place, group]) => ({
    seconds: (place + 1) * length,
    resident: Math.min(...group.map(({ resident }) => resident)),
    heap: Math.min(...group.map(({ heap }) => heap)),
    external: Math.min(...group.map(({ external }) => external)),
    samples: group.length,
  }))
}

/** By how much something grows in a second: the median of the slopes of all pairs (Theil 1950, Sen 1968). */
export function growthPerSecond(points: readonly (readonly [seconds: number, value: number])[]): number {
  const slopes = points.flatMap(([x, y], i) =>
    points.slice(i + 1).map(([later, value]) => (value - y) / (later - x)),
  )
  if (slopes.length === 0) return 0
  slopes.sort((a, b) => a - b)
  const middle = slopes.length >> 1
  return slopes.length % 2 === 1 ? slopes[middle]! : (slopes[middle - 1]! + slopes[middle]!) / 2
}

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

/** By how much something grows, and two bounds: it lies between them in 95 of 100 runs. */
export interface Growth {
  readonly by: number
  readonly atLeast: number
  readonly atMost: number
}

/**
 * How much comes in so many seconds: the median of the slopes of all pairs (Theil 1950), with bounds by the variance of
 * Kendall's tau (Sen 1968).
 */
export function growthIn(
  length: number,
  points: readonly (readonly [second: number, value: number])[],
): Growth {
  const growths = points.flatMap(([x, y], i) =>
    points.slice(i + 1).map(([later, value]) => (length * (value - y)) / (later - x)),
  )
  if (growths.length === 0) return { by: 0, atLeast: 0, atMost: 0 }
  growths.sort((a, b) => a - b)
  const count = points.length
  const middle = (growths.length - 1) / 2
  const half = (1.96 * Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18)) / 2
  const at = (place: number) => growths[Math.min(Math.max(place, 0), growths.length - 1)]!
  return {
    by: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    atLeast: at(Math.floor(middle - half)),
    atMost: at(Math.ceil(middle + half)),
  }
}

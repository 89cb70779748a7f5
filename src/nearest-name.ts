import { closest, distance } from 'fastest-levenshtein'

/** Longer names are not compared: they were not mistyped by hand. */
const longestName = 100

/** The known name that was most probably meant, for an error; undefined when none is similar. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > longestName || known.length === 0) return undefined
  const lowerCased = known.map(other => other.toLowerCase())
  const nearest = closest(name.toLowerCase(), lowerCased)
  if (distance(name.toLowerCase(), nearest) > Math.min(2, (nearest.length - 1) >> 1)) return undefined
  return known[lowerCased.indexOf(nearest)]
}

/** ` (did you mean "title"?)`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`
}

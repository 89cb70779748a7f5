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

/** The shortest name that is not as well another word with one letter changed: `data` is not a mistyped `date`. */
const LEAST_MISTYPED = 5

/** Whether a name is one of the known, but for its capitals or one letter. */
export function isMistyped(name: string, known: readonly string[]): boolean {
  const typed = name.toLowerCase()
  return known.some(one => one === typed || (one.length >= LEAST_MISTYPED && distance(one, typed) === 1))
}

/** ` (did you mean "title"?)`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`
}

import { inStretches } from './stretch.ts'

/**
 * Begins work that comes in pieces: the first are done now, so that what is short fails in the call that began it. How many does not
 * depend on the clock, so that the same mistake always comes to light in the same place.
 * @returns what does the rest, once
 */
export function begun<T>(pieces: Iterator<void, T>): () => Promise<T> {
  for (let left = PIECES; left > 0; left--) {
    const { done, value } = pieces.next()
    if (done) return async () => value
  }
  return () => inStretches(pieces)
}

/** Enough for short conditions in a list of 16, each of which is a piece; of clauses, about 5,000. */
const PIECES = 20

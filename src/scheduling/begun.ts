import { inStretches, stretchEnd } from './stretch.ts'

/**
 * Begins work that comes in pieces: one stretch is done now, so that what is short fails in the call that began it.
 * @returns what does the rest, once
 */
export function begun<T>(pieces: Iterator<void, T>): () => Promise<T> {
  const end = stretchEnd()
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return async () => value
    if (performance.now() > end) return () => inStretches(pieces)
  }
}

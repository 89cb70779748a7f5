/** Does work that comes in pieces without a pause. */
export function atOnce<T>(pieces: Iterator<void, T>): T {
  for (;;) {
    const { done, value } = pieces.next()
    if (done) return value
  }
}

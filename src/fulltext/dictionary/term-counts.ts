/** How many documents have each term. */
export interface TermCounts {
  of(term: number): number
  /** No less than that, and told at once. */
  atMost(term: number): number
}

/** How many documents have each term. */
export interface TermCounts {
  of(term: number): number
  /** An upper bound, available at once. */
  atMost(term: number): number
}

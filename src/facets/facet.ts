/** The values of one field in all matching documents. */
export interface Facet {
  /** The values, with the number of documents for each; the most frequent first, equally frequent ones by value. */
  values: FacetValue[]
  /**
   * How many different values there are, beyond the limit too; with `search`, how many it finds; sorted by significance, how many
   * are more frequent than among all documents; with `least`, how many are frequent enough. 0 with a limit of 0.
   */
  distinct: number
  /** Statistics of numbers and dates, if there are any. */
  stats?: FacetStats
  /** With `ranges`: one count for each, in their order. */
  ranges?: FacetRange[]
  /** With `histogram`: bars from the minimum to the maximum. Empty if there are no numbers or dates. */
  histogram?: FacetRange[]
  /**
   * False if some documents have texts of more than 128 characters in this field, or more than 1,000 fields, so
   * that their values here are not known; else true.
   */
  exact: boolean
}

/** A value that documents have. */
export interface FacetValue {
  /** A number, text or boolean; a date as ISO text in UTC; the id of a tag. */
  value: string | number | boolean
  /** Number of documents with the value; for a tag, also those with a tag below it. */
  count: number
  /** With `mergeSpellings`, the spellings of the text if there are several: at most 100, the most frequent first. */
  spellings?: string[]
  /** The name of a tag, if the tag tree has it. */
  name?: string
  /** Sorted by significance: how many of all documents (that are visible) have the value. */
  inAll?: number
  /**
   * Sorted by significance: the root of the log-likelihood ratio (Dunning 1993) of the value and the matching documents, above 0.
   * Chance alone rarely gives more than 3.
   */
  score?: number
}

/** Documents with a value from one bound up to another. */
export interface FacetRange {
  /** The name given in the request. */
  name?: string
  /** Included. Dates are ISO texts in UTC. */
  from?: number | string
  /** Excluded, except in the last bar of a histogram. */
  to?: number | string
  count: number
}

/**
 * Over all values of all documents, including those in lists. Dates are ISO texts in UTC, and have no sum, nor have numbers
 * whose sum is larger than any number can be.
 */
export interface FacetStats {
  min: number | string
  max: number | string
  avg: number | string
  sum?: number
  /** How many values there are. */
  count: number
}

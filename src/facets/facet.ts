/** The values of one field in all matching documents. */
export interface Facet {
  /** The values, and how many documents have each of them; the most frequent first, equal ones by value. */
  values: FacetValue[]
  /** How many different values there are, also beyond the limit; with `search`, those that it finds. 0 with a limit of 0. */
  distinct: number
  /** Of numbers and dates, where there are some. */
  stats?: FacetStats
  /** With `ranges`: one for each, in their order. */
  ranges?: FacetRange[]
  /** With `histogram`: from the minimum to the maximum. Empty if there are no numbers or dates. */
  histogram?: FacetRange[]
  /**
   * False if documents have texts of more than 128 characters here, or are among
   * those with more than 1,000 fields, whose values here are not known; else true.
   */
  exact: boolean
}

/** A value that documents have. */
export interface FacetValue {
  /** A number, text or boolean; a date as ISO text in UTC; the id of a tag. */
  value: string | number | boolean
  /** Documents that have it; for a tag, also those that have one below it. */
  count: number
  /** With `mergeSpellings`, the spellings of the text if there are several: at most 100, the most frequent first. */
  spellings?: string[]
  /** The name of a tag that the tree has. */
  name?: string
}

/** Documents with a value from one bound up to another. */
export interface FacetRange {
  /** The given name. */
  name?: string
  /** Included. Dates are ISO texts in UTC. */
  from?: number | string
  /** Excluded, except in the last bar of a histogram. */
  to?: number | string
  count: number
}

/** Over all values of all documents, including those in lists. Dates are ISO texts in UTC, and have no sum. */
export interface FacetStats {
  min: number | string
  max: number | string
  avg: number | string
  sum?: number
  /** How many values there are. */
  count: number
}

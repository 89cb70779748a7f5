/** What documents that are found have at one field. */
export interface Facet {
  /** The values, and how many documents have each of them; those with most come first, equal ones by value. */
  values: FacetValue[]
  /** How many different values there are, also beyond the limit; with `search`, those that it finds. 0 with a limit of 0. */
  distinct: number
  /** Of numbers and dates, where there are some. */
  stats?: FacetStats
  /** With `ranges`: one for each, in their order. */
  ranges?: FacetRange[]
  /** With `histogram`: from the least to the greatest value. None where there are no numbers or dates. */
  histogram?: FacetRange[]
  /**
   * False where documents have texts of more than 128 characters, or belong to those with more than 1,000 fields, of which
   * it is not known what they have here; else true.
   */
  exact: boolean
}

/** A value that documents have. */
export interface FacetValue {
  /** A number, text, or truth; a date as ISO text in UTC; the id of a tag. */
  value: string | number | boolean
  /** Documents that have it; of a tag, those that have one below it too. */
  count: number
  /** With `mergeSpellings`, of a text with several: the first 100 of them, the most frequent first. */
  spellings?: string[]
  /** The name of a tag that the tree has. */
  name?: string
}

/** Documents with a value from one bound up to another. */
export interface FacetRange {
  /** The name that was given. */
  name?: string
  /** Belongs to it. Dates are ISO texts in UTC. */
  from?: number | string
  /** Does not belong to it, except in the last bar of a histogram. */
  to?: number | string
  count: number
}

/** Of all values of all documents, those of lists too. Dates are ISO texts in UTC, and have no sum. */
export interface FacetStats {
  min: number | string
  max: number | string
  avg: number | string
  sum?: number
  /** How many values there are. */
  count: number
}

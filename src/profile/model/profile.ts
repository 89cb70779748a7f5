/** What the values of a text field look like. */
export type TextPattern =
  | 'words'
  | 'number'
  | 'price'
  | 'date'
  | 'code'
  | 'ean'
  | 'email'
  | 'url'
  | 'markup'
  | 'blank'

/** A value, and how many documents have it; if its list has `exact: false`, a lower bound. */
export interface ValueCount {
  value: string | number | boolean
  count: number
}

/** Statistics of the numbers of a field. */
export interface NumberProfile {
  /** Numbers, including those in lists. */
  count: number
  min: number
  max: number
  mean: number
  /** Computed from all values, not from a sample of them; the divisor is `count` - 1. */
  standardDeviation: number
  /** Percentiles of the values; from a sample of 4,096 if there are more. */
  quantiles: { p1: number; p5: number; p25: number; p50: number; p75: number; p95: number; p99: number }
  zeros: number
  negatives: number
  /**
   * The most extreme values further from the middle half than three times its width, the interquartile range (Tukey,
   * "Exploratory Data Analysis", 1977): at most 10 on each side, sorted by value.
   */
  outliers: { id: string; value: number }[]
}

/** Statistics of the texts of a field. */
export interface TextProfile {
  /** Texts, including those in lists. */
  count: number
  /** UTF-16 units. */
  length: { min: number; max: number; mean: number; p50: number; p95: number }
  /** Number of texts by pattern. */
  patterns: Partial<Record<TextPattern, number>>
  /** Article numbers of 8, 12, 13 or 14 digits whose check digit is wrong; `examples` are at most 5. */
  wrongCheckDigits: { count: number; examples: string[] }
  /** Number of texts by language, in a sample of 1,000 longer texts; detected by function words. */
  languages: Record<string, number>
  /** Number of dates by month, such as 2024-05, always including the first and the last month. At most 1,200 months. */
  months: Record<string, number>
  /** Values that differ only in case and spaces, most frequent first; at most 20 groups of up to 10 values. */
  variants: { values: ValueCount[] }[]
}

/** The values that documents have in one field. */
export interface FieldProfile {
  /** Dotted path; the objects of a list are counted together. */
  field: string
  /** Documents with a value other than null. */
  present: number
  /** Documents without. */
  missing: number
  /** Documents with a list at this path, or at a part of it. */
  lists: number
  /** Values by type. A vector counts as one, and its numbers as none. */
  types: Partial<Record<'text' | 'number' | 'boolean' | 'null' | 'vector', number>>
  /** Number of distinct values. Above 4,096 an estimate, mostly within 3 percent. */
  distinct: { count: number; exact: boolean }
  /** The most frequent values of up to 128 UTF-16 units. */
  top: { values: ValueCount[]; exact: boolean }
  /** Only if there are numbers. */
  numbers?: NumberProfile
  /** Only if there are texts. */
  texts?: TextProfile
}

/** A tag, and how many documents have it. */
export interface TagProfile {
  id: string
  name: string
  parentId: string | null
  /** Documents with this tag. */
  documents: number
  /** Documents with this tag or a tag below it, each counted once. */
  documentsBelow: number
  /** Words in the searched fields of the documents with this tag, and of those with this tag or a tag below it. */
  words: number
  wordsBelow: number
}

/** Numbers of a field that are far from those of other documents with the same tag. */
export interface UnusualNumber {
  id: string
  tagId: string
  field: string
  value: number
  /** The middle half of the numbers of documents with this tag. */
  usual: [from: number, to: number]
}

/** Something that is probably wrong, and why. */
export interface Mistake {
  kind: 'doubtful-tag' | 'duplicate-across-tags' | 'duplicate' | 'unusual-number'
  /** The documents; of a group of duplicates at most 20. */
  ids: string[]
  /** The tag of the document, followed by the likelier tag if it is doubtful; for duplicates all of their tags, at most 20. */
  tagIds: string[]
  field: string | null
  /** In words for people, with the names of tags. */
  reason: string
  /**
   * The numbers behind it: `score` and `likelierScore` of a doubtful tag, `documents` and `words` of duplicates, `value`
   * and the usual `from` and `to` of a number.
   */
  evidence: Record<string, number>
}

/** How often values of two fields occur together. */
export interface CrossTable {
  fields: [string, string]
  /** The most frequent pairs. */
  pairs: { values: [string, string]; count: number }[]
  exact: boolean
}

/** The current values of one field. */
export interface CurrentField {
  /** Dotted path; the objects of a list are counted together. */
  field: string
  /** Documents with a value other than null. */
  present: number
  /** Documents without. */
  missing: number
  /** Number of distinct values; absent if some are longer than 128 UTF-16 units. */
  distinct?: number
  /** The 20 most frequent values of up to 128 UTF-16 units. */
  top: ValueCount[]
}

/**
 * Counts that follow every write, taken from the values that the index keeps for filters and facets. Dates are reported as in
 * facets, and texts that the schema declares as numbers or booleans as such. The id, files, and field names that contain a dot
 * are not counted.
 */
export interface CurrentCounts {
  /** When it was counted, in milliseconds since 1970. */
  at: number
  /** Number of the last change included in the counts. */
  seq: number
  documents: number
  /** At most 500: the fields of the profile first, in their order. */
  fields: CurrentField[]
  /** Whether there are more. */
  fieldsCut: boolean
  /** False if documents have more fields than the index keeps: counts other than `missing` are then lower bounds. */
  exact: boolean
}

/** A profile of the documents of a dataset. */
export interface DatasetProfile {
  dataset: string
  /** When profiling started, in milliseconds since 1970. */
  at: number
  /** Number of the last change of the store at that time: `documents.changes({ since: seq })` returns what changed afterwards. */
  seq: number
  documents: number
  /** In the order in which they occur in documents. */
  fields: FieldProfile[]
  /** Whether there are more than the 500 fields that are examined. */
  fieldsCut: boolean
  tags: {
    /** Documents with an existing tag. */
    tagged: number
    untagged: number
    /** Documents with several tags. */
    several: number
    /** Tags that documents have, and the tags above these, most documents first; at most 10,000. */
    used: TagProfile[]
    /** Tags without documents, both their own and those of tags below them; at most 1,000. */
    unused: string[]
    /** Ids in documents that belong to no tag, most documents first; at most 100. */
    unknown: ValueCount[]
  }
  /** The most unusual first; at most 100. */
  unusual: UnusualNumber[]
  /** What is probably wrong, by kind: doubtful tags, duplicates across tags, other duplicates, unusual numbers. */
  mistakes: Mistake[]
  /** Documents whose tag was judged by a classifier trained on others of these documents. */
  judged: number
  /** Searched fields that the classifier did not read, because their values give away the tag. */
  tellingFields: string[]
  /**
   * Groups of documents with the same words, at least three, in their searched fields, and those of these groups with different
   * tags; the first 200 of each kind are among the mistakes.
   */
  duplicates: { groups: number; acrossTags: number; exact: boolean }
  crossTables: CrossTable[]
  /**
   * Only with `latestProfile()`: current counts of documents, and missing and most frequent values. All else dates from `at` and
   * `seq`.
   */
  current?: CurrentCounts
}

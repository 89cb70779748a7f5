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

/** A value, and how many documents have it; with `exact: false` of its list, at least so many. */
export interface ValueCount {
  value: string | number | boolean
  count: number
}

/** What the numbers of a field are. */
export interface NumberProfile {
  /** Numbers, those within lists among them. */
  count: number
  min: number
  max: number
  mean: number
  /** Of the values, not of a sample of them. */
  standardDeviation: number
  /** By percent of the values that are at most so great. From a sample of 4,096 where there are more. */
  quantiles: { p1: number; p5: number; p25: number; p50: number; p75: number; p95: number; p99: number }
  zeros: number
  negatives: number
  /**
   * The most extreme of those that are further from the middle half of the values than three times its width (Tukey,
   * "Exploratory Data Analysis", 1977), at most 10 on each side, by value.
   */
  outliers: { id: string; value: number }[]
}

/** What the texts of a field are. */
export interface TextProfile {
  /** Texts, those within lists among them. */
  count: number
  /** UTF-16 units. */
  length: { min: number; max: number; mean: number; p50: number; p95: number }
  /** How many of the texts look like what. */
  patterns: Partial<Record<TextPattern, number>>
  /** Article numbers of 8, 12, 13 or 14 digits whose check digit is wrong; `examples` are at most 5. */
  wrongCheckDigits: { count: number; examples: string[] }
  /** By language how many of a sample of 1,000 longer texts are in it, by their function words. */
  languages: Record<string, number>
  /** Dates by month, such as 2024-05; the months of the first and the last are there. At most 1,200. */
  months: Record<string, number>
  /** Values that differ in case and spaces only, the most frequent first; at most 20 groups, of 10 values. */
  variants: { values: ValueCount[] }[]
}

/** What the documents have in one field. */
export interface FieldProfile {
  /** Dotted path; fields of objects within a list are those of all of them. */
  field: string
  /** Documents with a value other than null. */
  present: number
  /** Documents without. */
  missing: number
  /** Documents with a list there, or with one on the way. */
  lists: number
  /** Values by type. */
  types: Partial<Record<'text' | 'number' | 'boolean' | 'null', number>>
  /** Different values. An estimate where it is not exact: above 4,096, within 3 percent mostly. */
  distinct: { count: number; exact: boolean }
  /** The most frequent values of up to 128 UTF-16 units. */
  top: { values: ValueCount[]; exact: boolean }
  /** Where there are numbers. */
  numbers?: NumberProfile
  /** Where there are texts. */
  texts?: TextProfile
}

/** A tag, and how many documents have it. */
export interface TagProfile {
  id: string
  name: string
  parentId: string | null
  /** Documents that name it. */
  documents: number
  /** Documents that name it or a tag below it, each once. */
  documentsBelow: number
  /** Words of the searched fields of the documents that name it, and of those that name it or a tag below it. */
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
  /** The tag that the document has, and for a doubtful one the likelier one after it; of duplicates all, at most 20. */
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

/** How often values of two fields come together. */
export interface CrossTable {
  fields: [string, string]
  /** The most frequent pairs. */
  pairs: { values: [string, string]; count: number }[]
  exact: boolean
}

/** What documents have in one field as they are now. */
export interface CurrentField {
  /** Dotted path; fields of objects within a list are those of all of them. */
  field: string
  /** Documents with a value other than null. */
  present: number
  /** Documents without. */
  missing: number
  /** Different values; absent where some are longer than 128 UTF-16 units. */
  distinct?: number
  /** The 20 most frequent values of up to 128 UTF-16 units. */
  top: ValueCount[]
}

/**
 * What follows every write: counted by the values that the index keeps of each document, which are those that filters and
 * facets know. Dates are told as in facets, and texts that the schema says are numbers or booleans as these. The id, files
 * and names with a dot in them are not counted.
 */
export interface CurrentCounts {
  /** When it was counted, in milliseconds since 1970. */
  at: number
  /** Number of the last change that is counted in. */
  seq: number
  documents: number
  /** At most 500: those of the profile first, in their order. */
  fields: CurrentField[]
  /** Whether there are more. */
  fieldsCut: boolean
  /** False where documents have more fields than the index keeps: counts other than `missing` are then the least that they may be. */
  exact: boolean
}

/** What is in a dataset. */
export interface DatasetProfile {
  dataset: string
  /** When it was begun, in milliseconds since 1970. */
  at: number
  /** Number of the last change of the store then: `documents.changes({ since: seq })` tells what changed afterwards. */
  seq: number
  documents: number
  /** In the order in which documents have them. */
  fields: FieldProfile[]
  /** Whether there are more than the 500 fields that are looked at. */
  fieldsCut: boolean
  tags: {
    /** Documents that name a tag that there is. */
    tagged: number
    untagged: number
    /** Documents with several tags. */
    several: number
    /** Those that documents have, with the tags above them, most documents first; at most 10,000. */
    used: TagProfile[]
    /** Tags that neither they nor those below them have a document; at most 1,000. */
    unused: string[]
    /** Ids that documents name and that no tag has, most documents first; at most 100. */
    unknown: ValueCount[]
  }
  /** The most unusual first; at most 100. */
  unusual: UnusualNumber[]
  /** What is probably wrong, by kind: doubtful tags, duplicates across tags, other duplicates, unusual numbers. */
  mistakes: Mistake[]
  /** Documents whose tag was judged by a classifier that learnt from others of them. */
  judged: number
  /** Searched fields that it did not read, since their values tell the tag. */
  tellingFields: string[]
  /** Groups of documents with the same words in their searched fields, at least three; the first 200 of both are mistakes. */
  duplicates: { groups: number; acrossTags: number; exact: boolean }
  crossTables: CrossTable[]
  /** Only of `latestProfile()`: documents, missing and most frequent values as they are now. All else is of `at` and `seq`. */
  current?: CurrentCounts
}

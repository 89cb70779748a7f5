import type { QueryFields } from '../query/fields.ts'

/** What filters of a dataset have to know of its fields. */
export interface FilterFields {
  readonly query: QueryFields
  readonly idField: string
  /** Empty where it is not there for whoever asks. */
  readonly tagField: string
  /** Paths whose texts the index has the words of, in its order. */
  readonly indexed: readonly string[]
}

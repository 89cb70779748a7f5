import type { QueryFields } from '../query/fields.ts'

/** What filters need to know of a dataset's fields. */
export interface FilterFields {
  readonly query: QueryFields
  readonly idField: string
  /** Empty if it is not visible to the caller. */
  readonly tagField: string
  /** Paths of the fields whose words are indexed, in the order of the index. */
  readonly indexed: readonly string[]
}

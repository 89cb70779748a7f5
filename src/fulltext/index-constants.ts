import type { NamedTopics } from './topics/named-topics.ts'

/** Constants of the ranking that are given from outside: an index with these makes none of its own. */
export interface IndexConstants {
  /** Other constants have another one. */
  readonly id: string
  /** Average tokens per field. */
  readonly averages: readonly number[]
  readonly topics: NamedTopics | undefined
}

import type { NamedTopics } from './topics/named-topics.ts'

/** Constants of the ranking from outside: an index that has them does not compute its own. */
export interface IndexConstants {
  /** Differs for different constants. */
  readonly id: string
  /** Average tokens per field. */
  readonly averages: readonly number[]
  readonly topics: NamedTopics | undefined
}

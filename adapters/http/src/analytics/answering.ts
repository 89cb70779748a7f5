import type { IdentifiedAnswer } from 'findling'
import * as z from 'zod'
import type { QueryIds } from './query-ids.ts'
import type { SearchCounts } from './search-counts.ts'

/** What answers are counted and named with. */
export interface Answering {
  readonly queryIds: Pick<QueryIds, 'sign'>
  readonly searches: Pick<SearchCounts, 'searched'>
}

/** Of answers that analytics count. */
export const identifiedMembers = {
  QueryId: z
    .string()
    .optional()
    .describe(
      'For Events, which report what users did with the answer; absent if the analytics are off, or if the store cannot write and has never given one',
    ),
}

/** The same with the id that clients get, where the engine has given one. */
export async function identified<Result extends object>(
  result: Result,
  { queryId }: IdentifiedAnswer,
  { queryIds }: Pick<Answering, 'queryIds'>,
): Promise<Result & { QueryId?: string }> {
  if (queryId === undefined) return result
  // The first id needs a secret, which a store that cannot write does not take. The answer is of use without one.
  const QueryId = await queryIds.sign(queryId).catch(() => undefined)
  return QueryId === undefined ? result : { ...result, QueryId }
}

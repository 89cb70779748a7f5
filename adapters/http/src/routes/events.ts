import type { AnalyticsEvent, Engine } from 'findling'
import type * as z from 'zod'
import type { QueryIds } from '../analytics/query-ids.ts'
import type { SearchCounts } from '../analytics/search-counts.ts'
import { isEngineError } from '../http/errors.ts'
import { Stretch } from '../http/stretch.ts'
import type { Route } from '../route.ts'
import { pascal } from '../wire/casing.ts'
import { EventsQuery, EventsRequest, EventsResult, eventOf } from '../wire/events.ts'
import { requireAnalytics } from './analytics.ts'
import { defineRoute } from './define-route.ts'

interface EventParts {
  readonly queryIds: Pick<QueryIds, 'read'>
  readonly searches: Pick<SearchCounts, 'happened'>
}

/** Contract, 20: what users did with answers. */
export function eventRoutes({ queryIds, searches }: EventParts): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/api/Events',
      action: 'Events/Post',
      summary: 'Records what users did with the hits of answers: clicks, views and conversions',
      extension: true,
      beacon: true,
      query: EventsQuery,
      body: EventsRequest,
      example: { body: { Events: [] } },
      responses: {
        200: { when: 'How many were counted, and those that were refused, with reasons', body: EventsResult },
        409: { when: 'The analytics are off' },
      },
      handle: async ({ engine, body: { Events }, caller }) => {
        requireAnalytics(engine)
        const visitor = caller.key?.visitor
        const stretch = new Stretch()
        const result: z.output<typeof EventsResult> = { Counted: 0, Known: 0, Refused: [] }
        for (const [Index, event] of Events.entries()) {
          if (stretch.isOver) await stretch.pause()
          const queryId = await queryIds.read(event.QueryId)
          const by = visitor === undefined ? event : { ...event, User: visitor }
          const outcome = queryId === undefined ? notGiven : await told(engine, eventOf(by, queryId))
          if (typeof outcome === 'string') result.Refused.push({ Index, Error: outcome })
          else if (outcome) result.Counted++
          else result.Known++
          if (outcome === true) searches.happened(event.Type)
        }
        return { status: 200, body: result }
      },
    }),
  ]
}

const notGiven = 'QueryId was not issued by this server; expected the QueryId of an answer.'

/** Whether the event was counted (false: it was known already), or why it was refused. */
async function told(engine: Engine, event: AnalyticsEvent): Promise<boolean | string> {
  try {
    return (await engine.analytics.event(event)).counted
  } catch (error) {
    if (!isEngineError(error)) throw error
    const { code, details } = error
    if (code === 'QUERY_ID_UNKNOWN')
      return 'QueryId is no longer known: the answer is too old, or was not counted.'
    if (code !== 'EVENT_REFUSED' && code !== 'INVALID_ARGUMENT') throw error
    // The client's names differ from those of the engine only in the first letter.
    const { field = '', received, expected } = details
    return `${pascal(field)} is ${received}; expected ${expected}.`
  }
}

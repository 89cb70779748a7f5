import type { AnalyticsEvent } from 'findling'
import { analyticsEvent } from 'findling/schemas'
import * as z from 'zod'
import { askedMembers } from '../analytics/asking.ts'
import { eventTypes } from '../analytics/search-counts.ts'
import { derived } from './derived.ts'

const mostEvents = 1000

const Event = z
  .strictObject({
    Type: z
      .enum(eventTypes)
      .describe(
        'Click: it was chosen. View: it was looked at. Conversion: it was bought, or what else is the aim',
      ),
    QueryId: z.string().max(200).describe('That of the answer which has shown it'),
    ...derived(analyticsEvent, {
      Id: 'The document. Of a completion its text, of a recommendation the id of the tag',
      Position: 'Its place in the list, from 1. Default: where the answer has shown it',
      Value: 'What it was worth, such as a price. Only of a conversion',
    }),
    User: askedMembers.User.describe('Default: the user of the call'),
  })
  .meta({ id: 'SearchEvent' })

/** Contract, 20. */
export const EventsRequest = z
  .strictObject({ Events: z.array(Event).max(mostEvents) })
  .meta({ id: 'EventsRequest', examples: [{ Events: [] }] })

export const EventsQuery = z.strictObject({
  Key: z
    .string()
    .optional()
    .describe('A public key, for pages that send as they are left and can set no header. No other keys'),
})

export const EventsResult = z
  .object({
    Counted: z.int().describe('Events that count from now on'),
    Known: z.int().describe('Events that were told before, and count once'),
    Refused: z
      .array(z.object({ Index: z.int().describe('In the list, from 0'), Error: z.string() }))
      .describe('Events that do not count, and why'),
  })
  .meta({ id: 'EventsResult' })

/** @param queryId as issued by the engine */
export const eventOf = (
  { Type, Id, Position, Value, User }: z.output<typeof Event>,
  queryId: string,
): AnalyticsEvent => ({
  type: engineTypes[Type],
  queryId,
  id: Id,
  ...(Position !== undefined && { position: Position }),
  ...(Value !== undefined && { value: Value }),
  ...(User !== undefined && { user: User }),
})

const engineTypes = { Click: 'click', Conversion: 'conversion', View: 'view' } as const

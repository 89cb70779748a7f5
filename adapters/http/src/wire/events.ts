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
        'Click: it was chosen. View: it was looked at. Conversion: it was bought, or another goal was reached',
      ),
    QueryId: z.string().max(200).describe('QueryId of the answer that showed it'),
    ...derived(analyticsEvent, {
      Id: 'Id of the document; for a completion its text, for a recommendation the id of the tag',
      Position: 'Its position in the list, from 1. Default: its position in the answer',
      Value: 'What it was worth, such as a price. Only for conversions',
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
    .describe(
      'A public key (no other is accepted here), for pages that send events while being left and cannot set a header',
    ),
})

export const EventsResult = z
  .object({
    Counted: z.int().describe('Events that are now counted'),
    Known: z.int().describe('Events that were sent before; they count only once'),
    Refused: z
      .array(z.object({ Index: z.int().describe('Position in the list, from 0'), Error: z.string() }))
      .describe('Events that are not counted, and why'),
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

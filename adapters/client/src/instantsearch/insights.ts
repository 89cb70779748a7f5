import type { SearchEvent } from '../api/models.ts'
import type { EventQueue } from '../event-queue.ts'

/** An event about hits, from widgets of InstantSearch or from pages: the members that are read. */
export interface InsightsEvent {
  readonly queryID?: string | undefined
  readonly objectIDs?: readonly string[] | undefined
  /** For clicks: positions of the hits, from 1 on. */
  readonly positions?: readonly number[] | undefined
  readonly userToken?: string | number | undefined
  readonly value?: number | string | undefined
  /** For purchases: one for each object. */
  readonly objectData?:
    | readonly {
        readonly queryID?: string | undefined
        readonly price?: number | string | undefined
        readonly quantity?: number | undefined
      }[]
    | undefined
  readonly eventType?: string | undefined
  /** For conversions: `purchase` or `addToCart`. */
  readonly eventSubtype?: string | undefined
  readonly [member: string]: unknown
}

type TokenListener = (token: string | undefined) => void

/** Called with the method names of search-insights, such as `clickedObjectIDsAfterSearch`. */
export interface InsightsClient {
  (method: string, ...given: readonly unknown[]): void
  readonly version: string
}

/** From this version of search-insights on, InstantSearch knows that no `init` is needed. */
const version = '2.17.2'

/** Leaves out what is put into carts: a later purchase would then count as already known, and its value would be lost. */
const typeOf: Readonly<Record<string, SearchEvent['type']>> = {
  clickedObjectIDsAfterSearch: 'Click',
  clickedObjectIDs: 'Click',
  convertedObjectIDsAfterSearch: 'Conversion',
  convertedObjectIDs: 'Conversion',
  purchasedObjectIDsAfterSearch: 'Conversion',
  purchasedObjectIDs: 'Conversion',
  viewedObjectIDs: 'View',
}
const typeOfEvent: Readonly<Record<string, SearchEvent['type']>> = {
  click: 'Click',
  conversion: 'Conversion',
  view: 'View',
}

/**
 * Receives the insights of InstantSearch, in place of `search-insights`. Events without a `queryID` belong to no answer and are
 * not sent.
 *
 * @example
 * search.use(createInsightsMiddleware({ insightsClient: insightsClient(new EventQueue(catalogue, { isPublic: true })) }))
 */
export function insightsClient(
  events: Pick<EventQueue, 'add'>,
  { userToken }: { readonly userToken?: string | undefined } = {},
): InsightsClient {
  let user = userToken
  let listener: TokenListener | undefined
  const setUser = (token: unknown) => {
    user = token === undefined || token === null ? undefined : String(token)
    listener?.(user)
  }
  const tell = (type: SearchEvent['type'] | undefined, event: unknown) => {
    if (type) events.add(...eventsOf(type, (event ?? {}) as InsightsEvent, user)) // whose members are looked at
  }
  const client = (method: string, ...given: readonly unknown[]) => {
    const [first, second] = given
    switch (method) {
      case 'init':
        if ((first as { userToken?: unknown } | undefined)?.userToken !== undefined)
          setUser((first as { userToken: unknown }).userToken)
        return
      case 'setUserToken':
        return setUser(first)
      case 'getUserToken':
        return void (second as ((error: null, token: string | undefined) => void) | undefined)?.(null, user)
      case 'onUserTokenChange':
        listener = first as TokenListener | undefined
        if ((second as { immediate?: boolean } | undefined)?.immediate) listener?.(user)
        return
      case 'sendEvents':
        for (const event of Array.isArray(first) ? first : [])
          tell(typeOfSent(event as InsightsEvent | null), event)
        return
      default:
        tell(ownOf(typeOf, method), first)
    }
  }
  return Object.assign(client, { version })
}

const typeOfSent = (event: InsightsEvent | null): SearchEvent['type'] | undefined =>
  event?.eventSubtype === 'addToCart' ? undefined : ownOf(typeOfEvent, event?.eventType)

const ownOf = <T>(table: Readonly<Record<string, T>>, name: string | undefined): T | undefined =>
  name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined

function eventsOf(type: SearchEvent['type'], event: InsightsEvent, user: string | undefined): SearchEvent[] {
  const { objectIDs = [], positions = [], objectData = [], userToken = user } = event
  return objectIDs.flatMap((id, i) => {
    const queryId = objectData[i]?.queryID ?? event.queryID
    if (queryId === undefined) return []
    const position = positions[i]
    const value = type === 'Conversion' ? worthOf(event, i) : undefined
    return [
      {
        type,
        queryId,
        id,
        ...(position !== undefined && { position }),
        ...(value !== undefined && { value }),
        ...(userToken !== undefined && { user: String(userToken) }),
      },
    ]
  })
}

/** The value of one of the objects: by its own price, or else its share of the total. */
function worthOf({ value, objectIDs = [], objectData = [] }: InsightsEvent, i: number): number | undefined {
  const { price, quantity = 1 } = objectData[i] ?? {}
  const worth = price !== undefined ? Number(price) * quantity : Number(value) / objectIDs.length
  return Number.isFinite(worth) && worth >= 0 ? worth : undefined
}

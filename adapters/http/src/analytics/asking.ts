import type { ObservationContext } from 'findling'
import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import { HttpError } from '../http/errors.ts'

const longestUser = 200
const mostTags = 20

const short = z.string().min(1).max(longestUser)

/** Members by which searches and similar calls identify who asks, for the analytics. */
export const askedMembers = {
  User: short
    .optional()
    .describe('Id of the visitor who asks, which distinguishes users. Only a hash of it is stored'),
  Tags: z
    .array(short)
    .max(mostTags)
    .optional()
    .describe('Tags by which the analytics distinguish calls, such as a platform or a language'),
  Analytics: z
    .boolean()
    .default(true)
    .describe('False: the analytics do not count the call, such as a second one that only fetches facets'),
}

/** The tag of calls that are not to be counted, which the engine is told to ignore. */
export const uncounted = 'findling:uncounted'

/** Of calls whose body the contract has fixed. */
const userHeader = 'X-User'

interface Asked {
  readonly headers: Headers
  readonly caller: Caller
}

interface Said {
  readonly User?: string | undefined
  readonly Tags?: readonly string[] | undefined
  readonly Analytics?: boolean | undefined
}

/** Who asks, for the engine: never the key itself or an address. If the key names a visitor, the call cannot name another. */
export function askedBy(
  { headers, caller }: Asked,
  { User, Tags = [], Analytics = true }: Said = {},
): {
  context?: ObservationContext
} {
  const user = caller.key?.visitor ?? User ?? userOf(headers)
  const key = caller.key?.name
  const tags = Analytics ? Tags : [...Tags, uncounted]
  const context = {
    ...(user !== undefined && { user }),
    ...(tags.length > 0 && { tags }),
    ...(key !== undefined && { key }),
  }
  return Object.keys(context).length === 0 ? {} : { context }
}

/** @throws HttpError 400 */
function userOf(headers: Headers): string | undefined {
  const user = headers.get(userHeader) ?? ''
  if (user.length <= longestUser) return user === '' ? undefined : user
  throw new HttpError(400, `${userHeader} has ${user.length} characters; expected at most ${longestUser}.`)
}

import { HttpError } from '../http/errors.ts'
import type { Stage } from '../stage.ts'
import type { Membership } from './membership.ts'

/** In an answer: the position up to which the log was applied. In a request: the minimum position. */
const positionHeader = 'Findling-Position'
/** `latest`: the answer must reflect everything that was acknowledged anywhere before the request. */
const readHeader = 'Findling-Read'

/** How long a request waits for its position. */
const PATIENCE_MS = 2000

/** Lets a request read what its sender has written on any server. */
export function readingStage(membership: Membership): Stage {
  return async (context, next) => {
    const { headers } = context.req.raw
    const position = positionIn(headers.get(positionHeader))
    const read = headers.get(readHeader)
    if (read !== null && read !== 'latest')
      throw new HttpError(400, `The header ${readHeader} is ${JSON.stringify(read)}; expected latest.`)
    if (position > 0) await membership.reach(position, PATIENCE_MS)
    if (read === 'latest') await membership.latest()
    await next()
    context.res.headers.set(positionHeader, String(membership.status().position))
  }
}

function positionIn(text: string | null): number {
  if (text === null) return 0
  const position = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isNaN(position)) return position
  throw new HttpError(
    400,
    `The header ${positionHeader} is ${JSON.stringify(text.slice(0, 60))}; expected a position from the header of an answer.`,
  )
}

import { HttpError } from '../http/errors.ts'
import type { Membership } from './membership.ts'

/** HttpError 503 for a server that has fallen behind the others, or does not follow them any more. */
export function refuseUnready({ status, readyLag }: Membership): void {
  const { position, head, lag, isReady, failure } = status()
  if (failure) throw new HttpError(503, `The server does not follow the log any more: ${codeOf(failure)}.`)
  if (!isReady && lag <= readyLag && position < head)
    throw new HttpError(503, `The server is catching up with the log: ${position} of ${head} entries.`)
  if (lag > readyLag)
    throw new HttpError(
      503,
      `The server is ${lag} ms behind the log, at entry ${position} of ${head}; at most ${readyLag} are accepted.`,
    )
}

/** Without what the message names, as anybody may ask. */
const codeOf = (failure: Error): string => ('code' in failure ? String(failure.code) : failure.name)

import { toErrorResponse } from '../answer/answers.ts'
import { withEveryAnswer } from '../answer/every-answer.ts'
import { HttpError } from '../http/errors.ts'
import { firstSegment, parsePath } from '../http/path.ts'
import { requestIdHeader, requestIdOf } from '../http/request-id.ts'
import type { Fetch } from '../router.ts'
import { clientIdOf } from './client-id.ts'
import type { Clients } from './clients.ts'

export interface FrontOptions {
  readonly clients: Pick<Clients, 'get' | 'isBroken'>
  /** Answers for clients that do not exist. */
  readonly nobody: { readonly fetch: Fetch }
  /** Answers at the root of the host. */
  readonly host: { readonly fetch: Fetch }
}

/** Belongs to the operator, also below the address of a client (contract, 2.7), whether or not that client exists. */
const hostsEverywhere = '/update'

/** Passes each request to the client in the first segment of its path; the host answers if that cannot be a client id. */
export function frontOf({ clients, nobody, host }: FrontOptions): Fetch {
  return async (
    request,
    { remoteAddress = '', requestId = requestIdOf(request.headers.get(requestIdHeader)) } = {},
  ) => {
    const { segment, rest: pathname } = firstSegment(new URL(request.url).pathname)
    const id = clientIdOf(segment)
    if (id === undefined) return await host.fetch(request, { remoteAddress, requestId })
    const arriving = { remoteAddress, requestId, pathname, client: id }
    if (parsePath(pathname).route === hostsEverywhere) return await host.fetch(request, arriving)
    if (clients.isBroken(id)) return unavailable(requestId)
    return await (clients.get(id) ?? nobody).fetch(request, arriving)
  }
}

function unavailable(requestId: string): Response {
  return withEveryAnswer(
    toErrorResponse(
      new HttpError(503, 'The data of this client cannot be read now; the log of the server says why.', {
        'Retry-After': '60',
      }),
    ),
    requestId,
  )
}

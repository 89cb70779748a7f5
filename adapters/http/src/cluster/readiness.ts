import { HttpError } from '../http/errors.ts'
import type { ClusterStatus, Membership } from './membership.ts'

/** What /ready checks. */
export interface Readiness extends Pick<Membership, 'status' | 'readyLag'> {
  /** Whether another server can answer something that this one temporarily cannot. */
  isBetterElsewhere?(): Promise<boolean>
}

/** Readiness of a whole server, which is that of its least ready node; the first node is the operator's. */
export function worstOf(own: Readiness, others: () => readonly Readiness[]): Readiness {
  return {
    readyLag: own.readyLag,
    status: () =>
      others()
        .map(({ status }) => status())
        .reduce((worst, one) => (isWorse(one, worst) ? one : worst), own.status()),
  }
}

/** HttpError 503 while this server reopens a client that another server answers. If none does, this one tells the client's users itself. */
export async function refuseReopening({ isBetterElsewhere }: Readiness): Promise<void> {
  if (await isBetterElsewhere?.())
    throw new HttpError(503, 'The server is reopening this client; another server answers for it meanwhile.')
}

function isWorse(one: ClusterStatus, other: ClusterStatus): boolean {
  const troubles = [one, other].map(({ failure, isReady, loading }) =>
    failure ? 3 : loading > 0 ? 2 : isReady ? 0 : 1,
  )
  return troubles[0] === troubles[1] ? one.lag > other.lag : troubles[0]! > troubles[1]!
}

/** HttpError 503 if this server has fallen behind the others, or no longer follows them. */
export function refuseUnready({ status, readyLag }: Readiness): void {
  const { position, head, lag, isReady, loading, failure } = status()
  if (failure) throw new HttpError(503, `The server no longer follows the log: ${codeOf(failure)}.`)
  if (!isReady && lag <= readyLag && position < head)
    throw new HttpError(503, `The server is catching up with the log: ${position} of ${head} entries.`)
  if (lag > readyLag)
    throw new HttpError(
      503,
      `The server is ${lag} ms behind the log, at entry ${position} of ${head}; at most ${readyLag} are accepted.`,
    )
  if (loading > 0)
    throw new HttpError(503, `The server is loading the models of services; ${loading} are left.`)
}

/** Only the code, without names from the message, as anybody may call /ready. */
const codeOf = (failure: Error): string => ('code' in failure ? String(failure.code) : failure.name)

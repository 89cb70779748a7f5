import { HttpError } from '../http/errors.ts'
import type { ClusterStatus, Membership } from './membership.ts'

/** What /ready asks. */
export interface Readiness extends Pick<Membership, 'status' | 'readyLag'> {
  /** Whether there is something that cannot be answered here for a while, and can be by another server. */
  isBetterElsewhere?(): Promise<boolean>
}

/** A server is as ready as the last of its nodes, of which the first is the operator's. */
export function worstOf(own: Readiness, others: () => readonly Readiness[]): Readiness {
  return {
    readyLag: own.readyLag,
    status: () =>
      others()
        .map(({ status }) => status())
        .reduce((worst, one) => (isWorse(one, worst) ? one : worst), own.status()),
  }
}

/** HttpError 503 for a server that opens a client anew which another one answers: where nobody does, it says so to its users. */
export async function refuseReopening({ isBetterElsewhere }: Readiness): Promise<void> {
  if (await isBetterElsewhere?.())
    throw new HttpError(503, 'The server opens a client anew, which another server answers meanwhile.')
}

function isWorse(one: ClusterStatus, other: ClusterStatus): boolean {
  const troubles = [one, other].map(({ failure, isReady }) => (failure ? 2 : isReady ? 0 : 1))
  return troubles[0] === troubles[1] ? one.lag > other.lag : troubles[0]! > troubles[1]!
}

/** HttpError 503 for a server that has fallen behind the others, or does not follow them any more. */
export function refuseUnready({ status, readyLag }: Readiness): void {
  const { position, head, lag, isReady, loading, failure } = status()
  if (failure) throw new HttpError(503, `The server does not follow the log any more: ${codeOf(failure)}.`)
  if (!isReady && lag <= readyLag && position < head)
    throw new HttpError(503, `The server is catching up with the log: ${position} of ${head} entries.`)
  if (lag > readyLag)
    throw new HttpError(
      503,
      `The server is ${lag} ms behind the log, at entry ${position} of ${head}; at most ${readyLag} are accepted.`,
    )
  if (loading > 0) throw new HttpError(503, `The server loads the models of services; ${loading} are left.`)
}

/** Without what the message names, as anybody may ask. */
const codeOf = (failure: Error): string => ('code' in failure ? String(failure.code) : failure.name)

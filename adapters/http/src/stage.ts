import type { MiddlewareHandler } from 'hono'
import type { Caller } from './access/caller.ts'
import type { RequestPath } from './http/path.ts'

/** What is known of a request before its first stage. */
export interface Arrival {
  /** Below the address of the client, where there are clients. */
  readonly path: RequestPath
  /** The same as it came. */
  readonly pathname: string
  /** The client whose address it came to, whether there is one or not; empty without clients. */
  readonly client: string
  /** Names it in its answer and in the log. */
  readonly requestId: string
  /** Where the connection comes from; empty when the caller of `fetch` did not say. */
  readonly address: string
  /** Who it is, once that is known. */
  caller?: Caller
  /** Path of the route that takes it, as in the table of routes; none when it gets to no route. */
  route?: string
}

/** One of the stages that a request passes (contract, 1.2). */
export type Stage = MiddlewareHandler<{ Bindings: Arrival }>

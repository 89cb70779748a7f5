import type * as z from 'zod'
import type { Answer, Call, Route } from '../route.ts'

/** A request whose body and query have the types of the route's schemas. */
interface TypedCall<Body, Query> extends Omit<Call, 'body' | 'query'> {
  readonly body: Body
  readonly query: Query
}

interface TypedRoute<Body, Query> extends Omit<Route, 'body' | 'query' | 'handle'> {
  readonly body?: z.ZodType<Body>
  readonly query?: z.ZodType<Query>
  readonly handle: (call: TypedCall<Body, Query>) => Promise<Answer>
}

/** A line of the table of routes, checked for this: its `handle` takes what the schemas beside it read. */
export function defineRoute<Body, Query>(route: TypedRoute<Body, Query>): Route {
  return route as Route // whoever calls `handle` has read body and query by these schemas
}

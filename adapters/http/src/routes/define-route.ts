import type * as z from 'zod'
import type { Answer, Call, Route, RouteResponse } from '../route.ts'

type Responses = Readonly<Record<number, RouteResponse>>

/** A request whose parts have the types of the route's schemas. */
interface TypedCall<Members, Body, Query> extends Omit<Call, 'path' | 'body' | 'query'> {
  readonly path: Members
  readonly body: Body
  readonly query: Query
}

/** One of the answers that the route declares, with a body of the type that its status has. */
type TypedAnswer<Declared extends Responses> = {
  [Status in keyof Declared]: Omit<Answer, 'status' | 'body' | 'stream'> & {
    readonly status: Status
  } & Content<Declared[Status]>
}[keyof Declared]

type Content<Declared> = Declared extends { readonly body: infer Model extends z.ZodType }
  ? { readonly body: z.output<Model> }
  : Declared extends { readonly types: readonly string[] }
    ? { readonly stream: ReadableStream<Uint8Array> }
    : { readonly body?: undefined }

interface TypedRoute<Members, Body, Query, Declared extends Responses>
  extends Omit<Route, 'members' | 'body' | 'query' | 'responses' | 'handle'> {
  readonly members?: z.ZodType<Members>
  readonly body?: z.ZodType<Body>
  readonly query?: z.ZodType<Query>
  readonly responses: Declared
  readonly handle: (call: TypedCall<Members, Body, Query>) => Promise<TypedAnswer<Declared>>
}

/** Defines a route; the types check that `handle` takes and returns what the route's schemas declare. */
export function defineRoute<const Declared extends Responses, Members, Body, Query>(
  route: TypedRoute<Members, Body, Query, Declared>,
): Route {
  return route as unknown as Route // callers of `handle` parse path, body and query by these schemas first
}

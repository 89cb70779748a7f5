import type { Engine } from 'findling'
import type * as z from 'zod'
import type { Caller } from './access/caller.ts'
import type { Origins } from './wire/origins.ts'

/** What the body of a route contains: a query, settings or lists of ids, or data that may be large. */
export type BodySize = 'query' | 'settings' | 'data'

/** What an answer may say of a status: when it is given, and what its body looks like. */
export interface RouteResponse {
  readonly when: string
  /** Wire form; absent for an empty body. Errors need none: they are an ErrorsModel. */
  readonly body?: z.ZodType
  /** Media types of an answer that is streamed, which has no model. */
  readonly types?: readonly string[]
}

/** A request as a route sees it: checked, in engine words. */
export interface Call {
  readonly engine: Engine
  /** Percent-decoded members of the path, as `{ id: '…' }`; their case is kept. */
  readonly path: Readonly<Record<string, string>>
  /** Parsed by the route's `query` schema. */
  readonly query: Readonly<Record<string, unknown>>
  /** Parsed by the route's `body` schema; undefined without one, or when the body is optional and absent. */
  readonly body: unknown
  /** Bytes as they come, decompressed and counted against the size limit; only for routes with `stream`. */
  readonly stream: ReadableStream<Uint8Array> | undefined
  /** Name of the dataset of the X-DataSet header; only for routes with `dataset`, and then one that exists. */
  readonly dataset: string
  readonly headers: Headers
  /** As it came, for pages that read forms and cookies of their own. */
  readonly request: Request
  /** Where the connection comes from; empty if that is unknown. */
  readonly address: string
  /** The caller. What its key does not allow was refused before, except what a route says of itself (`request/rules.ts`). */
  readonly caller: Caller
  /** The client whose address was called; empty where the server has no clients, and for its own pages. */
  readonly client: string
  /** Absolute address of this installation as the client sees it, without a slash at the end. */
  readonly base: string
  /** The root of this installation relative to the address of the request, `.` or `..`: right behind any proxy. */
  readonly root: string
  /** Processor cores a job may use (contract, 1.4). */
  readonly parallel: number
  readonly signal: AbortSignal
  /** Options of the engine's searches that abort one that takes too long, or that nobody waits for any more. */
  readonly deadline: { readonly timeout?: number; readonly signal: AbortSignal }
}

export interface Answer {
  readonly status: number
  /** In wire form already; undefined is an empty body. */
  readonly body?: unknown
  /** Sent as it is instead of `body`. */
  readonly stream?: ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
}

/** What an example call is made of; what is left out is not sent. */
export interface RouteExample {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  /** For X-DataSet. Default: the sample. */
  readonly dataset?: string
  /** A function makes a new one for each reader. For a stream, by content type. */
  readonly body?: unknown
}

/**
 * One line of the table of routes: it drives routing, checking, statistics, the OpenAPI document and the tests.
 * A route translates; rules are the engine's.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** As in the contract: `/api/Tags/{id}`. Matched without regard to case. */
  readonly path: string
  /** Name in the statistics (contract, 12): `Tags/Get`; empty for what is not counted. */
  readonly action: string
  readonly summary: string
  /** Not in 1.5.0 (contract, 20). */
  readonly extension?: true
  /** Needs the header X-DataSet. */
  readonly dataset?: true
  /** Refused with 507 while the disk is nearly full (contract, 1.12). */
  readonly writes?: true
  /** Of the members of the path, which are text. */
  readonly members?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  /** What it holds, which says how large it may be. Default a question. */
  readonly bodySize?: BodySize
  /** The list in the body that has a row for each thing to be done: how many there may be is a setting. */
  readonly rows?: string
  /** From which members of the body the engine gets its options, if their names differ. */
  readonly origins?: Origins
  /** An absent body is no error. */
  readonly bodyOptional?: true
  /** Also takes JSON as plain text, and a public key in the address, which is all that a page can send while it is being left. */
  readonly beacon?: true
  /** Takes the body as a stream instead of JSON; names its content types. */
  readonly stream?: readonly string[]
  /** Takes a form, which the page reads by itself; says what its fields are. */
  readonly form?: z.ZodType
  /** A call that works on the sample catalogue, as an example. */
  readonly example?: RouteExample
  readonly responses: Readonly<Record<number, RouteResponse>>
  readonly handle: (call: Call) => Promise<Answer>
}

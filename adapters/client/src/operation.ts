/** Where names below a value are those of users: `0` at all depths, `*` for its members, whatever they are called. */
export type Form = 0 | { readonly [member: string]: Form }

/** What a body can be, on every platform. */
export type Sendable = string | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>

/** A call of the API: what it takes apart, and what it answers with. */
export interface Operation<Parts, Gives> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base address: `/api/Tags/{id}`. */
  readonly path: string
  /** May be sent again when nobody knows what became of it. */
  readonly repeatable?: true
  readonly sends?: Form
  readonly gives?: Form | 'text' | 'stream'
  /** For the compiler alone. */
  readonly types?: { readonly parts: Parts; readonly gives: Gives }
}

/** What any call may be made of. */
export interface AnyParts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly dataset?: string | undefined
  readonly body?: unknown
  readonly stream?: Sendable
  /** Content type of the stream. */
  readonly type?: string
}

/** What an operation asks behind its path. */
export type QueryOf<Of> = Of extends Operation<{ query?: infer Query }, unknown> ? NonNullable<Query> : never

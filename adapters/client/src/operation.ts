/** Where member names inside a value are given by users: `0` at all depths; `*` stands for members of any name. */
export type Form = 0 | { readonly [member: string]: Form }

/** Types of bodies that every platform can send. */
export type Sendable = string | Blob | ArrayBuffer | Uint8Array | ReadableStream<Uint8Array>

/** A call of the API: the parts of its request, and its answer. */
export interface Operation<Parts, Gives> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the base address: `/api/Tags/{id}`. */
  readonly path: string
  /** May be repeated if it is unknown whether the first attempt succeeded. */
  readonly repeatable?: true
  readonly sends?: Form
  readonly gives?: Form | 'text' | 'stream'
  /** Only for the compiler. */
  readonly types?: { readonly parts: Parts; readonly gives: Gives }
}

/** The parts that a request may have. */
export interface AnyParts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly dataset?: string | undefined
  readonly body?: unknown
  readonly stream?: Sendable
  /** Content type of the stream. */
  readonly type?: string
}

/** The query parameters of an operation. */
export type QueryOf<Of> = Of extends Operation<{ query?: infer Query }, unknown> ? NonNullable<Query> : never

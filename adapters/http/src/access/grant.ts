import type { NamedKey } from './keys.ts'
import type { Calls } from './rate-limit.ts'

/** What whoever brings a key may do: that of a named key, or what a signed one leaves of it. */
export interface Grant
  extends Pick<
    NamedKey,
    | 'id'
    | 'name'
    | 'scopes'
    | 'datasets'
    | 'responseFields'
    | 'origins'
    | 'isPublic'
    | 'allowCursor'
    | 'allowExplain'
  > {
  /** Query strings: documents that do not match all of them are not there. */
  readonly filters: readonly string[]
  /** Whose calls they are, where the key says so: nobody else can be named then. */
  readonly visitor?: string
  /** The most hits of an answer. Null: as many as the call allows. */
  readonly limit: number | null
  /** Every one of them must have a call left. */
  readonly calls: readonly Calls[]
  /** The same for each address that calls come from. */
  readonly callsOfAddress: readonly Calls[]
}

/** Hits of an answer where a public key says nothing of them. */
const usualLimit = 100

export function grantOf(key: NamedKey): Grant {
  const { id, filter, limit, requestsPerMinute, requestsPerMinutePerAddress } = key
  return {
    ...key,
    filters: filter === null ? [] : [filter],
    limit: limit ?? (key.isPublic ? usualLimit : null),
    calls: [{ id, requestsPerMinute }],
    callsOfAddress:
      requestsPerMinutePerAddress === null ? [] : [{ id, requestsPerMinute: requestsPerMinutePerAddress }],
  }
}

/** Whether a field is one of some, or within one. */
export const isWithin = (field: string, fields: readonly string[]): boolean =>
  fields.some(one => field === one || field.startsWith(`${one}.`))

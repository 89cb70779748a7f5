import type { NamedKey } from './keys.ts'
import type { Calls } from './rate-limit.ts'

/** What the holder of a key may do: the rights of a named key, or what a signed key leaves of them. */
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
  /** Query strings: documents that do not match all of them are hidden. */
  readonly filters: readonly string[]
  /** The user whose calls these are, if the key says so; the call then cannot name another. */
  readonly visitor?: string
  /** Maximum number of hits in an answer. Null: as many as the call allows. */
  readonly limit: number | null
  /** Rate limits, each of which must have a call left. */
  readonly calls: readonly Calls[]
  /** The same, for each client address. */
  readonly callsOfAddress: readonly Calls[]
}

/** Maximum number of hits in an answer to a public key that sets no limit. */
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

/** Whether a field is one of the given fields, or within one. */
export const isWithin = (field: string, fields: readonly string[]): boolean =>
  fields.some(one => field === one || field.startsWith(`${one}.`))

import { FindlingError, type JsonValue } from 'findling'

/** A row that nodes share. */
export interface SharedRow {
  readonly key: string
  readonly value: JsonValue
  /** Milliseconds since it was last put, by the clock that all nodes share. */
  readonly age: number
}

/** Bytes that nodes share, by what they are. */
export interface SharedBlob {
  /** In hexadecimal digits. */
  readonly sha256: string
  readonly bytes: number
}

export interface StoredBlob extends SharedBlob {
  /** Milliseconds since it was last put, by the clock that all nodes share. */
  readonly age: number
}

/**
 * What nodes share besides the log. All time is that of one clock, the shared database's. What is asked while it cannot be
 * reached is asked again, until the time is over: LOG_AWAY. Kinds, keys and names have 1 to 500 characters, none of them a control
 * character; rows have up to 1 MB.
 */
export interface Shared {
  /**
   * Takes a lease for some milliseconds, or renews it. The fence is greater with each who takes it anew; undefined while somebody
   * else has it.
   * @param owner of one start of one node: who begins again is another
   */
  lease(name: string, owner: string, ttl: number): Promise<number | undefined>
  /** Ends a lease before its time. It is no error if somebody else has it. */
  release(name: string, owner: string): Promise<void>
  /** Stores a row, and begins its age anew. */
  put(kind: string, key: string, value: JsonValue): Promise<void>
  get(kind: string, key: string): Promise<SharedRow | undefined>
  /** All rows of a kind, by their keys. */
  list(kind: string): Promise<SharedRow[]>
  /** It is no error if there is none. */
  delete(kind: string, key: string): Promise<void>
  /** Stores bytes, whole or not at all. Those that are there already are kept, and their age begins anew. */
  putBlob(source: AsyncIterable<Uint8Array>): Promise<SharedBlob>
  /**
   * Yields the bytes in pieces of up to 1 MB. They are what they were only if it ends without an error: ARTIFACT_MISSING,
   * ARTIFACT_DAMAGED.
   */
  readBlob(sha256: string): AsyncGenerator<Uint8Array, void>
  /** It is no error if there is none. */
  removeBlob(sha256: string): Promise<void>
  /** All that are whole, by their hashes. */
  listBlobs(): Promise<StoredBlob[]>
  /** What is asked from now on is refused with CLOSED. */
  close(): Promise<void>
}

const MOST_NAME = 500
/** Characters of the JSON of a row. */
const MOST_ROW = 2 ** 20
const LONGEST_LEASE = 24 * 60 * 60 * 1000

/** INVALID_ARGUMENT for what names neither a lease nor a row. */
export function checkNames(names: Readonly<Record<string, string>>): void {
  for (const [field, name] of Object.entries(names)) {
    if (typeof name === 'string' && /^[^\p{Cc}\p{Cs}]{1,500}$/u.test(name)) continue
    throw invalid(field, name, `a text of 1 to ${MOST_NAME} characters without control characters`)
  }
}

export function checkTime(ttl: number): void {
  if (Number.isInteger(ttl) && ttl >= 1 && ttl <= LONGEST_LEASE) return
  throw invalid('ttl', ttl, `milliseconds from 1 to ${LONGEST_LEASE}`)
}

export function checkHash(sha256: string): void {
  if (typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)) return
  throw invalid('sha256', sha256, '64 hexadecimal digits')
}

/** A row as it is stored. INVALID_ARGUMENT, TOO_LARGE. */
export function rowText(value: JsonValue): string {
  const text: string | undefined = JSON.stringify(value)
  if (text === undefined) throw invalid('value', value, 'a JSON value')
  if (text.length <= MOST_ROW) return text
  throw new FindlingError('TOO_LARGE', `A row of ${text.length} characters is too large to be shared.`, {
    ...{ field: 'value', received: `${text.length} characters`, expected: `at most ${MOST_ROW}` },
  })
}

const invalid = (field: string, received: unknown, expected: string): FindlingError =>
  new FindlingError('INVALID_ARGUMENT', `${field} is ${shown(received)}; expected ${expected}.`, {
    ...{ field, received: shown(received), expected },
  })

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : String(value).slice(0, 60)

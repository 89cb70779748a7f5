import { FindlingError, type JsonValue } from 'findling'

/** A row that nodes share. */
export interface SharedRow {
  readonly key: string
  readonly value: JsonValue
  /** Milliseconds since it was last put, by the clock that all nodes share. */
  readonly age: number
}

/** Bytes that nodes share, addressed by their hash. */
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
 * What nodes share besides the log. All times are those of one clock, that of the shared database. While the database cannot be
 * reached, calls are retried until they time out with LOG_AWAY. Kinds, keys and names have 1 to 500 characters, none of them a
 * control character; rows have up to 1 MB.
 */
export interface Shared {
  /**
   * Takes a lease for `ttl` milliseconds, or renews it. Returns a fence that grows each time the lease is taken, but not when it is
   * renewed; undefined while somebody else has the lease.
   * @param owner identifies one run of one node: after a restart it is a different owner
   */
  lease(name: string, owner: string, ttl: number): Promise<number | undefined>
  /** Ends a lease early. It is no error if somebody else has it. */
  release(name: string, owner: string): Promise<void>
  /** Stores a row, and resets its age. */
  put(kind: string, key: string, value: JsonValue): Promise<void>
  get(kind: string, key: string): Promise<SharedRow | undefined>
  /** All rows of a kind, ordered by key. */
  list(kind: string): Promise<SharedRow[]>
  /** It is no error if there is none. */
  delete(kind: string, key: string): Promise<void>
  /** Stores bytes, completely or not at all. If they are already stored, only their age is reset. */
  putBlob(source: AsyncIterable<Uint8Array>): Promise<SharedBlob>
  /**
   * Yields the bytes in pieces of up to 1 MB. They are verified only once it ends without an error: ARTIFACT_MISSING,
   * ARTIFACT_DAMAGED.
   */
  readBlob(sha256: string): AsyncGenerator<Uint8Array, void>
  /** It is no error if there is none. */
  removeBlob(sha256: string): Promise<void>
  /** All complete blobs, ordered by hash. */
  listBlobs(): Promise<StoredBlob[]>
  /** Later calls are refused with CLOSED. */
  close(): Promise<void>
}

const MOST_NAME = 500
/** Maximum length of the JSON of a row, in characters. */
const MOST_ROW = 2 ** 20
const LONGEST_LEASE = 24 * 60 * 60 * 1000

/** INVALID_ARGUMENT unless all can be names of leases and rows. */
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

import { FindlingError } from 'findling'
import pg from 'pg'

/** PostgreSQL error codes for a wrong password, user, database or permission. */
const refused: ReadonlySet<unknown> = new Set(['28P01', '28000', '3D000', '42501'])

/** Messages of the client library: there is no password, or no TLS. */
const clientRefusals = /^SASL:|does not support SSL/

/** LOG_REFUSED for errors that last until somebody changes a setting; undefined for errors that may pass. */
export function refusalOf(error: unknown): FindlingError | undefined {
  if (!(error instanceof Error)) return undefined
  const code = 'code' in error ? error.code : undefined
  if (!refused.has(code) && !clientRefusals.test(error.message)) return undefined
  const said = typeof code === 'string' ? `${error.message} (${code})` : error.message
  // Messages of PostgreSQL name users, hosts and databases, but no password.
  return new FindlingError('LOG_REFUSED', `The log cannot be opened. PostgreSQL: ${said}`, {}, error)
}

/** LOG_REFUSED for an invalid address, without repeating it: it may contain a password. */
export function assertAddress(url: string): void {
  if (/^(postgres(ql)?:|socket:|\/)/.test(url) && isReadable(url)) return
  const expected = 'postgres://user:password@host/database'
  const message = `The address of the database cannot be parsed; expected ${expected}. Characters such as # and / in a password are written %23 and %2F.`
  throw new FindlingError('LOG_REFUSED', message, { field: 'url', expected })
}

function isReadable(url: string): boolean {
  try {
    // Nothing is connected yet.
    new pg.Client({ connectionString: url })
    return true
  } catch {
    return false
  }
}

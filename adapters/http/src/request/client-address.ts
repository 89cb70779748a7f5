import { isIP } from 'node:net'

/**
 * The address that a request comes from. A proxy appends the address it was called from to X-Forwarded-For; the client may
 * have made up anything before that.
 * @param connection the remote address of the connection; empty if unknown
 */
export function clientAddress(headers: Headers, connection: string, trustProxy: boolean): string {
  if (!trustProxy) return connection
  const last = headers.get('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? ''
  return isIP(last) === 0 ? connection : last
}

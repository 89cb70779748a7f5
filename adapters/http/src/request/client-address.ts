import { isIP } from 'node:net'

/**
 * Where a request comes from. A proxy adds the address it was called from to the end of X-Forwarded-For; what stands
 * before that, the client may have made up.
 * @param connection the address that the connection comes from; empty when nobody knows
 */
export function clientAddress(headers: Headers, connection: string, trustProxy: boolean): string {
  if (!trustProxy) return connection
  const last = headers.get('X-Forwarded-For')?.split(',').at(-1)?.trim() ?? ''
  return isIP(last) === 0 ? connection : last
}

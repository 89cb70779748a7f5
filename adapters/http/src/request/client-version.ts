import { HttpError } from '../http/errors.ts'
import { apiVersion } from '../http/version.ts'
import type { Stage } from '../stage.ts'

/** Refuses clients made for another version (contract, 1.5). Clients that do not state their version are accepted. */
export const checkClientVersion: Stage = async (context, next) => {
  const client = context.req.raw.headers.get('X-Sdk-Version')
  if (client?.trim() && compared(client) !== compared(apiVersion)) {
    throw new HttpError(
      400,
      `X-Sdk-Version is ${JSON.stringify(client.slice(0, 60))}; expected a client of version ` +
        `${compared(apiVersion)}, as this API is ${apiVersion}. FINDLING_VERSION_CHECK=off on the server allows every client.`,
    )
  }
  await next()
}

/** Major and minor version; a text with fewer than two dots is compared as a whole. */
function compared(version: string): string {
  const parts = version.trim().split('.')
  return parts.length < 3 ? version.trim() : `${parts[0]}.${parts[1]}`
}

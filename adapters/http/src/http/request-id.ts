import { randomBytes } from 'node:crypto'

/** The header that names a request, in it and in its answer; the log has it, too. */
export const requestIdHeader = 'X-Request-Id'

/** What stands in a log and in an answer as it came, so nothing that could end a line of either. */
const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The id that a request came with, as a proxy gives one; a new one of 128 random bits where that is none. */
export function requestIdOf(came: string | null | undefined): string {
  return came && sane.test(came) ? came : newRequestId()
}

export function newRequestId(): string {
  return randomBytes(16).toString('hex')
}

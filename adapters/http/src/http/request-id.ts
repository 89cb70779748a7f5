import { randomBytes } from 'node:crypto'

/** The header that names a request, in it and in its answer; the log has it, too. */
export const requestIdHeader = 'X-Request-Id'

/** Such ids are copied unchanged into logs and answers, so they must not contain anything that could end a line. */
const sane = /^[A-Za-z0-9._-]{1,128}$/

/** The id that a request came with, for example from a proxy; a new one of 128 random bits if it has none, or an invalid one. */
export function requestIdOf(came: string | null | undefined): string {
  return came && sane.test(came) ? came : newRequestId()
}

export function newRequestId(): string {
  return randomBytes(16).toString('hex')
}

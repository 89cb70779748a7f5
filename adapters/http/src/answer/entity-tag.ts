import { createHash, randomBytes } from 'node:crypto'

/** New at each start, because the change counters restart then, perhaps with other data. */
const sinceStart = randomBytes(16)

/** Identifies the inputs of an answer (RFC 9110, section 8.8.3); weak, because the body may be compressed or not. */
export function entityTag(...madeOf: readonly unknown[]): string {
  const hash = createHash('sha256').update(sinceStart).update(JSON.stringify(madeOf))
  return `W/"${hash.digest('base64url').slice(0, 22)}"`
}

/** Whether If-None-Match says that the client already has the answer. */
export function hasAnswer(headers: Headers, tag: string): boolean {
  const known = headers.get('If-None-Match') ?? ''
  const opaque = (one: string) => one.trim().replace(/^W\//, '')
  return known.trim() === '*' || known.split(',').some(one => opaque(one) === opaque(tag))
}

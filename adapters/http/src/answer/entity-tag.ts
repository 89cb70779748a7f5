import { createHash, randomBytes } from 'node:crypto'

/** Another one after each start: what counts changes begins anew then, perhaps with other data. */
const sinceStart = randomBytes(16)

/** Names what an answer was made of (RFC 9110, section 8.8.3); weak, as it may be packed or not. */
export function entityTag(...madeOf: readonly unknown[]): string {
  const hash = createHash('sha256').update(sinceStart).update(JSON.stringify(madeOf))
  return `W/"${hash.digest('base64url').slice(0, 22)}"`
}

/** Whether a client says in If-None-Match that it has the answer. */
export function hasAnswer(headers: Headers, tag: string): boolean {
  const known = headers.get('If-None-Match') ?? ''
  const opaque = (one: string) => one.trim().replace(/^W\//, '')
  return known.trim() === '*' || known.split(',').some(one => opaque(one) === opaque(tag))
}

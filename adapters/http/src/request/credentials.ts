import type { Access } from '../access/access.ts'
import { Caller } from '../access/caller.ts'
import { clientNetwork } from '../access/client-network.ts'
import type { Grant } from '../access/grant.ts'
import type { Keys } from '../access/keys.ts'
import type { RateLimit } from '../access/rate-limit.ts'
import { signedPrefix } from '../access/signed-keys.ts'
import { HttpError } from '../http/errors.ts'
import type { Stage } from '../stage.ts'

/** First segments of paths that answer before a secret is set. */
const openWithoutSecret = new Set(['', 'setup', 'assets', 'health', 'ready'])

/** Paths outside /api that need a key; in lower case. */
export const needingKey = ['/update', '/metrics']

/** @param path in lower case */
export function needsKey(path: string): boolean {
  return path.startsWith('/api/') || needingKey.includes(path)
}

/** @param path in lower case */
export function needsSecret(path: string): boolean {
  return !openWithoutSecret.has(path.split('/')[1]!)
}

/** While no secret is set, nearly every path answers 412 and says where to set one (contract, 1.2, stage 2). */
export function requireSecret(access: Access): Stage {
  return async (context, next) => {
    if (!access.isSet() && needsSecret(context.env.path.route)) {
      throw new HttpError(412, `No secret is set yet. Open ${new URL('/setup', context.req.url)} first.`)
    }
    await next()
  }
}

interface Credentials {
  readonly access: Access
  readonly keys: Pick<Keys, 'grant'>
  /** Limits of keys. */
  readonly rate: Pick<RateLimit, 'take'>
  /** Limits of the addresses and visitors of keys, of which there may be any number. */
  readonly visitors: Pick<RateLimit, 'take'>
}

/**
 * 401 with a hint unless the request has the secret or a key (contract, 2.1). 503 if that could not be checked, 403 for a
 * key on a page that it is not for, and 429 for a key that has made too many calls.
 */
export function authenticate({ access, keys, rate, visitors }: Credentials): Stage {
  return async (context, next) => {
    const { headers, signal } = context.req.raw
    const { address, client } = context.env
    const header = headers.get('Authorization')
    const presented =
      header === null ? beaconKey(context.req, context.env.path.route) : access.presented(header)
    const grant = presented === undefined ? undefined : await keys.grant(presented)
    if (header === null && grant && !isForAddresses(grant, presented))
      throw new HttpError(401, notForAddresses)
    if (!grant) {
      const answer = await access.check(header, { address, client, signal })
      if (answer !== 'ok') throw new HttpError(401, refusalText(header, access.schemes))
    }
    context.env.caller = grant ? new Caller(grant) : Caller.owner
    context.env.caller.requireOrigin(headers.get('Origin'))
    if (grant) takeCall(grant, clientNetwork(address), { rate, visitors })
    await next()
  }
}

/** The path that accepts a key in the address, for pages that are being left and cannot set headers. In lower case. */
const beaconPath = '/api/events'

/** The key in an address; the parameter's name is matched without regard to case, as all are. */
function beaconKey({ raw }: { raw: Request }, path: string): string | undefined {
  if (path !== beaconPath || raw.method !== 'POST') return undefined
  for (const [name, value] of new URL(raw.url).searchParams) if (name.toLowerCase() === 'key') return value
  return undefined
}

/** Addresses end up in logs, so only public keys are accepted in them, and none that identifies a visitor. */
const isForAddresses = (grant: Grant, key: string | undefined): boolean =>
  grant.isPublic && key?.startsWith(signedPrefix) === false

const notForAddresses = 'The key in the URL is not public; expected it in the Authorization header.'

/** The key's own limit is checked last, so that an address or visitor that calls too often does not use up the calls of others. */
function takeCall(
  { id, calls, callsOfAddress }: Grant,
  network: string,
  { rate, visitors }: Pick<Credentials, 'rate' | 'visitors'>,
): void {
  for (const one of callsOfAddress) visitors.take({ ...one, id: `${one.id} ${network}` })
  for (const one of calls) if (one.id !== id) visitors.take(one)
  for (const one of calls) if (one.id === id) rate.take(one)
}

/** Describes only the form, so that it does not reveal whether a scheme or a secret was nearly right. */
function refusalText(header: string | null, [first = '', ...others]: readonly string[]): string {
  const inItsPlace = others.length > 0 ? ` (or ${others.join(' or ')} instead of ${first})` : ''
  const expected = `expected "${first} <secret>"${inItsPlace}`
  if (header === null || header.trim() === '') return `The Authorization header is missing; ${expected}.`
  const parts = header.split(' ').filter(part => part !== '')
  if (parts.length < 2) return `The Authorization header is a single word; ${expected}.`
  if (parts.length > 2) return `The Authorization header has ${parts.length} words; ${expected}.`
  return `The secret is wrong, or the word before it is not accepted; ${expected}.`
}

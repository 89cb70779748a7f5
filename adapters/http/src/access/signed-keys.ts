import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type Issue, readInput } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { type Grant, grantOf, isWithin } from './grant.ts'
import { claimMembers } from './key-members.ts'
import type { NamedKey } from './keys.ts'

/** Prefix of signed keys; the id of the parent, the payload and the signature follow, separated by dots. */
export const signedPrefix = 'findling_signed_'
const form = /^(findling_signed_([0-9a-f-]{36})\.([\w-]+))\.([\w-]{43})$/
const longest = 8192

/** Binds the derived secret to this purpose, so that it is useless for others. */
const purpose = 'findling signed keys'

const LONGEST_LIFE_MS = 24 * 3_600_000
/** Tolerance for clocks that differ. */
const LENIENCE_MS = 5 * 60_000

/** The secret with which the holder of a key signs: derived from the key, without revealing it. */
export function signingSecret(key: string): string {
  return createHmac('sha256', key).update(purpose).digest('base64url')
}

export interface SignedKey {
  /** Id of the key that it was signed with. */
  readonly parent: string
  readonly text: string
  readonly payload: string
  readonly signature: string
  readonly signedText: string
}

/** Undefined if the text has a different form. */
export function parseSignedKey(text: string): SignedKey | undefined {
  if (text.length > longest) return undefined
  const [, signedText, parent, payload, signature] = form.exec(text) ?? []
  if (!signedText || !parent || !payload || !signature) return undefined
  return { parent, text, payload, signature, signedText }
}

export function isSignedWith({ signedText, signature }: SignedKey, secret: string): boolean {
  const right = createHmac('sha256', Buffer.from(secret, 'base64url')).update(signedText).digest('base64url')
  // Compared as text: the same bytes can be encoded in several ways, and a changed signature must be a wrong one.
  return timingSafeEqual(Buffer.from(signature), Buffer.from(right))
}

/** The payload of a signed key; every member can only narrow what the parent allows. */
const Claims = z.strictObject({
  Expires: z.int().min(0).describe('Seconds since 1970, at most 24 hours from now'),
  ...claimMembers,
})
type Claims = z.output<typeof Claims>

/**
 * What a signed key leaves of the rights of its parent. The signature must have been checked.
 * @throws HttpError 401 if it has expired, cannot be read, or allows more than its parent
 */
export function signedGrant(key: SignedKey, parent: NamedKey, now: number): Grant {
  const claims = readClaims(key.payload)
  const expires = claims.Expires * 1000
  if (expires <= now)
    throw new HttpError(401, `The signed key of ${JSON.stringify(parent.name)} has expired.`)
  if (expires > now + LONGEST_LIFE_MS + LENIENCE_MS)
    throw wrong(`Expires is ${claims.Expires}; expected at most 24 hours from now, in seconds since 1970`)
  return narrowed(parent, claims, key)
}

function readClaims(payload: string): Claims {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(payload, 'base64url').toString())
  } catch {
    throw wrong('its content is not JSON in base64url')
  }
  const read = readInput(Claims, json)
  if (read.issues) throw wrong(read.issues.map(textOf).join('; '))
  return read.data
}

const textOf = ({ field, received, expected }: Issue) =>
  `${field || 'its content'} is ${received}; expected ${expected}`

function narrowed(parent: NamedKey, claims: Claims, { text }: SignedKey): Grant {
  const whole = grantOf({ ...parent, isPublic: true })
  const { id } = parent
  const least = (own: number | null, given: number | undefined) =>
    given === undefined ? own : Math.min(own ?? given, given)
  const calls = (given: number | undefined, who: string) =>
    given === undefined ? [] : [{ id: `${id} ${who}`, requestsPerMinute: given }]
  const visitor = claims.Visitor ?? createHash('sha256').update(text).digest('base64url')
  return {
    ...whole,
    scopes: ['Search'],
    datasets: within('DataSets', claims.DataSets, parent.datasets, (name, all) => all.includes(name)),
    responseFields: within('ResponseFields', claims.ResponseFields, parent.responseFields, isWithin),
    origins: within('Origins', claims.Origins, parent.origins, (origin, all) => all.includes(origin)),
    filters: [...whole.filters, ...(claims.Filter === undefined ? [] : [claims.Filter])],
    limit: least(whole.limit, claims.Limit),
    allowExplain: false,
    ...(claims.Visitor !== undefined && { visitor: claims.Visitor }),
    calls: [...whole.calls, ...calls(claims.RequestsPerMinute, `of ${visitor}`)],
    callsOfAddress: [...whole.callsOfAddress, ...calls(claims.RequestsPerMinutePerAddress, 'of addresses')],
  }
}

/** The list of a signed key, which must be a subset of the parent's. */
function within(
  member: string,
  given: readonly string[] | undefined,
  own: string[] | null,
  isIn: (one: string, all: readonly string[]) => boolean,
): string[] | null {
  if (given === undefined) return own
  const place = own === null ? -1 : given.findIndex(one => !isIn(one, own))
  if (place >= 0)
    throw wrong(
      `${member}[${place}] is ${JSON.stringify(given[place])}; expected one that its parent key allows`,
    )
  return [...given]
}

function wrong(why: string): HttpError {
  return new HttpError(401, `The signed key is not valid: ${why}.`)
}

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Namespace } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { type Grant, grantOf } from './grant.ts'
import { inOrder } from './in-order.ts'
import { isSignedWith, parseSignedKey, type SignedKey, signedGrant, signingSecret } from './signed-keys.ts'

/** What a key may be used for. Admin includes the others. */
export const scopes = ['Read', 'Search', 'Write', 'Analytics', 'Admin'] as const
export type Scope = (typeof scopes)[number]

const namedKeySchema = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(z.enum(scopes)),
  /** The only datasets that it is for; null: all. */
  datasets: z.array(z.string()).nullable(),
  /** A query string; documents that do not match it are hidden from this key. Null: none is. */
  filter: z.string().nullable(),
  /** Milliseconds since 1970, as the other times. Null: it does not expire. */
  expiresAt: z.number().nullable(),
  createdAt: z.number(),
  /** Null: as many as the settings say. */
  requestsPerMinute: z.int().nullable(),
  // Members that keys of earlier versions do not have.
  /** The same for each client address. Null: no limit per address. */
  requestsPerMinutePerAddress: z.int().nullable().default(null),
  /** Everybody can see the key, so it may ask for no more than a page needs. */
  isPublic: z.boolean().default(false),
  /** The only fields of documents that this key sees. Null: all. */
  responseFields: z.array(z.string()).nullable().default(null),
  /** Maximum number of hits in an answer. Null: as many as the call allows. */
  limit: z.int().nullable().default(null),
  /** The only origins whose pages may use it. Null: any. */
  origins: z.array(z.string()).nullable().default(null),
  /** Whether a public key, or one signed with this key, may ask for cursors. */
  allowCursor: z.boolean().default(false),
  /** Whether a public key may ask for explanations. */
  allowExplain: z.boolean().default(false),
  /** Whether other keys may be signed with it. */
  canSign: z.boolean().default(false),
  /** Until when its previous text still works. Null: there is none. */
  previousUntil: z.number().nullable().default(null),
})

/** A key besides the secret of the owner, without its text, which is shown only when the key is made. */
export type NamedKey = z.output<typeof namedKeySchema>
export type NamedKeyInput = Omit<z.input<typeof namedKeySchema>, 'id' | 'createdAt' | 'previousUntil'>

/** A key has 256 random bits, so a fast hash is as hard to invert as a slow one. */
const proofSchema = z.object({
  sha256: z.string(),
  /** Only of keys that can sign: derived from the key, to check signatures. It allows signing, but does not reveal the key. */
  signingSecret: z.string().optional(),
})
const storedSchema = namedKeySchema.extend({
  ...proofSchema.shape,
  /** Of its previous text. */
  previous: proofSchema.optional(),
})
type Stored = z.output<typeof storedSchema>
type Proof = z.output<typeof proofSchema>
const randomBytesOfKey = 32

/** Makes keys longer than any secret, and recognizable for secret scanners. */
const prefix = 'findling_'

const mostKeys = 10_000

/** The named keys: stored as hashes; changes take effect with the next request. */
export class Keys {
  readonly #namespace: Namespace
  readonly #clock: () => number
  readonly #byId = new Map<string, Stored>()
  /** The ids of keys by the hashes of their current and previous texts. */
  readonly #byHash = new Map<string, string>()
  readonly #loaded: Promise<void>
  readonly #inOrder = inOrder()
  readonly #endWatching: () => void

  /** @param namespace one of its own */
  constructor(namespace: Namespace, clock: () => number = Date.now) {
    this.#namespace = namespace
    this.#clock = clock
    this.#loaded = this.#load()
    this.#loaded.catch(() => {}) // who asks for a key hears of it
    // Other nodes make and remove keys, too.
    this.#endWatching = namespace.watch(ids => void this.#inOrder(() => this.#reload(ids)).catch(() => {}))
  }

  /**
   * What the holder of a text may do; undefined if the text is not a key.
   * @throws HttpError 401 for a key that has expired, and for an invalid signed key
   */
  async grant(text: string): Promise<Grant | undefined> {
    if (!text.startsWith(prefix)) return undefined
    const signed = parseSignedKey(text)
    const key = signed ? await this.#parentOf(signed) : await this.find(text)
    if (!key) return undefined
    if (this.isExpired(key)) throw new HttpError(401, `The key ${JSON.stringify(key.name)} has expired.`)
    return signed ? signedGrant(signed, key, this.#clock()) : grantOf(key)
  }

  /** The key with this text, expired or not; undefined if there is none. */
  async find(text: string): Promise<NamedKey | undefined> {
    if (!text.startsWith(prefix)) return undefined
    await this.#loaded
    // Looked up by hash, so that the time this takes reveals nothing about keys.
    const hash = hashOf(text)
    const stored = this.#byId.get(this.#byHash.get(hash) ?? '')
    return stored && this.#proofsOf(stored).some(({ sha256 }) => sha256 === hash) ? told(stored) : undefined
  }

  isExpired({ expiresAt }: NamedKey): boolean {
    return expiresAt !== null && expiresAt <= this.#clock()
  }

  /** Oldest first. */
  async list(): Promise<NamedKey[]> {
    await this.#loaded
    return [...this.#byId.values()].sort((one, other) => one.createdAt - other.createdAt).map(told)
  }

  /** Makes a key. HttpError 409 if the name is taken, or there are 10,000 keys. */
  create(input: NamedKeyInput): Promise<{ about: NamedKey; key: string }> {
    return this.#inOrder(async () => {
      const all = await this.list()
      if (all.some(({ name }) => name === input.name)) {
        throw new HttpError(409, `A key named ${JSON.stringify(input.name)} already exists.`)
      }
      if (all.length >= mostKeys)
        throw new HttpError(409, `There are already ${mostKeys} keys; remove some first.`)
      const about = namedKeySchema.parse({ ...input, id: randomUUID(), createdAt: this.#clock() })
      return (await this.#store(about, undefined))! // nobody else has its id
    })
  }

  /**
   * Gives a key a new text; the previous one keeps working for `keepFor` milliseconds, and any older one stops. Undefined if there is
   * no key with this id.
   */
  exchange(id: string, keepFor: number): Promise<{ about: NamedKey; key: string } | undefined> {
    return this.#inOrder(async () => {
      await this.#loaded
      const stored = this.#byId.get(id)
      if (!stored) return undefined
      const previousUntil = keepFor > 0 ? this.#clock() + keepFor : null
      return await this.#store({ ...told(stored), previousUntil }, stored)
    })
  }

  /** Removes a key; the next request with it is refused. False if there is no key with this id. */
  revoke(id: string): Promise<boolean> {
    return this.#inOrder(async () => {
      await this.#loaded
      const stored = this.#byId.get(id)
      if (!stored) return false
      await this.#namespace.delete(id)
      this.#forget(stored)
      return true
    })
  }

  /** Undefined if another node has removed the key meanwhile. */
  async #store(
    about: NamedKey,
    before: Stored | undefined,
  ): Promise<{ about: NamedKey; key: string } | undefined> {
    const key = prefix + randomBytes(randomBytesOfKey).toString('base64url')
    const previous = before && about.previousUntil !== null ? proofOf(before) : undefined
    const stored: Stored = {
      ...about,
      sha256: hashOf(key),
      ...(about.canSign && { signingSecret: signingSecret(key) }),
      ...(previous && { previous }),
    }
    const ifPresent = before !== undefined
    if (!(await this.#namespace.put(about.id, stored, { ifPresent }))) return undefined
    if (before) this.#forget(before)
    this.#know(stored)
    return { about: told(stored), key }
  }

  /** The key with which a key was signed. */
  async #parentOf(signed: SignedKey): Promise<NamedKey | undefined> {
    await this.#loaded
    const stored = this.#byId.get(signed.parent)
    const secrets = (stored ? this.#proofsOf(stored) : []).flatMap(({ signingSecret }) => signingSecret ?? [])
    return stored && secrets.some(secret => isSignedWith(signed, secret)) ? told(stored) : undefined
  }

  /** The proofs of the current text, and of the previous one while it works. */
  #proofsOf(stored: Stored): Proof[] {
    const { previous, previousUntil } = stored
    const isKept = previous && previousUntil !== null && previousUntil > this.#clock()
    return isKept ? [stored, previous] : [stored]
  }

  #know(stored: Stored): void {
    this.#byId.set(stored.id, stored)
    for (const { sha256 } of [stored, ...(stored.previous ? [stored.previous] : [])])
      this.#byHash.set(sha256, stored.id)
  }

  #forget(stored: Stored): void {
    this.#byId.delete(stored.id)
    for (const { sha256 } of [stored, ...(stored.previous ? [stored.previous] : [])])
      this.#byHash.delete(sha256)
  }

  close(): void {
    this.#endWatching()
  }

  async #reload(ids: readonly string[]): Promise<void> {
    await this.#loaded
    for (const id of ids) {
      const value = await this.#namespace.get(id)
      const before = this.#byId.get(id)
      if (before) this.#forget(before)
      if (value !== undefined) this.#know(storedSchema.parse(value))
    }
  }

  async #load(): Promise<void> {
    for await (const { value } of this.#namespace.entries()) this.#know(storedSchema.parse(value))
  }
}

/** A key without its proofs, as it may be shown. */
const told = ({ sha256: _, signingSecret: __, previous: ___, ...about }: Stored): NamedKey => about

const proofOf = ({ sha256, signingSecret }: Stored): Proof => ({
  sha256,
  ...(signingSecret !== undefined && { signingSecret }),
})

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64')
}

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
  /** The only ones it is for; null: all. */
  datasets: z.array(z.string()).nullable(),
  /** A query string; documents that do not match it are not there for this key. Null: all are. */
  filter: z.string().nullable(),
  /** Milliseconds since 1970, as the other times. Null: it does not expire. */
  expiresAt: z.number().nullable(),
  createdAt: z.number(),
  /** Null: as many as the settings say. */
  requestsPerMinute: z.int().nullable(),
  // What keys of earlier versions do not have.
  /** The same for each address that calls come from. Null: as many. */
  requestsPerMinutePerAddress: z.int().nullable().default(null),
  /** Shown to everybody: it may ask for no more than a page needs. */
  isPublic: z.boolean().default(false),
  /** The only fields that documents have for this key. Null: all. */
  responseFields: z.array(z.string()).nullable().default(null),
  /** The most hits of an answer. Null: as many as the call allows. */
  limit: z.int().nullable().default(null),
  /** The only ones whose pages may use it. Null: any. */
  origins: z.array(z.string()).nullable().default(null),
  /** Whether a public key, or one that was signed with this, may ask for cursors. */
  allowCursor: z.boolean().default(false),
  /** Whether a public key may ask for explanations. */
  allowExplain: z.boolean().default(false),
  /** Whether others may be signed with it. */
  canSign: z.boolean().default(false),
  /** Until when the key that it had before still works. Null: there is none. */
  previousUntil: z.number().nullable().default(null),
})

/** A key beside the secret of the owner, as far as it is told: the key itself is shown once, when it is made. */
export type NamedKey = z.output<typeof namedKeySchema>
export type NamedKeyInput = Omit<z.input<typeof namedKeySchema>, 'id' | 'createdAt' | 'previousUntil'>

/** A key is 256 random bits, so that a fast hash is as hard to turn back as a slow one. */
const proofSchema = z.object({
  sha256: z.string(),
  /** Of one that can sign: derived from the key, to check what was signed. Who has it can sign, but has not the key. */
  signingSecret: z.string().optional(),
})
const storedSchema = namedKeySchema.extend({
  ...proofSchema.shape,
  /** Of the key that it had before. */
  previous: proofSchema.optional(),
})
type Stored = z.output<typeof storedSchema>
type Proof = z.output<typeof proofSchema>
const randomBytesOfKey = 32

/** Longer than any secret, and found by programs that look for keys in the wrong place. */
const prefix = 'findling_'

const mostKeys = 10_000

/** The named keys: stored by their hash, known to every request at once. */
export class Keys {
  readonly #namespace: Namespace
  readonly #clock: () => number
  readonly #byId = new Map<string, Stored>()
  /** The ids of keys, of those before too. */
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
   * What the holder of a text may do; undefined where it is no key.
   * @throws HttpError 401 for a key that has expired, and a signed one that is not valid
   */
  async grant(text: string): Promise<Grant | undefined> {
    if (!text.startsWith(prefix)) return undefined
    const signed = parseSignedKey(text)
    const key = signed ? await this.#parentOf(signed) : await this.find(text)
    if (!key) return undefined
    if (this.isExpired(key)) throw new HttpError(401, `The key ${JSON.stringify(key.name)} has expired.`)
    return signed ? signedGrant(signed, key, this.#clock()) : grantOf(key)
  }

  /** The key that a text is, expired or not; undefined when it is none. */
  async find(text: string): Promise<NamedKey | undefined> {
    if (!text.startsWith(prefix)) return undefined
    await this.#loaded
    // By hash: how long the search takes tells nothing of a key.
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

  /** Makes a key. HttpError 409 when the name is taken, or there are 10,000 keys. */
  create(input: NamedKeyInput): Promise<{ about: NamedKey; key: string }> {
    return this.#inOrder(async () => {
      const all = await this.list()
      if (all.some(({ name }) => name === input.name)) {
        throw new HttpError(409, `There is already a key ${JSON.stringify(input.name)}.`)
      }
      if (all.length >= mostKeys) throw new HttpError(409, `There are ${mostKeys} keys; remove some first.`)
      const about = namedKeySchema.parse({ ...input, id: randomUUID(), createdAt: this.#clock() })
      return (await this.#store(about, undefined))! // nobody else has its id
    })
  }

  /**
   * Gives a key another text; the one before works on for so long, and one before that no more. Undefined when there is
   * none of this id.
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

  /** Removes a key; the next request with it is refused. False when there is none of this id. */
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

  /** Undefined where another node has removed the key that it had before. */
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

  /** The key that another was signed with. */
  async #parentOf(signed: SignedKey): Promise<NamedKey | undefined> {
    await this.#loaded
    const stored = this.#byId.get(signed.parent)
    const secrets = (stored ? this.#proofsOf(stored) : []).flatMap(({ signingSecret }) => signingSecret ?? [])
    return stored && secrets.some(secret => isSignedWith(signed, secret)) ? told(stored) : undefined
  }

  /** That of the key, and of the one before as long as it works. */
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

/** What may be told of a key. */
const told = ({ sha256: _, signingSecret: __, previous: ___, ...about }: Stored): NamedKey => about

const proofOf = ({ sha256, signingSecret }: Stored): Proof => ({
  sha256,
  ...(signingSecret !== undefined && { signingSecret }),
})

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64')
}

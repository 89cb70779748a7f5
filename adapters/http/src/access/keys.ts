import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Namespace } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { inOrder } from './in-order.ts'

/** What a key may be used for. Admin includes the others. */
export const scopes = ['Read', 'Search', 'Write', 'Admin'] as const
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
})

/** A key beside the secret of the owner, as far as it is told: the key itself is shown once, when it is made. */
export type NamedKey = z.output<typeof namedKeySchema>
export type NamedKeyInput = Omit<NamedKey, 'id' | 'createdAt'>

/** A key is 256 random bits, so that a fast hash is as hard to turn back as a slow one. */
const storedSchema = namedKeySchema.extend({ sha256: z.string() })
const randomBytesOfKey = 32

/** Longer than any secret, and found by programs that look for keys in the wrong place. */
const prefix = 'findling_'

const mostKeys = 10_000

/** The named keys: stored by their hash, known to every request at once. */
export class Keys {
  readonly #namespace: Namespace
  readonly #clock: () => number
  readonly #byHash = new Map<string, NamedKey>()
  readonly #loaded: Promise<void>
  readonly #inOrder = inOrder()

  /** @param namespace one of its own */
  constructor(namespace: Namespace, clock: () => number = Date.now) {
    this.#namespace = namespace
    this.#clock = clock
    this.#loaded = this.#load()
    this.#loaded.catch(() => {}) // who asks for a key hears of it
  }

  /** The key that a text is, expired or not; undefined when it is none. */
  async find(text: string): Promise<NamedKey | undefined> {
    if (!text.startsWith(prefix)) return undefined
    await this.#loaded
    // By hash: how long the search takes tells nothing of a key.
    return this.#byHash.get(hashOf(text))
  }

  isExpired({ expiresAt }: NamedKey): boolean {
    return expiresAt !== null && expiresAt <= this.#clock()
  }

  /** Oldest first. */
  async list(): Promise<NamedKey[]> {
    await this.#loaded
    return [...this.#byHash.values()].sort((one, other) => one.createdAt - other.createdAt)
  }

  /** Makes a key. HttpError 409 when the name is taken, or there are 10,000 keys. */
  create(input: NamedKeyInput): Promise<{ about: NamedKey; key: string }> {
    return this.#inOrder(async () => {
      const all = await this.list()
      if (all.some(({ name }) => name === input.name)) {
        throw new HttpError(409, `There is already a key ${JSON.stringify(input.name)}.`)
      }
      if (all.length >= mostKeys) throw new HttpError(409, `There are ${mostKeys} keys; remove some first.`)
      const key = prefix + randomBytes(randomBytesOfKey).toString('base64url')
      const about: NamedKey = { ...input, id: randomUUID(), createdAt: this.#clock() }
      const sha256 = hashOf(key)
      await this.#namespace.put(about.id, { ...about, sha256 })
      this.#byHash.set(sha256, about)
      return { about, key }
    })
  }

  /** Removes a key; the next request with it is refused. False when there is none of this id. */
  revoke(id: string): Promise<boolean> {
    return this.#inOrder(async () => {
      await this.#loaded
      for (const [hash, about] of this.#byHash) {
        if (about.id !== id) continue
        await this.#namespace.delete(id)
        return this.#byHash.delete(hash)
      }
      return false
    })
  }

  async #load(): Promise<void> {
    for await (const { value } of this.#namespace.entries()) {
      const { sha256, ...about } = storedSchema.parse(value)
      this.#byHash.set(sha256, about)
    }
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64')
}

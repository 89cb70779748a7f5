import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Namespace } from 'findling'

const SECRET = 'secret-of-query-ids'
const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Longer than any that is given out. */
const LONGEST = 200

/**
 * Ids of answers, as clients get them: sealed with a secret of the installation. So nobody can send events for an answer that
 * was never given, or see from the ids how many answers there were.
 */
export class QueryIds {
  readonly #namespace: Namespace
  #secret: Promise<Buffer> | undefined

  /** @param namespace one of its own */
  constructor(namespace: Namespace) {
    this.#namespace = namespace
  }

  async sign(queryId: string): Promise<string> {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, await this.#known(), nonce)
    const sealed = Buffer.concat([nonce, cipher.update(queryId, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64url')
  }

  /** The id that was sealed; undefined for whatever was not sealed here. */
  async read(text: string): Promise<string | undefined> {
    if (text.length > LONGEST) return undefined
    const sealed = Buffer.from(text, 'base64url')
    // The same bytes can be encoded in several ways, and a changed text must be a wrong one.
    if (sealed.length <= NONCE_BYTES + TAG_BYTES || sealed.toString('base64url') !== text) return undefined
    const decipher = createDecipheriv(CIPHER, await this.#known(), sealed.subarray(0, NONCE_BYTES))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
      return Buffer.concat([opened, decipher.final()]).toString()
    } catch {
      return undefined
    }
  }

  async #known(): Promise<Buffer> {
    this.#secret ??= this.#read()
    return await this.#secret.catch(error => {
      this.#secret = undefined
      throw error
    })
  }

  async #read(): Promise<Buffer> {
    const known = await this.#namespace.get(SECRET)
    if (typeof known === 'string') return Buffer.from(known, 'base64url')
    const secret = randomBytes(32)
    const isFirst = await this.#namespace.put(SECRET, secret.toString('base64url'), { ifAbsent: true })
    return isFirst ? secret : await this.#read()
  }
}

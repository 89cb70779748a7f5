import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Namespace } from 'findling'

const SECRET = 'secret-of-query-ids'
/** What the secret signs, so that it is good for nothing else. */
const PURPOSE = 'findling query id\n'
const MAC_BYTES = 16
/** Longer than any that is given out. */
const LONGEST = 200

/**
 * Ids of answers, as clients get them: with a signature by a secret of the installation, so that nobody can say what was
 * done with an answer that was never given.
 */
export class QueryIds {
  readonly #namespace: Namespace
  #secret: Promise<Buffer> | undefined

  /** @param namespace one of its own */
  constructor(namespace: Namespace) {
    this.#namespace = namespace
  }

  async sign(queryId: string): Promise<string> {
    return `${queryId}.${mac(queryId, await this.#known())}`
  }

  /** The id that was signed; undefined for whatever was not signed here. */
  async read(signed: string): Promise<string | undefined> {
    if (signed.length > LONGEST) return undefined
    const dot = signed.lastIndexOf('.')
    if (dot < 0) return undefined
    const queryId = signed.slice(0, dot)
    const given = Buffer.from(signed.slice(dot + 1))
    // As text: bytes can be written in several ways, and a changed signature shall be a wrong one.
    const right = Buffer.from(mac(queryId, await this.#known()))
    return given.length === right.length && timingSafeEqual(given, right) ? queryId : undefined
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
    await this.#namespace.put(SECRET, secret.toString('base64url'))
    return secret
  }
}

const mac = (queryId: string, secret: Buffer): string =>
  createHmac('sha256', secret)
    .update(PURPOSE)
    .update(queryId)
    .digest()
    .subarray(0, MAC_BYTES)
    .toString('base64url')

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { clientNetwork } from './client-network.ts'
import { decoyHash, type HashCost, matchesHash, type SecretHash } from './secret-hash.ts'
import { secretProblems } from './secret-rule.ts'
import { SlowDown } from './slow-down.ts'
import { Turns } from './turns.ts'
import { WrongGuesses } from './wrong-guesses.ts'

/** A secret that requests may carry: known by its hash and, once a request has carried it, also by a fast proof. */
export interface GuardedSecret {
  readonly hash: SecretHash
  /** HMAC of the secret under a key of this process. */
  proof: Buffer | undefined
}

/** Where a possible secret comes from. */
export interface Brought {
  readonly address: string
  /** The client that the request is for; empty without clients. */
  readonly client?: string
  /** When aborted, nobody waits for the check any more. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Checks whether texts are secrets, for all secrets of a server together. The cost of a wrong text does not depend on a single
 * secret: a hash while any secret has not been seen since the start, and none from then on. So the time of a refusal does not
 * reveal whether there is a secret at all.
 */
export class SecretChecks {
  readonly #processKey = randomBytes(32)
  readonly #turns = new Turns()
  readonly #wrong = new WrongGuesses()
  readonly #unseen = new Set<GuardedSecret>()
  readonly #slowDown: SlowDown

  /** @param slowDown default: delays from 0.1 to 5 seconds */
  constructor(slowDown = new SlowDown()) {
    this.#slowDown = slowDown
  }

  /** @param text the secret itself, if it is known */
  guard(hash: SecretHash, text?: string): GuardedSecret {
    const secret = { hash, proof: text === undefined ? undefined : this.#mac(text) }
    if (!secret.proof) this.#unseen.add(secret)
    return secret
  }

  /** The text is no longer a secret. */
  forget(secret: GuardedSecret): void {
    this.#unseen.delete(secret)
  }

  /** A secret that no text matches, at the same cost as a real one. */
  decoy(cost?: HashCost): GuardedSecret {
    return { hash: decoyHash(cost), proof: randomBytes(32) }
  }

  /** HttpError 503 if it could not be checked: too many wait, or the signal was aborted meanwhile. */
  async isRight(secret: GuardedSecret, text: string, brought: Brought): Promise<boolean> {
    const proof = this.#mac(text)
    if (secret.proof && timingSafeEqual(secret.proof, proof)) return true
    // A text that breaks the rule for secrets, or was refused before, is not worth a hash.
    if (this.#unseen.size === 0 || secretProblems(text).length > 0) return false
    const name = this.#mac(`${brought.client ?? ''} ${secret.hash.salt} ${text}`).toString('base64')
    if (this.#wrong.has(name)) return false
    const network = clientNetwork(brought.address)
    return await this.#turns.take(() => this.#verify(secret, text, name), {
      network,
      name,
      signal: brought.signal,
    })
  }

  /** Marks a secret as seen, if the text is it. */
  async recognise(secret: GuardedSecret, text: string): Promise<void> {
    if (await matchesHash(text, secret.hash)) this.#see(secret, text)
  }

  /** Counts a failure, and resolves when it may be answered. */
  async failed(address: string): Promise<void> {
    await this.#slowDown.failed(clientNetwork(address))
  }

  async #verify(secret: GuardedSecret, text: string, name: string): Promise<boolean> {
    // Another network may have sent it meanwhile.
    if (secret.proof && timingSafeEqual(secret.proof, this.#mac(text))) return true
    if (this.#unseen.size === 0 || this.#wrong.has(name)) return false
    if (await matchesHash(text, secret.hash)) {
      this.#see(secret, text)
      return true
    }
    this.#wrong.add(name)
    return false
  }

  #see(secret: GuardedSecret, text: string): void {
    secret.proof = this.#mac(text)
    this.#unseen.delete(secret)
  }

  #mac(text: string): Buffer {
    return createHmac('sha256', this.#processKey).update(text).digest()
  }
}

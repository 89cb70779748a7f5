import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Engine, Namespace } from 'findling'
import * as z from 'zod'
import { HttpError } from '../transport/errors.ts'
import { presentedSecret } from './authorization.ts'
import { clientNetwork } from './client-network.ts'
import { type HashCost, hashSecret, matchesHash, type SecretHash, secretHashSchema } from './secret-hash.ts'
import { secretProblems } from './secret-rule.ts'
import { SlowDown } from './slow-down.ts'
import { type Asked, Turns } from './turns.ts'
import { WrongGuesses } from './wrong-guesses.ts'

/** The secret of the owner, who may call everything. */
export interface Access {
  /** Whether a secret exists, a provisional one too. */
  isSet(): boolean
  /** Whether the secret was made by makeProvisional() and the owner has still to set one. */
  isProvisional(): boolean
  /** The secret or key that an Authorization header carries, right or wrong; undefined when its form is another. */
  presented(header: string | null): string | undefined
  /**
   * Checks an Authorization header. A right key is never refused; after many failures from one address the answer
   * `refused` takes its time. HttpError 503 for what could not be checked: too many wait for the costly check of a
   * secret that has not been seen since the start, or the signal was aborted meanwhile.
   */
  check(header: string | null, address: string, signal?: AbortSignal): Promise<'ok' | 'refused'>
  /** Sets the owner's secret; the next request needs it. HttpError 406 unless it has 6 to 32 characters and no blank. */
  setSecret(secret: string): Promise<void>
  /** Sets a random secret until the owner sets one, and returns it. HttpError 409 when the owner already has. */
  makeProvisional(): Promise<string>
}

export interface AccessOptions {
  /** Accepted words before the secret, in any case. */
  schemes: readonly string[]
  /** Becomes the owner's secret when there is none yet; without effect afterwards. */
  seed?: string
  /** Default: delays from 0.1 to 5 seconds. */
  slowDown?: SlowDown
  /** What it costs to try a secret that has not been seen since the start. Default: some quarter of a second. */
  hashCost?: HashCost
}

/** HttpError 406 when the seed is needed and breaks the rule. */
export async function openAccess(engine: Engine, options: AccessOptions): Promise<Access> {
  const { seed } = options
  const namespace = engine.namespace('http-access')
  const stored = storedSchema.optional().parse(await namespace.get(secretKey))
  const access = new SecretAccess(namespace, options, stored)
  if (seed === undefined) return access
  if (!access.isSet() || access.isProvisional()) await access.setSecret(seed)
  // Known before the first request: no guess can make the right key wait.
  else await access.recognise(seed)
  return access
}

const secretKey = 'secret'
const storedSchema = secretHashSchema.extend({ provisional: z.boolean() })

interface Secret {
  readonly hash: SecretHash
  readonly provisional: boolean
  /** HMAC of the secret under a key of this process; known as soon as the secret has been seen once. */
  proof: Buffer | undefined
  /** What came until then. */
  readonly wrong: WrongGuesses
}

class SecretAccess implements Access {
  readonly #namespace: Namespace
  readonly #schemes: readonly string[]
  readonly #slowDown: SlowDown
  readonly #hashCost: HashCost | undefined
  readonly #turns = new Turns()
  readonly #processKey = randomBytes(32)
  #secret: Secret | undefined
  #changing: Promise<unknown> = Promise.resolve()

  constructor(
    namespace: Namespace,
    { schemes, slowDown = new SlowDown(), hashCost }: AccessOptions,
    stored: z.output<typeof storedSchema> | undefined,
  ) {
    this.#namespace = namespace
    this.#schemes = schemes
    this.#slowDown = slowDown
    this.#hashCost = hashCost
    if (stored) this.#secret = secretOf(stored, stored.provisional)
  }

  isSet(): boolean {
    return this.#secret !== undefined
  }

  isProvisional(): boolean {
    return this.#secret?.provisional === true
  }

  presented(header: string | null): string | undefined {
    return presentedSecret(header, this.#schemes)
  }

  async check(header: string | null, address: string, signal?: AbortSignal): Promise<'ok' | 'refused'> {
    const network = clientNetwork(address)
    const presented = this.presented(header)
    if (presented !== undefined && (await this.#matches(presented, { network, signal }))) return 'ok'
    await this.#slowDown.failed(network)
    return 'refused'
  }

  /** Sees the secret once, if this is it. */
  async recognise(secret: string): Promise<void> {
    await this.#verify(secret, this.#proofOf(secret))
  }

  async setSecret(secret: string): Promise<void> {
    const problems = secretProblems(secret)
    if (problems.length > 0) throw new HttpError(406, problems)
    await this.#inOrder(() => this.#replace(secret, false))
  }

  makeProvisional(): Promise<string> {
    return this.#inOrder(async () => {
      if (this.isSet() && !this.isProvisional()) {
        throw new HttpError(409, 'The owner has set a secret; a provisional one would replace it.')
      }
      const secret = randomBytes(24).toString('base64url')
      await this.#replace(secret, true)
      return secret
    })
  }

  async #matches(presented: string, asked: Omit<Asked, 'name'>): Promise<boolean> {
    const proof = this.#proofOf(presented)
    const secret = this.#secret
    if (!secret) return false
    if (secret.proof) return timingSafeEqual(secret.proof, proof)
    const name = nameOf(proof)
    // What can be no secret, or was refused before, is not worth a scrypt.
    if (secretProblems(presented).length > 0 || secret.wrong.has(name)) return false
    return await this.#turns.take(() => this.#verify(presented, proof), { ...asked, name })
  }

  async #verify(presented: string, proof: Buffer): Promise<boolean> {
    const secret = this.#secret
    if (!secret) return false
    if (secret.proof) return timingSafeEqual(secret.proof, proof)
    // Another network may have brought it meanwhile.
    if (secret.wrong.has(nameOf(proof))) return false
    if (!(await matchesHash(presented, secret.hash))) {
      secret.wrong.add(nameOf(proof))
      return false
    }
    secret.proof = proof
    // It may have been changed meanwhile.
    return secret === this.#secret
  }

  async #replace(secret: string, provisional: boolean): Promise<void> {
    const hash = await hashSecret(secret, this.#hashCost)
    await this.#namespace.put(secretKey, { ...hash, provisional })
    this.#secret = secretOf(hash, provisional, this.#proofOf(secret))
  }

  /** Changes are stored in the order in which they take effect. */
  #inOrder<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change)
    this.#changing = changed.catch(() => undefined)
    return changed
  }

  #proofOf(secret: string): Buffer {
    return createHmac('sha256', this.#processKey).update(secret).digest()
  }
}

function secretOf(hash: SecretHash, provisional: boolean, proof?: Buffer): Secret {
  return { hash, provisional, proof, wrong: new WrongGuesses() }
}

function nameOf(proof: Buffer): string {
  return proof.toString('base64')
}

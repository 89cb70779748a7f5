import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Engine, Namespace } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { presentedSecret } from './authorization.ts'
import { inOrder } from './in-order.ts'
import { type Brought, type GuardedSecret, SecretChecks } from './secret-checks.ts'
import { type HashCost, hashSecret, secretHashSchema } from './secret-hash.ts'
import { secretProblems } from './secret-rule.ts'

/** The secret of the owner, who may call everything. */
export interface Access {
  /** Accepted words before the secret, in any case. */
  readonly schemes: readonly string[]
  /** Whether there is a secret, provisional ones included. */
  isSet(): boolean
  /** Whether the secret was made by makeProvisional() and the owner has still to set one. */
  isProvisional(): boolean
  /** The secret or key in an Authorization header, right or wrong; undefined if the header has a different form. */
  presented(header: string | null): string | undefined
  /**
   * Checks an Authorization header. A right key is never refused; after many failures from one address the answer
   * `refused` is delayed. HttpError 503 if the header could not be checked: too many wait for the costly check of a
   * secret that has not been seen since the start, or the signal was aborted meanwhile.
   */
  check(header: string | null, brought: Brought): Promise<'ok' | 'refused'>
  /**
   * Sets the owner's secret; the next request needs it. HttpError 406 unless it has 6 to 32 characters and no blank, 409 if
   * another node has just set one.
   * @param isFirst HttpError 409 if the owner already has one
   */
  setSecret(secret: string, options?: { isFirst?: boolean }): Promise<void>
  /**
   * Sets a random secret until the owner sets one, and returns it; undefined if another node has just made one. HttpError 409
   * if the owner already has a secret.
   */
  makeProvisional(): Promise<string | undefined>
  /** Stops checking this secret; other secrets of the server are checked as before. */
  close(): void
}

export interface AccessOptions {
  /** Accepted words before the secret, in any case. */
  schemes: readonly string[]
  /** Becomes the owner's secret if there is none yet; otherwise ignored. */
  seed?: string | undefined
  /** Shared by all secrets of a server. Default: its own. */
  checks?: SecretChecks
  /** Cost of checking a secret that has not been seen since the start. Default: about a quarter of a second. */
  hashCost?: HashCost | undefined
}

/** HttpError 406 if the seed is needed and breaks the rule. */
export async function openAccess(engine: Engine, options: AccessOptions): Promise<Access> {
  const { seed } = options
  const namespace = engine.namespace('http-access')
  const access = new SecretAccess(namespace, options, await namespace.get(secretKey))
  if (seed !== undefined) await access.seed(seed)
  return access
}

const secretKey = 'secret'
const storedSchema = secretHashSchema.extend({ provisional: z.boolean() })

class SecretAccess implements Access {
  readonly schemes: readonly string[]
  readonly #namespace: Namespace
  readonly #checks: SecretChecks
  readonly #hashCost: HashCost | undefined
  #secret: GuardedSecret | undefined
  #isProvisional = false
  /** The value that was last read or written. */
  #stored: unknown
  readonly #inOrder = inOrder()
  readonly #endWatching: () => void

  constructor(
    namespace: Namespace,
    { schemes, checks = new SecretChecks(), hashCost }: AccessOptions,
    stored: unknown,
  ) {
    this.#namespace = namespace
    this.schemes = schemes
    this.#checks = checks
    this.#hashCost = hashCost
    this.#take(stored)
    // Another node may set it.
    this.#endWatching = namespace.watch(() => void this.#inOrder(() => this.#reload()).catch(() => undefined))
  }

  isSet(): boolean {
    return this.#secret !== undefined
  }

  isProvisional(): boolean {
    return this.#isProvisional
  }

  presented(header: string | null): string | undefined {
    return presentedSecret(header, this.schemes)
  }

  async check(header: string | null, brought: Brought): Promise<'ok' | 'refused'> {
    const text = this.presented(header)
    const secret = this.#secret
    const isRight =
      text !== undefined && secret !== undefined && (await this.#checks.isRight(secret, text, brought))
    // It may have been changed meanwhile.
    if (isRight && secret === this.#secret) return 'ok'
    await this.#checks.failed(brought.address)
    return 'refused'
  }

  /** Marks the secret as seen, if the text is it. */
  async recognise(text: string): Promise<void> {
    if (this.#secret) await this.#checks.recognise(this.#secret, text)
  }

  /** Sets the first secret, unless the owner has set one. */
  async seed(secret: string): Promise<void> {
    refuseUnfit(secret)
    while (!this.#isOwners()) if (await this.#inOrder(() => this.#replace(secret, false))) return
    // Marked as seen before the first request, so that no guess can make the right key wait.
    await this.recognise(secret)
  }

  async setSecret(secret: string, { isFirst = false } = {}): Promise<void> {
    refuseUnfit(secret)
    await this.#inOrder(async () => {
      if (isFirst && this.#isOwners()) throw new HttpError(409, 'The secret is already set.')
      if (!(await this.#replace(secret, false)))
        throw new HttpError(409, 'The secret has just been set elsewhere; nothing was changed.')
    })
  }

  makeProvisional(): Promise<string | undefined> {
    return this.#inOrder(async () => {
      if (this.#isOwners()) {
        throw new HttpError(409, 'The owner has set a secret; a provisional one would replace it.')
      }
      const secret = randomBytes(24).toString('base64url')
      return (await this.#replace(secret, true)) ? secret : undefined
    })
  }

  close(): void {
    this.#endWatching()
    if (this.#secret) this.#checks.forget(this.#secret)
  }

  #isOwners(): boolean {
    return this.isSet() && !this.isProvisional()
  }

  /** False if another node has replaced the secret that this one knew. */
  async #replace(secret: string, provisional: boolean): Promise<boolean> {
    const before = this.#stored
    const stored = { ...(await hashSecret(secret, this.#hashCost)), provisional }
    const condition = before === undefined ? { ifAbsent: true } : { ifValue: before }
    const put = this.#namespace.put(secretKey, stored, condition).catch(error => {
      // While servers of the previous version take part in the cluster, this condition is not available.
      if (codeOf(error) === 'FORMAT_UNSUPPORTED')
        return this.#namespace.put(secretKey, stored, { ifPresent: true })
      throw error
    })
    if (!(await put)) {
      await this.#reload()
      return false
    }
    this.#take(stored, secret)
    return true
  }

  async #reload(): Promise<void> {
    this.#take(await this.#namespace.get(secretKey))
  }

  /** @param known the secret itself */
  #take(stored: unknown, known?: string): void {
    if (stored === undefined || isDeepStrictEqual(stored, this.#stored)) return
    const hash = storedSchema.parse(stored)
    if (this.#secret) this.#checks.forget(this.#secret)
    this.#secret = this.#checks.guard(hash, known)
    this.#isProvisional = hash.provisional
    this.#stored = stored
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined

/** HttpError 406 */
function refuseUnfit(secret: string): void {
  const problems = secretProblems(secret)
  if (problems.length > 0) throw new HttpError(406, problems)
}

/** Access for clients that do not exist: refuses every key as a real secret would, at the same cost, whatever the client's name. */
export function accessToNothing({
  schemes,
  checks = new SecretChecks(),
  hashCost,
}: Omit<AccessOptions, 'seed'>): Access {
  const decoy = checks.decoy(hashCost)
  const refused = () => Promise.reject(new HttpError(403, 'There is no such client.'))
  return {
    schemes,
    isSet: () => true,
    isProvisional: () => false,
    presented: header => presentedSecret(header, schemes),
    async check(header, brought) {
      const text = presentedSecret(header, schemes)
      if (text !== undefined) await checks.isRight(decoy, text, brought)
      await checks.failed(brought.address)
      return 'refused'
    },
    setSecret: refused,
    makeProvisional: refused,
    close() {},
  }
}

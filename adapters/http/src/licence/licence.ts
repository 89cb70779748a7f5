import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { Engine, Namespace } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'
import { writeLicence } from './document.ts'
import { readLicenceKey } from './licence-key.ts'
import { newSigningKey, SigningKey } from './signature.ts'
import { type Installation, licenceProblems } from './validation.ts'

export interface LicenceState {
  /** Whether a licence is stored and currently has no problems. */
  isValid: boolean
  /** Its problems; empty if there are none. */
  message: string
  /** `OpenSource`, `Commercial`, `MarketPlace`, or `Not set`. */
  type: string
  /** The licence's XML; empty if none is stored. */
  base64: string
}

/** The licence of this installation: for information only, nothing depends on it. Validation contacts no other server. */
export interface Licence {
  /** A GUID in lower case, created at the first start and kept. */
  readonly instanceId: string
  /** The state of the stored licence, validated now. */
  state(): Promise<LicenceState>
  /** Validates a licence, in base64 or XML, and stores it. HttpError 400 with every problem; the old one is then kept. */
  store(text: string): Promise<void>
  /** Returns a new free open-source licence in base64, without storing it. HttpError 400 if `email` is not an email address. */
  issueOpenSource(email: string): Promise<string>
}

export interface LicenceOptions {
  /** Milliseconds since 1970. Default Date.now. */
  clock?: () => number
  /** Default: those of the machine. */
  cores?: number
}

export async function openLicence(engine: Engine, options: LicenceOptions = {}): Promise<Licence> {
  const { clock = Date.now, cores = availableParallelism() } = options
  const namespace = engine.namespace('http-licence')
  const { instanceId, signingKey } = await installationOf(namespace)
  return new StoredLicence(namespace, { instanceId, key: new SigningKey(signingKey), cores }, clock)
}

const installationKey = 'installation'
const installationSchema = z.object({ instanceId: z.guid(), signingKey: z.string() })
const licenceKey = 'licence'
const licenceSchema = z.string().optional()
const never = new Date(Date.UTC(9999, 11, 31, 23, 59, 59))

async function installationOf(namespace: Namespace): Promise<z.output<typeof installationSchema>> {
  const stored = await namespace.get(installationKey)
  if (stored !== undefined) return installationSchema.parse(stored)
  const made = { instanceId: randomUUID(), signingKey: newSigningKey() }
  const isFirst = await namespace.put(installationKey, made, { ifAbsent: true })
  return isFirst ? made : await installationOf(namespace)
}

class StoredLicence implements Licence {
  readonly instanceId: string
  readonly #namespace: Namespace
  readonly #installation: Installation
  readonly #clock: () => number

  constructor(namespace: Namespace, installation: Installation, clock: () => number) {
    this.instanceId = installation.instanceId
    this.#namespace = namespace
    this.#installation = installation
    this.#clock = clock
  }

  async state(): Promise<LicenceState> {
    const stored = licenceSchema.parse(await this.#namespace.get(licenceKey))
    if (stored === undefined) return { isValid: false, message: '', type: 'Not set', base64: '' }
    const { licence, xml } = readLicenceKey(stored)
    const problems = licenceProblems(licence, this.#installation, this.#clock())
    return {
      isValid: problems.length === 0,
      message: problems.join(' '),
      type: licence.type,
      base64: toBase64(xml),
    }
  }

  async store(text: string): Promise<void> {
    const { licence, xml } = readLicenceKey(text)
    const problems = licenceProblems(licence, this.#installation, this.#clock())
    if (problems.length > 0) throw new HttpError(400, problems)
    await this.#namespace.put(licenceKey, xml)
  }

  async issueOpenSource(email: string): Promise<string> {
    const address = email.trim()
    if (!isEmail(address)) throw new HttpError(400, 'Email is not an email address such as name@example.com.')
    const { instanceId: id, key, cores } = this.#installation
    const terms = { id, type: 'OpenSource', cores, expiration: never } as const
    return toBase64(writeLicence(terms, address, text => key.sign(text)))
  }
}

/** Creates and stores the free licence, as the setup page does, for those who never open that page. Keeps a valid licence. */
export async function makeLicence(licence: Licence, email: string): Promise<void> {
  const { isValid } = await licence.state()
  if (!isValid) await licence.store(await licence.issueOpenSource(email))
}

/** Nothing is ever sent to the address, so a name, an at sign and a host are enough. */
export function isEmail(text: string): boolean {
  return text.length <= 254 && /^[^\s@\p{Cc}\p{Surrogate}]+@[^\s@\p{Cc}\p{Surrogate}]+$/u.test(text)
}

function toBase64(xml: string): string {
  return Buffer.from(xml).toString('base64')
}

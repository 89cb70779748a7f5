import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

// ECDSA (FIPS 186-5) on P-521 with SHA-512.
const curve = 'P-521'
const digest = 'sha512'

/** A new private key as PEM. */
export function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: curve })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** The two halves of one key pair. */
export class SigningKey {
  readonly #private: KeyObject
  readonly #public: KeyObject

  constructor(pem: string) {
    this.#private = createPrivateKey(pem)
    this.#public = createPublicKey(this.#private)
  }

  /** Base64. */
  sign(text: string): string {
    return sign(digest, Buffer.from(text), this.#private).toString('base64')
  }

  matches(text: string, signature: string): boolean {
    return verify(digest, Buffer.from(text), this.#public, Buffer.from(signature, 'base64'))
  }
}

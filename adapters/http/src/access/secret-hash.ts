import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import * as z from 'zod'

/** Stored form of a secret: scrypt (RFC 7914) with its parameters, so that these can be raised later. */
export const secretHashSchema = z.object({
  cost: z.int(),
  blockSize: z.int(),
  parallelization: z.int(),
  /** Base64, like the hash. */
  salt: z.string(),
  hash: z.string(),
})

export type SecretHash = z.output<typeof secretHashSchema>
export type HashCost = Pick<SecretHash, 'cost' | 'blockSize' | 'parallelization'>

// 32 MB and a quarter of a second, as the OWASP Password Storage Cheat Sheet recommends.
const recommended: HashCost = { cost: 2 ** 15, blockSize: 8, parallelization: 3 }
const hashBytes = 32

export async function hashSecret(secret: string, cost = recommended): Promise<SecretHash> {
  const salt = randomBytes(16)
  const hash = await derive(secret, salt, cost)
  return { ...cost, salt: salt.toString('base64'), hash: hash.toString('base64') }
}

/** A hash that costs as much to check as a real one, and that no text matches. */
export function decoyHash(cost = recommended): SecretHash {
  const [salt, hash] = [randomBytes(16), randomBytes(hashBytes)]
  return { ...cost, salt: salt.toString('base64'), hash: hash.toString('base64') }
}

export async function matchesHash(secret: string, stored: SecretHash): Promise<boolean> {
  const derived = await derive(secret, Buffer.from(stored.salt, 'base64'), stored)
  return timingSafeEqual(derived, Buffer.from(stored.hash, 'base64'))
}

function derive(secret: string, salt: Buffer, { cost, blockSize, parallelization }: HashCost) {
  const maxmem = 256 * cost * blockSize
  return new Promise<Buffer>((resolve, reject) => {
    scrypt(secret, salt, hashBytes, { cost, blockSize, parallelization, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

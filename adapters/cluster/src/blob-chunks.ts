import { createHash, type Hash } from 'node:crypto'
import { FindlingError } from 'findling'
import type { SharedBlob } from './shared.ts'

export const CHUNK_BYTES = 2 ** 20

/** Splits a source into chunks of one size; at the end it has the hash and size of the whole. */
export class ChunkedSource {
  readonly #hash = createHash('sha256')
  #bytes = 0

  constructor(private readonly source: AsyncIterable<Uint8Array>) {}

  /** The reader may keep each chunk: none is reused. */
  async *chunks(): AsyncGenerator<Buffer, void> {
    let chunk = Buffer.allocUnsafe(CHUNK_BYTES)
    let filled = 0
    for await (const piece of this.source) {
      for (let from = 0; from < piece.byteLength; ) {
        const part = piece.subarray(from, from + CHUNK_BYTES - filled)
        chunk.set(part, filled)
        filled += part.byteLength
        from += part.byteLength
        if (filled < CHUNK_BYTES) continue
        yield this.#taken(chunk)
        chunk = Buffer.allocUnsafe(CHUNK_BYTES)
        filled = 0
      }
    }
    if (filled > 0) yield this.#taken(chunk.subarray(0, filled))
  }

  /** Hash and size of all chunks; call it once. */
  total(): SharedBlob {
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes }
  }

  #taken(chunk: Buffer): Buffer {
    this.#hash.update(chunk)
    this.#bytes += chunk.byteLength
    return chunk
  }
}

/** Passes on the chunks of a blob, and verifies its size and hash. ARTIFACT_DAMAGED. */
export async function* checked(
  { sha256, bytes }: SharedBlob,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void> {
  const hash: Hash = createHash('sha256')
  let seen = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    seen += chunk.byteLength
    yield chunk
  }
  if (seen !== bytes) throw damaged(sha256, `it has ${seen} bytes, not ${bytes}`)
  const found = hash.digest('hex')
  if (found !== sha256) throw damaged(sha256, `the SHA-256 of its bytes is ${found}`)
}

const damaged = (sha256: string, why: string): FindlingError =>
  new FindlingError('ARTIFACT_DAMAGED', `The shared blob ${sha256} is damaged: ${why}.`, {
    ...{ field: 'sha256', received: sha256 },
  })

export const missing = (sha256: string): FindlingError =>
  new FindlingError(
    'ARTIFACT_MISSING',
    `There is no shared blob ${sha256}: it was removed, or never stored.`,
    {
      ...{ field: 'sha256', received: sha256 },
    },
  )

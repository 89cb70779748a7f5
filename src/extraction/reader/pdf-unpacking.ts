import { inflateRawSync, inflateSync } from 'node:zlib'
import { FindlingError } from '../../errors.ts'
import type { Budget } from './budget.ts'

const unpackers = new Map([
  ['deflate', inflateSync],
  ['deflate-raw', inflateRawSync],
])

/**
 * Replaces the thread's `DecompressionStream`, which pdf.js uses to unpack: native memory of the original outlives a terminated
 * thread, so a few malicious PDF files could exhaust all memory. The replacement uses buffers of the thread, and counts them.
 * Only for threads that read one file at a time.
 * @returns a function that throws the error if the budget was exceeded; thrown while unpacking, it would make pdf.js assume a
 * damaged stream and unpack by itself
 */
export function unpackWithin(budget: Budget): () => void {
  let refusal: unknown
  class CountedUnpacking extends TransformStream<Uint8Array, Uint8Array> {
    constructor(format: string) {
      const unpack = unpackers.get(format)
      if (!unpack) throw new TypeError(`no format to unpack: ${format}`)
      super({
        transform(chunk, controller) {
          if (refusal) return
          try {
            controller.enqueue(unpacked(unpack, chunk, budget))
          } catch (error) {
            if (!(error instanceof FindlingError)) throw error
            refusal = error
          }
        },
      })
    }
  }
  Reflect.set(globalThis, 'DecompressionStream', CountedUnpacking)
  return () => {
    if (refusal) throw refusal
  }
}

/** FILE_LIMIT */
function unpacked(unpack: typeof inflateSync, chunk: Uint8Array, budget: Budget): Uint8Array {
  try {
    const bytes = unpack(chunk, { maxOutputLength: budget.bytesLeft + 1, chunkSize: CHUNK })
    budget.takeBytes(bytes.length)
    return bytes
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
      budget.takeBytes(budget.bytesLeft + 1)
    throw error
  }
}

/** Buffers of this size are returned to the system when they are freed. */
const CHUNK = 2 ** 20

import { inflateRawSync, inflateSync } from 'node:zlib'
import type { Budget } from './budget.ts'

const unpackers = new Map([
  ['deflate', inflateSync],
  ['deflate-raw', inflateRawSync],
])

/**
 * Takes the place of the thread's `DecompressionStream`, with which pdf.js unpacks: what that one holds natively stays when the
 * thread is ended, so a few PDF files built for it would take all memory. This one holds buffers of the thread, and counts them.
 * Only for threads that read one file at a time.
 */
export function unpackWithin(budget: Budget): void {
  class CountedUnpacking extends TransformStream<Uint8Array, Uint8Array> {
    constructor(format: string) {
      const unpack = unpackers.get(format)
      if (!unpack) throw new TypeError(`no format to unpack: ${format}`)
      super({
        transform(chunk, controller) {
          const bytes = unpack(chunk, { maxOutputLength: budget.bytesLeft + 1 })
          budget.takeBytes(bytes.length)
          controller.enqueue(bytes)
        },
      })
    }
  }
  Reflect.set(globalThis, 'DecompressionStream', CountedUnpacking)
}

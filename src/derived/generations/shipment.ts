import { recordIn } from '../../datasets/record.ts'
import type { JsonObject } from '../../json.ts'

/** Stored documents on their way to a worker: their payloads end to end, the last one ending at ends[n - 1]. */
export interface Shipment {
  ids: string[]
  ends: Uint32Array
  bytes: Uint8Array<ArrayBuffer>
}

export function pack(batch: readonly [id: string, payload: Buffer][]): Shipment {
  const ends = new Uint32Array(batch.length)
  let length = 0
  for (let i = 0; i < batch.length; i++) {
    length += batch[i]![1].byteLength
    ends[i] = length
  }
  const bytes = new Uint8Array(length)
  for (let i = 0; i < batch.length; i++) bytes.set(batch[i]![1], i === 0 ? 0 : ends[i - 1]!)
  return { ids: batch.map(([id]) => id), ends, bytes }
}

export function* unpack({ ends, bytes }: Shipment): Generator<JsonObject> {
  const buffer = Buffer.from(bytes.buffer)
  let start = 0
  for (const end of ends) {
    yield recordIn(buffer.subarray(start, end)).document
    start = end
  }
}

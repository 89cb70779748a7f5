import { once } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { analyzerFor } from '../analysis/analyzer.ts'
import { recordIn } from '../datasets/record.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import { fieldTexts } from '../datasets/validation.ts'
import { compact } from '../fulltext/compaction.ts'
import { FulltextIndex, type IndexOptions } from '../fulltext/fulltext-index.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { IndexSnapshot } from './generation.ts'

/** Stored documents on their way to the worker: their payloads end to end, the last one ending at ends[n - 1]. */
interface Shipment {
  ids: string[]
  ends: Uint32Array
  bytes: Uint8Array<ArrayBuffer>
}

export interface BuildTask {
  settings: DatasetSettings
  /** Brings shipments, then null; takes an answer for each. */
  port: MessagePort
}

/** What an index has done in worker threads. */
export type IndexTasks = { compact: typeof compact; buildIndex: typeof buildIndex }

export const indexOptions = ({ interpretedFields, language, weights }: DatasetSettings): IndexOptions => ({
  analyzer: analyzerFor(language),
  fields: interpretedFields.map(field => weights[field]!),
})

/**
 * Builds an index of documents in a worker thread: this thread only hands stored bytes on, one shipment being
 * indexed while the next is read. Works with every database, also one that a second thread could not open.
 */
export async function* buildInWorker(
  pool: WorkerPool<IndexTasks>,
  settings: DatasetSettings,
  documents: AsyncIterable<[id: string, payload: Buffer][]>,
  total: number,
  signal: AbortSignal,
): AsyncGenerator<Progress, IndexSnapshot> {
  const { port1: port, port2 } = new MessageChannel()
  const end = new AbortController()
  const ends = AbortSignal.any([signal, end.signal])
  const built = pool.run('buildIndex', { settings, port: port2 }, { signal: ends, transfer: [port2] })
  const failed = built.then(() => undefined)
  failed.catch(() => undefined)
  try {
    let done = 0
    let answer: Promise<unknown> = Promise.resolve()
    for await (const batch of documents) {
      if (batch.length === 0) continue
      const shipment = pack(batch)
      await Promise.race([answer, failed])
      port.postMessage(shipment, [shipment.bytes.buffer])
      answer = once(port, 'message')
      done += batch.length
      yield { done, total: Math.max(done, total), phase: 'indexing' }
    }
    await Promise.race([answer, failed])
    port.postMessage(null)
    yield { done, total: done, phase: 'merging' }
    return await built
  } finally {
    // A worker that waits for more than there will be would keep its thread for ever.
    end.abort()
    port.close()
  }
}

/** The worker's side. */
export async function buildIndex({ settings, port }: BuildTask): Promise<IndexSnapshot> {
  const index = new FulltextIndex(indexOptions(settings))
  let [shipment]: [Shipment | null] = await receive(port)
  while (shipment) {
    indexShipment(index, shipment, settings.interpretedFields)
    port.postMessage(shipment.ids.length)
    ;[shipment] = await receive(port)
  }
  for (let task = index.planCompaction(); task; task = index.planCompaction()) index.adopt(compact(task))
  return index.checkpoint()
}

const receive = (port: MessagePort) => once(port, 'message') as Promise<[Shipment | null]>

function indexShipment(
  index: FulltextIndex,
  { ids, ends, bytes }: Shipment,
  fields: readonly string[],
): void {
  const buffer = Buffer.from(bytes.buffer)
  let start = 0
  for (let i = 0; i < ids.length; i++) {
    const end = ends[i]!
    index.add(ids[i]!, fieldTexts(recordIn(buffer.subarray(start, end)).document, fields))
    start = end
  }
}

function pack(batch: readonly [id: string, payload: Buffer][]): Shipment {
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

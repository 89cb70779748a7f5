import { once } from 'node:events'
import type { MessagePort } from 'node:worker_threads'
import { recordIn } from '../datasets/record.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import type { DatasetSettings } from '../datasets/settings.ts'
import type { Definition } from '../datasets/state.ts'
import { type AnalyzedTexts, analyzeTexts } from '../fulltext/analyzed-texts.ts'
import { compact } from '../fulltext/compaction.ts'
import { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { Progress } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JsonObject } from '../json.ts'
import { BuildCrew } from './build-crew.ts'
import type { IndexSnapshot } from './generation.ts'
import { type DocumentReader, documentReader, indexOptions } from './indexing.ts'

/** Documents of a segment that is built in one go, up to the largest: nobody waits for a search meanwhile. */
const TAIL_DOCUMENTS = 65_536

/** Stored documents on their way to a worker: their payloads end to end, the last one ending at ends[n - 1]. */
export interface Shipment {
  ids: string[]
  ends: Uint32Array
  bytes: Uint8Array<ArrayBuffer>
}

/** The same documents as an index takes them. */
export interface AnalyzedShipment {
  ids: string[]
  texts: AnalyzedTexts
  signals: Float64Array
}

/** What tells how documents are indexed. */
export interface IndexedForm {
  settings: DatasetSettings
  root: FieldSchema
}

export interface BuildTask extends IndexedForm {
  /** Brings shipments, then null; takes an answer for each. */
  port: MessagePort
}

/** What an index has done in worker threads. */
export type IndexTasks = {
  analyzeShipment: typeof analyzeShipment
  buildIndex: typeof buildIndex
  compact: typeof compact
}

interface BuildOptions {
  /** Documents there are, as far as is known. */
  total: number
  /** Worker threads at the same time, at most. */
  parallel: number
  signal: AbortSignal
}

/**
 * Builds an index of documents in worker threads: this thread only hands stored bytes on, some being indexed while
 * the next are read. Works with every database, also one that a second thread could not open.
 */
export async function* buildInWorkers(
  pool: WorkerPool<IndexTasks>,
  { settings, schema: { root } }: Definition,
  documents: AsyncIterable<[id: string, payload: Buffer][]>,
  { total, parallel, signal }: BuildOptions,
): AsyncGenerator<Progress, IndexSnapshot> {
  const crew = new BuildCrew(pool, { settings, root }, parallel, signal)
  try {
    let done = 0
    for await (const batch of documents) {
      if (batch.length === 0) continue
      await crew.take(pack(batch))
      done += batch.length
      yield { done, total: Math.max(done, total), phase: 'indexing' }
    }
    await crew.finish()
    yield { done, total: done, phase: 'merging' }
    return await crew.built
  } finally {
    crew.dismiss()
  }
}

/** The work of the one that indexes. */
export async function buildIndex({ port, settings, root }: BuildTask): Promise<IndexSnapshot> {
  const options = await indexOptions(settings)
  const index = new FulltextIndex({ ...options, tailDocuments: TAIL_DOCUMENTS })
  const reader = documentReader(settings, root)
  let [shipment] = await receive(port)
  while (shipment) {
    if ('texts' in shipment) index.addAnalyzed(shipment.ids, shipment.texts, shipment.signals)
    else addDocuments(index, shipment, reader)
    port.postMessage(shipment.ids.length)
    ;[shipment] = await receive(port)
  }
  for (let task = index.planCompaction(); task; task = index.planCompaction()) index.adopt(compact(task))
  return index.checkpoint()
}

const receive = (port: MessagePort) => once(port, 'message') as Promise<[Shipment | AnalyzedShipment | null]>

function addDocuments(index: FulltextIndex, shipment: Shipment, reader: DocumentReader): void {
  let i = 0
  for (const document of unpack(shipment)) {
    index.add(shipment.ids[i++]!, reader.texts(document), reader.signals(document))
  }
}

/** The work of those that only analyze for it. */
export async function analyzeShipment({
  settings,
  root,
  shipment,
}: IndexedForm & { shipment: Shipment }): Promise<AnalyzedShipment> {
  const { analyzer, fields } = await indexOptions(settings)
  const reader = documentReader(settings, root)
  const documents = [...unpack(shipment)]
  const texts = analyzeTexts(analyzer, fields.length, documents.map(reader.texts))
  return { ids: shipment.ids, texts, signals: Float64Array.from(documents.flatMap(reader.signals)) }
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

function* unpack({ ends, bytes }: Shipment): Generator<JsonObject> {
  const buffer = Buffer.from(bytes.buffer)
  let start = 0
  for (const end of ends) {
    yield recordIn(buffer.subarray(start, end)).document
    start = end
  }
}

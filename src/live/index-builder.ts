import type { MessagePort } from 'node:worker_threads'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import type { Snapshot } from '../derived/generations/generation.ts'
import { type Shipment, unpack } from '../derived/generations/shipment.ts'
import { received } from '../derived/generations/worker-stream.ts'
import { FulltextIndex } from '../fulltext/fulltext-index.ts'
import { type AnalyzedTexts, analyzeTexts } from '../fulltext/segments/analyzed-texts.ts'
import { Columns } from '../fulltext/segments/columns/columns.ts'
import { columnsOf } from '../fulltext/segments/columns/rows.ts'
import { compact } from '../fulltext/segments/compaction.ts'
import type { trainTopics } from '../fulltext/topics/training.ts'
import { type DocumentReader, documentReader, indexOptions } from './indexing.ts'

/** Maximum number of documents of a segment that is built in one go: no search waits meanwhile. */
const TAIL_DOCUMENTS = 65_536

/** How documents are indexed. */
export interface IndexedForm {
  settings: DatasetSettings
  root: FieldSchema
}

export interface BuildTask extends IndexedForm {
  /** Delivers shipments. */
  port: MessagePort
  /** Average lengths that are given; by default they are measured. */
  averages?: readonly number[] | undefined
}

/** Documents in the form that an index accepts. */
export interface AnalyzedShipment {
  ids: string[]
  texts: AnalyzedTexts
  /** The block of their columns. */
  columns: Uint8Array
}

/** Tasks of an index that run in worker threads. */
export type IndexTasks = {
  analyzeShipment: typeof analyzeShipment
  buildIndex: typeof buildIndex
  compact: typeof compact
  trainTopics: typeof trainTopics
}

/** Work of the thread that indexes. */
export async function buildIndex({ port, settings, root, averages }: BuildTask): Promise<Snapshot> {
  const options = await indexOptions(settings, averages && { id: '', averages, topics: undefined })
  const index = new FulltextIndex({ ...options, tailDocuments: TAIL_DOCUMENTS })
  const reader = documentReader(settings, root)
  for await (const shipment of received<Shipment | AnalyzedShipment>(port)) {
    if ('texts' in shipment) index.addAnalyzed(shipment.ids, shipment.texts, new Columns(shipment.columns))
    else addDocuments(index, shipment, reader)
  }
  for (let task = index.planCompaction(true); task; task = index.planCompaction(true))
    index.adopt(compact(task))
  return index.save()
}

function addDocuments(index: FulltextIndex, shipment: Shipment, reader: DocumentReader): void {
  let i = 0
  for (const document of unpack(shipment)) {
    index.add(shipment.ids[i++]!, reader.texts(document), reader.columns(document))
  }
}

/** Work of the threads that only analyze for it. */
export async function analyzeShipment({
  settings,
  root,
  shipment,
}: IndexedForm & { shipment: Shipment }): Promise<AnalyzedShipment> {
  const { analyzer, fields } = await indexOptions(settings)
  const reader = documentReader(settings, root)
  const documents = [...unpack(shipment)]
  const texts = analyzeTexts(analyzer, fields.length, documents.map(reader.texts))
  const columns = columnsOf(documents.map(reader.columns))
  return { ids: shipment.ids, texts, columns: columns.block }
}

import type { MessagePort } from 'node:worker_threads'
import {
  type Compression,
  isLeftOut,
  leavesOut as leavesOutAny,
} from '../classification/model/compression.ts'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import { fieldTexts, tagIds } from '../datasets/validation.ts'
import { type Shipment, unpack } from '../derived/generations/shipment.ts'
import { received } from '../derived/generations/worker-stream.ts'
import { atOnce } from '../scheduling/at-once.ts'
import { comparableOf } from './dataset-likeness.ts'
import { findNeighbours } from './model/neighbours.ts'
import type { LeavesOut } from './model/refresh.ts'
import type { SavedSimilarity } from './model/saved-similarity.ts'
import { SimilarityIndex } from './model/similarity-index.ts'
import { writeLists } from './model/stored-neighbours.ts'
import { TagWords } from './model/tag-words.ts'

/** The form in which documents are compared within tags. */
export interface ComparedForm {
  readonly settings: DatasetSettings
  readonly root: FieldSchema
  /** Tags that count; null for all tags that documents name. */
  readonly tags: readonly string[] | null
  /** What is ignored. */
  readonly compression: Compression
}

/** The result of weighing documents. */
export interface Weighed {
  readonly saved: SavedSimilarity
  readonly tags: readonly WeighedTag[]
}

export interface WeighedTag {
  readonly id: string
  /** Number of its documents that have words. */
  readonly documents: number
  /** Its words with their scores, as JSON. */
  readonly words: Uint8Array
}

/** Lists of one part of a group. */
export interface ListsPart {
  readonly group: number
  readonly part: number
  /** Members, by their place among the ids of the index. */
  readonly documents: Uint32Array
}

export interface FoundLists extends Pick<ListsPart, 'group' | 'part'> {
  readonly lists: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The tasks of comparing that run in worker threads. */
export type ComparisonTasks = {
  weighDocuments: typeof weighDocuments
  listNeighbours: typeof listNeighbours
}

/** Reads documents and weighs their features. */
export async function weighDocuments({
  form: compared,
  port,
}: {
  readonly form: ComparedForm
  /** Receives shipments of documents. */
  readonly port: MessagePort
}): Promise<Weighed> {
  const { settings, root, tags, compression } = compared
  const form = { root, markup: settings.markup }
  const rare: LeavesOut = (inTag, inAll) => isLeftOut(compression, inTag, inAll)
  const leavesOut = leavesOutAny(compression) ? rare : undefined
  const index = new SimilarityIndex({ leavesOut })
  const words = new TagWords()
  const counting = new Set(tags)
  const counts = (tag: string) => tags === null || counting.has(tag)
  for await (const shipment of received<Shipment>(port)) {
    let at = 0
    for (const document of unpack(shipment)) {
      const own = tagIds(document, settings).filter(counts)
      const comparable = comparableOf(document, settings.interpretedFields, form)
      index.add(shipment.ids[at++]!, { ...comparable, tags: own })
      words.add(
        fieldTexts(document, settings.interpretedFields, form).flatMap(texts => texts ?? []),
        own,
      )
    }
  }
  atOnce(index.refresh())
  return {
    saved: atOnce(index.save()),
    tags: (tags ?? words.tags()).map(id => ({
      id,
      documents: words.documentsOf(id),
      words: new TextEncoder().encode(
        JSON.stringify(words.of(id, leavesOut).map(({ text, score }) => [text, score])),
      ),
    })),
  }
}

/** Finds the neighbours of group members, part by part as requested, and returns each part in its stored form. */
export async function listNeighbours({
  saved,
  groups,
  port,
}: {
  readonly saved: SavedSimilarity
  /** By group: its members, by their place among the ids of the index. */
  readonly groups: readonly Uint32Array[]
  readonly port: MessagePort
}): Promise<void> {
  const index = atOnce(SimilarityIndex.load(saved, { keepsWeights: true }))
  const all = index.ids()
  const idsOf = (documents: Uint32Array) => Array.from(documents, document => all[document]!)
  let members: { readonly group: number; readonly ids: ReadonlySet<string> } | undefined
  for await (const { group, part, documents } of received<ListsPart>(port)) {
    if (members?.group !== group) members = { group, ids: new Set(idsOf(groups[group]!)) }
    const made = [...findNeighbours(index, members.ids, { some: idsOf(documents) })]
    const bytes = writeLists(made.map(list => ({ ...list, print: index.fingerprint(list.id) })))
    const found: FoundLists = { group, part, lists: documents.length, bytes }
    port.postMessage(found, [bytes.buffer])
  }
}

import type { MessagePort } from 'node:worker_threads'
import { loadAnalyzer } from '../analysis/analyzer.ts'
import { randomStream } from '../classification/model/random.ts'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import { fieldTexts, tagIds } from '../datasets/validation.ts'
import { type Shipment, unpack } from '../derived/generations/shipment.ts'
import { received } from '../derived/generations/worker-stream.ts'
import type { DatasetMap } from './model/dataset-map.ts'
import { labelsOf } from './model/map-labels.ts'
import { projected } from './model/projection.ts'
import { normalizeVector, WordGathering, type WordVectors } from './model/word-vectors.ts'
import { MOST_POINTS } from './options.ts'

/** The tasks of mapping in worker threads. */
export type MappingTasks = {
  mapDocuments: typeof mapDocuments
}

/** The items that become points of the map. */
interface MapItems {
  readonly ids: readonly string[]
  readonly tagIds: readonly (string | null)[] | undefined
  readonly vectors: Float32Array
  readonly words: readonly Uint32Array[]
}

export async function mapDocuments({
  settings,
  root,
  port,
  of,
  seed,
}: {
  readonly settings: DatasetSettings
  readonly root: FieldSchema
  /** Receives the shipments. */
  readonly port: MessagePort
  readonly of: DatasetMap['of']
  readonly seed: number
}): Promise<Pick<DatasetMap, 'documents' | 'points' | 'labels'>> {
  const gathering = new WordGathering(await loadAnalyzer(settings.language, settings.analyzer))
  const documents: { id: string; tags: string[] }[] = []
  for await (const shipment of received<Shipment>(port)) {
    let number = 0
    for (const document of unpack(shipment)) {
      const texts = fieldTexts(document, settings.interpretedFields, { root, markup: settings.markup })
      gathering.add(texts.flatMap(text => text ?? []))
      documents.push({ id: shipment.ids[number++]!, tags: tagIds(document, settings) })
    }
  }
  // Loaded on demand: other tasks do not need it.
  const { UMAP } = await import('umap-js')
  const read = gathering.vectors(randomStream(seed))
  const items = withWords(
    of === 'tags' ? itemsOfTags(documents, read) : itemsOfDocuments(documents, read),
    read,
  )
  const { dimensions } = read
  const places = projected({ dimensions, vectors: items.vectors }, UMAP, randomStream(seed, 1))
  const labels = labelsOf(places, items.words, read.names, randomStream(seed, 2))
  const points = items.ids.map((id, i) => {
    const point = { id, x: places[2 * i]!, y: places[2 * i + 1]! }
    return items.tagIds ? { ...point, tagId: items.tagIds[i]! } : point
  })
  return { documents: documents.length, points, labels }
}

type ReadDocuments = readonly { readonly id: string; readonly tags: readonly string[] }[]

function itemsOfDocuments(documents: ReadDocuments, { vectors, words }: WordVectors): MapItems {
  const ids = documents.map(({ id }) => id)
  return { ids, tagIds: documents.map(({ tags }) => tags[0] ?? null), vectors, words }
}

/** A tag is the mean of its documents. */
function itemsOfTags(documents: ReadDocuments, { vectors, words, dimensions }: WordVectors): MapItems {
  const byTag = new Map<string, number[]>()
  for (const [i, { tags }] of documents.entries()) {
    for (const tag of tags) {
      const known = byTag.get(tag)
      if (known) known.push(i)
      else if (byTag.size < MOST_POINTS) byTag.set(tag, [i])
    }
  }
  const sums = new Float32Array(byTag.size * dimensions)
  const wordsOfTags: Uint32Array[] = []
  for (const [number, members] of [...byTag.values()].entries()) {
    const sum = sums.subarray(number * dimensions, (number + 1) * dimensions)
    for (const i of members) for (let d = 0; d < dimensions; d++) sum[d]! += vectors[i * dimensions + d]!
    normalizeVector(sum)
    wordsOfTags.push(Uint32Array.from(new Set(members.flatMap(i => [...words[i]!]))))
  }
  return { ids: [...byTag.keys()], tagIds: undefined, vectors: sums, words: wordsOfTags }
}

/** Without items that have none of the words. */
function withWords({ ids, tagIds, vectors, words }: MapItems, { dimensions }: WordVectors): MapItems {
  const kept = ids.map((_, i) => i).filter(i => words[i]!.length > 0)
  const left = new Float32Array(kept.length * dimensions)
  for (const [to, from] of kept.entries())
    left.set(vectors.subarray(from * dimensions, (from + 1) * dimensions), to * dimensions)
  return {
    ids: kept.map(i => ids[i]!),
    tagIds: tagIds && kept.map(i => tagIds[i]!),
    vectors: left,
    words: kept.map(i => words[i]!),
  }
}

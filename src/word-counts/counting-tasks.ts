import type { MessagePort } from 'node:worker_threads'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import { fieldTexts, tagIds } from '../datasets/validation.ts'
import { type Shipment, unpack } from '../derived/generations/shipment.ts'
import { received } from '../derived/generations/worker-stream.ts'
import { type NGrams, oneWordMore, singleWords } from './n-grams.ts'
import { type WordCorpus, WordCorpusBuilder } from './word-corpus.ts'

export interface ReadingTask {
  readonly settings: DatasetSettings
  readonly root: FieldSchema
  /** Ids of the tags that are counted, by number. */
  readonly tags: readonly string[]
  /** Brings shipments. */
  readonly port: MessagePort
}

/** What counting does in worker threads. */
export type CountingTasks = {
  readWords: typeof readWords
  countWords: typeof countWords
}

export async function readWords({ settings, root, tags, port }: ReadingTask): Promise<WordCorpus> {
  const numbers = new Map(tags.map((id, number) => [id, number]))
  const corpus = new WordCorpusBuilder(tags.length)
  for await (const shipment of received<Shipment>(port)) {
    for (const document of unpack(shipment)) {
      const texts = fieldTexts(document, settings.interpretedFields, {
        root,
        markup: settings.markup,
      }).flatMap(text => text ?? [])
      corpus.add(texts, new Set(tagIds(document, settings).flatMap(id => numbers.get(id) ?? [])))
    }
  }
  return corpus.finish()
}

/** Counts n-grams, from shorter ones if they are known. */
export function countWords({
  tokens,
  words,
  size,
  fewer,
}: {
  readonly tokens: Uint32Array
  readonly words: number
  readonly size: number
  readonly fewer: NGrams | undefined
}): NGrams {
  let neighbours = fewer ?? singleWords(tokens, words)
  while (neighbours.size < size) neighbours = oneWordMore(tokens, neighbours)
  return neighbours
}

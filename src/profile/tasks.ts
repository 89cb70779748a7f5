import type { MessagePort } from 'node:worker_threads'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import type { FieldSchema } from '../datasets/schema/schema.ts'
import { fieldTexts, tagIds } from '../datasets/validation.ts'
import { type Shipment, unpack } from '../derived/generations/shipment.ts'
import { received } from '../derived/generations/worker-stream.ts'
import { DocumentProfiler, type Profiled, textsIn } from './model/document-profiler.ts'
import { valuesByField } from './model/document-values.ts'
import type { UnusualNumber } from './model/profile.ts'
import { type Repetitions, type SameWordsGroup, SameWordsGroups } from './model/same-words.ts'
import type { KnownTag } from './model/tag-profiler.ts'
import { hashOfWords, wordHashes } from './model/text-words.ts'
import { UnusualNumbers, type UsualRanges } from './model/usual-numbers.ts'

interface Reading {
  readonly settings: DatasetSettings
  readonly root: FieldSchema
  /** Receives the shipments. */
  readonly port: MessagePort
}

/** The tasks of profiling in worker threads. */
export type ProfileTasks = {
  profileDocuments: typeof profileDocuments
  findMistakes: typeof findMistakes
}

/** The result of the first pass; its last three members say what to look for in the second. */
export interface FirstReading {
  readonly profiled: Profiled
  readonly usual: UsualRanges
  readonly repetitions: Repetitions
  readonly tellingFields: string[]
}

export async function profileDocuments({
  settings,
  root,
  port,
  tags,
  crossTables,
}: Reading & {
  readonly tags: readonly KnownTag[]
  readonly crossTables: readonly (readonly [string, string])[]
}): Promise<FirstReading> {
  const profiler = new DocumentProfiler(tags, crossTables, settings)
  for await (const { id, document, tags, searched } of documentsFrom(port, settings, root))
    profiler.add(id, document, tags, searched)
  const { result: profiled, usual, repetitions, tellingFields } = profiler
  return { profiled, usual, repetitions, tellingFields }
}

/** Makes a second pass over the documents, now that usual numbers and repeated words are known. */
export async function findMistakes({
  settings,
  root,
  port,
  usual,
  repetitions,
}: Reading & Pick<FirstReading, 'usual' | 'repetitions'>): Promise<{
  unusual: UnusualNumber[]
  sameWords: SameWordsGroup[]
}> {
  const unusual = new UnusualNumbers(usual)
  const groups = new SameWordsGroups(repetitions)
  const hasRepetitions = repetitions.hashes.length > 0
  for await (const { id, document, tags, searched } of documentsFrom(port, settings, root)) {
    if (usual.size > 0)
      for (const [field, { values }] of valuesByField(document, settings.vectors))
        for (const value of values) if (typeof value === 'number') unusual.add(id, field, value, tags)
    if (!hasRepetitions) continue
    const words = wordHashes(textsIn(searched))
    groups.add(id, hashOfWords(words), words.length, tags)
  }
  return { unusual: unusual.result, sameWords: groups.result }
}

async function* documentsFrom(port: MessagePort, settings: DatasetSettings, root: FieldSchema) {
  for await (const shipment of received<Shipment>(port)) {
    let number = 0
    for (const document of unpack(shipment)) {
      yield {
        id: shipment.ids[number++]!,
        document,
        tags: new Set(tagIds(document, settings)),
        searched: fieldTexts(document, settings.interpretedFields, { root, markup: settings.markup }),
      }
    }
  }
}

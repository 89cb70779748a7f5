import type { MessagePort } from 'node:worker_threads'
import type { DatasetSettings } from '../datasets/schema/dataset-settings.ts'
import { tagIds } from '../datasets/validation.ts'
import { type Shipment, unpack } from '../derived/generations/shipment.ts'
import { received } from '../derived/generations/worker-stream.ts'
import { DocumentProfiler, type Profiled } from './model/document-profiler.ts'
import { valuesByField } from './model/document-values.ts'
import type { UnusualNumber } from './model/profile.ts'
import type { KnownTag } from './model/tag-profiler.ts'
import { UnusualNumbers, type UsualRanges } from './model/usual-numbers.ts'

interface Reading {
  readonly settings: DatasetSettings
  /** Brings shipments. */
  readonly port: MessagePort
}

/** What profiling does in worker threads. */
export type ProfileTasks = {
  profileDocuments: typeof profileDocuments
  findUnusual: typeof findUnusual
}

export async function profileDocuments({
  settings,
  port,
  tags,
  crossTables,
}: Reading & {
  readonly tags: readonly KnownTag[]
  readonly crossTables: readonly (readonly [string, string])[]
}): Promise<{ profiled: Profiled; usual: UsualRanges }> {
  const profiler = new DocumentProfiler(tags, crossTables)
  for await (const { id, document, tags } of documentsFrom(port, settings)) profiler.add(id, document, tags)
  return { profiled: profiler.result, usual: profiler.usual }
}

/** Looks through the documents once more, now that it is known what is usual. */
export async function findUnusual({
  settings,
  port,
  usual,
}: Reading & { readonly usual: UsualRanges }): Promise<UnusualNumber[]> {
  const unusual = new UnusualNumbers(usual)
  for await (const { id, document, tags } of documentsFrom(port, settings)) {
    for (const [field, { values }] of valuesByField(document))
      for (const value of values) if (typeof value === 'number') unusual.add(id, field, value, tags)
  }
  return unusual.result
}

async function* documentsFrom(port: MessagePort, settings: DatasetSettings) {
  for await (const shipment of received<Shipment>(port)) {
    let number = 0
    for (const document of unpack(shipment))
      yield { id: shipment.ids[number++]!, document, tags: new Set(tagIds(document, settings)) }
  }
}

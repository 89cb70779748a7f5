import * as z from 'zod'
import type { Keyword } from '../../classification/model/dictionaries.ts'
import { learntTags } from '../../classification/options.ts'
import { aFunction } from '../../function-schema.ts'
import type { JobOptions } from '../../jobs/job.ts'
import { watching } from '../../jobs/watching.ts'
import type { StoredParts } from '../../services/service-definition.ts'
import { readSimilarContents, readTagWords } from './model.ts'

/** The words that indicate a tag. */
export interface TagDictionary {
  readonly tagId: string
  /** Strongest first; empty for a tag without documents, and for one that all documents have. */
  readonly keywords: readonly Keyword[]
}

/** Which dictionaries of a service of similar documents are exported; default: all. */
export interface SimilarExportOptions extends JobOptions {
  /** Ids of tags that the service was prepared for. */
  tags?: readonly string[] | undefined
}

/** Receives dictionaries one after another, as it asks for them; the export is done when its promise resolves. */
export type TakeTagWords = (dictionaries: AsyncIterable<TagDictionary>) => Promise<unknown>

export const takeTagWords = aFunction<TakeTagWords>('a function that takes dictionaries')

export const exportOptions = z.strictObject({ tags: learntTags.min(1).optional(), ...watching })

/** The dictionaries of a stored model. */
export async function* exporting(
  stored: <T>(use: (model: StoredParts) => Promise<T>) => Promise<T>,
  tags: readonly string[],
): AsyncGenerator<TagDictionary> {
  for (const tagId of tags) {
    const words = await stored(async model => {
      const place = readSimilarContents(model.contents).tags.findIndex(([id]) => id === tagId)
      return place < 0 ? [] : await readTagWords(place, model)
    })
    yield { tagId, keywords: words.map(([text, score]) => ({ text, score })) }
  }
}

import * as z from 'zod'
import type { OwnAnalyzers } from '../../datasets/analyzers.ts'
import { aFunction } from '../../function-schema.ts'
import { handingOver } from '../../jobs/handing-over.ts'
import type { JobOptions, Progress } from '../../jobs/job.ts'
import { watching } from '../../jobs/watching.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import type { StoredParts } from '../../services/service-definition.ts'
import { analyzerOf, readStoredClassifier } from '../dataset/stored-classifier.ts'
import { Dictionaries, type Keyword } from '../model/dictionaries.ts'
import { modelBlobs, readModel } from '../model/stored-model.ts'
import { learntTags, nGramSizes } from '../options.ts'
import type { Prepared } from './settings.ts'

/** What was learnt about one tag, as words or n-grams. */
export interface Dictionary {
  readonly tagId: string
  readonly nGram: number
  /** Those that indicate the tag, strongest first; empty for a tag without documents. */
  readonly keywords: readonly Keyword[]
}

/** Which dictionaries of a classifier service to export; default: all. */
export interface DictionaryOptions extends JobOptions {
  /** Ids of tags, among those that the service was prepared for. */
  tags?: readonly string[] | undefined
  /** N-gram sizes, among those that the service was prepared with. */
  nGrams?: readonly number[] | undefined
}

/** Consumes the dictionaries one after the other; the export ends when its promise resolves. */
export type TakeDictionaries = (dictionaries: AsyncIterable<Dictionary>) => Promise<unknown>

export const takeDictionaries = aFunction<TakeDictionaries>('a function that takes dictionaries')

export const dictionaryOptions = z.strictObject({
  tags: learntTags.min(1).optional(),
  nGrams: nGramSizes.optional(),
  ...watching,
})

/** Hands over the dictionaries of a stored model, by number of words and tag. */
export async function* exporting(
  stored: <T>(use: (model: StoredParts) => Promise<T>) => Promise<T>,
  { tags, nGrams, analyzers }: Pick<Prepared, 'tags' | 'nGrams'> & { readonly analyzers: OwnAnalyzers },
  take: TakeDictionaries,
  signal: AbortSignal,
): AsyncGenerator<Progress, void> {
  const total = tags.length * nGrams.length
  yield { done: 0, total, phase: 'reading' }
  const { numbers, dictionaries } = await stored(model => readDictionaries(model, analyzers))
  const each = async function* (): AsyncGenerator<Dictionary> {
    for (const nGram of nGrams) {
      for (const tagId of tags) {
        const number = numbers.get(tagId)
        const keywords = number === undefined ? [] : await inStretches(dictionaries.keywords(number, nGram))
        yield { tagId, nGram, keywords }
      }
    }
  }
  yield* handingOver(each(), take, { total, phase: 'exporting', signal })
}

async function readDictionaries({ contents: stored, parts }: StoredParts, analyzers: OwnAnalyzers) {
  const contents = readStoredClassifier(stored)
  const blobs = await parts(modelBlobs(contents.model))
  const analyzer = await analyzerOf(contents, analyzers)
  const model = await inStretches(readModel(contents.model, analyzer, name => blobs.get(name)))
  const numbers = new Map(contents.tags.map((id, number) => [id, number]))
  return { numbers, dictionaries: await inStretches(Dictionaries.of(model)) }
}

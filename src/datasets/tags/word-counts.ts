import type { Job, JobOptions } from '../../jobs/job.ts'
import type { JsonObject } from '../../json.ts'
import type { VisibilityOptions } from '../../query/condition-query.ts'

/** A word, or neighbouring words separated by a space, and how often it occurs. */
export interface WordCount {
  readonly text: string
  readonly inTag: number
  readonly inDataset: number
}

/** Word counts that are produced one by one as they are requested; they can be iterated more than once. */
export interface WordCounts extends Iterable<WordCount> {
  readonly size: number
}

/** The words or n-grams of one tag. */
export interface TagWordCounts {
  readonly tagId: string
  readonly nGram: number
  /** Most frequent in the tag first; ties in the order in which they occur in its documents, by id. */
  readonly words: WordCounts
}

/** What `dataset.tags.words()` takes, all of it optional. */
export interface WordsOptions<T = JsonObject> extends VisibilityOptions<T> {
  /** Ids of tags. Default: all tags without children. */
  tags?: readonly string[]
  /** Lengths of the n-grams in words, each from 1 to the `nGramCount` of the dataset. Default [1]. */
  nGrams?: readonly number[]
  /** Maximum number of words in each list. Default: all. */
  limit?: number
  /** Cancels the counting: CANCELLED. */
  signal?: AbortSignal | undefined
}

/** Consumes the lists one after the other; each is produced when requested. The job ends when this function has. */
export type TakeWordCounts = (lists: AsyncIterable<TagWordCounts>) => Promise<unknown>

/** What `exportWords()` results in: the number of tags with lists. */
export interface WordExportReport {
  readonly tags: number
}

/** Counts the words of a dataset. The options have been checked. */
export interface WordCounting {
  lists(options: WordsOptions): AsyncGenerator<TagWordCounts>
  export(take: TakeWordCounts, options: WordsOptions & JobOptions): Job<WordExportReport>
}

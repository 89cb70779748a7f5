import type { Job, JobOptions } from '../../jobs/job.ts'
import type { JsonObject } from '../../json.ts'
import type { VisibilityOptions } from '../../query/condition-query.ts'

/** A word, or neighbouring words with a space between them, and how often they occur. */
export interface WordCount {
  readonly text: string
  readonly inTag: number
  readonly inDataset: number
}

/** Made one by one as they are asked for, and as often as they are. */
export interface WordCounts extends Iterable<WordCount> {
  readonly size: number
}

/** The words or n-grams of one tag. */
export interface TagWordCounts {
  readonly tagId: string
  readonly nGram: number
  /** Most frequent in the tag first, then as they come in its documents by id. */
  readonly words: WordCounts
}

/** What `dataset.tags.words()` takes, all of it optional. */
export interface WordsOptions<T = JsonObject> extends VisibilityOptions<T> {
  /** Ids of tags. Default: all without tags below them. */
  tags?: readonly string[]
  /** How many neighbouring words, each from 1 to the `nGramCount` of the dataset. Default [1]. */
  nGrams?: readonly number[]
  /** Words of each list at most. Default: all. */
  limit?: number
  /** Ends it: CANCELLED. */
  signal?: AbortSignal | undefined
}

/** Takes lists one after the other, as they are asked for; the job is over when it is. */
export type TakeWordCounts = (lists: AsyncIterable<TagWordCounts>) => Promise<unknown>

/** How many tags there were lists of. */
export interface WordExportReport {
  readonly tags: number
}

/** Counts the words of a dataset. What is given is checked. */
export interface WordCounting {
  lists(options: WordsOptions): AsyncGenerator<TagWordCounts>
  export(take: TakeWordCounts, options: WordsOptions & JobOptions): Job<WordExportReport>
}

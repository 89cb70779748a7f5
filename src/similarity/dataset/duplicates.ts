import * as z from 'zod'
import { analyzerFor } from '../../analysis/analyzer.ts'
import { readDocuments } from '../../datasets/stored-documents.ts'
import { FindlingError } from '../../errors.ts'
import { SpeltWords } from '../../fulltext/dictionary/spelt-words.ts'
import { aFunction } from '../../function-schema.ts'
import { parseInput } from '../../input.ts'
import { handingOver } from '../../jobs/handing-over.ts'
import type { Job } from '../../jobs/job.ts'
import { abortSignal, watching } from '../../jobs/watching.ts'
import type { JsonObject } from '../../json.ts'
import { inStretches, Stretch } from '../../scheduling/stretch.ts'
import type { DatasetLikeness } from '../dataset-likeness.ts'
import type { SimilarDocument } from '../model/aspects.ts'
import { findSame, LIKE_ENOUGH, type SameDocuments } from '../model/duplicates.ts'
import type { Comparable } from './similar.ts'

/** What `dataset.duplicates()` takes, all of it optional. */
export interface DuplicatesOptions {
  /**
   * How similar two documents must be to count as duplicates, above 0 to 1. Default 0.4: in two catalogues of several shops,
   * precision 82 to 84 % and recall 52 to 66 %; in a price comparison of hundreds of shops, 29 % and 59 %. A higher threshold
   * raises precision and lowers recall. 1 means no difference that counts; two titles with numbers, none of which they share,
   * reach at most 0.5.
   */
  threshold?: number
  /** Cancels it: CANCELLED. */
  signal?: AbortSignal | undefined
}

/** Receives groups one after another, as they are found; the job is done when its promise resolves. */
export type TakeDuplicates = (groups: AsyncIterable<DuplicateGroup>) => Promise<unknown>

/** Documents that are likely duplicates of each other. */
export interface DuplicateGroup {
  /** Two or more, in order. */
  ids: string[]
  /** The highest score of any pair. */
  score: number
  /** The pairs that reach the threshold, best first. */
  pairs: { ids: [string, string]; score: number }[]
  /** Words that all of them have, the most significant first, in the spelling of most of them; at most 10. */
  shared: string[]
}

const bounds = 'a number above 0, up to 1'
const threshold = z.number(bounds).gt(0, bounds).max(1, bounds).default(LIKE_ENOUGH)
export const duplicatesOptions = z.strictObject({ threshold, signal: abortSignal })
const jobOptions = z.strictObject({ threshold, ...watching })
const takeDuplicates = aFunction<TakeDuplicates>('a function that takes groups')

/** In a larger group, only the first few documents are examined for shared words. */
const MOST_READ = 200
/** How many of them are read to tell how a word is written. */
const MOST_SPELT = 5

/**
 * Yields each group as soon as it is known.
 * @throws FindlingError INVALID_ARGUMENT, CANCELLED
 */
export function duplicateGroups(
  { documents, likeness: live }: Comparable,
  given: unknown,
): AsyncGenerator<DuplicateGroup> {
  const { threshold, signal } = parseInput(duplicatesOptions, given, 'options')
  return live.stream(async function* (likeness) {
    const stretch = new Stretch()
    for (const group of findSame(likeness.index, threshold)) {
      if (signal?.aborted)
        throw new FindlingError('CANCELLED', 'Finding duplicates was cancelled.', {}, signal.reason)
      if (group) {
        const told = await present(group, likeness, documents)
        if (told) yield told
      }
      if (stretch.isOver) {
        await stretch.pause()
        documents.store.assertOpen()
        documents.state.assertThere()
      }
    }
  })
}

/** The same as a job. */
export function exportDuplicates(comparable: Comparable, take: unknown, given: unknown): Job<void> {
  const receive = parseInput(takeDuplicates, take, 'take')
  const { threshold, ...watch } = parseInput(jobOptions, given, 'options')
  const { state, jobs } = comparable.documents
  state.assertThere()
  const description = `Finding duplicates in ${state.name}`
  return jobs.start(
    'duplicates',
    description,
    ({ signal }) => {
      const groups = duplicateGroups(comparable, { threshold, signal })
      return handingOver(groups, receive, { total: undefined, phase: 'comparing', signal })
    },
    { ...watch, datasets: [state.name] },
  )
}

/** A group without documents that have been deleted meanwhile. */
async function present(
  { ids, pairs }: SameDocuments,
  { index, comparable }: DatasetLikeness,
  documents: Comparable['documents'],
): Promise<DuplicateGroup | undefined> {
  const first = await readDocuments(documents, ids.slice(0, MOST_READ))
  const there = ids.filter((id, i) => (i < MOST_READ ? first[i] !== undefined : index.has(id)))
  const isThere = new Set(there)
  const left = pairs.filter(pair => pair.ids.every(id => isThere.has(id)))
  if (left.length === 0) return undefined
  return {
    ids: there,
    score: left[0]!.score,
    pairs: left.map(({ ids: [one, other], score }) => ({ ids: [one, other], score })),
    shared: await inStretches(
      writtenShared(index.sharedWords(comparables(first, comparable)), first, comparable),
    ),
  }
}

/** Words in the spelling of most of the first few documents; parts of codes, which no document has as words, unchanged. */
function* writtenShared(
  sharing: Generator<void, string[]>,
  documents: readonly (JsonObject | undefined)[],
  comparable: (document: JsonObject) => SimilarDocument,
): Generator<void, string[]> {
  const shared = yield* sharing
  const spelt = new SpeltWords(shared, analyzerFor('none'), MOST_SPELT)
  for (const { title, body } of comparables(documents, comparable)) {
    if (spelt.isKnown) break
    spelt.add([title, body])
    yield
  }
  return shared.map(word => spelt.written(word))
}

function* comparables(
  documents: readonly (JsonObject | undefined)[],
  comparable: (document: JsonObject) => SimilarDocument,
): Generator<SimilarDocument> {
  for (const document of documents) if (document) yield comparable(document)
}

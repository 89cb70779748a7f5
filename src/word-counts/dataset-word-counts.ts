import * as z from 'zod'
import { recordIn } from '../datasets/record.ts'
import type { DatasetState } from '../datasets/state.ts'
import { allDocuments } from '../datasets/stored-documents.ts'
import type { StoredTagTree } from '../datasets/tags/stored-tag-tree.ts'
import type {
  TagWordCounts,
  TakeWordCounts,
  WordCounting,
  WordExportReport,
} from '../datasets/tags/word-counts.ts'
import { withDocuments } from '../derived/generations/documents-to-worker.ts'
import { FindlingError } from '../errors.ts'
import { aFunction } from '../function-schema.ts'
import { parseInput, problem, refuseIssues } from '../input.ts'
import { handingOver } from '../jobs/handing-over.ts'
import type { Job } from '../jobs/job.ts'
import type { WorkerPool } from '../jobs/pool.ts'
import type { JobRunner } from '../jobs/runner.ts'
import { abortSignal, watching } from '../jobs/watching.ts'
import { compilingVisible } from '../query/condition-query.ts'
import type { Predicate } from '../query/predicate.ts'
import { begun } from '../scheduling/begun.ts'
import { inStretches, Stretch } from '../scheduling/stretch.ts'
import type { Store } from '../store/store.ts'
import type { CountingTasks } from './counting-tasks.ts'
import type { NGrams } from './n-grams.ts'
import type { WordCorpus } from './word-corpus.ts'
import { WordLists } from './word-lists.ts'

export interface WordCountsContext {
  readonly store: Store
  readonly state: DatasetState
  readonly tags: StoredTagTree
  readonly jobs: JobRunner
  readonly pool: WorkerPool<CountingTasks>
}

const sizes = z
  .array(z.int().min(1).max(6))
  .min(1)
  .max(100)
  .default([1])
  .transform(given => [...new Set(given)].sort())
const asked = {
  tags: z.array(z.string()).max(65_535).optional(),
  nGrams: sizes,
  limit: z.int().min(0).default(Number.POSITIVE_INFINITY),
  visible: z.unknown().optional(),
}
const options = z.strictObject({ ...asked, signal: abortSignal })
const jobOptions = z.strictObject({ ...asked, ...watching })
const takeLists = aFunction<TakeWordCounts>('a function that takes lists')

type Asked = Pick<z.output<typeof options>, 'tags' | 'nGrams' | 'limit' | 'visible'>

/** What was asked for, once the tags are known. */
interface Wanted {
  readonly tags: readonly string[]
  readonly nGrams: readonly number[]
  readonly limit: number
}

/** Reads which documents are there; undefined where all are. */
type ReadVisible = (() => Promise<Predicate>) | undefined

/** Which words the documents of each tag of a dataset have, and how often. */
export class DatasetWordCounts implements WordCounting {
  readonly #context: WordCountsContext

  constructor(context: WordCountsContext) {
    this.#context = context
  }

  lists(given: unknown): AsyncGenerator<TagWordCounts> {
    const { signal, ...asked } = parseInput(options, given, 'options')
    const readVisible = this.#check(asked)
    return this.#stream(asked, readVisible, signal ?? new AbortController().signal)
  }

  export(take: unknown, given: unknown): Job<WordExportReport> {
    const receive = parseInput(takeLists, take, 'take')
    const { signal, onProgress, ...asked } = parseInput(jobOptions, given, 'options')
    const readVisible = this.#check(asked)
    const { jobs, state } = this.#context
    const counting = this.#counting.bind(this)
    const description = `Counting words of tags in ${state.name}`
    return jobs.start(
      'words',
      description,
      async function* ({ signal }) {
        const wanted = yield* counting(asked, readVisible, signal)
        const total = wanted.tags.length * asked.nGrams.length
        yield* handingOver(wanted.lists(), receive, { total, phase: 'exporting', signal })
        return { tags: wanted.tags.length }
      },
      { signal, onProgress, datasets: [state.name] },
    )
  }

  async *#stream(asked: Asked, readVisible: ReadVisible, signal: AbortSignal): AsyncGenerator<TagWordCounts> {
    const counting = this.#counting(asked, readVisible, signal)
    for (;;) {
      const { done, value } = await counting.next()
      if (!done) continue
      yield* value.lists()
      return
    }
  }

  #check({ nGrams, visible }: Asked): ReadVisible {
    const { state } = this.#context
    state.assertThere()
    const { nGramCount } = state.settings
    const expected = `at most ${nGramCount}, the maximum of this dataset`
    refuseIssues(
      'options',
      nGrams.flatMap((size, i) => (size > nGramCount ? problem(`nGrams[${i}]`, size, expected) : [])),
    )
    return visible === undefined ? undefined : begun(compilingVisible(visible, state.queryFields))
  }

  /** Reads all documents; what they come to can then be listed. */
  async *#counting(asked: Asked, readVisible: ReadVisible, signal: AbortSignal) {
    const { state, pool } = this.#context
    const isThere = await readVisible?.()
    const wanted: Wanted = { ...asked, tags: await this.#tags(asked.tags) }
    const about = { settings: state.settings, root: state.schema.root, tags: wanted.tags }
    const corpus = yield* withDocuments(
      this.#context,
      (port, how) => pool.run('readWords', { ...about, port }, how),
      {
        documents: isThere && having(isThere, allDocuments(this.#context, { signal })),
        phase: 'counting',
        signal,
      },
    )
    return { tags: wanted.tags, lists: () => this.#lists(corpus, wanted, signal) }
  }

  /** By number of words and tag. */
  async *#lists(
    corpus: WordCorpus,
    { tags, nGrams, limit }: Wanted,
    signal: AbortSignal,
  ): AsyncGenerator<TagWordCounts> {
    const { store, state, pool } = this.#context
    const { tokens, wordStarts } = corpus
    let fewer: NGrams | undefined
    for (const nGram of nGrams) {
      const transfer = fewer ? [fewer.ids.buffer, fewer.counts.buffer] : []
      const task = { tokens, words: wordStarts.length - 1, size: nGram, fewer }
      fewer = await pool.run('countWords', task, { signal, transfer })
      const lists = new WordLists(corpus, fewer)
      const stretch = new Stretch()
      for (const [number, tagId] of tags.entries()) {
        if (signal.aborted)
          throw new FindlingError('CANCELLED', 'Counting words was cancelled.', {}, signal.reason)
        store.assertOpen()
        state.assertThere()
        yield { tagId, nGram, words: await stretch.through(lists.of(number, limit)) }
      }
    }
  }

  /** Those given, each once, or all leaves. TAG_NOT_FOUND */
  async #tags(given: readonly string[] | undefined): Promise<string[]> {
    const tree = await this.#context.tags.current()
    if (!given) return (await inStretches(tree.leavesAndInner())).leaves
    tree.assertThere(given, 'tags')
    return [...new Set(given)]
  }
}

/** Those of stored documents that are there. */
async function* having(
  isThere: Predicate,
  all: ReturnType<typeof allDocuments>,
): ReturnType<typeof allDocuments> {
  const stretch = new Stretch()
  for await (const batch of all) {
    const some: typeof batch = []
    for (const entry of batch) {
      if (await stretch.through(isThere.deciding(recordIn(entry[1]).document))) some.push(entry)
      if (stretch.isOver) await stretch.pause()
    }
    yield some
  }
}

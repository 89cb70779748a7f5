import { checkId, idText } from '../../datasets/schema/ids.ts'
import { parseInput } from '../../input.ts'
import { handingOver } from '../../jobs/handing-over.ts'
import type { Job, JobOptions, Progress } from '../../jobs/job.ts'
import { deadlineOptions } from '../../jobs/watching.ts'
import type { JsonObject } from '../../json.ts'
import type { ContextOptions } from '../../observing/observation.ts'
import { callOptions, shownHits } from '../../observing/observing.ts'
import { atOnce } from '../../scheduling/at-once.ts'
import { Deadline, type DeadlineOptions } from '../../scheduling/deadline.ts'
import { withCurrent } from '../../scheduling/once.ts'
import { Service, type ServiceParts } from '../../services/service.ts'
import type { TagWord } from '../model/tag-words.ts'
import type { ActiveSimilar } from './active-similar.ts'
import { keywords, type RecommendedDocument, recommend, recommendById } from './answering.ts'
import { checkTags } from './checking.ts'
import { matching } from './conditions.ts'
import {
  exporting,
  exportOptions,
  type SimilarExportOptions,
  type TakeTagWords,
  takeTagWords,
} from './export.ts'
import { indexAll, indexChanges } from './list-indexing.ts'
import {
  byIdOptions,
  byTextOptions,
  comparedText,
  type Prepared,
  partialOptions,
  type SimilarByIdOptions,
  type SimilarFilter,
  type SimilarIndexOptions,
  type SimilarKeywordsOptions,
  type SimilarPrepareSettings,
  type SimilarRecommendOptions,
  type SimilarServiceSettings,
  similarIndexOptions,
  tagKeywordsOptions,
} from './settings.ts'
import { StoredLists } from './stored-lists.ts'

/**
 * Finds documents that are similar to a text or to each other, within tags. The weights of words and characters are determined
 * when it is prepared, in a worker thread; the documents are always the current ones. `index` finds the neighbours of all
 * documents in advance.
 */
export class SimilarService extends Service<SimilarPrepareSettings, SimilarServiceSettings & JobOptions> {
  readonly #parts: ServiceParts

  /** @internal */
  constructor(parts: ServiceParts) {
    super(parts)
    this.#parts = parts
  }

  /**
   * The documents that are most similar to a text, best first. A stored document's own text scores 1. SERVICE_STATE unless it is
   * active; TAG_EMPTY for a tag that had no words when the service was prepared; INVALID_ARGUMENT, QUERY_INVALID,
   * SEARCH_TIMEOUT, CANCELLED.
   * @example
   * await products.tags.create({ id: 'lamps', name: 'Lamps' })
   * await products.documents.bulk(['Desk lamp', 'Floor lamp'].map((title, i) => ({ id: `l${i}`, title, tag: 'lamps' })))
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * const [best] = await service.recommend('a lamp for the desk', { tag: 'lamps', filter: { query: 'title:desk' } })
   * console.log(best.id) // l0
   */
  async recommend<T extends object = JsonObject>(
    text: string,
    options: SimilarRecommendOptions = {},
    limits: DeadlineOptions & ContextOptions = {},
  ): Promise<RecommendedDocument<T>[]> {
    const found = await this.#similar({ text }, limits, (active, deadline) => {
      const asked = parseInput(comparedText, text, 'text')
      return recommend(active, asked, parseInput(byTextOptions, options, 'options'), deadline)
    })
    return found as RecommendedDocument<T>[] // what is stored has passed the dataset's rules
  }

  /**
   * The neighbours of a document within a tag, as `index` has found them, best first; none before `index` was called, nor for
   * a document that it did not include. Documents that have since been deleted or lost the tag are left out. SERVICE_STATE
   * unless it is active; INVALID_ARGUMENT, QUERY_INVALID, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * await products.tags.create({ id: 'lamps', name: 'Lamps' })
   * await products.documents.bulk(['Desk lamp', 'Floor lamp'].map((title, i) => ({ id: `l${i}`, title, tag: 'lamps' })))
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * await service.index()
   * const [neighbour] = await service.recommendById('l0')
   * console.log(neighbour.id) // l1
   */
  async recommendById<T extends object = JsonObject>(
    id: string | number,
    options: SimilarByIdOptions = {},
    limits: DeadlineOptions & ContextOptions = {},
  ): Promise<RecommendedDocument<T>[]> {
    const found = await this.#similar({ id }, limits, (active, deadline) => {
      const asked = parseInput(byIdOptions, options, 'options')
      const known = typeof id === 'string' ? idText(id) : checkId(id, 'id')
      return recommendById(active, known, asked, deadline)
    })
    return found as RecommendedDocument<T>[] // as above
  }

  /**
   * The words of a text that are more frequent in documents of a tag than in others, strongest first. SERVICE_STATE unless it is
   * active; TAG_EMPTY, INVALID_ARGUMENT, SEARCH_TIMEOUT, CANCELLED.
   * @example
   * await products.tags.create({ id: 'lamps', name: 'Lamps' })
   * await products.documents.bulk(['Desk lamp', 'Floor lamp'].map((title, i) => ({ id: `l${i}`, title, tag: 'lamps' })))
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * const [best] = await service.keywords('a lamp and a hose', { tag: 'lamps' })
   * console.log(best.text) // lamp
   */
  async keywords(
    text: string,
    options: SimilarKeywordsOptions = {},
    limits: DeadlineOptions = {},
  ): Promise<TagWord[]> {
    const deadline = Deadline.of(parseInput(deadlineOptions, limits, 'limits'), 'text')
    return await this.#ask(active => {
      const asked = parseInput(comparedText, text, 'text')
      return keywords(active, asked, parseInput(tagKeywordsOptions, options, 'options'), deadline)
    })
  }

  /**
   * Finds the 100 nearest neighbours of every document within every tag, in worker threads, for `recommendById`, as a job. Until
   * it is done, earlier results are used. If it fails or is cancelled, no results are left; if the process ends, the earlier ones
   * are. SERVICE_STATE unless it is active and nothing else is being indexed; INVALID_ARGUMENT, QUERY_INVALID.
   * @example
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * await service.index({ filter: { query: 'price:>10' } })
   * console.log((await service.indexed())?.filter) // { query: 'price:>10' }
   */
  index(options: SimilarIndexOptions = {}): Job<void> {
    const { filter, parallel, signal: by, onProgress } = parseInput(similarIndexOptions, options, 'options')
    const check = () => {
      checkTags('filter.tags', filter.tags ?? [], this.#prepared)
      atOnce(matching(this.#parts.lifecycle.dataset().state, { query: filter.query }, 'filter.query'))
    }
    const body = (active: ActiveSimilar, signal: AbortSignal) =>
      indexAll(active, filter, { parallel, signal })
    return this.#indexing('index', { signal: by, onProgress }, { check, body })
  }

  /**
   * Updates the results of `index` with later writes: new and changed documents are compared again, in both
   * directions. The result is the same as finding all again. Like `index`, but earlier results are kept whatever
   * happens; SERVICE_STATE also before the first `index`.
   * @example
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * await service.index()
   * await products.documents.delete('p3')
   * await service.indexPartial()
   */
  indexPartial(options: Omit<SimilarIndexOptions, 'filter'> = {}): Job<void> {
    const { parallel, signal: by, onProgress } = parseInput(partialOptions, options, 'options')
    const body = (active: ActiveSimilar, signal: AbortSignal) => indexChanges(active, { parallel, signal })
    return this.#indexing('index-partial', { signal: by, onProgress }, { check() {}, body })
  }

  /**
   * Which documents `index` was called for, and the number of the last change that its result includes; null before.
   * @example
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * console.log(await service.indexed()) // null
   */
  async indexed(): Promise<{ filter: SimilarFilter; seq: number } | null> {
    const { lifecycle } = this.#parts
    const prefix = lifecycle.answeringPrefix
    const { store } = lifecycle.dataset().documents
    const head = await new StoredLists(store, prefix).head()
    return head ? { filter: head.filter, seq: head.seq } : null
  }

  /**
   * Exports the words that indicate each tag, as a job: words that are more frequent in its documents than in others, with
   * scores, strongest first. SERVICE_STATE unless it is prepared or active; INVALID_ARGUMENT.
   * @example
   * await products.tags.create({ id: 'lamps', name: 'Lamps' })
   * await products.documents.bulk(['Desk lamp', 'Floor lamp'].map((title, i) => ({ id: `l${i}`, title, tag: 'lamps' })))
   * const service = await engine.services.create({ type: 'similar', name: 'Alike' })
   * await service.prepare({ dataset: 'products', tags: ['lamps'] })
   * await service.exportDictionaries(async dictionaries => {
   *   for await (const { tagId, keywords } of dictionaries) console.log(tagId, keywords[0].text) // lamps lamp
   * })
   */
  exportDictionaries(take: TakeTagWords, options: SimilarExportOptions = {}): Job<void> {
    const { lifecycle } = this.#parts
    const receive = parseInput(takeTagWords, take, 'take')
    const { signal: by, onProgress, tags } = parseInput(exportOptions, options, 'options')
    const what = {
      what: 'export',
      description: `Exporting dictionaries of similar service ${lifecycle.entry.name}`,
      accepted: ['prepared', 'active'],
      check: () => checkTags('tags', tags ?? [], this.#prepared),
    } as const
    return lifecycle.work(what, { signal: by, onProgress }, signal => {
      const chosen = tags ?? this.#prepared.tags
      const dictionaries = exporting(use => lifecycle.stored(use), chosen)
      return handingOver(dictionaries, receive, { total: chosen.length, phase: 'exporting', signal })
    })
  }

  get #prepared(): Prepared {
    return this.#parts.lifecycle.entry.prepared as Prepared // what its definition has made
  }

  async #active(): Promise<ActiveSimilar> {
    return (await this.#parts.lifecycle.answering()) as ActiveSimilar // what its definition has loaded
  }

  async #similar(
    to: { readonly text?: string; readonly id?: string | number },
    limits: DeadlineOptions & ContextOptions,
    question: (active: ActiveSimilar, deadline: Deadline | undefined) => Promise<RecommendedDocument[]>,
  ): Promise<RecommendedDocument[]> {
    const { lifecycle, observing } = this.#parts
    const began = observing?.begin()
    const { context, ...ends } = parseInput(callOptions, limits, 'limits')
    const deadline = Deadline.of(ends)
    const found = await this.#ask(active => question(active, deadline))
    observing?.answered(
      began,
      {
        type: 'similar',
        ...lifecycle.observed,
        text: to.text,
        id: to.id === undefined ? undefined : String(to.id),
        hits: shownHits(found),
        context,
      },
      found,
    )
    return found
  }

  /** Asks again if another model has replaced the one that was asked. */
  async #ask<T>(question: (active: ActiveSimilar) => Promise<T>): Promise<T> {
    return await withCurrent(
      () => this.#active(),
      async active => {
        const { turn } = active
        try {
          return await question(active)
        } finally {
          if (turn.isOver()) await turn.pause()
        }
      },
    )
  }

  #indexing(
    what: string,
    watch: JobOptions,
    {
      check,
      body,
    }: {
      readonly check: () => void
      readonly body: (active: ActiveSimilar, signal: AbortSignal) => AsyncGenerator<Progress, void>
    },
  ): Job<void> {
    const { lifecycle } = this.#parts
    const find = () => this.#active()
    const description = `Indexing similar service ${lifecycle.entry.name}`
    const work = { what, description, accepted: ['active'], isAlone: true, check } as const
    return lifecycle.work(work, watch, async function* (signal) {
      yield* body(await find(), signal)
    })
  }
}

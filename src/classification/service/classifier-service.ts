import { parseInput } from '../../input.ts'
import type { Job, JobOptions } from '../../jobs/job.ts'
import type { ContextOptions } from '../../observing/observation.ts'
import { callOptions } from '../../observing/observing.ts'
import { Deadline, type DeadlineOptions } from '../../scheduling/deadline.ts'
import { Service, type ServiceParts } from '../../services/service.ts'
import { classifiedText } from '../options.ts'
import type { ActiveClassifier, ServiceRecommendation } from './answering.ts'
import { checkExport } from './checking.ts'
import {
  type DictionaryOptions,
  dictionaryOptions,
  exporting,
  type TakeDictionaries,
  takeDictionaries,
} from './export.ts'
import {
  type ClassifierPrepareSettings,
  type ClassifierServiceSettings,
  type Prepared,
  type ServiceRecommendOptions,
  serviceRecommendOptions,
} from './settings.ts'

/**
 * Recommends tags for texts. Preparing it learns from the documents of a dataset, in worker threads. It
 * does not follow the documents and tags: prepare it again when they have changed.
 */
export class ClassifierService extends Service<
  ClassifierPrepareSettings,
  ClassifierServiceSettings & JobOptions
> {
  readonly #parts: ServiceParts

  /** @internal */
  constructor(parts: ServiceParts) {
    super(parts)
    this.#parts = parts
  }

  /**
   * The likeliest tags of a text, likeliest first; none if no word of the text is known or within one typo of a known word (only
   * the first 2,000 unknown words are checked for typos). A text may have up to 100,000 characters. Scores are above 0 and up to 1;
   * leaving tags out with `below` does not change those of the others. SERVICE_STATE unless the service is active; INVALID_ARGUMENT,
   * SEARCH_TIMEOUT, CANCELLED.
   * @example
   * await products.documents.bulk([
   *   { id: 'w1', title: 'Wool scarf', tag: 'clothes' },
   *   { id: 'w2', title: 'Claw hammer', tag: 'tools' },
   * ])
   * const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate()
   * const [best] = await service.recommend('a warm scraf', { limit: 1 })
   * console.log(best.tagId, best.score > 0.5) // clothes true
   */
  async recommend(
    text: string,
    options: ServiceRecommendOptions = {},
    limits: DeadlineOptions & ContextOptions = {},
  ): Promise<ServiceRecommendation[]> {
    const { lifecycle, observing } = this.#parts
    const began = observing?.begin()
    const { context, ...ends } = parseInput(callOptions, limits, 'limits')
    const active = (await lifecycle.answering()) as ActiveClassifier // what its definition has loaded
    const asked = parseInput(classifiedText, text, 'text')
    const { limit: count, ...others } = parseInput(serviceRecommendOptions, options, 'options')
    const found = await active.recommend(asked, { ...others, count }, Deadline.of(ends, 'text'))
    observing?.answered(
      began,
      {
        type: 'recommendation',
        ...lifecycle.observed,
        text: asked,
        recommended: found.map(({ tagId, score }) => ({ tagId, score })),
        context,
      },
      found,
    )
    return found
  }

  /**
   * Exports what was learnt, as a job: for each tag and n-gram size the words that indicate the tag, with
   * scores. The service stays as it is. SERVICE_STATE unless it is prepared or active; INVALID_ARGUMENT.
   * @example
   * await products.documents.upsert({ id: 'w1', title: 'Wool scarf', tag: 'clothes' })
   * await products.documents.upsert({ id: 'w2', title: 'Claw hammer', tag: 'tools' })
   * const service = await engine.services.create({ type: 'classifier', name: 'Tags' })
   * await service.prepare({ dataset: 'products', nGrams: [1] })
   * const sizes = new Map<string, number>()
   * await service.exportDictionaries(async dictionaries => {
   *   for await (const { tagId, keywords } of dictionaries) sizes.set(tagId, keywords.length)
   * })
   * console.log(sizes.get('clothes'), sizes.get('tools')) // 2 2
   */
  exportDictionaries(take: TakeDictionaries, options: DictionaryOptions = {}): Job<void> {
    const { lifecycle } = this.#parts
    const receive = parseInput(takeDictionaries, take, 'take')
    const { signal, onProgress, ...asked } = parseInput(dictionaryOptions, options, 'options')
    const { name } = lifecycle.entry
    const prepared = () => lifecycle.entry.prepared as Prepared // what its definition has made
    const what = {
      what: 'export',
      description: `Exporting dictionaries of classifier service ${name}`,
      accepted: ['prepared', 'active'],
      check: () => checkExport(asked, prepared()),
    } as const
    return lifecycle.work(what, { signal, onProgress }, signal => {
      const { tags, nGrams } = prepared()
      const chosen = { tags: asked.tags ?? tags, nGrams: asked.nGrams ?? nGrams }
      const { analyzers } = lifecycle.dataset().state
      return exporting(use => lifecycle.stored(use), { ...chosen, analyzers }, receive, signal)
    })
  }
}

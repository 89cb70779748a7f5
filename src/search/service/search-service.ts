import * as z from 'zod'
import { parseInput } from '../../input.ts'
import type { JobOptions } from '../../jobs/job.ts'
import type { JsonObject } from '../../json.ts'
import type { ContextOptions } from '../../observing/observation.ts'
import { callOptions, shownHits } from '../../observing/observing.ts'
import { Deadline, type DeadlineOptions } from '../../scheduling/deadline.ts'
import { inStretches } from '../../scheduling/stretch.ts'
import { type PrepareSettings, Service, type ServiceParts } from '../../services/service.ts'
import { type ActiveSearch, answer, type ServiceAnswer } from './answering.ts'
import { checkingSettings } from './checking.ts'
import { type GivenSettings, givenSettings, type SearchServiceSettings } from './settings.ts'

const textSchema = z.string()

/**
 * Searches a dataset by stored settings: which fields to search, how many documents to return, which of them, and what to
 * show. Its answers include corrected phrases and, where another service recommends them, tags. Preparing it takes no time: it
 * determines the recommended settings of the dataset.
 */
export class SearchService extends Service<PrepareSettings, SearchServiceSettings & JobOptions> {
  readonly #parts: ServiceParts

  /** @internal */
  constructor(parts: ServiceParts) {
    super(parts)
    this.#parts = parts
  }

  /**
   * Finds documents for a text. Given settings replace those of the activation for this search, except that filter and
   * weights are added to them. Facets, highlights and explanations are returned if requested. SERVICE_STATE unless the
   * service is active; INVALID_ARGUMENT, QUERY_INVALID, SEARCH_TIMEOUT.
   * @example
   * const service = await engine.services.create({ type: 'search', name: 'Shop search' })
   * await service.prepare({ dataset: 'products' })
   * await service.activate({ search: { responseFields: ['title'] } })
   * const { hits, total, corrections } = await service.search('wirless keyboard', { search: { limit: 1 } })
   * console.log(hits[0].document, total) // { title: 'Wireless keyboard' } 2
   * console.log(corrections?.map(({ text }) => text)) // [ 'wireless keyboard' ]
   * const counted = await service.search('wireless', { search: { facets: ['tag'], highlight: { marks: true } } })
   * console.log(counted.facets?.tag.distinct, counted.hits[0].highlights?.title[0].html) // 2 <mark>Wireless</mark> headphones
   */
  async search<T extends object = JsonObject>(
    text: string,
    settings: SearchServiceSettings = {},
    options: DeadlineOptions & ContextOptions = {},
  ): Promise<ServiceAnswer<T>> {
    const { lifecycle, observing } = this.#parts
    const began = observing?.begin()
    const active = (await lifecycle.answering()) as ActiveSearch // what its definition has loaded
    const asked = parseInput(textSchema, text, 'text')
    const request = parseInput(givenSettings, settings, 'settings')
    const { context, ...limits } = parseInput(callOptions, options, 'options')
    const deadline = Deadline.of(limits)
    const { turn } = active.dataset().documents.store
    await inStretches(checkingSettings(request, active), deadline, turn)
    const { answer: found, words } = await answer<T>(active, asked, request, deadline)
    observing?.answered(
      began,
      {
        type: 'search',
        ...lifecycle.observed,
        text: asked,
        ...askedFor(request),
        facets: found.facets && Object.keys(found.facets),
        total: { count: found.total, exact: true },
        hits: shownHits(found.hits),
        words: [...words],
        relaxed: [...(found.relaxed ?? [])],
        corrections: found.corrections?.map(({ text }) => text),
        context,
      },
      found,
    )
    return found
  }
}

/** The filters and the order of a request, in addition to those of the activation. */
function askedFor({ search }: GivenSettings) {
  const { filter, order } = search ?? {}
  const sort = order ? [`${order.field}:${order.direction}`] : undefined
  return { filter: filter?.query, tags: filter?.tags, sort }
}

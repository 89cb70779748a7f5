import type { Metric } from '../metrics/exposition.ts'

/** What was done with an answer, as the wire has it. */
export const eventTypes = ['Click', 'Conversion', 'View'] as const
export type EventType = (typeof eventTypes)[number]

/** How much is searched, how often nothing is found and what is done with hits, since the start: no text and no id. */
export class SearchCounts {
  #searches = 0
  #withoutHits = 0
  readonly #events = new Map<EventType, number>(eventTypes.map(type => [type, 0]))

  searched(total: number): void {
    this.#searches++
    if (total === 0) this.#withoutHits++
  }

  happened(type: EventType): void {
    this.#events.set(type, this.#events.get(type)! + 1)
  }

  read(): Metric[] {
    const events = [...this.#events].map(([type, value]) => ({ labels: { type: type.toLowerCase() }, value }))
    return [
      counter('findling_searches_total', 'Searches that were answered.', [{ value: this.#searches }]),
      counter('findling_searches_without_hits_total', 'Searches that found nothing.', [
        { value: this.#withoutHits },
      ]),
      counter('findling_search_events_total', 'Clicks, conversions and views of hits, by type.', events),
    ]
  }
}

const counter = (name: string, help: string, samples: Metric['samples']): Metric => ({
  name,
  help,
  type: 'counter',
  samples,
})

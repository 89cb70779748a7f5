import type { BasketSetting } from '../datasets/schema/basket-setting.ts'
import { invalid, problem } from '../input.ts'
import { didYouMean } from '../nearest-name.ts'
import { isOpaque, type QueryField } from '../query/fields.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { countedValues } from '../search/counted-values.ts'
import type { Searchable } from '../search/search.ts'

/** How often something is in some baskets. */
export interface InBaskets {
  readonly id: string
  readonly times: number
  /** Sorted by significance: above 0. */
  readonly score: number
}

const DAY = 86_400_000

/** Values of one question. */
const MOST_VALUES = 10_000

/** Which baskets count, and what of them. */
export interface BasketRange {
  /** Only baskets that are at most so old. */
  readonly days?: number | undefined
  /** In how many of them something must be. */
  readonly least: number
  readonly deadline: Deadline | undefined
}

/** The baskets of a dataset: documents of another one, which name its documents. */
export class Baskets {
  readonly #dataset: Searchable
  readonly #setting: BasketSetting
  readonly #time: QueryField | undefined

  /** @throws FindlingError INVALID_ARGUMENT for fields that baskets cannot have */
  constructor(dataset: Searchable, setting: BasketSetting) {
    const { field, time } = setting
    const { queryFields, settings } = dataset.state
    const refuse = (name: string, received: string, expected: string) =>
      invalid('INVALID_ARGUMENT', 'settings', [problem(`baskets.${name}`, received, expected)])
    const find = (name: string, path: string) => {
      const known = queryFields.find(path)
      if (!known) throw refuse(name, path, `a field of the baskets${didYouMean(path, queryFields.names)}`)
      const isSimple = !['object', 'boolean'].includes(known.type) && !isOpaque(known.type)
      if (path === settings.idField || !isSimple)
        throw refuse(name, path, 'a field of texts, numbers or dates, other than the id')
      return known
    }
    find('field', field)
    if (time === field) throw refuse('time', time, 'another field than the one of the ids')
    this.#dataset = dataset
    this.#setting = setting
    this.#time = time === undefined ? undefined : find('time', time)
  }

  /** What is in the baskets that have an id, more often than in all. */
  async with(id: string, { days, ...range }: BasketRange): Promise<InBaskets[]> {
    const naming = this.#naming(id)
    const among = days === undefined ? undefined : this.#lately(days)
    return await this.#counted({ filter: among ? [naming, among] : naming, among }, 'significance', range)
  }

  /** What is in the baskets of the last days. */
  async lately(
    sort: 'significance' | 'count',
    { days, ...range }: BasketRange & { readonly days: number },
  ): Promise<InBaskets[]> {
    return await this.#counted({ filter: this.#lately(days) }, sort, range)
  }

  async #counted(
    of: Parameters<typeof countedValues>[1],
    sort: 'significance' | 'count',
    { least, deadline }: BasketRange,
  ): Promise<InBaskets[]> {
    const { field } = this.#setting
    const facet = { field, sort, least, limit: MOST_VALUES, tagsBelow: false }
    const { values } = await countedValues(this.#dataset, of, facet, deadline)
    // A number and a text may be the same id.
    const byId = new Map<string, InBaskets>()
    for (const { value, count, score = 0 } of values) {
      const id = String(value)
      const { times = 0, score: other = 0 } = byId.get(id) ?? {}
      byId.set(id, { id, times: times + count, score: Math.max(score, other) })
    }
    return [...byId.values()]
  }

  /** Ids may be numbers in baskets. */
  #naming(id: string): object {
    const number = Number(id)
    return { [this.#setting.field]: { in: String(number) === id ? [id, number] : [id] } }
  }

  /** @throws FindlingError INVALID_ARGUMENT if nobody knows how old baskets are */
  #lately(days: number): object {
    const { time } = this.#setting
    if (time === undefined)
      throw invalid('INVALID_ARGUMENT', 'settings', [
        problem('baskets.time', undefined, 'the field of a basket with its time, if days are asked for'),
      ])
    const now = this.#dataset.documents.clock()
    const from = now - days * DAY
    const iso = (moment: number) => new Date(moment).toISOString()
    const asNumber = { [time]: { between: [from, now] } }
    const asText = { [time]: { between: [iso(from), iso(now)] } }
    const type = this.#time?.type
    if (type === 'text') return asText
    return type === 'date' || type === 'number' ? asNumber : { or: [asNumber, asText] }
  }
}

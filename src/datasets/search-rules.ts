import { analyzerFor } from '../analysis/analyzer.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'
import type { Curation, Pin } from './schema/search-settings.ts'

/** Documents that have places of their own for a query, and those that it does not find. */
export interface Curated {
  readonly pinned: readonly Pin[]
  readonly hidden: readonly string[]
}

/** What settings say of queries, made once for all queries. */
export class SearchRules {
  /** By searched field: whether nothing in it is taken for a typo. */
  readonly exactFields: readonly boolean[]
  /** Whether some setting says something of words. */
  readonly areWordsRuled: boolean
  readonly #always: Curation[] = []
  /** By all words of the query, and by the first of those that it must contain. */
  readonly #exact = new Map<string, Curation[]>()
  readonly #containing = new Map<string, { words: readonly string[]; curation: Curation }[]>()
  readonly #order = new Map<Curation, number>()

  constructor({ interpretedFields, synonyms, stopWords, curations, typoTolerance }: DatasetSettings) {
    const { disableOnFields, disableOnWords, disableOnCodes } = typoTolerance
    this.exactFields = interpretedFields.map(field => disableOnFields.includes(field))
    const lists = [synonyms, stopWords, disableOnFields, disableOnWords]
    this.areWordsRuled = disableOnCodes || lists.some(list => list.length > 0)
    for (const [i, curation] of curations.entries()) {
      this.#order.set(curation, i)
      this.#add(curation)
    }
  }

  /** What all curations for a query say, the first ones first. */
  curated(query: string): Curated {
    if (this.#order.size === 0) return NOTHING
    const words = wordsOf(query)
    const applying = [...this.#always, ...(this.#exact.get(words.join(' ')) ?? [])]
    for (const [place, word] of words.entries()) {
      for (const { words: wanted, curation } of this.#containing.get(word) ?? [])
        if (wanted.every((one, i) => one === words[place + i])) applying.push(curation)
    }
    const inOrder = [...new Set(applying)].sort((a, b) => this.#order.get(a)! - this.#order.get(b)!)
    return {
      pinned: inOrder.flatMap(({ pinned }) => pinned),
      hidden: inOrder.flatMap(({ hidden }) => hidden),
    }
  }

  #add(curation: Curation): void {
    const { query, match } = curation
    if (query === null) {
      this.#always.push(curation)
      return
    }
    const words = wordsOf(query)
    if (match === 'exact') push(this.#exact, words.join(' '), curation)
    else push(this.#containing, words[0] ?? '', { words, curation })
  }
}

const NOTHING: Curated = { pinned: [], hidden: [] }

/** Longer queries are not read further than this, either. */
const MOST_TEXT = 65_536

// Of whatever language: it is compared with words that were made in the same way.
const wordsOf = (text: string): string[] => analyzerFor('none').tokens(text.slice(0, MOST_TEXT))

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

import { analyzerFor } from '../analysis/analyzer.ts'
import type { DatasetSettings } from './schema/dataset-settings.ts'
import type { Curation, Pin } from './schema/search-settings.ts'

/** Documents at fixed positions for a query, and those that are hidden from it. */
export interface Curated {
  readonly pinned: readonly Pin[]
  readonly hidden: readonly string[]
}

/** The search settings, compiled once for all queries. */
export class SearchRules {
  /** By searched field: whether words must match there as typed. */
  readonly exactFields: readonly boolean[]
  /** Whether any setting concerns words. */
  readonly areWordsRuled: boolean
  readonly #always: Curation[] = []
  /** Curations by all words of the query, and by the first of the words that it must contain. */
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

  /** All curations for a query combined; earlier ones take precedence. */
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

/** Queries are not read beyond this length either. */
const MOST_TEXT = 65_536

// Independent of the language: both sides of the comparison are tokenized the same way.
const wordsOf = (text: string): string[] => analyzerFor('none').tokens(text.slice(0, MOST_TEXT))

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

import { words } from './contestant.ts'
import type { Listing } from './matching.ts'
import { best } from './word-vectors.ts'

/** Times the count, so many candidates are scored; the original scored no more than it answered with. */
const CANDIDATES = 10

interface Dictionary {
  /** Pointwise mutual information of a word and the tag, where it is positive. */
  readonly pmi: ReadonlyMap<string, number>
  readonly weights: ReadonlyMap<string, number>
}

/** How the service that the REST contract comes from compares documents, as its formulas were written down. */
export class OriginalFormulas {
  readonly #ids: string[]
  readonly #texts: string[][]
  readonly #postings = new Map<string, Map<number, number>>()
  readonly #occurrences = new Map<string, number>()
  readonly #ofTag = new Map<string, Map<string, number>>()
  readonly #dictionaries = new Map<string, Dictionary>()
  #all = 0

  constructor(stored: readonly Listing[]) {
    this.#ids = stored.map(({ id }) => id)
    this.#texts = stored.map(({ title, desc }) => words(`${title} ${desc}`))
    for (const [document, { tags }] of stored.entries()) {
      for (const word of this.#texts[document]!) {
        this.#all++
        addTo(this.#occurrences, word)
        addTo(
          entry(this.#postings, word, () => new Map()),
          document,
        )
        for (const tag of tags)
          addTo(
            entry(this.#ofTag, tag, () => new Map()),
            word,
          )
      }
    }
  }

  nearest({ title, desc, tags }: Listing, count: number): string[] {
    const dictionary = this.#dictionary(tags[0] ?? '')
    const text = words(`${title} ${desc}`)
    const keywords = this.#weigh(new Set(text), dictionary.pmi)
    const ours = ratio(text, keywords, dictionary.weights)
    const scores = new Map<number, number>()
    for (const document of this.#candidates(keywords, CANDIDATES * count)) {
      const score = ratio(this.#texts[document]!, keywords, dictionary.weights) / ours
      if (score > 0 && Number.isFinite(score)) scores.set(document, score)
    }
    return best(scores, count).map(document => this.#ids[document]!)
  }

  #dictionary(tag: string): Dictionary {
    const known = this.#dictionaries.get(tag)
    if (known) return known
    const counts = this.#ofTag.get(tag) ?? new Map<string, number>()
    const inTag = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const pmi = new Map<string, number>()
    for (const [word, count] of counts) {
      const value = Math.log2((count * this.#all) / (this.#occurrences.get(word)! * inTag))
      if (value > 0) pmi.set(word, value)
    }
    const mean = [...pmi.values()].reduce((sum, value) => sum + value, 0) / pmi.size
    const typical = [...pmi].filter(([, value]) => value > mean).map(([word]) => word)
    const dictionary = { pmi, weights: this.#weigh(typical, pmi) }
    this.#dictionaries.set(tag, dictionary)
    return dictionary
  }

  /** Of the words with positive information: information times rarity, over the mean information. */
  #weigh(of: Iterable<string>, pmi: ReadonlyMap<string, number>): Map<string, number> {
    const known = [...of].filter(word => pmi.has(word))
    const mean = known.reduce((sum, word) => sum + pmi.get(word)!, 0) / known.length
    return new Map(
      known.map(word => [
        word,
        (pmi.get(word)! * -Math.log2(this.#occurrences.get(word)! / this.#all)) / mean,
      ]),
    )
  }

  /** The classic ranking of Lucene, words boosted by their weight. */
  #candidates(keywords: ReadonlyMap<string, number>, count: number): number[] {
    const sums = new Map<number, [score: number, matched: number]>()
    for (const [word, weight] of keywords) {
      const postings = this.#postings.get(word)
      if (!postings) continue
      const idf = 1 + Math.log(this.#ids.length / (postings.size + 1))
      for (const [document, frequency] of postings) {
        const [score, matched] = sums.get(document) ?? [0, 0]
        sums.set(document, [score + Math.sqrt(frequency) * idf ** 2 * (weight + 1), matched + 1])
      }
    }
    const scores = new Map(
      [...sums].map(([document, [score, matched]]) => [
        document,
        (score * matched) / keywords.size / Math.sqrt(this.#texts[document]!.length),
      ]),
    )
    return best(scores, count)
  }
}

/** What of the weight that is typical of the tag the keywords make up. */
function ratio(
  text: readonly string[],
  keywords: ReadonlyMap<string, number>,
  weights: ReadonlyMap<string, number>,
): number {
  const sum = (of: ReadonlyMap<string, number>) =>
    text.reduce((total, word) => total + (of.get(word) ?? 0), 0)
  const typical = sum(weights)
  return typical === 0 ? 0 : sum(keywords) / typical
}

function entry<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const value = make()
  map.set(key, value)
  return value
}

const addTo = <Key>(counts: Map<Key, number>, key: Key): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

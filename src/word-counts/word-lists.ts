import { grown } from '../arrays/grow.ts'
import type { WordCount, WordCounts } from '../datasets/tags/word-counts.ts'
import { textOf } from '../fulltext/dictionary/term-table.ts'
import { type NGrams, ONCE } from './n-grams.ts'
import type { WordCorpus } from './word-corpus.ts'

/** Places that are looked at in one piece. */
const AT_ONCE = 1 << 14

/** A list in typed arrays: where each entry is first found, and how often it occurs. */
class WordList implements WordCounts {
  readonly size: number
  readonly #corpus: WordCorpus
  readonly #words: number
  readonly #places: Uint32Array
  readonly #inTag: Uint32Array
  readonly #inDataset: Uint32Array

  constructor(
    corpus: WordCorpus,
    words: number,
    { places, inTag, inDataset }: Record<'places' | 'inTag' | 'inDataset', Uint32Array>,
  ) {
    this.size = places.length
    this.#corpus = corpus
    this.#words = words
    this.#places = places
    this.#inTag = inTag
    this.#inDataset = inDataset
  }

  *[Symbol.iterator](): Generator<WordCount> {
    for (let i = 0; i < this.size; i++)
      yield { text: this.#textAt(this.#places[i]!), inTag: this.#inTag[i]!, inDataset: this.#inDataset[i]! }
  }

  #textAt(place: number): string {
    const { tokens, units, wordStarts } = this.#corpus
    let text = ''
    for (let at = place; at < place + this.#words; at++) {
      const word = tokens[at]!
      if (at > place) text += ' '
      text += textOf(units, wordStarts[word - 1]!, wordStarts[word]!)
    }
    return text
  }
}

/** Lists of tags, for one n-gram size. */
export class WordLists {
  readonly #corpus: WordCorpus
  readonly #neighbours: NGrams
  /** By id, how often the tag has it; all zero between two lists. */
  readonly #seen: Uint32Array

  constructor(corpus: WordCorpus, neighbours: NGrams) {
    this.#corpus = corpus
    this.#neighbours = neighbours
    this.#seen = new Uint32Array(neighbours.counts.length)
  }

  /** The list of a tag, made piece by piece. */
  *of(tag: number, limit: number): Generator<void, WordCounts> {
    const { ids, counts, size } = this.#neighbours
    const seen = this.#seen
    const found = yield* this.#found(tag)
    const inTag = new Uint32Array(found.length)
    for (let i = 0; i < found.length; i++) {
      const id = ids[found[i]!]!
      inTag[i] = id === ONCE ? 1 : seen[id]!
      if (i % AT_ONCE === 0) yield
    }
    for (let i = 0; i < found.length; i++) {
      const id = ids[found[i]!]!
      if (id !== ONCE) seen[id] = 0
      if (i % AT_ONCE === 0) yield
    }
    const order = yield* mostFirst(inTag)
    const length = Math.min(limit, found.length)
    const sorted = {
      places: new Uint32Array(length),
      inTag: new Uint32Array(length),
      inDataset: new Uint32Array(length),
    }
    for (let to = 0; to < length; to++) {
      const i = order[to]!
      const id = ids[found[i]!]!
      sorted.places[to] = found[i]!
      sorted.inTag[to] = inTag[i]!
      sorted.inDataset[to] = id === ONCE ? 1 : counts[id]!
      if (to % AT_ONCE === 0) yield
    }
    return new WordList(this.#corpus, size, sorted)
  }

  /** Where each of what the tag has stands first. */
  *#found(tag: number): Generator<void, Uint32Array> {
    const { ranges, tagStarts } = this.#corpus
    const { ids } = this.#neighbours
    const seen = this.#seen
    let found = new Uint32Array(1 << 8)
    let count = 0
    let looked = 0
    for (let i = tagStarts[tag]!; i < tagStarts[tag + 1]!; i++) {
      for (let at = ranges[2 * i]!; at < ranges[2 * i + 1]!; at++) {
        if (++looked % AT_ONCE === 0) yield
        const id = ids[at]!
        if (id === 0 || (id !== ONCE && seen[id]!++ > 0)) continue
        found = grown(found, count + 1)
        found[count++] = at
      }
    }
    return found.slice(0, count)
  }
}

/** The places of numbers in descending order, equal ones as they come: a counting sort, for most are small. */
function* mostFirst(numbers: Uint32Array): Generator<void, Uint32Array> {
  let most = 0
  for (const number of numbers) if (number > most) most = number
  const starts = new Uint32Array(most + 2)
  // Numbers of most - d come behind all that are larger.
  for (const number of numbers) starts[most - number + 1]!++
  yield
  for (let d = 0; d <= most; d++) starts[d + 1]! += starts[d]!
  const order = new Uint32Array(numbers.length)
  for (let i = 0; i < numbers.length; i++) {
    order[starts[most - numbers[i]!]!++] = i
    if (i % AT_ONCE === 0) yield
  }
  return order
}

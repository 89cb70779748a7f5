import { sorting } from '../../arrays/sorting.ts'
import { textOf } from '../../fulltext/dictionary/term-table.ts'
import { LONGEST_N_GRAM } from './feature-scanner.ts'
import { DOCUMENTS_AT_ONCE, type FeatureSet, idfOf, NONE } from './feature-set.ts'
import type { Model } from './training.ts'
import { sumUp } from './vectors.ts'

/** Number of features whose words are assembled per piece. */
const NAMED_AT_ONCE = 1_024

/** Words that indicate a tag. */
export interface Keyword {
  /** A word, or consecutive words with a space between them. */
  readonly text: string
  /** Above 0: the weight of the words for the tag times how rare they are. Comparable within a tag. */
  readonly score: number
}

/** What a model has learnt about each tag, in words. */
export class Dictionaries {
  readonly #model: Model
  /** By class and number of words: the features that speak for the class, and by how many steps. */
  readonly #starts: Uint32Array
  readonly #ids: Uint32Array
  readonly #steps: Int8Array

  private constructor(model: Model, starts: Uint32Array, ids: Uint32Array, steps: Int8Array) {
    this.#model = model
    this.#starts = starts
    this.#ids = ids
    this.#steps = steps
  }

  /** Sorts the weights by class, piece by piece. */
  static *of(model: Model): Generator<void, Dictionaries> {
    const { ends } = model.features
    const { starts, classes, steps } = model.linear
    const words = ends[LONGEST_N_GRAM]!
    const lists = new Uint32Array(model.tags.length * LONGEST_N_GRAM + 1)
    const visit = function* (take: (list: number, id: number, at: number) => void): Generator<void> {
      for (let id = 0, size = 1; id < words; id++) {
        while (id >= ends[size]!) size++
        for (let at = starts[id]!; at < starts[id + 1]!; at++) {
          if (steps[at]! > 0) take(classes[at]! * LONGEST_N_GRAM + size - 1, id, at)
        }
        if (id % DOCUMENTS_AT_ONCE === 0) yield
      }
    }
    yield* visit(list => {
      lists[list + 1]!++
    })
    const cursors = sumUp(lists).slice()
    const ids = new Uint32Array(lists.at(-1)!)
    const sorted = new Int8Array(ids.length)
    yield* visit((list, id, at) => {
      const to = cursors[list]!++
      ids[to] = id
      sorted[to] = steps[at]!
    })
    return new Dictionaries(model, lists, ids, sorted)
  }

  /** Words or n-grams that indicate a tag, strongest first; empty for a tag without documents. */
  *keywords(tag: number, size: number): Generator<void, Keyword[]> {
    const { tags, features, linear } = this.#model
    const k = tags.indexOf(tag)
    if (k < 0) return []
    const list = k * LONGEST_N_GRAM + size - 1
    const keywords: Keyword[] = []
    for (let at = this.#starts[list]!; at < this.#starts[list + 1]!; at++) {
      const id = this.#ids[at]!
      if (at % NAMED_AT_ONCE === 0) yield
      const text = nameOf(features, id, size)
      if (text === undefined) continue
      keywords.push({ text, score: this.#steps[at]! * linear.scales[k]! * idfOf(features, id) })
    }
    return yield* sorting(keywords, (a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
  }
}

/** Undefined if two features share a hash, so that the words are not known. */
function nameOf(features: FeatureSet, id: number, size: number): string | undefined {
  if (size === 1) return wordOf(features, id)
  const from = (id - features.ends[size - 1]!) * size
  const words = features.neighbours[size]!.subarray(from, from + size)
  if (words.some(word => word === NONE || word >= features.ends[1]!)) return undefined
  return Array.from(words, word => wordOf(features, word)).join(' ')
}

function wordOf({ wordUnits, wordEnds }: FeatureSet, id: number): string {
  return textOf(wordUnits, id === 0 ? 0 : wordEnds[id - 1]!, wordEnds[id]!)
}

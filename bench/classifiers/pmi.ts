import { analyzerFor } from '../../src/analysis/analyzer.ts'
import { bestThree, type TextClassifier } from './text-classifier.ts'

/** What a found pair of words counts beside a word. */
const PAIR = 1.7

/** Weights by word and tag: pointwise mutual information times information, by its mean in the tag. */
interface Dictionary {
  readonly weights: ReadonlyMap<string, readonly (readonly [tag: number, weight: number])[]>
  /** By tag. */
  readonly largest: Float64Array
}

/**
 * The formulas of the service whose contract the REST adapter keeps: a dictionary per tag of words, and of pairs, that
 * are more frequent in it than elsewhere; a text scores the weights of its pairs, and of the words of those that are not
 * found.
 */
export const pmi: TextClassifier = {
  name: 'PMI dictionaries',
  settings: 'the formulas of the original service, words and pairs of words, no compression',
  learn(documents, tags) {
    const analyzer = analyzerFor('none')
    const numbers = new Map(tags.map((tag, i) => [tag, i]))
    const fields = documents.map(({ texts, tag }) => ({
      tag: numbers.get(tag)!,
      words: texts.map(text => analyzer.tokens(text)),
    }))
    const unigrams = fields.reduce((sum, { words }) => sum + words.flat().length, 0)
    const single = dictionaryOf(fields, 1, unigrams, tags.length)
    const pairs = dictionaryOf(fields, 2, unigrams, tags.length)
    const scales = single.largest.map((one, tag) => Math.max(1, 2 * one, PAIR * pairs.largest[tag]!))
    return {
      answer(text) {
        const words = analyzer.tokens(text)
        const scores = new Float64Array(tags.length)
        const add = (word: string, factor: number, only?: ReadonlySet<number>) => {
          for (const [tag, weight] of single.weights.get(word) ?? [])
            if (!only || only.has(tag)) scores[tag]! += factor * weight
        }
        if (words.length === 1) add(words[0]!, 1)
        for (let i = 0; i + 1 < words.length; i++) {
          add(words[i]!, 1)
          add(words[i + 1]!, 1)
          const found = pairs.weights.get(`${words[i]} ${words[i + 1]}`)
          if (!found) continue
          const inTags = new Set(found.map(([tag]) => tag))
          add(words[i]!, -1, inTags)
          add(words[i + 1]!, -1, inTags)
          for (const [tag, weight] of found) scores[tag]! += PAIR * weight
        }
        return bestThree(
          scores.map((score, tag) => score / scales[tag]!),
          tags,
        )
      },
      bytes: () => [single, pairs].reduce((sum, { weights }) => sum + csvBytes(weights), 0),
    }
  },
}

function dictionaryOf(
  documents: readonly { tag: number; words: readonly (readonly string[])[] }[],
  size: number,
  unigrams: number,
  tags: number,
): Dictionary {
  const counts = new Map<string, Map<number, number>>()
  const inTag = new Float64Array(tags)
  for (const { tag, words } of documents) {
    for (const field of words) {
      for (let i = 0; i + size <= field.length; i++) {
        const word = size === 1 ? field[i]! : `${field[i]} ${field[i + 1]}`
        const ofWord = counts.get(word) ?? new Map<number, number>()
        counts.set(word, ofWord)
        ofWord.set(tag, (ofWord.get(tag) ?? 0) + 1)
        inTag[tag]!++
      }
    }
  }
  const all = unigrams - (size - 1)
  const sums = new Float64Array(tags)
  const terms = new Float64Array(tags)
  const raw = new Map<string, [number, number][]>()
  for (const [word, ofWord] of counts) {
    const times = [...ofWord.values()].reduce((sum, count) => sum + count, 0)
    const list: [number, number][] = []
    for (const [tag, count] of ofWord) {
      const information = Math.log2((count * all) / (times * inTag[tag]!))
      if (information <= 0) continue
      sums[tag]! += information
      terms[tag]!++
      list.push([tag, information * -Math.log2(times / all)])
    }
    raw.set(word, list)
  }
  const largest = new Float64Array(tags)
  for (const list of raw.values()) {
    for (const entry of list) {
      const [tag, weight] = entry
      entry[1] = weight / (sums[tag]! / terms[tag]!)
      largest[tag] = Math.max(largest[tag]!, entry[1])
    }
  }
  return { weights: raw, largest }
}

/** As the service stores them: a line with word and score per tag. */
function csvBytes(weights: Dictionary['weights']): number {
  let bytes = 0
  for (const [word, list] of weights) bytes += list.length * (Buffer.byteLength(word) + 24)
  return bytes
}

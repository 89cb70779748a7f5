import { CodeScanner } from '../../../src/analysis/code-tokens.ts'
import type { SimilarDocument } from '../../../src/similarity/model/aspects.ts'

type Counts = Map<string, number>
type Weights = (feature: string) => number

const shares = [1, 1, 2]
/** Place of the numbers, behind the aspects. */
const NUMBERS = 3

function tokens(text: string): string[] {
  const found: string[] = []
  new CodeScanner().scan(text, (chars, length) =>
    found.push(String.fromCharCode(...chars.subarray(0, length))),
  )
  return found
}

/** Features of a document, written out: words and pairs of the title, its trigrams, all words; words with digits. */
function featuresOf({ title, body }: SimilarDocument): Counts[] {
  const words = tokens(title)
  const pairs = words.slice(1).map((word, at) => `${words[at]} ${word}`)
  const line = ` ${words.join(' ')} `.slice(0, 400)
  const trigrams = words.length === 0 ? [] : Array.from(line.slice(2), (_, at) => line.slice(at, at + 3))
  const withDigits = words.filter(word => /\p{N}/u.test(word))
  const numbers = new Set(withDigits.map(word => word.replace(/^(\p{N}+(?:\.\p{N}+)?)\P{N}*$/u, '$1')))
  return [[...words, ...pairs], trigrams, [...words, ...tokens(body)], [...numbers]].map(counted)
}

function counted(features: readonly string[]): Counts {
  const counts: Counts = new Map()
  for (const feature of features) counts.set(feature, Math.min(32, (counts.get(feature) ?? 0) + 1))
  return counts
}

/** By the logarithm of how rare it is, but for numbers less if so many documents have it that it tells little. */
const rarity = (frequency: number, documents: number, aspect: number): number =>
  (1 + Math.log((1 + documents) / (1 + frequency))) *
  (aspect === NUMBERS ? 1 : 1 - (0.7 * Math.max(0, frequency - 1)) / (documents + 100))

/** What a similarity index promises, worked out from the definition. */
export class NaiveSimilarity {
  readonly documents = new Map<string, Counts[]>()
  #weights: Weights[] = [() => 1, () => 1, () => 1, () => 1]
  #vectors = new WeakMap<Counts, Counts>()

  add(id: string, document: SimilarDocument): void {
    this.documents.set(id, featuresOf(document))
  }

  remove(id: string): void {
    this.documents.delete(id)
  }

  /** Weighs features by the documents that there are now. */
  weigh(isLeftOut: (feature: string, aspect: number) => boolean = () => false): void {
    this.#vectors = new WeakMap()
    const all = [...this.documents.values()]
    this.#weights = [...shares, 0].map((_, aspect) => {
      const frequencies: Counts = new Map()
      for (const features of all)
        for (const feature of features[aspect]!.keys())
          frequencies.set(feature, (frequencies.get(feature) ?? 0) + 1)
      return feature =>
        isLeftOut(feature, aspect) ? 0 : rarity(frequencies.get(feature) ?? 0, all.length, aspect)
    })
  }

  score(one: Counts[], other: Counts[], aspects: readonly number[] = [0, 1, 2]): number {
    let sum = 0
    let all = 0
    for (const aspect of aspects) {
      const [a, b] = [this.#vector(one[aspect]!, aspect), this.#vector(other[aspect]!, aspect)]
      if (a.size === 0 || b.size === 0) continue
      for (const [feature, value] of a) sum += shares[aspect]! * value * (b.get(feature) ?? 0)
      all += shares[aspect]!
    }
    return all === 0 ? 0 : (sum / all) * this.#agreement(one[NUMBERS]!, other[NUMBERS]!)
  }

  /** Half of a score is lost where none of the numbers of the side that has less of them is on the other. */
  #agreement(one: Counts, other: Counts): number {
    const weightOf = (numbers: Iterable<string>) =>
      [...numbers].reduce((sum, number) => sum + this.#weights[NUMBERS]!(number) ** 2, 0)
    const least = Math.min(weightOf(one.keys()), weightOf(other.keys()))
    if (least === 0) return 1
    const shared = weightOf([...one.keys()].filter(number => other.has(number)))
    return 0.5 + 0.5 * Math.min(1, shared / least)
  }

  scoresOf(query: SimilarDocument): Map<string, number> {
    return this.#scores(document => this.score(featuresOf(query), document))
  }

  scoresOfText(text: string): Map<string, number> {
    const query = featuresOf({ title: text, body: '' })
    return this.#scores(document =>
      Math.max(this.score(query, document, [0, 1]), this.score(query, document, [2])),
    )
  }

  #scores(score: (document: Counts[]) => number): Map<string, number> {
    return new Map([...this.documents].map(([id, document]) => [id, score(document)]))
  }

  #vector(counts: Counts, aspect: number): Counts {
    const known = this.#vectors.get(counts)
    if (known) return known
    const values = [...counts].map(([feature, count]): [string, number] => [
      feature,
      (1 + Math.log(count)) * this.#weights[aspect]!(feature),
    ])
    const length = Math.sqrt(values.reduce((sum, [, value]) => sum + value * value, 0))
    const vector = new Map(length === 0 ? [] : values.map(([feature, value]) => [feature, value / length]))
    this.#vectors.set(counts, vector)
    return vector
  }
}

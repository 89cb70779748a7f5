import { words } from './contestant.ts'

/** Words of texts with a frequency factor, and the texts in which each is. */
export class WordVectors {
  readonly #ids: string[]
  readonly #postings = new Map<string, [document: number, factor: number][]>()
  readonly #lengths: Float64Array

  constructor(texts: readonly (readonly [id: string, text: string])[]) {
    this.#ids = texts.map(([id]) => id)
    for (const [document, [, text]] of texts.entries()) {
      for (const [word, factor] of factorsOf(text)) {
        if (this.#postings.has(word)) this.#postings.get(word)!.push([document, factor])
        else this.#postings.set(word, [[document, factor]])
      }
    }
    const squares = new Float64Array(texts.length)
    for (const [word, postings] of this.#postings)
      for (const [document, factor] of postings) squares[document]! += (factor * this.#rarity(word)) ** 2
    this.#lengths = squares.map(Math.sqrt)
  }

  nearest(text: string, count: number): string[] {
    const scores = new Map<number, number>()
    for (const [word, factor] of factorsOf(text)) {
      const weight = factor * this.#rarity(word) ** 2
      for (const [document, theirs] of this.#postings.get(word) ?? [])
        scores.set(document, (scores.get(document) ?? 0) + (weight * theirs) / this.#lengths[document]!)
    }
    return best(scores, count).map(document => this.#ids[document]!)
  }

  #rarity(word: string): number {
    return 1 + Math.log((1 + this.#ids.length) / (1 + (this.#postings.get(word)?.length ?? 0)))
  }
}

function factorsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  for (const [word, count] of counts) counts.set(word, 1 + Math.log(count))
  return counts
}

export const best = (scores: ReadonlyMap<number, number>, count: number): number[] =>
  [...scores]
    .sort(([a, x], [b, y]) => y - x || a - b)
    .slice(0, count)
    .map(([document]) => document)

import type { Analyzer } from '../../src/analysis/analyzer.ts'
import type { FieldWeight } from '../../src/fulltext/bm25f.ts'

export interface NaiveHit {
  id: string
  score: number
}

/** BM25F by its definition over lists of words, for queries of known words; scores as the index rounds them. */
export class NaiveIndex {
  readonly #documents = new Map<string, string[][]>()

  constructor(
    readonly analyzer: Analyzer,
    readonly fields: readonly FieldWeight[],
    readonly k1 = 1.2,
  ) {}

  add(id: string, texts: readonly (string | readonly string[] | undefined)[]): void {
    this.#documents.delete(id)
    const words = texts.map(text => [text ?? []].flat().flatMap(part => this.analyzer.tokens(part)))
    this.#documents.set(id, words)
  }

  remove(id: string): boolean {
    return this.#documents.delete(id)
  }

  has(id: string): boolean {
    return this.#documents.has(id)
  }

  get size(): number {
    return this.#documents.size
  }

  get entries(): [id: string, texts: string[]][] {
    return [...this.#documents].map(([id, words]) => [id, words.map(list => list.join(' '))])
  }

  knows(word: string): boolean {
    return this.#surfaces(word).size > 0
  }

  /** All hits, best first, documents of equal score in byte order of their ids. */
  search(query: string, operator: 'or' | 'and'): NaiveHit[] {
    const words = this.analyzer.tokens(query)
    const slots = [...new Set(words)].map(word => ({
      surfaces: this.#surfaces(word),
      weight: words.filter(other => other === word).length * this.#idf(this.#surfaces(word)),
    }))
    const live = slots.filter(({ surfaces }) => surfaces.size > 0)
    if (operator === 'and' && live.length < slots.length) return []
    const scale = Math.min(
      2 ** 20,
      (2 ** 31 - 2 ** 20) / (255 * live.reduce((sum, slot) => sum + slot.weight, 0)),
    )
    const averages = this.fields.map((_, field) => this.#average(field))
    const hits: NaiveHit[] = []
    for (const [id, texts] of this.#documents) {
      const scores = live.map(({ surfaces, weight }) =>
        Math.max(
          0,
          ...[...surfaces].map(
            ([word, share]) =>
              Math.max(1, Math.floor(weight * share * scale)) * this.#impact(word, texts, averages),
          ),
        ),
      )
      const matches = operator === 'and' ? scores.every(score => score > 0) : scores.some(score => score > 0)
      if (matches && scores.length > 0)
        hits.push({ id, score: scores.reduce((a, b) => a + b, 0) / (255 * scale) })
    }
    return hits.sort((a, b) => b.score - a.score || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
  }

  #surfaces(word: string): Map<string, number> {
    const surfaces = new Map<string, number>()
    for (const other of new Set([...this.#documents.values()].flat(2))) {
      if (other === word) surfaces.set(other, 1)
      else if (this.analyzer.stem(other) === this.analyzer.stem(word)) surfaces.set(other, 0.9)
    }
    return surfaces
  }

  #idf(surfaces: Map<string, number>): number {
    let having = 0
    for (const word of surfaces.keys()) {
      for (const texts of this.#documents.values()) if (texts.flat().includes(word)) having++
    }
    const documents = this.#documents.size
    const capped = Math.min(having, documents)
    return Math.log(1 + (documents - capped + 0.5) / (capped + 0.5))
  }

  #impact(word: string, texts: string[][], averages: number[]): number {
    let frequency = 0
    for (const [field, { weight, b }] of this.fields.entries()) {
      const words = texts[field]!
      const occurrences = Math.min(255, words.filter(other => other === word).length)
      frequency += (weight * occurrences) / (1 - b + (b * words.length) / averages[field]!)
    }
    if (!texts.some(words => words.includes(word))) return 0
    return Math.max(1, Math.round((255 * frequency) / (this.k1 + frequency)))
  }

  #average(field: number): number {
    const lengths = [...this.#documents.values()].map(texts => texts[field]!.length)
    const total = lengths.reduce((sum, length) => sum + length, 0)
    return total > 0 ? total / lengths.length : 1
  }
}

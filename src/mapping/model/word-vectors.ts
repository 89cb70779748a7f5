import type { Analyzer } from '../../analysis/analyzer.ts'
import { textOf } from '../../fulltext/dictionary/term-table.ts'
import { rightSingularVectors } from '../../fulltext/topics/randomized-svd.ts'

/** Number of dimensions of a vector. */
const DIMENSIONS = 64
/** Of one document. */
const LONGEST_TEXT = 20_000
/** Vectors are built from the most frequent words: maximum number of these, and minimum number of documents with each. */
const MOST_WORDS = 30_000
const LEAST_DOCUMENTS = 2

/** What documents say, without meaningless words. */
export interface WordVectors {
  readonly dimensions: number
  /** By document: a vector of length 1; all zeros if it has none of the words. */
  readonly vectors: Float32Array
  /** By document: its words, by number, each once. */
  readonly words: readonly Uint32Array[]
  /** By number: a word in its most frequent spelling. */
  readonly names: readonly string[]
}

interface Word {
  documents: number
  readonly spellings: Map<string, number>
}

/** Gathers the words of documents, as their stems. */
export class WordGathering {
  readonly #analyzer: Analyzer
  readonly #words = new Map<string, Word>()
  readonly #documents: Map<string, number>[] = []

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer
  }

  add(texts: readonly string[]): void {
    const { functionWords } = this.#analyzer
    const counts = new Map<string, number>()
    let left = LONGEST_TEXT
    for (const text of texts) {
      const read = text.slice(0, left)
      left -= read.length
      this.#analyzer.scanWritten(read, (chars, length, _start, _end, written) => {
        const token = textOf(chars, 0, length)
        if (functionWords?.all.has(token) || isNumber(token)) return
        const stem = this.#analyzer.stem(token)
        const word = this.#words.get(stem) ?? { documents: 0, spellings: new Map() }
        this.#words.set(stem, word)
        const spelling = written ? textOf(written.units, 0, written.length) : token
        word.spellings.set(spelling, (word.spellings.get(spelling) ?? 0) + 1)
        counts.set(stem, (counts.get(stem) ?? 0) + 1)
      })
    }
    for (const stem of counts.keys()) this.#words.get(stem)!.documents++
    this.#documents.push(counts)
  }

  /** Directions along which documents differ most (latent semantic analysis). */
  vectors(random: () => number): WordVectors {
    const documents = this.#documents.length
    const kept = [...this.#words]
      .filter(([, word]) => word.documents >= LEAST_DOCUMENTS)
      .sort(([a, m], [b, n]) => n.documents - m.documents || (a < b ? -1 : 1))
      .slice(0, MOST_WORDS)
    const numbers = new Map(kept.map(([stem], number) => [stem, number]))
    const words = this.#documents.map(counts =>
      Uint32Array.from([...counts.keys()].flatMap(stem => numbers.get(stem) ?? [])).sort(),
    )
    const matrix = this.#matrix(kept, words)
    const { vectors: directions, dimensions } =
      kept.length > 0
        ? rightSingularVectors(matrix, DIMENSIONS, random)
        : { vectors: new Float32Array(0), dimensions: 1 }
    const vectors = new Float32Array(documents * dimensions)
    for (let document = 0; document < documents; document++) {
      const vector = vectors.subarray(document * dimensions, (document + 1) * dimensions)
      for (let at = matrix.starts[document]!; at < matrix.starts[document + 1]!; at++) {
        const from = matrix.places[at]! * dimensions
        for (let d = 0; d < dimensions; d++) vector[d]! += matrix.values[at]! * directions[from + d]!
      }
      normalizeVector(vector)
    }
    return { dimensions, vectors, words, names: kept.map(([, { spellings }]) => mostFrequent(spellings)) }
  }

  #matrix(kept: readonly (readonly [string, Word])[], words: readonly Uint32Array[]) {
    const starts = new Uint32Array(words.length + 1)
    for (const [i, list] of words.entries()) starts[i + 1] = starts[i]! + list.length
    const places = new Uint32Array(starts.at(-1)!)
    const values = new Float32Array(places.length)
    for (const [i, list] of words.entries()) {
      const start = starts[i]!
      const row = values.subarray(start, start + list.length)
      for (const [j, number] of list.entries()) {
        const [stem, { documents }] = kept[number]!
        places[start + j] = number
        row[j] = (1 + Math.log(this.#documents[i]!.get(stem)!)) * Math.log(1 + words.length / documents)
      }
      normalizeVector(row)
    }
    return { columns: kept.length, starts, places, values }
  }
}

const isNumber = (token: string): boolean => /^\d+$/.test(token)

const mostFrequent = (spellings: ReadonlyMap<string, number>): string =>
  [...spellings].reduce((best, one) =>
    one[1] > best[1] || (one[1] === best[1] && one[0] < best[0]) ? one : best,
  )[0]

/** In place, to length 1, unless it is nothing but zeros. */
export function normalizeVector(vector: Float32Array): void {
  let squares = 0
  for (const value of vector) squares += value * value
  if (squares > 1e-12) for (let d = 0; d < vector.length; d++) vector[d]! /= Math.sqrt(squares)
}

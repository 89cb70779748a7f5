import { analyzerFor } from '../../analysis/analyzer.ts'
import { grown } from '../../arrays/grow.ts'
import { SpeltWords } from '../../fulltext/dictionary/spelt-words.ts'
import { TermTable, textOf } from '../../fulltext/dictionary/term-table.ts'
import type { LeavesOut } from './refresh.ts'

/** A word that indicates a tag. */
export interface TagWord {
  readonly text: string
  /** Chi-squared of the word and the tag, above 0: the higher, the less likely by chance. */
  readonly score: number
}

/** By word: how many documents have it, and how often it occurs. */
type Counts = Map<number, { documents: number; occurrences: number }>

/** Counts the words of documents by tag. */
export class TagWords {
  readonly #analyzer = analyzerFor('none')
  readonly #terms = new TermTable(0)
  readonly #tags = new Map<string, { documents: number; readonly words: Counts }>()
  #documents = 0
  #frequencies = new Uint32Array(1 << 8)
  #occurrences = new Uint32Array(1 << 8)

  add(texts: readonly string[], tags: readonly string[]): void {
    const words = new Map<number, number>()
    for (const text of texts) {
      this.#analyzer.scan(text, (chars, length) => {
        const word = this.#terms.intern(chars, length)
        words.set(word, (words.get(word) ?? 0) + 1)
      })
    }
    this.#frequencies = grown(this.#frequencies, this.#terms.size)
    this.#occurrences = grown(this.#occurrences, this.#terms.size)
    for (const [word, occurrences] of words) {
      this.#frequencies[word]!++
      this.#occurrences[word]! += occurrences
    }
    for (const tag of tags) this.#addTo(tag, words)
    this.#documents++
  }

  /** The tags of documents that have words, in order. */
  tags(): string[] {
    return [...this.#tags.keys()].sort()
  }

  /** Number of documents of a tag that have words. */
  documentsOf(tag: string): number {
    return this.#tags.get(tag)?.documents ?? 0
  }

  /** Words that the documents of a tag have more often than others, strongest first. */
  of(tag: string, leavesOut?: LeavesOut): TagWord[] {
    const known = this.#tags.get(tag)
    if (!known) return []
    const found: TagWord[] = []
    for (const [word, { documents, occurrences }] of known.words) {
      if (leavesOut?.(occurrences, this.#occurrences[word]!)) continue
      const score = chiSquared(documents, known.documents, this.#frequencies[word]!, this.#documents)
      if (score > 0) found.push({ text: this.#terms.term(word), score })
    }
    return found.sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1))
  }

  #addTo(tag: string, words: ReadonlyMap<number, number>): void {
    if (words.size === 0) return
    let of = this.#tags.get(tag)
    if (!of) {
      of = { documents: 0, words: new Map() }
      this.#tags.set(tag, of)
    }
    of.documents++
    for (const [word, occurrences] of words) {
      const counts = of.words.get(word)
      if (!counts) of.words.set(word, { documents: 1, occurrences })
      else {
        counts.documents++
        counts.occurrences += occurrences
      }
    }
  }
}

/**
 * For the table of documents with and without a word, and with and without a tag: 0 where the word is no more frequent among
 * the documents of the tag than elsewhere.
 */
export function chiSquared(among: number, ofTag: number, withWord: number, all: number): number {
  const elsewhere = withWord - among
  const without = ofTag - among
  const neither = all - ofTag - elsewhere
  const difference = among * neither - elsewhere * without
  if (difference <= 0) return 0
  const table = (among + elsewhere) * (without + neither) * ofTag * (all - ofTag)
  return (all * difference * difference) / table
}

/** The words of a text that are among the given ones, strongest first, as spelled in the text, which is read piece by piece. */
export function* tagWordsIn(
  text: string,
  words: ReadonlyMap<string, number>,
  { strict = false }: { readonly strict?: boolean | undefined },
): Generator<void, TagWord[]> {
  const found = new Map<string, number>()
  const analyzer = analyzerFor('none')
  yield* analyzer.scanInPieces(text, (chars, length) => {
    const word = textOf(chars, 0, length)
    const score = words.get(word)
    if (score !== undefined) found.set(word, score)
  })
  const mean = [...found.values()].reduce((sum, score) => sum + score, 0) / found.size
  const spelt = new SpeltWords(found.keys(), analyzer)
  spelt.add([text])
  return [...found]
    .filter(([, score]) => !strict || score >= mean)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([word, score]) => ({ text: spelt.written(word), score }))
}

import type { Analyzer } from '../../analysis/analyzer.ts'
import { writtenForm } from '../../analysis/written-word.ts'
import { textOf } from './term-table.ts'

const hasDigit = /\p{N}/u

/** How documents write some words that are known only folded: `rasenmäher` for `rasenmaher`. What most of them have counts. */
export class SpeltWords {
  readonly #analyzer: Pick<Analyzer, 'scanRanges' | 'longText'>
  /** By word, in how many documents it is written how. */
  readonly #forms: ReadonlyMap<string, Map<string, number>>
  readonly #lengths: ReadonlySet<number>
  readonly #enough: number
  /** Words that fewer documents had than are enough. */
  #sought: number

  /**
   * @param words folded; what has a digit is written as it is
   * @param analyzer by which they were folded
   * @param enough so many documents tell how a word is written
   */
  constructor(
    words: Iterable<string>,
    analyzer: Pick<Analyzer, 'scanRanges' | 'longText'>,
    enough = Number.POSITIVE_INFINITY,
  ) {
    this.#analyzer = analyzer
    const sought = new Set([...words].filter(word => !hasDigit.test(word)))
    this.#forms = new Map(Array.from(sought, word => [word, new Map()]))
    this.#lengths = new Set(Array.from(sought, word => word.length))
    this.#enough = enough
    this.#sought = sought.size
  }

  /** Whether enough was read of every word. */
  get isKnown(): boolean {
    return this.#sought === 0
  }

  /** Reads a document: as its first text with a word writes it. Long texts are not read. */
  add(texts: readonly string[]): void {
    const met = new Map<string, string>()
    for (const text of texts) {
      if (text.length > this.#analyzer.longText) continue
      this.#analyzer.scanRanges(text, (chars, length, start, end) => {
        if (!this.#lengths.has(length)) return
        const word = textOf(chars, 0, length)
        if (this.#forms.has(word) && !met.has(word))
          met.set(word, writtenForm(text.slice(start, end), Number.POSITIVE_INFINITY) ?? word)
      })
    }
    for (const [word, form] of met) this.#count(this.#forms.get(word)!, form)
  }

  /** Undefined where no document has it; of forms that are as frequent the first. */
  formOf(word: string): string | undefined {
    let most = 0
    let best: string | undefined
    for (const [form, documents] of this.#forms.get(word) ?? [])
      if (documents > most) [most, best] = [documents, form]
    return best
  }

  /** Words with a space between them, each as documents write it, or as it is where none has it. */
  written(words: string): string {
    return words
      .split(' ')
      .map(word => this.formOf(word) ?? word)
      .join(' ')
  }

  #count(forms: Map<string, number>, form: string): void {
    let documents = 0
    for (const count of forms.values()) documents += count
    if (documents === this.#enough) return
    forms.set(form, (forms.get(form) ?? 0) + 1)
    if (documents + 1 === this.#enough) this.#sought--
  }
}

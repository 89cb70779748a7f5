import type { Analyzer } from '../../analysis/analyzer.ts'
import { writtenForm } from '../../analysis/written-word.ts'
import { textOf } from './term-table.ts'

const hasDigit = /\p{N}/u

/** How documents write words that are known only folded: `rasenmäher` for `rasenmaher`. The most frequent spelling counts. */
export class SpeltWords {
  readonly #analyzer: Pick<Analyzer, 'scanRanges' | 'longText'>
  /** By word: its spellings, with the number of documents for each. */
  readonly #forms: ReadonlyMap<string, Map<string, number>>
  readonly #lengths: ReadonlySet<number>
  readonly #enough: number
  /** Number of words that have been found in fewer documents than `enough`. */
  #sought: number

  /**
   * @param words folded; words with a digit are left as they are
   * @param analyzer the analyzer that folded them
   * @param enough number of documents that suffice to tell how a word is written
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

  /** Whether every word was found in enough documents. */
  get isKnown(): boolean {
    return this.#sought === 0
  }

  /** Reads a document; the first text with a word decides how the document writes it. Long texts are not read. */
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

  /** Undefined where no document has the word; of equally frequent spellings, the first. */
  formOf(word: string): string | undefined {
    let most = 0
    let best: string | undefined
    for (const [form, documents] of this.#forms.get(word) ?? [])
      if (documents > most) [most, best] = [documents, form]
    return best
  }

  /** A text of words separated by spaces, each in the spelling of the documents, or unchanged where none has it. */
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

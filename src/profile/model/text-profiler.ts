import type { FrequentValues } from '../../counting/frequent-values.ts'
import { NumberSample, quantile } from './number-sample.ts'
import type { TextPattern, TextProfile, ValueCount } from './profile.ts'
import { likelyLanguage } from './text-language.ts'
import { hasCheckDigit, isArticleNumber, patternOf } from './text-pattern.ts'

const MOST_EXAMPLES = 5
const MOST_MONTHS = 1_200
const MOST_GROUPS = 20
const MOST_VARIANTS = 10
/** Maximum number of texts whose language is detected, and their minimum length in UTF-16 units. */
const TOLD_APART = 1_000
const LONG_ENOUGH = 30

/** Gathers statistics of the texts of a field. */
export class TextProfiler {
  readonly #lengths = new NumberSample()
  #min = Number.POSITIVE_INFINITY
  #max = 0
  #sum = 0
  readonly #patterns = new Map<TextPattern, number>()
  readonly #languages = new Map<string, number>()
  #looked = 0
  readonly #months = new Map<string, number>()
  #wrong = 0
  readonly #examples: string[] = []

  add(text: string): void {
    const { length } = text
    this.#lengths.add(length)
    this.#sum += length
    if (length < this.#min) this.#min = length
    if (length > this.#max) this.#max = length
    const pattern = patternOf(text)
    increase(this.#patterns, pattern)
    if (pattern === 'date') this.#addDate(text.trim())
    else if (pattern === 'ean') this.#addNumber(text.trim())
    else if (length >= LONG_ENOUGH && this.#looked < TOLD_APART) {
      this.#looked++
      const language = likelyLanguage(text)
      if (language) increase(this.#languages, language)
    }
  }

  #addDate(text: string): void {
    const month = text.slice(0, 7)
    if (!/^\d{4}-\d\d$/.test(month)) return
    if (this.#months.has(month) || this.#months.size < MOST_MONTHS) increase(this.#months, month)
  }

  #addNumber(text: string): void {
    if (!isArticleNumber(text) || hasCheckDigit(text)) return
    this.#wrong++
    if (this.#examples.length < MOST_EXAMPLES) this.#examples.push(text)
  }

  /** @param values the frequent texts of the field, beginning with `mark` */
  resultWith(values: FrequentValues, mark: string): TextProfile | undefined {
    const { count } = this.#lengths
    if (count === 0) return undefined
    const sorted = this.#lengths.sorted()
    return {
      count,
      length: {
        min: this.#min,
        max: this.#max,
        mean: this.#sum / count,
        p50: quantile(sorted, 0.5),
        p95: quantile(sorted, 0.95),
      },
      patterns: Object.fromEntries(this.#patterns),
      wrongCheckDigits: { count: this.#wrong, examples: this.#examples },
      languages: Object.fromEntries([...this.#languages].sort(([, a], [, b]) => b - a)),
      months: Object.fromEntries([...this.#months].sort(([a], [b]) => (a < b ? -1 : 1))),
      variants: variantsOf(values, mark),
    }
  }
}

function increase<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

/** Removes differences that people do not mean: those of case, spaces and Unicode composition. */
const plainOf = (text: string): string => text.normalize('NFC').trim().replaceAll(/\s+/gu, ' ').toLowerCase()

function variantsOf(values: FrequentValues, mark: string): { values: ValueCount[] }[] {
  const groups = new Map<string, { value: string; count: number }[]>()
  for (const [key, count] of values.entries) {
    if (!key.startsWith(mark)) continue
    const value = key.slice(mark.length)
    const group = groups.get(plainOf(value))
    if (group) group.push({ value, count })
    else groups.set(plainOf(value), [{ value, count }])
  }
  const sum = ({ values }: { values: { count: number }[] }) =>
    values.reduce((all, { count }) => all + count, 0)
  return [...groups.values()]
    .filter(group => group.length > 1)
    .map(group => ({ values: group.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)) }))
    .sort((a, b) => sum(b) - sum(a))
    .slice(0, MOST_GROUPS)
    .map(({ values }) => ({ values: values.slice(0, MOST_VARIANTS) }))
}

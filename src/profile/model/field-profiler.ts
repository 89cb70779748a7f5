import { DistinctCount } from '../../counting/distinct-count.ts'
import { FrequentValues } from '../../counting/frequent-values.ts'
import { NumberProfiler } from './number-profiler.ts'
import type { FieldProfile, ValueCount } from './profile.ts'
import { TextProfiler } from './text-profiler.ts'

/** A value that is neither an object nor a list. */
export type Scalar = string | number | boolean | null

/** Maximum number of values counted per field: fewer in data with more fields than people would create by hand. */
const KEPT_VALUES = 2_000
const KEPT_OF_MANY = 200
const MANY_FIELDS = 50
/** Longer texts are not reported. */
const LONGEST_TOLD = 128
const TOP = 20

/** Marks the type of a value in a key. */
const TEXT = 's'

export const valueKey = (value: string | number | boolean): string =>
  typeof value === 'string' ? TEXT + value : `${typeof value === 'number' ? 'n' : 'b'}${value}`

const scalarOf = (key: string): ValueCount['value'] => {
  const text = key.slice(1)
  return key.startsWith(TEXT) ? text : key.startsWith('n') ? Number(text) : text === 'true'
}

/** Profiles the values of one field. */
export class FieldProfiler {
  readonly #field: string
  #present = 0
  #lists = 0
  readonly #types = { text: 0, number: 0, boolean: 0, null: 0, vector: 0 }
  readonly #distinct = new DistinctCount()
  readonly #frequent: FrequentValues
  readonly #numbers = new NumberProfiler()
  readonly #texts = new TextProfiler()

  /** @param before number of fields known before this one */
  constructor(field: string, before: number) {
    this.#field = field
    this.#frequent = new FrequentValues(before < MANY_FIELDS ? KEPT_VALUES : KEPT_OF_MANY)
  }

  /** Takes the values of one document. */
  add(values: readonly Scalar[], isInList: boolean, id: string): void {
    if (isInList) this.#lists++
    let isPresent = false
    const keys = new Set<string>()
    for (const value of values) {
      if (value === null) {
        this.#types.null++
        continue
      }
      isPresent = true
      if (typeof value === 'string') {
        this.#types.text++
        this.#texts.add(value)
      } else if (typeof value === 'number') {
        this.#types.number++
        this.#numbers.add(value, id)
      } else this.#types.boolean++
      keys.add(valueKey(value))
    }
    if (isPresent) this.#present++
    for (const key of keys) {
      this.#distinct.add(key)
      if (key.length <= LONGEST_TOLD + 1) this.#frequent.add(key)
    }
  }

  /** Takes the vector of one document. */
  addVector(): void {
    this.#lists++
    this.#present++
    this.#types.vector++
  }

  /** Never more than there are values, as an estimate may be. */
  #differing(): { count: number; exact: boolean } {
    const { text, number, boolean } = this.#types
    const { count, exact } = this.#distinct.result
    return { count: Math.min(count, text + number + boolean), exact }
  }

  /** @param documents total number of documents */
  resultOf(documents: number): FieldProfile {
    const numbers = this.#numbers.result
    const texts = this.#texts.resultWith(this.#frequent, TEXT)
    const types = Object.entries(this.#types).filter(([, count]) => count > 0)
    return {
      field: this.#field,
      present: this.#present,
      missing: documents - this.#present,
      lists: this.#lists,
      types: Object.fromEntries(types),
      distinct: this.#differing(),
      top: {
        values: this.#frequent.top(TOP).map(({ value, count }) => ({ value: scalarOf(value), count })),
        exact: this.#frequent.isExact,
      },
      ...(numbers && { numbers }),
      ...(texts && { texts }),
    }
  }
}

import { type Column, NumberColumn, TextColumn } from './column.ts'
import type { Kind } from './kinds.ts'

/** A value of a document: dates are milliseconds since 1970. */
export type SimpleValue = string | number | boolean

/** Number of paths whose numbers are kept. */
const KEPT = 32

/** Numbers are kept for up to four times as many values as the documents have, plus this many. */
const SPARE = 4096

/** Approximate size of a value in a map and a list, without its text. */
const ENTRY_BYTES = 64

/** Number of values between two looks at the clock. */
const AT_ONCE = 1024

/** All documents of an index: its segments, and how many documents each has. Documents of a segment never come back. */
export type WholeState = readonly { readonly segment: object; readonly size: number }[]

/** The different values of all segments at a path, numbered in order of arrival. */
export class ValueNumbers {
  readonly #values: SimpleValue[] = []
  readonly #numbers = new Map<SimpleValue, number>()
  readonly #byColumn = new WeakMap<Column, Uint32Array>()
  /** For columns whose values are not all numbered yet. */
  readonly #begun = new WeakMap<Column, { readonly numbers: Uint32Array; done: number }>()
  #bytes = 0
  #whole: { readonly state: WholeState; readonly counts: Uint32Array } | undefined

  /** Approximate memory of what was built. */
  get bytes(): number {
    return this.#bytes + (this.#whole?.counts.byteLength ?? 0)
  }

  /** By number: how many documents of this state have the value; undefined if that is not known. */
  countsOf(state: WholeState): Uint32Array | undefined {
    const known = this.#whole?.state
    const isSame =
      known?.length === state.length &&
      known.every(({ segment, size }, i) => segment === state[i]!.segment && size === state[i]!.size)
    return isSame ? this.#whole!.counts : undefined
  }

  keepCounts(state: WholeState, counts: Uint32Array): void {
    this.#whole = { state, counts }
  }

  get count(): number {
    return this.#values.length
  }

  value(number: number): SimpleValue {
    return this.#values[number]!
  }

  /** Numbers the values of a column until the time is up, but at least some. Returns whether all are numbered. */
  give(column: Column, kind: Kind, until: number): boolean {
    if (this.#byColumn.has(column)) return true
    const begun = this.#begun.get(column) ?? { numbers: new Uint32Array(column.distinct), done: 0 }
    const { numbers } = begun
    do {
      const end = Math.min(begun.done + AT_ONCE, numbers.length)
      for (let ordinal = begun.done; ordinal < end; ordinal++)
        numbers[ordinal] = this.of(valueAt(column, kind, ordinal))
      begun.done = end
    } while (begun.done < numbers.length && performance.now() < until)
    if (begun.done < numbers.length) {
      this.#begun.set(column, begun)
      return false
    }
    this.#begun.delete(column)
    this.#byColumn.set(column, numbers)
    this.#bytes += numbers.byteLength
    return true
  }

  /** By ordinal of a numbered column: the number of the value. */
  in(column: Column): Uint32Array {
    return this.#byColumn.get(column)!
  }

  of(value: SimpleValue): number {
    let number = this.#numbers.get(value)
    if (number === undefined) {
      number = this.#values.push(value) - 1
      this.#numbers.set(value, number)
      this.#bytes += ENTRY_BYTES + (typeof value === 'string' ? 2 * value.length : 0)
    }
    return number
  }
}

function valueAt(column: Column, kind: Kind, ordinal: number): SimpleValue {
  if (column instanceof TextColumn) return column.texts.text(ordinal)
  if (!(column instanceof NumberColumn)) throw new Error(`values of the kind ${kind} have no numbers`)
  const value = column.numbers.values[ordinal]!
  return kind === 'boolean' ? value === 1 : value
}

/** The value numbers of the paths used last. */
export class NumberedPaths {
  readonly #paths = new Map<string, ValueNumbers>()

  get bytes(): number {
    let bytes = 0
    for (const numbers of this.#paths.values()) bytes += numbers.bytes
    return bytes
  }

  /** @param values how many values the documents have, in all */
  at(path: string, values: number): ValueNumbers {
    let numbers = this.#paths.get(path)
    if (!numbers || numbers.count > 4 * values + SPARE) numbers = new ValueNumbers()
    this.#paths.delete(path)
    this.#paths.set(path, numbers)
    if (this.#paths.size > KEPT) this.#paths.delete(this.#paths.keys().next().value!)
    return numbers
  }
}

import { type Column, NumberColumn, TextColumn } from './column.ts'
import type { Kind } from './kinds.ts'

/** A value of a document: dates are milliseconds since 1970. */
export type SimpleValue = string | number | boolean

/** Paths of which the numbers are kept. */
const KEPT = 32

/** Numbers of values that no document has any more are kept up to as many as there are documents, and so many more. */
const SPARE = 4096

/** What a value takes in a map and a list, about, besides its text. */
const ENTRY_BYTES = 64

/** The different values that all segments have at a path, numbered in the order in which they were met. */
export class ValueNumbers {
  readonly #values: SimpleValue[] = []
  readonly #numbers = new Map<SimpleValue, number>()
  readonly #byColumn = new WeakMap<Column, Uint32Array>()
  #bytes = 0

  /** Memory of what was made, about. */
  get bytes(): number {
    return this.#bytes
  }

  get count(): number {
    return this.#values.length
  }

  value(number: number): SimpleValue {
    return this.#values[number]!
  }

  /** Whether the values of a column have their numbers. */
  knows(column: Column): boolean {
    return this.#byColumn.has(column)
  }

  /** By ordinal of the column: the number of the value. */
  in(column: Column, kind: Kind): Uint32Array {
    let numbers = this.#byColumn.get(column)
    if (!numbers) {
      numbers = new Uint32Array(column.distinct)
      for (let ordinal = 0; ordinal < numbers.length; ordinal++)
        numbers[ordinal] = this.of(valueAt(column, kind, ordinal))
      this.#byColumn.set(column, numbers)
      this.#bytes += numbers.byteLength
    }
    return numbers
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

/** Those of the paths that were asked for last. */
export class NumberedPaths {
  readonly #paths = new Map<string, ValueNumbers>()

  get bytes(): number {
    let bytes = 0
    for (const numbers of this.#paths.values()) bytes += numbers.bytes
    return bytes
  }

  /** @param documents how many there are */
  at(path: string, documents: number): ValueNumbers {
    let numbers = this.#paths.get(path)
    if (!numbers || numbers.count > 4 * documents + SPARE) numbers = new ValueNumbers()
    this.#paths.delete(path)
    this.#paths.set(path, numbers)
    if (this.#paths.size > KEPT) this.#paths.delete(this.#paths.keys().next().value!)
    return numbers
  }
}

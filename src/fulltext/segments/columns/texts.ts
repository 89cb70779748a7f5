import { grown } from '../../../arrays/grow.ts'
import type { ColumnArray, GrowingValues, KeptValues } from './values.ts'

/** The arrays of a text column: an ordinal by value, and the distinct texts, sorted by UTF-16 units. */
export const textArrays = [Uint32Array, Uint32Array, Uint8Array, Uint16Array] as const

/** The distinct texts of a column, by ordinal, in the order of their UTF-16 units. */
export class SortedTexts {
  readonly #starts: Uint32Array
  /** One byte each if no unit needs two. */
  readonly #units: Uint8Array | Uint16Array

  constructor(starts: Uint32Array, narrow: Uint8Array, wide: Uint16Array) {
    this.#starts = starts
    this.#units = wide.length > 0 ? wide : narrow
  }

  get count(): number {
    return this.#starts.length - 1
  }

  text(ordinal: number): string {
    const units = this.#units.subarray(this.#starts[ordinal], this.#starts[ordinal + 1])
    // Short texts, and tags of up to a thousand units, are few enough arguments. `apply` accepts any array-like object,
    // contrary to its type.
    return String.fromCharCode.apply(null, units as unknown as number[])
  }

  /** The ordinal of the text, or -1. */
  find(text: string): number {
    const place = this.lowerBound(text)
    return place < this.count && this.#compareTo(place, text) === 0 ? place : -1
  }

  /** The first ordinal whose text is not less than this one; `count` if all are less. */
  lowerBound(text: string): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compareTo(middle, text) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  compare(ordinal: number, other: SortedTexts, otherOrdinal: number): number {
    let i = this.#starts[ordinal]!
    let j = other.#starts[otherOrdinal]!
    const endI = this.#starts[ordinal + 1]!
    const endJ = other.#starts[otherOrdinal + 1]!
    while (i < endI && j < endJ) {
      const difference = this.#units[i++]! - other.#units[j++]!
      if (difference !== 0) return difference
    }
    return endI - i - (endJ - j)
  }

  length(ordinal: number): number {
    return this.#starts[ordinal + 1]! - this.#starts[ordinal]!
  }

  copy(ordinal: number, to: Uint16Array, at: number): void {
    const end = this.#starts[ordinal + 1]!
    for (let i = this.#starts[ordinal]!; i < end; i++) to[at++] = this.#units[i]!
  }

  #compareTo(ordinal: number, text: string): number {
    const start = this.#starts[ordinal]!
    const length = this.length(ordinal)
    const shared = Math.min(length, text.length)
    for (let i = 0; i < shared; i++) {
      const difference = this.#units[start + i]! - text.charCodeAt(i)
      if (difference !== 0) return difference
    }
    return length - text.length
  }
}

export class GrowingTexts implements GrowingValues {
  readonly #longest: number
  /** By text, in order of arrival. */
  readonly #numbers = new Map<string, number>()
  #units = 0
  #values = new Uint32Array(16)
  #size = 0

  /** @param longest maximum length of a text in UTF-16 units */
  constructor(longest: number) {
    this.#longest = longest
  }

  get bytes(): number {
    // The overhead of a map entry and a string.
    return this.#values.byteLength + 2 * this.#units + 64 * this.#numbers.size
  }

  get valueBytes(): number {
    // An ordinal for each value, a start for each text, and most units in one byte.
    return 4 * (this.#size + this.#numbers.size) + this.#units
  }

  push(value: number | string): boolean {
    const text = String(value)
    if (text.length > this.#longest) return false
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(text, number)
      this.#units += text.length
    }
    this.#values = grown(this.#values, this.#size + 1)
    this.#values[this.#size++] = number
    return true
  }

  arrays(): ColumnArray[] {
    // In the order of UTF-16 units, as strings compare.
    const sorted = [...this.#numbers.keys()].sort()
    const ordinals = new Uint32Array(sorted.length)
    const starts = new Uint32Array(sorted.length + 1)
    const units = new Uint16Array(this.#units)
    let at = 0
    for (const [ordinal, text] of sorted.entries()) {
      ordinals[this.#numbers.get(text)!] = ordinal
      for (let i = 0; i < text.length; i++) units[at++] = text.charCodeAt(i)
      starts[ordinal + 1] = at
    }
    const values = this.#values.slice(0, this.#size)
    for (let i = 0; i < values.length; i++) values[i] = ordinals[values[i]!]!
    return [values, starts, ...packed(units)]
  }
}

/** The kept values with the texts that they need, each once: the sorted lists are merged in one pass. */
export function mergeTexts(sources: readonly KeptValues[]): ColumnArray[] {
  const merging = sources.map(({ arrays: [ordinals, starts, narrow, wide], kept }) => {
    const texts = new SortedTexts(starts as Uint32Array, narrow as Uint8Array, wide as Uint16Array)
    const values = ordinals as Uint32Array
    return { texts, values, kept, used: usedOf(values, kept, texts.count), next: 0 }
  })
  const heads = merging.filter(({ used }) => used.length > 0)
  const starts: number[] = [0]
  const most = merging.reduce(
    (sum, { used, texts }) => used.reduce((all, ordinal) => all + texts.length(ordinal), sum),
    0,
  )
  const units = new Uint16Array(most)
  // By source and ordinal: the ordinal in the result.
  const becomes = new Map(merging.map(source => [source, new Uint32Array(source.texts.count)]))
  let end = 0
  for (;;) {
    let least: (typeof merging)[number] | undefined
    for (const source of heads) {
      if (source.next === source.used.length) continue
      if (!least || compareHeads(source, least) < 0) least = source
    }
    if (!least) break
    const ordinal = least.used[least.next]!
    const { texts } = least
    for (const source of heads) {
      if (source.next === source.used.length) continue
      const own = source.used[source.next]!
      if (source !== least && source.texts.compare(own, texts, ordinal) !== 0) continue
      becomes.get(source)![own] = starts.length - 1
      source.next++
    }
    texts.copy(ordinal, units, end)
    end += texts.length(ordinal)
    starts.push(end)
  }
  const values = new Uint32Array(merging.reduce((sum, { kept }) => sum + kept.length, 0))
  let at = 0
  for (const source of merging) {
    const ordinals = becomes.get(source)!
    for (let i = 0; i < source.kept.length; i++) values[at++] = ordinals[source.values[source.kept[i]!]!]!
  }
  return [values, new Uint32Array(starts), ...packed(units.subarray(0, end))]
}

interface Head {
  readonly texts: SortedTexts
  readonly used: Uint32Array
  next: number
}

function compareHeads(a: Head, b: Head): number {
  return a.texts.compare(a.used[a.next]!, b.texts, b.used[b.next]!)
}

/** The ordinals of kept values, in ascending order. */
function usedOf(values: Uint32Array, kept: Uint32Array, count: number): Uint32Array {
  const isUsed = new Uint8Array(count)
  for (let i = 0; i < kept.length; i++) isUsed[values[kept[i]!]!] = 1
  const used = new Uint32Array(isUsed.reduce((sum, one) => sum + one, 0))
  let at = 0
  for (let ordinal = 0; ordinal < count; ordinal++) if (isUsed[ordinal] === 1) used[at++] = ordinal
  return used
}

/** The units in one byte each if all fit, otherwise in two. */
function packed(units: Uint16Array): [narrow: Uint8Array, wide: Uint16Array] {
  let all = 0
  for (let i = 0; i < units.length; i++) all |= units[i]!
  return all < 256 ? [new Uint8Array(units), new Uint16Array()] : [new Uint8Array(), units]
}

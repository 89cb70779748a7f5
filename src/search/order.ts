import { columnsAt } from '../filters/field-columns.ts'
import type { IndexState } from '../filters/filter.ts'
import type { TextColumn } from '../fulltext/segments/columns/column.ts'
import { MISSING } from '../fulltext/segments/columns/column.ts'
import { isSet } from '../fulltext/set-bits.ts'

/** A field to order by. */
export interface OrderKey {
  readonly field: string
  readonly descending: boolean
}

/** What one segment has to order by: numbers, or places of texts. */
interface SegmentKey {
  /** By document; NaN where it has none. */
  readonly numbers: Float64Array | undefined
  readonly texts: TextColumn | undefined
}

const numberKinds = ['number', 'date', 'boolean'] as const

/**
 * Documents in the order of the first values of some fields: numbers, dates, false and true before texts, and documents
 * without a value last, whatever the direction.
 */
export class Order {
  readonly #keys: readonly OrderKey[]
  /** By key and place of the segment. */
  readonly #known: SegmentKey[][]
  /** By key and document: texts that are too long for a column. */
  readonly #long: ReadonlyMap<number, string>[]

  /** @param long by key and document: texts that columns do not have */
  constructor(
    keys: readonly OrderKey[],
    segments: IndexState['segments'],
    long: readonly ReadonlyMap<number, string>[],
  ) {
    this.#keys = keys
    this.#long = [...long]
    this.#known = keys.map(({ field }) => segments.map(({ segment }) => keyOf(segment.columns, field)))
  }

  /** Below 0 where the first document comes first. Equal ones keep the order of the index. */
  readonly compare = (one: number, other: number): number => {
    for (let key = 0; key < this.#keys.length; key++) {
      const difference = this.#compareBy(key, one, other)
      if (difference !== 0) return difference
    }
    return one - other
  }

  #compareBy(key: number, one: number, other: number): number {
    const known = this.#known[key]!
    const sign = this.#keys[key]!.descending ? -1 : 1
    const a = known[one >>> 16]!
    const b = known[other >>> 16]!
    const numberA = a.numbers ? a.numbers[one & 0xffff]! : Number.NaN
    const numberB = b.numbers ? b.numbers[other & 0xffff]! : Number.NaN
    const hasA = !Number.isNaN(numberA)
    const hasB = !Number.isNaN(numberB)
    if (hasA && hasB) return numberA === numberB ? 0 : numberA < numberB ? -sign : sign
    const textA = hasA ? undefined : this.#textAt(key, one, a)
    const textB = hasB ? undefined : this.#textAt(key, other, b)
    const rankA = hasA ? 0 : textA === undefined ? 2 : 1
    const rankB = hasB ? 0 : textB === undefined ? 2 : 1
    if (rankA !== rankB) return rankA === 2 || rankB === 2 ? rankA - rankB : sign * (rankA - rankB)
    if (rankA === 2) return 0
    return sign * compareTexts(textA!, textB!)
  }

  #textAt(key: number, document: number, { texts }: SegmentKey): PlacedText | string | undefined {
    const long = this.#long[key]?.get(document)
    if (long !== undefined) return long
    const ordinal = texts?.first[document & 0xffff] ?? MISSING
    return ordinal === MISSING ? undefined : { column: texts!, ordinal }
  }
}

interface PlacedText {
  readonly column: TextColumn
  readonly ordinal: number
}

function compareTexts(one: PlacedText | string, other: PlacedText | string): number {
  if (typeof one !== 'string' && typeof other !== 'string') {
    if (one.column === other.column) return one.ordinal - other.ordinal
    return one.column.texts.compare(one.ordinal, other.column.texts, other.ordinal)
  }
  const [a, b] = [textOf(one), textOf(other)]
  return a < b ? -1 : a > b ? 1 : 0
}

const textOf = (placed: PlacedText | string): string =>
  typeof placed === 'string' ? placed : placed.column.texts.text(placed.ordinal)

function keyOf(columns: IndexState['segments'][number]['segment']['columns'], field: string): SegmentKey {
  const numbers = numberKinds.flatMap(kind => columnsAt(columns, field, kind))
  const texts = [...columnsAt(columns, field, 'text'), ...columnsAt(columns, field, 'tags')]
  return { numbers: numbers[0]?.first, texts: texts[0] }
}

/** Documents whose texts at a path are too long for the column, among all documents. */
export function longTexts({ segments }: Pick<IndexState, 'segments'>, field: string): number[] {
  return segments.flatMap(({ segment, dead }, place) =>
    columnsAt(segment.columns, field, 'text').flatMap(({ cut }) =>
      [...cut].flatMap(document => (isSet(dead, document) ? [] : place * 65_536 + document)),
    ),
  )
}

/** The first `count` of some documents in an order, those up to and with `after` left out. */
export function firstOf(
  documents: ArrayLike<number>,
  size: number,
  count: number,
  compare: (one: number, other: number) => number,
  after?: number,
): number[] {
  if (count === 0) return []
  // A binary heap with the last at its root.
  const heap: number[] = []
  for (let i = 0; i < size; i++) {
    const document = documents[i]!
    if (heap.length === count && compare(document, heap[0]!) >= 0) continue
    if (after !== undefined && compare(document, after) <= 0) continue
    if (heap.length < count) rise(heap, document, compare)
    else sink(heap, document, compare)
  }
  return heap.sort(compare)
}

function rise(heap: number[], document: number, compare: (one: number, other: number) => number): void {
  let place = heap.length
  heap.push(document)
  while (place > 0) {
    const parent = (place - 1) >> 1
    if (compare(heap[parent]!, document) >= 0) break
    heap[place] = heap[parent]!
    place = parent
  }
  heap[place] = document
}

function sink(heap: number[], document: number, compare: (one: number, other: number) => number): void {
  let place = 0
  for (let child = 1; child < heap.length; child = 2 * place + 1) {
    if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) > 0) child++
    if (compare(heap[child]!, document) <= 0) break
    heap[place] = heap[child]!
    place = child
  }
  heap[place] = document
}

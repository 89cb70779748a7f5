import { First } from '../arrays/first.ts'
import { countOf, isSet } from '../arrays/set-bits.ts'
import { anyColumnsAt, columnsAt, havingValues, pathOf } from '../filters/field-columns.ts'
import type { IndexState } from '../filters/filter.ts'
import { without } from '../filters/mask.ts'
import { type Column, NumberColumn, type TextColumn } from '../fulltext/segments/columns/column.ts'
import type { Columns } from '../fulltext/segments/columns/columns.ts'
import type { Kind } from '../fulltext/segments/columns/kinds.ts'
import type { SimpleValue } from '../fulltext/segments/columns/value-numbers.ts'

/** A segment as it was at one moment: its contents stay, and later deletions are not seen here. */
export interface SegmentThen {
  readonly columns: Columns
  readonly dead: Uint32Array | undefined
  /** Number of living documents. */
  readonly living: number
  /** Number of all documents. */
  readonly documents: number
}

export const segmentsThen = ({ segments }: Pick<IndexState, 'segments'>): SegmentThen[] =>
  segments.map(({ segment, dead, size }) => ({
    columns: segment.columns,
    dead: dead?.slice(),
    living: size,
    documents: segment.shape.documents,
  }))

/** A path, and the kinds of values that are counted for it. */
export interface CountedPath {
  readonly path: string
  readonly kinds: readonly Kind[]
}

/** A value, and how many documents have it. */
interface CountedValue {
  readonly value: SimpleValue
  readonly count: number
}

/** The values of all documents at one path. */
export interface WholeCounts {
  /** Number of documents with a value. */
  readonly present: number
  /** Number of different values; undefined where some are too long to be told apart. */
  readonly distinct: number | undefined
  /** The most frequent values. */
  readonly top: readonly CountedValue[]
}

/** Number of values after which other tasks may run. */
const AT_ONCE = 1024

/** The paths that have columns, those of older segments first, up to a maximum number. */
export function* pathsIn(segments: readonly SegmentThen[], most: number): Generator<void, string[]> {
  const paths = new Set<string>()
  for (const { columns } of segments) {
    for (const { name } of columns.names) {
      if (paths.size === most) return [...paths]
      paths.add(pathOf(name))
    }
    yield
  }
  return [...paths]
}

/**
 * Counts all living documents, each once for each of its values. Besides the columns this takes at most a few bytes for each
 * value of one path, and keeps nothing.
 * @param most maximum number of values returned
 */
export function* countWhole(
  segments: readonly SegmentThen[],
  { path, kinds }: CountedPath,
  most: number,
): Generator<void, WholeCounts> {
  let present = 0
  let areAllKnown = true
  const sources = new Map<Kind, CountedValues[]>()
  for (const segment of segments) {
    const columns = anyColumnsAt(segment.columns, path, kinds)
    if (columns.length === 0) continue
    present += presentIn(segment, columns)
    if (columns.some(({ cut }) => cut.some(document => !isSet(segment.dead, document)))) areAllKnown = false
    for (const kind of kinds) {
      const having: readonly Column[] = columnsAt(segment.columns, path, kind)
      if (having.length === 0) continue
      const counted = yield* countedIn(having, segment)
      sources.set(kind, [...(sources.get(kind) ?? []), counted])
      yield
    }
  }
  const first = new First<CountedValue>(most, compareCounts)
  let distinct = 0
  for (const [kind, some] of sources)
    for (const [value, count] of merged(some)) {
      if (++distinct % AT_ONCE === 0) yield
      const { last } = first
      if (!last || count >= last.count) first.offer({ value: shownOf(value, kind), count })
    }
  return { present, distinct: areAllKnown ? distinct : undefined, top: first.sorted() }
}

function presentIn({ dead, documents, living }: SegmentThen, columns: readonly Column[]): number {
  const having = havingValues(columns, documents)
  if (typeof having === 'string') return having === 'all' ? living : 0
  return countOf(dead ? without(having, dead) : having)
}

/** Values of one segment, ascending, and how many documents have each. */
interface CountedValues {
  readonly counts: ArrayLike<number>
  valueAt(place: number): number | string
}

function* countedIn(columns: readonly Column[], { dead }: SegmentThen): Generator<void, CountedValues> {
  const [column] = columns
  if (columns.length > 1) return yield* countedTogether(columns, dead)
  if (column instanceof NumberColumn && column.isSingle) return countedNumbers(column, dead)
  return countedOrdinals(column as NumberColumn | TextColumn, dead) // there are no others
}

/** Documents are ascending by place, so a value that a document has twice is met again before the next document comes. */
function countedOrdinals(column: NumberColumn | TextColumn, dead: Uint32Array | undefined): CountedValues {
  const { ordinals, distinct } = column
  const documents = column.isEven ? undefined : column.documents
  const counts = new Uint32Array(distinct)
  const lastOf = column.isSingle ? undefined : new Int32Array(distinct).fill(-1)
  for (let place = 0; place < ordinals.length; place++) {
    const document = documents ? documents[place]! : place
    if (isSet(dead, document)) continue
    const ordinal = ordinals[place]!
    if (lastOf) {
      if (lastOf[ordinal] === document) continue
      lastOf[ordinal] = document
    }
    counts[ordinal]!++
  }
  const { values } = column instanceof NumberColumn ? column.numbers : { values: undefined }
  const texts = column instanceof NumberColumn ? undefined : column.texts
  return { counts, valueAt: ordinal => texts?.text(ordinal) ?? values![ordinal]! }
}

/** Sorted here, since the sorted order that filters build would stay in memory. */
function countedNumbers(column: NumberColumn, dead: Uint32Array | undefined): CountedValues {
  const { values } = column
  const documents = column.isEven ? undefined : column.documents
  const sorted = new Float64Array(values.length)
  let size = 0
  for (let place = 0; place < values.length; place++)
    if (!isSet(dead, documents ? documents[place]! : place)) sorted[size++] = values[place]!
  sorted.subarray(0, size).sort()
  const counts = new Uint32Array(size)
  let distinct = 0
  for (let place = 0; place < size; place++) {
    if (place === 0 || sorted[place] !== sorted[distinct - 1]) sorted[distinct++] = sorted[place]!
    counts[distinct - 1]!++
  }
  return { counts: counts.subarray(0, distinct), valueAt: place => sorted[place]! }
}

/** A document may have the same value in several columns, as where some members of a list are lists themselves. */
function* countedTogether(
  columns: readonly Column[],
  dead: Uint32Array | undefined,
): Generator<void, CountedValues> {
  const counts = new Map<number | string, number>()
  const documents = columns[0]!.size
  for (let document = 0; document < documents; document++) {
    if (document % AT_ONCE === 0) yield
    if (isSet(dead, document)) continue
    const own = new Set<number | string>()
    for (const column of columns) {
      const end = column.starts[document + 1]!
      for (let place = column.starts[document]!; place < end; place++) own.add(column.valueAt(place))
    }
    for (const value of own) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return { counts: sorted.map(([, count]) => count), valueAt: place => sorted[place]![0] }
}

/** A read position in one of several sorted lists of values. */
interface ReadFrom {
  readonly values: CountedValues
  place: number
  value: number | string
}

/** Merges the different values of all lists, ascending, with the sums of their counts; a binary heap yields the next list. */
function* merged(all: readonly CountedValues[]): Generator<readonly [value: number | string, count: number]> {
  const heap: ReadFrom[] = []
  const sink = (from: number) => {
    const moved = heap[from]!
    let place = from
    for (let child = 2 * place + 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && heap[child + 1]!.value < heap[child]!.value) child++
      if (moved.value <= heap[child]!.value) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = moved
  }
  for (const values of all) {
    const list: ReadFrom = { values, place: -1, value: 0 }
    if (advance(list)) heap.push(list)
  }
  for (let place = (heap.length >> 1) - 1; place >= 0; place--) sink(place)
  while (heap.length > 0) {
    const { value } = heap[0]!
    let count = 0
    while (heap.length > 0 && heap[0]!.value === value) {
      const list = heap[0]!
      count += list.values.counts[list.place]!
      if (!advance(list)) {
        const last = heap.pop()!
        if (heap.length === 0) break
        heap[0] = last
      }
      sink(0)
    }
    yield [value, count]
  }
}

/** Moves to the next value that a living document has. @returns false where there is none */
function advance(list: ReadFrom): boolean {
  const { counts } = list.values
  do list.place++
  while (list.place < counts.length && counts[list.place] === 0)
  if (list.place >= counts.length) return false
  list.value = list.values.valueAt(list.place)
  return true
}

function shownOf(value: number | string, kind: Kind): SimpleValue {
  if (kind === 'boolean') return value === 1
  return kind === 'date' ? new Date(value).toISOString() : value
}

const rankOf = (value: SimpleValue): number =>
  typeof value === 'boolean' ? 0 : typeof value === 'number' ? 1 : 2

const compareCounts = (one: CountedValue, other: CountedValue): number =>
  other.count - one.count ||
  rankOf(one.value) - rankOf(other.value) ||
  (one.value < other.value ? -1 : one.value > other.value ? 1 : 0)

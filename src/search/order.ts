import { First } from '../arrays/first.ts'
import { countOf, isSet } from '../arrays/set-bits.ts'
import { type DatasetSchema, fieldAt, isNumberType } from '../datasets/schema/schema.ts'
import { anyColumnsAt, columnsAt, pathOf } from '../filters/field-columns.ts'
import type { IndexState, Missing } from '../filters/filter.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import { pointColumnsAt } from '../filters/point-columns.ts'
import type { MatchSet } from '../fulltext/matching/match-set.ts'
import { documentPrecedes } from '../fulltext/ranking/top-k.ts'
import type { MatchOrder } from '../fulltext/reordering/match-order.ts'
import type { Column, NumberColumn, TextColumn } from '../fulltext/segments/columns/column.ts'
import { MISSING } from '../fulltext/segments/columns/column.ts'
import { type GeoPoint, pointNames } from '../geo/point.ts'
import { invalid, problem } from '../input.ts'
import { type JsonObject, valuesIn } from '../json.ts'
import { nearestName } from '../nearest-name.ts'
import { isOpaque, knownFields, numberIn, type QueryFields } from '../query/fields.ts'
import { mayHoldPoints } from '../query/leaves.ts'
import { stretchEnd } from '../scheduling/stretch.ts'
import { type DistanceOf, Distances, distanceFrom } from './distances.ts'
import { idAt } from './match-list.ts'

/** A field to order by. */
export interface OrderKey {
  readonly field: string
  readonly descending: boolean
  /** By the distance from there, instead of by the value. */
  readonly from?: GeoPoint
  /** Throws where no schema names the field and no document has it. @param names fields that documents have */
  readonly refuse?: (names: readonly string[]) => never
  /** Only for the id, which has no column: whether it is ordered as a number or as text. */
  readonly id?: 'number' | 'text'
}

/** The sort keys of one segment: numbers, or places of texts. */
interface SegmentKey {
  /** By document; NaN where it has none. */
  readonly numbers: Float64Array | undefined
  /** Usually one; several where a path leads into objects of some documents, and into lists of objects of others. */
  readonly texts: readonly TextColumn[]
  /** Whether one column has all values. */
  readonly isTyped: boolean
  /** The first column of numbers or texts. */
  readonly column: Column | undefined
}

/** After all numbers and places. */
const BEYOND = Number.MAX_VALUE

/** The place of documents without a value. */
const BEYOND_ALL = Number.POSITIVE_INFINITY

/** Finding the documents of a value costs as much as examining this many. */
const WALK = 4

/** With more documents than this sharing the first value, selecting the first few by the other keys beats sorting all. */
const MOST_EQUAL = 4_096

const numberKinds = ['number', 'date', 'boolean'] as const

/**
 * Documents in the order of the first values of some fields: numbers, dates, false and true, then texts, and documents without
 * a value last, whatever the direction.
 */
export class Order implements MatchOrder {
  readonly #keys: readonly OrderKey[]
  /** By key, then by place of the segment. */
  readonly #known: SegmentKey[][]
  readonly #segments: IndexState['segments']
  /** By key and document: texts that are too long for a column. */
  readonly #long: ReadonlyMap<number, string>[]

  /**
   * @param long by key and document: texts that are too long for a column
   * @param distances by key, where it orders by distance
   */
  constructor(
    keys: readonly OrderKey[],
    segments: IndexState['segments'],
    long: readonly ReadonlyMap<number, string>[],
    distances: readonly (Distances | undefined)[] = [],
  ) {
    this.#keys = keys
    this.#segments = segments
    this.#long = [...long]
    this.#known = keys.map((key, k) => segments.map(({ segment }) => keyOf(segment, key, distances[k])))
  }

  /** Equal documents keep the order of the index. */
  readonly compare = (one: number, other: number): number => {
    for (let key = 0; key < this.#keys.length; key++) {
      const difference = this.#compareBy(key, one, other)
      if (difference !== 0) return difference
    }
    return one - other
  }

  first(set: MatchSet, count: number, after?: number): number[] {
    const first = new First(Math.min(count, set.size), this.compare)
    for (const place of this.#known[0]!.keys()) {
      const bits = set.in(place)
      if (bits) this.#firstIn(place, bits, first, after)
    }
    return first.sorted()
  }

  /** Compares only documents whose first key is neither after that of the last one selected nor before those left out. */
  #firstIn(place: number, bits: Uint32Array, first: First, after: number | undefined): void {
    const base = place << 16
    const { isTyped, numbers, texts } = this.#known[0]![place]!
    const least = isTyped && after !== undefined ? this.#placeOf(after, place) : Number.NEGATIVE_INFINITY
    let { last } = first
    let most = isTyped && last !== undefined ? this.#placeOf(last, place) : Number.POSITIVE_INFINITY
    const { column } = this.#known[0]![place]!
    const isMissing = isTyped && after === undefined && column && this.#walk(place, column, bits, first)
    if (isMissing && first.last !== undefined) {
      // One without a value may still precede another without one, by the other keys.
      if (this.#keys.length === 1 || this.#placeOf(first.last, place) !== BEYOND_ALL) return
    }
    const sign = this.#keys[0]!.descending ? -1 : 1
    const ordinals = texts[0]?.first
    for (let at = 0; at < bits.length; at++) {
      for (let word = bits[at]!; word !== 0; word &= word - 1) {
        const local = (at << 5) + 31 - Math.clz32(word & -word)
        if (isTyped) {
          let own = BEYOND_ALL
          if (numbers !== undefined) {
            const number = numbers[local]!
            if (!Number.isNaN(number)) own = sign * number
          } else if (ordinals !== undefined) {
            const ordinal = ordinals[local]!
            if (ordinal !== MISSING) own = sign * ordinal
          }
          if (own > most || own < least || (isMissing && own !== BEYOND_ALL)) continue
        }
        const document = base + local
        if (after !== undefined && this.compare(document, after) <= 0) continue
        first.offer(document)
        if (first.last === last) continue
        last = first.last
        if (isTyped && last !== undefined) most = this.#placeOf(last, place)
      }
    }
  }

  /**
   * Walks the values of a segment in order, which is faster than examining its documents if the set contains most of these.
   * False where it does not pay; after true, only documents without a value remain.
   */
  #walk(place: number, column: Column, bits: Uint32Array, first: First): boolean {
    const documents = countOf(bits)
    if (!column.isSingle || documents * documents < WALK * first.count * column.size) return false
    const { starts, documents: listed } = column.lists
    const { descending } = this.#keys[0]!
    const base = place << 16
    let last: number | undefined
    let most = Number.POSITIVE_INFINITY
    for (let step = 0; step < column.distinct; step++) {
      const ordinal = descending ? column.distinct - 1 - step : step
      const from = starts[ordinal]!
      if (first.last !== last) {
        last = first.last
        if (last !== undefined) most = this.#placeOf(last, place)
      }
      if (last !== undefined && this.#placeOf(base + listed[from]!, place) > most) break
      for (let i = from; i < starts[ordinal + 1]!; i++)
        if (isSet(bits, listed[i]!)) first.offer(base + listed[i]!)
    }
    return true
  }

  /**
   * Walks the values of each segment in order and merges the runs, which are nearly sorted already. Undefined where documents
   * have no value or several, or where too many share one: these have to be compared.
   */
  firstOfMany(set: MatchSet, count: number): number[] | undefined {
    let runs: (readonly number[])[] = []
    for (const place of this.#known[0]!.keys()) {
      const bits = set.in(place)
      const run = bits ? this.#run(place, bits, count) : []
      if (!run) return undefined
      runs.push(run)
    }
    while (runs.length > 1) {
      const merged: (readonly number[])[] = []
      for (let at = 0; at < runs.length; at += 2)
        merged.push(mergedFirst(runs[at]!, runs[at + 1] ?? [], count, this.compare))
      runs = merged
    }
    return runs[0]?.slice(0, count)
  }

  /** The first documents of a segment in order, from the lists of its values. */
  #run(place: number, bits: Uint32Array, count: number): number[] | undefined {
    const { column, isTyped } = this.#known[0]![place]!
    if (!isTyped || !column?.isSingle) return undefined
    const { starts, documents: listed } = column.lists
    const { descending } = this.#keys[0]!
    const run: number[] = []
    for (let step = 0; step < column.distinct && run.length < count; step++) {
      const ordinal = descending ? column.distinct - 1 - step : step
      const from = run.length
      for (let i = starts[ordinal]!; i < starts[ordinal + 1]!; i++)
        if (isSet(bits, listed[i]!)) run.push((place << 16) + listed[i]!)
      if (this.#keys.length === 1 || run.length === from + 1) continue
      if (run.length - from > MOST_EQUAL) return undefined
      run.push(...run.splice(from).sort(this.compare))
    }
    return run.length >= Math.min(count, countOf(bits)) ? run : undefined
  }

  /** Where the first key of a document stands among those of a segment that has only numbers or only texts. */
  #placeOf(document: number, place: number): number {
    const own = this.#known[0]![document >>> 16]!
    const [among] = this.#known[0]![place]!.texts
    const sign = this.#keys[0]!.descending ? -1 : 1
    const number = own.numbers ? own.numbers[document & 0xffff]! : Number.NaN
    if (!Number.isNaN(number)) return among ? -BEYOND : sign * number
    const text = this.#textAt(0, document, own)
    if (text === undefined) return BEYOND_ALL
    if (!among) return BEYOND
    if (typeof text !== 'string' && text.column === among) return sign * text.ordinal
    const written = textOf(text)
    const ordinal = among.texts.lowerBound(written)
    return sign * (among.texts.find(written) >= 0 ? ordinal : ordinal - 0.5)
  }

  #compareBy(key: number, one: number, other: number): number {
    const known = this.#known[key]!
    const sign = this.#keys[key]!.descending ? -1 : 1
    if (this.#keys[key]!.id === 'text') {
      if (one === other) return 0
      return documentPrecedes(one, other, this.#segments) ? -sign : sign
    }
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
    if (rankA !== rankB) return rankA - rankB
    if (rankA === 2) return 0
    return sign * compareTexts(textA!, textB!)
  }

  #textAt(key: number, document: number, { texts }: SegmentKey): PlacedText | string | undefined {
    if (this.#keys[key]!.id) return idAt(this.#segments, document)
    const long = this.#long[key]?.get(document)
    if (long !== undefined) return long
    for (const column of texts) {
      const ordinal = column.first[document & 0xffff]!
      if (ordinal !== MISSING) return { column, ordinal }
    }
    return undefined
  }
}

/** The first few of two lists in order. */
function mergedFirst(
  one: readonly number[],
  other: readonly number[],
  count: number,
  compare: (one: number, other: number) => number,
): readonly number[] {
  if (other.length === 0) return one.length > count ? one.slice(0, count) : one
  const length = Math.min(count, one.length + other.length)
  const merged: number[] = []
  let [a, b] = [0, 0]
  while (merged.length < length) {
    const isFirst = b === other.length || (a < one.length && compare(one[a]!, other[b]!) <= 0)
    merged.push(isFirst ? one[a++]! : other[b++]!)
  }
  return merged
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

function keyOf(
  segment: IndexState['segments'][number]['segment'],
  { field, id }: OrderKey,
  distances?: Distances,
): SegmentKey {
  if (distances) return { numbers: distances.of(segment), texts: [], isTyped: true, column: undefined }
  const { columns, shape } = segment
  if (id === 'text') return { numbers: undefined, texts: [], isTyped: false, column: undefined }
  if (id === 'number') {
    const numbers = Array.from({ length: shape.documents }, (_, document) => Number(segment.id(document)))
    return { numbers: Float64Array.from(numbers), texts: [], isTyped: false, column: undefined }
  }
  const numbers = numberKinds.flatMap(kind => columnsAt(columns, field, kind))
  const texts = [...columnsAt(columns, field, 'text'), ...columnsAt(columns, field, 'tags')]
  const { values, isOne } = firstNumbers(numbers)
  const isTyped =
    isOne &&
    (numbers.length === 0 ? texts.length <= 1 : texts.length === 0) &&
    texts.every(({ cut }) => cut.length === 0)
  return { numbers: values, texts, isTyped, column: numbers[0] ?? texts[0] }
}

/** By document, its first number, and whether the first column has all of them. */
interface FirstNumbers {
  readonly values: Float64Array | undefined
  readonly isOne: boolean
}

function firstNumbers([column, ...others]: readonly NumberColumn[]): FirstNumbers {
  if (!column || others.length === 0) return { values: column?.first, isOne: true }
  const { first } = column
  const values = first.slice()
  let isOne = true
  for (const other of others)
    for (const [document, number] of other.first.entries()) {
      if (Number.isNaN(number) || !Number.isNaN(values[document]!)) continue
      values[document] = number
      isOne = false
    }
  return { values: isOne ? first : values, isOne }
}

/** Numbers of the documents, across all segments, whose texts at a path are too long for the column. */
function longTexts({ segments }: Pick<IndexState, 'segments'>, field: string): number[] {
  return segments.flatMap(({ segment, dead }, place) =>
    columnsAt(segment.columns, field, 'text').flatMap(({ cut }) =>
      [...cut].flatMap(document => (isSet(dead, document) ? [] : place * 65_536 + document)),
    ),
  )
}

/** An order that columns alone do not give: texts that are too long for them are read from the documents, and kept meanwhile. */
export class Ordering {
  readonly #keys: readonly OrderKey[]
  /** By key and id. */
  readonly #texts: readonly Map<string, string | undefined>[]
  /** By key. */
  readonly #distances: readonly (Distances | undefined)[]

  constructor(keys: readonly OrderKey[]) {
    this.#keys = keys
    this.#distances = keys.map(({ field, from }) => from && new Distances(field, from))
    this.#texts = keys.map(() => new Map())
  }

  #refuseUnknown(segments: IndexState['segments']): void {
    if (segments.some(({ segment: { columns } }) => columns.isCut)) return
    for (const { field, from, refuse } of this.#keys) {
      const isThere = ({ segment: { columns } }: IndexState['segments'][number]) =>
        (from ? pointColumnsAt(columns, field) : anyColumnsAt(columns, field)).length > 0
      if (!refuse || segments.some(isThere)) continue
      const paths = segments.flatMap(({ segment }) => segment.columns.names.map(({ name }) => pathOf(name)))
      const holders = paths.flatMap(holderOfPoint)
      const [named = ''] = field.split('(', 1)
      if (!from && holders.includes(named.trim())) refuse([`${named.trim()}(latitude, longitude)`])
      const names = from ? holders : paths
      if (nearestName(field, names) !== undefined) refuse([...new Set(names)])
    }
  }

  /** The documents that have to be read; undefined once it is ready. */
  prepare({ state: { segments } }: { readonly state: IndexState }): Missing | undefined {
    const until = stretchEnd()
    this.#refuseUnknown(segments)
    for (const distances of this.#distances)
      for (const { segment } of segments)
        if (distances && !distances.prepare(segment, until)) return { documents: [] }
    for (const { segment } of segments) {
      const [key] = this.#keys
      const column = key && !key.id && !key.from ? keyOf(segment, key).column : undefined
      if (!column || column.hasLists) continue
      void column.lists
      if (performance.now() > until) return { documents: [] }
    }
    const missing = this.#keys.flatMap(({ field, from }, k) =>
      (from ? [] : longTexts({ segments }, field)).flatMap(document => {
        const id = idAt(segments, document)
        return this.#texts[k]!.has(id) ? [] : [id]
      }),
    )
    return missing.length > 0 ? { documents: missing } : undefined
  }

  learn(id: string, document: JsonObject | undefined): undefined {
    for (const [k, { field }] of this.#keys.entries()) this.#texts[k]!.set(id, firstText(document, field))
  }

  /** The order of one state, which has been prepared. */
  of(segments: IndexState['segments']): Order {
    const long = this.#keys.map(({ field, from }, k) => {
      const texts = new Map<number, string>()
      if (from) return texts
      for (const document of longTexts({ segments }, field)) {
        const text = this.#texts[k]!.get(idAt(segments, document))
        if (text !== undefined) texts.set(document, text)
      }
      return texts
    })
    return new Order(this.#keys, segments, long, this.#distances)
  }
}

function firstText(document: JsonObject | undefined, field: string): string | undefined {
  const values = document ? valuesIn(document, field) : []
  return values.find(value => typeof value === 'string')
}

/** @throws FindlingError INVALID_ARGUMENT for an unknown field, or one that cannot be ordered by */
export function orderKeys(
  sort: readonly string[] | undefined,
  { query, idField }: FilterFields,
  { root, source }: DatasetSchema,
  seesAll: boolean,
): OrderKey[] {
  return (sort ?? []).map((text, i) => {
    const [, ordered = '', direction] = /^(.*?)(?::(asc|desc))?$/s.exec(text) ?? []
    const refuse = (expected: string) =>
      invalid('INVALID_ARGUMENT', 'options', [problem(`sort[${i}]`, text, expected)])
    const { field, from } = query.names.includes(ordered) ? { field: ordered } : placed(ordered)
    const known = query.find(field)
    if (!known) throw refuse(`${knownFields(field, query)}, followed by :asc or :desc`)
    if (!direction && field.includes(':') && !fieldAt(root, field))
      throw refuse('a field followed by :asc or :desc')
    if (from && (field === idField || (known.type !== 'any' && !mayHoldPoints(field, query))))
      throw refuse('a field of points, which are objects with the numbers lat and lon')
    if (from && !(Math.abs(from.lat) <= 90)) throw refuse(`${field}(latitude, longitude), in degrees`)
    if (!from && (known.type === 'object' || isOpaque(known.type)))
      throw refuse(
        `a field of numbers, dates, booleans or text${mayHoldPoints(field, query) ? `, or ${field}(latitude, longitude)` : ''}`,
      )
    const descending = direction === 'desc'
    if (field !== idField) {
      const isGuess = seesAll && source === 'none' && !query.names.includes(field)
      const unknown = (names: readonly string[]): never => {
        throw refuse(`a field that some document has: ${knownFields(field, { ...query, names })}`)
      }
      return { field, descending, ...(from && { from }), ...(isGuess && { refuse: unknown }) }
    }
    return { field, descending, id: isNumberType(fieldAt(root, field)?.type ?? 'any') ? 'number' : 'text' }
  })
}

/** The path of the object with a latitude at this path. */
function holderOfPoint(path: string): string[] {
  const dot = path.lastIndexOf('.')
  return dot > 0 && pointNames.some(([lat]) => lat === path.slice(dot + 1)) ? [path.slice(0, dot)] : []
}

/** `location(52.5, 13.4)`: by the distance from there. */
function placed(ordered: string): { field: string; from?: GeoPoint } {
  const [, field = '', written = ''] = /^([^()]+)\(([^()]{3,100})\)$/s.exec(ordered) ?? []
  const numbers = written.split(',').map(one => numberIn(one.trim()))
  const [lat, lon] = numbers
  return numbers.length === 2 && lat !== undefined && lon !== undefined
    ? { field, from: { lat, lon } }
    : { field: ordered }
}

/** How far documents are, where the first key is a distance. */
export function firstDistance([key]: readonly OrderKey[], fields: QueryFields): DistanceOf | undefined {
  return key?.from && distanceFrom(key.field, key.from, fields)
}

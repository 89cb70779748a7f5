import { countOf, isSet, ones } from '../arrays/set-bits.ts'
import { havingNumbers } from '../filters/field-columns.ts'
import type { Mask } from '../filters/mask.ts'
import type { MatchSet } from '../fulltext/matching/match-set.ts'
import type { NumberColumn, NumberStats } from '../fulltext/segments/columns/column.ts'

/** The number columns, by place of the segment. */
export type NumbersByPlace = readonly (readonly NumberColumn[])[]

export interface Bounds {
  readonly from: number | undefined
  readonly to: number | undefined
  /** Whether `to` is included. Default false. */
  readonly isClosed?: boolean
}

/** How many of the documents have a number in a range. Segment by segment. */
export function* countBetween(
  set: MatchSet,
  numbers: NumbersByPlace,
  { from, to, isClosed = false }: Bounds,
): Generator<void, number> {
  const least = from === undefined ? null : { value: from, inclusive: true }
  const most = to === undefined ? null : { value: to, inclusive: isClosed }
  let count = 0
  for (const [place, columns] of numbers.entries()) {
    const bits = set.in(place)
    if (bits) count += common(bits, havingNumbers(columns, least, most))
    yield
  }
  return count
}

function common(bits: Uint32Array, mask: Mask): number {
  if (mask === 'none') return 0
  if (mask === 'all') return countOf(bits)
  let count = 0
  for (let i = 0; i < bits.length; i++) count += ones(bits[i]! & mask[i]!)
  return count
}

/**
 * The bounds of bars of equal width, from the minimum to the maximum.
 * @param isWhole whether bounds are whole numbers, as those of dates are, which are shown in milliseconds
 */
export function barsBetween(min: number, max: number, bars: number, isWhole: boolean): Bounds[] {
  if (min === max) return [{ from: min, to: max, isClosed: true }]
  const edge = (bar: number) => {
    if (bar === bars) return max
    const share = bar / bars
    const width = (max - min) * bar
    // The difference of the largest numbers overflows.
    const at = Number.isFinite(width) ? min + width / bars : min * (1 - share) + max * share
    return isWhole ? Math.ceil(at) : at
  }
  return Array.from({ length: bars }, (_, bar) => ({
    from: edge(bar),
    to: edge(bar + 1),
    isClosed: bar === bars - 1,
  }))
}

/** Statistics of the numbers of some documents. */
export interface MatchStats extends Omit<NumberStats, 'sum'> {
  /** Undefined if it is larger than any number. */
  readonly sum: number | undefined
  readonly mean: number
}

/** Undefined where no document has a number. Segment by segment. */
export function* statsOf(set: MatchSet, numbers: NumbersByPlace): Generator<void, MatchStats | undefined> {
  let [min, max, sum, count] = [Infinity, -Infinity, 0, 0]
  for (const [place, columns] of numbers.entries()) {
    yield
    const bits = set.in(place)
    if (!bits) continue
    const isWhole = columns.length > 0 && countOf(bits) === columns[0]!.size
    for (const column of columns) {
      if (isWhole) {
        const { stats } = column
        min = Math.min(min, stats.min)
        max = Math.max(max, stats.max)
        sum += stats.sum
        count += stats.count
        continue
      }
      const { values } = column
      const starts = column.isEven ? undefined : column.starts
      for (let at = 0; at < bits.length; at++) {
        for (let word = bits[at]!; word !== 0; word &= word - 1) {
          const document = (at << 5) + 31 - Math.clz32(word & -word)
          const end = starts ? starts[document + 1]! : document + 1
          for (let i = starts ? starts[document]! : document; i < end; i++) {
            const value = values[i]!
            if (value < min) min = value
            if (value > max) max = value
            sum += value
            count++
          }
        }
      }
    }
  }
  if (count === 0) return undefined
  if (Number.isFinite(sum)) return { min, max, sum, count, mean: sum / count }
  const scaled = yield* scaledSum(set, numbers)
  const whole = scaled / SCALE
  return {
    min,
    max,
    sum: Number.isFinite(whole) ? whole : undefined,
    count,
    // Rounding may lead beyond all of them.
    mean: Math.min(Math.max(scaled / count / SCALE, min), max),
  }
}

/** By this factor smaller, as many numbers as there may be have a finite sum. */
const SCALE = 2 ** -64

function* scaledSum(set: MatchSet, numbers: NumbersByPlace): Generator<void, number> {
  let sum = 0
  for (const [place, columns] of numbers.entries()) {
    yield
    const bits = set.in(place)
    if (!bits) continue
    for (const { values, documents } of columns)
      for (const [i, value] of values.entries()) if (isSet(bits, documents[i]!)) sum += value * SCALE
  }
  return sum
}

import { type ScaleLinear, type ScaleTime, scaleLinear, scaleSqrt, scaleUtc } from 'd3-scale'
import { type Area, briefApart, line, textAt } from './frame.ts'

const LEAST_SPAN = 1e-200

/** From the least to the greatest value, with zero where they are all on one side of it, and some room where they are one. */
export function rangeOf(values: Iterable<number>, withZero: boolean): [low: number, high: number] {
  let low = withZero ? 0 : Number.POSITIVE_INFINITY
  let high = withZero ? 0 : Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) return [0, 1]
  const size = Math.max(Math.abs(low), Math.abs(high))
  // Nearer to each other, numbers between them cannot be told apart.
  if (high - low > Math.max(size * 1e-9, LEAST_SPAN)) return [low, high]
  const room = size > LEAST_SPAN ? size / 2 : 1
  return [withZero && low === 0 ? 0 : low - room, high + room]
}

export const numberScale = (
  domain: readonly [number, number],
  range: readonly [number, number],
  ticks: number,
): ScaleLinear<number, number> => {
  const scale = scaleLinear(domain, range).nice(ticks)
  const [low, high] = scale.domain() as [number, number]
  // Rounding may move the ends inwards by a last digit.
  return scale.domain([Math.min(low, domain[0]), Math.max(high, domain[1])])
}

export const timeScale = (
  domain: readonly [number, number],
  range: readonly [number, number],
): ScaleTime<number, number> => scaleUtc(domain, range)

/** Areas, not lengths, are in proportion. */
export const radiusScale = (most: number, range: readonly [number, number]): ((value: number) => number) =>
  scaleSqrt([0, most], range)

/** Lines across the area, with their numbers on the left. */
export function leftAxis(
  scale: ScaleLinear<number, number>,
  { left, right, top, bottom }: Area,
  isCount = false,
): string[] {
  const all = scale.ticks(Math.max(2, Math.round((bottom - top) / 50)))
  const ticks = isCount ? all.filter(Number.isInteger) : all
  const told = briefApart(ticks)
  return ticks.flatMap((tick, i) => {
    const y = scale(tick)
    return [
      line('grid', [left, y], [right, y]),
      textAt({ x: left - 8, y: y + 4, kind: 'faint', anchor: 'end' }, told[i]!),
    ]
  })
}

/** Numbers below the area. */
export function bottomAxis(scale: ScaleLinear<number, number>, { left, right, bottom }: Area): string[] {
  const ticks = scale.ticks(Math.max(2, Math.round((right - left) / 80)))
  const told = briefApart(ticks)
  return ticks.flatMap((tick, i) => {
    const x = scale(tick)
    return [
      line('axis', [x, bottom], [x, bottom + 4]),
      textAt({ x, y: bottom + 18, kind: 'faint', anchor: 'middle' }, told[i]!),
    ]
  })
}

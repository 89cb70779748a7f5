import { type ScaleLinear, scaleLinear } from 'd3-scale'
import { type Area, brief, line, words } from './frame.ts'

/** From the least to the greatest value, with zero where they are all on one side of it, and some room where they are one. */
export function rangeOf(values: Iterable<number>, withZero: boolean): [low: number, high: number] {
  let low = withZero ? 0 : Number.POSITIVE_INFINITY
  let high = withZero ? 0 : Number.NEGATIVE_INFINITY
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) return [0, 1]
  if (low < high) return [low, high]
  const room = Math.abs(low) > 0 ? Math.abs(low) / 2 : 1
  return withZero && low === 0 ? [0, 1] : [low - room, high + room]
}

export const numberScale = (
  domain: readonly [number, number],
  range: readonly [number, number],
  ticks: number,
): ScaleLinear<number, number> => scaleLinear(domain, range).nice(ticks)

/** Lines across the area, with their numbers on the left. */
export function leftAxis(scale: ScaleLinear<number, number>, { left, right, top, bottom }: Area): string[] {
  const ticks = scale.ticks(Math.max(2, Math.round((bottom - top) / 50)))
  return ticks.flatMap(tick => {
    const y = scale(tick)
    return [
      line('grid', [left, y], [right, y]),
      words({ x: left - 8, y: y + 4, kind: 'faint', anchor: 'end' }, brief(tick)),
    ]
  })
}

/** Numbers below the area. */
export function bottomAxis(scale: ScaleLinear<number, number>, { left, right, bottom }: Area): string[] {
  const ticks = scale.ticks(Math.max(2, Math.round((right - left) / 80)))
  return ticks.flatMap(tick => {
    const x = scale(tick)
    return [
      line('axis', [x, bottom], [x, bottom + 4]),
      words({ x, y: bottom + 18, kind: 'faint', anchor: 'middle' }, brief(tick)),
    ]
  })
}

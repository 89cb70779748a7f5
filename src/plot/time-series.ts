import { extent } from 'd3-array'
import { line as lineThrough } from 'd3-shape'
import { utcFormat } from 'd3-time-format'
import * as z from 'zod'
import { parseInput } from '../input.ts'
import { leftAxis, numberScale, rangeOf, timeScale } from './axes.ts'
import {
  type Area,
  at,
  brief,
  charactersIn,
  finite,
  framed,
  hint,
  line,
  MOST_COLOURS,
  name,
  noData,
  type PlotOptions,
  plotMembers,
  textAt,
} from './frame.ts'

/** One line. */
export interface Series {
  name: string
  /** In any order, at most 60,000. `at` is in milliseconds since 1970. */
  points: readonly { at: number; value: number }[]
}

/** What `timeSeries()` takes. */
export interface TimeSeriesOptions extends PlotOptions {
  /** At most 8. */
  series: readonly Series[]
  /** Whether the value axis includes zero. Default true. */
  fromZero?: boolean
}

/** Nearly what a Date can be: the axis needs dates beyond the points. */
const FARTHEST = 8e15
const time = z.number('milliseconds since 1970, from -8e15 to 8e15').min(-FARTHEST).max(FARTHEST)
const timeSeriesOptions = z.strictObject({
  ...plotMembers,
  series: z
    .array(z.strictObject({ name, points: z.array(z.strictObject({ at: time, value: finite })).max(60_000) }))
    .max(MOST_COLOURS),
  fromZero: z.boolean().default(true),
})

const DAY = 86_400_000
const dashes = ['', '6 3', '2 3', '8 3 2 3']

/**
 * Values over time (UTC), as lines in SVG. INVALID_ARGUMENT.
 * @example
 * const points = [{ at: Date.UTC(2026, 0, 1), value: 3 }, { at: Date.UTC(2026, 0, 2), value: 5 }]
 * const svg = timeSeries({ title: 'Searches by day', series: [{ name: 'Searches', points }] })
 * console.log(svg.includes('Searches by day')) // true
 */
export function timeSeries(options: TimeSeriesOptions): string {
  const { title, width, height, series, fromZero, description } = parseInput(
    timeSeriesOptions,
    options,
    'options',
  )
  const legend = series.length > 1 ? 20 : 0
  const area = { left: 56, right: width - 20, top: 44 + legend, bottom: height - 30 }
  const sorted = series.map(({ name, points }) => ({ name, points: points.toSorted((a, b) => a.at - b.at) }))
  const all = sorted.flatMap(({ points }) => points)
  const [from = 0, to = 0] = extent(all, point => point.at)
  const x = timeScale(from === to ? [from - DAY, to + DAY] : [from, to], [area.left, area.right])
  const y = numberScale(
    rangeOf(
      all.map(({ value }) => value),
      fromZero,
    ),
    [area.bottom, area.top],
    5,
  )
  const path = lineThrough<{ at: number; value: number }>(
    point => round(x(point.at)),
    point => round(y(point.value)),
  )
  const drawn = sorted.flatMap(({ name, points }, i) => {
    const [first] = points
    if (!first) return []
    const said = hint(name)
    if (points.length === 1)
      return [
        `<circle class="c${i}" cx="${at(x(first.at))}" cy="${at(y(first.value))}" r="4">${said}</circle>`,
      ]
    const dash = dashes[i % dashes.length]
    return [
      `<path class="line c${i}" style="fill:none"${dash ? ` stroke-dasharray="${dash}"` : ''} d="${path(points)}">${said}</path>`,
    ]
  })
  const told = `Lines over time: ${sorted.map(toldOf).join('; ') || 'none'}.`
  return framed(
    { title, description: description ?? told, width, height },
    all.length === 0
      ? [noData(area)]
      : [
          ...leftAxis(y, area),
          line('axis', [area.left, area.bottom], [area.right, area.bottom]),
          ...timeAxis(x, area),
          ...drawn,
          ...(legend
            ? legendOf(
                series.map(one => one.name),
                width,
              )
            : []),
        ],
  )
}

const round = (value: number): number => Math.round(value * 100) / 100
const day = utcFormat('%Y-%m-%d')

function toldOf({ name, points }: Series): string {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return `${name} without points`
  if (points.length === 1) return `${name} ${brief(first.value)} on ${day(new Date(first.at))}`
  return `${name} from ${brief(first.value)} on ${day(new Date(first.at))} to ${brief(last.value)} on ${day(new Date(last.at))}`
}

function timeAxis(scale: ReturnType<typeof timeScale>, { left, right, bottom }: Area): string[] {
  const [from, to] = scale.domain().map(Number) as [number, number]
  const told = utcFormat(formatOf(to - from))
  return scale.ticks(Math.max(2, Math.round((right - left) / 110))).flatMap(tick => {
    const place = scale(tick)
    return [
      line('axis', [place, bottom], [place, bottom + 4]),
      textAt(
        // Half of the last one would be outside.
        { x: place, y: bottom + 18, kind: 'faint', anchor: place > right - 24 ? 'end' : 'middle' },
        told(tick),
      ),
    ]
  })
}

function formatOf(span: number): string {
  if (span > 5 * 365 * DAY) return '%Y'
  if (span > 90 * DAY) return '%b %Y'
  if (span > 3 * DAY) return '%-d %b'
  return span > DAY / 8 ? '%-d %b %H:%M' : '%H:%M:%S'
}

/** Which line is which. */
function legendOf(names: readonly string[], width: number): string[] {
  const room = (width - 24) / names.length
  return names.flatMap((name, i) => {
    const [x, y] = [12 + i * room, 46]
    const dash = dashes[i % dashes.length]
    return [
      `<line class="line c${i}"${dash ? ` stroke-dasharray="${dash}"` : ''} x1="${at(x)}" y1="${y - 4}" x2="${at(x + 20)}" y2="${y - 4}"/>`,
      textAt({ x: x + 26, y }, name, charactersIn(room - 34)),
    ]
  })
}

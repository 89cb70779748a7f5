import { bin } from 'd3-array'
import * as z from 'zod'
import { parseInput } from '../input.ts'
import { bottomAxis, leftAxis, numberScale, rangeOf } from './axes.ts'
import {
  at,
  brief,
  briefApart,
  finite,
  framed,
  hint,
  line,
  noData,
  type PlotOptions,
  plotMembers,
} from './frame.ts'

/** What `histogram()` takes. */
export interface HistogramOptions extends PlotOptions {
  /** At most 200,000. */
  values: readonly number[]
  /** About how many bars, 1 to 200. Default 20. */
  bins?: number
}

const histogramOptions = z.strictObject({
  ...plotMembers,
  values: z.array(finite).max(200_000),
  bins: z.int().min(1).max(200).default(20),
})

/**
 * How often numbers lie within intervals of equal width, as SVG. INVALID_ARGUMENT.
 * @example
 * const svg = histogram({ title: 'Prices', values: [10, 12, 12, 30], bins: 4 })
 * console.log(svg.includes('role="img"')) // true
 */
export function histogram(options: HistogramOptions): string {
  const { title, width, height, values, bins, description } = parseInput(histogramOptions, options, 'options')
  const area = { left: 56, right: width - 16, top: 44, bottom: height - 30 }
  const x = numberScale(rangeOf(values, false), [area.left, area.right], bins)
  const domain = x.domain() as [number, number]
  const counted = bin().domain(domain).thresholds(x.ticks(bins))(values)
  const y = numberScale(
    rangeOf(
      counted.map(one => one.length),
      true,
    ),
    [area.bottom, area.top],
    5,
  )
  const [first = '', ...ends] = briefApart([...counted.map(({ x0 }) => x0!), domain[1]])
  const drawn = counted.flatMap((one, i) => {
    if (one.length === 0) return []
    const [from, to] = [x(one.x0!), x(one.x1!)]
    const said = `${ends[i - 1] ?? first} to ${ends[i]}: ${one.length}`
    return [
      `<rect class="c0" x="${at(from + 0.5)}" y="${at(y(one.length))}" width="${at(Math.max(1, to - from - 1))}" height="${at(area.bottom - y(one.length))}">${hint(said)}</rect>`,
    ]
  })
  const told = `Histogram of ${values.length} numbers${values.length > 0 ? `, ${brief(least(values))} to ${brief(most(values))}` : ''}.`
  return framed(
    { title, description: description ?? told, width, height },
    values.length === 0
      ? [noData(area)]
      : [
          ...leftAxis(y, area, true),
          ...drawn,
          line('axis', [area.left, area.bottom], [area.right, area.bottom]),
          ...bottomAxis(x, area),
        ],
  )
}

const least = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b))
const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b))

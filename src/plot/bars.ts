import * as z from 'zod'
import { parseInput } from '../input.ts'
import { numberScale, rangeOf } from './axes.ts'
import {
  at,
  brief,
  charactersIn,
  finite,
  framed,
  hint,
  line,
  name,
  noData,
  type PlotOptions,
  plotMembers,
  textAt,
} from './frame.ts'
import { widthOf } from './markup.ts'

/** One bar. */
export interface Bar {
  /** At most 1,000 UTF-16 units; if there is no room for all of it, the tooltip shows it. */
  name: string
  value: number
  /** Shown at the end of the bar. Default: the value. */
  label?: string
}

/** What `bars()` takes. */
export interface BarsOptions extends PlotOptions {
  /** From top to bottom, at most 500. */
  bars: readonly Bar[]
}

const barsOptions = z.strictObject({
  ...plotMembers,
  height: plotMembers.height.removeDefault().optional(),
  bars: z.array(z.strictObject({ name, value: finite, label: name.optional() })).max(500),
})

const ROW = 24
const TOP = 40
const LABEL = 72

/**
 * Horizontal bars, one below the other, as SVG. INVALID_ARGUMENT.
 * @example
 * const svg = bars({ title: 'Products by brand', bars: [{ name: 'Bosch', value: 12 }, { name: 'Makita', value: 7 }] })
 * console.log(svg.startsWith('<svg')) // true
 */
export function bars(options: BarsOptions): string {
  const { title, width, bars: all, ...rest } = parseInput(barsOptions, options, 'options')
  const height = Math.max(rest.height ?? 0, TOP + Math.max(2, all.length) * ROW + 12)
  const left = Math.round(Math.min(0.4 * width, 16 + 7.5 * Math.max(4, ...all.map(bar => widthOf(bar.name)))))
  const area = { left, right: width - LABEL, top: TOP, bottom: height - 12 }
  const values = all.map(({ value }) => value)
  const x = numberScale(rangeOf(values, true), [left, area.right], 5)
  const step = (area.bottom - area.top) / Math.max(1, all.length)
  const thick = Math.min(step * 0.7, 40)
  const drawn = all.flatMap(({ name, value, label = brief(value) }, i) => {
    const middle = area.top + (i + 0.5) * step
    const [from, to] = [Math.min(x(0), x(value)), Math.max(x(0), x(value))]
    return [
      textAt({ x: left - 8, y: middle + 4, anchor: 'end' }, name, charactersIn(left - 16)),
      `<rect class="c0" x="${at(from)}" y="${at(middle - thick / 2)}" width="${at(to - from)}" height="${at(thick)}">${hint(`${name}: ${label}`)}</rect>`,
      textAt({ x: to + 6, y: middle + 4 }, label, charactersIn(width - to - 6)),
    ]
  })
  const description =
    rest.description ??
    `Bars: ${inWords(all.map(({ name, value, label }) => `${name} ${label ?? brief(value)}`))}.`
  return framed({ title, description, width, height }, [
    ...(all.length === 0 ? [noData(area)] : [line('axis', [x(0), area.top], [x(0), area.bottom])]),
    ...drawn,
  ])
}

/** The first of them. */
const inWords = (all: readonly string[]): string =>
  all.length === 0
    ? 'none'
    : `${all.slice(0, 10).join('; ')}${all.length > 10 ? `; and ${all.length - 10} more` : ''}`

import * as z from 'zod'
import { escaped, shortened } from './markup.ts'

/** What every plot takes. */
export interface PlotOptions {
  /** Shown above the plot, and its accessible name. At most 300 UTF-16 units. */
  title: string
  /** Accessible description of what the plot shows. Default: its kind and a summary of its numbers. At most 2,000 UTF-16 units. */
  description?: string
  /** Pixels, 240 to 4,000. Default 640. The plot shrinks if there is less room. */
  width?: number
  /** Pixels, 120 to 4,000. Default 320; for bars, the height that they need. */
  height?: number
}

const LONGEST_NAME = 1_000

export const finite = z.number('a number from -1e300 to 1e300').min(-1e300).max(1e300)
export const name = z.string().max(LONGEST_NAME)

export const plotMembers = {
  title: z.string().max(300),
  description: z.string().max(2_000).optional(),
  width: z.int().min(240).max(4_000).default(640),
  height: z.int().min(120).max(4_000).default(320),
}

/** Colours of groups and series, for light and dark surroundings. */
const colours = [
  ['#0969da', '#4493f8'],
  ['#bc4c00', '#f0883e'],
  ['#1a7f37', '#3fb950'],
  ['#8250df', '#ab7df8'],
  ['#cf222e', '#f85149'],
  ['#7d4e00', '#d29922'],
  ['#1b7c83', '#39c5cf'],
  ['#bf3989', '#db61a2'],
] as const

/** Groups and series that can be told apart. */
export const MOST_COLOURS = colours.length

const variables = (which: 0 | 1): string => colours.map((pair, i) => `--c${i}:${pair[which]}`).join(';')

const rules = colours.map((_, i) => `.findling-plot .c${i}{fill:var(--c${i});stroke:var(--c${i})}`).join('\n')

const style = `<style>
.findling-plot{--ink:#1f2328;--faint:#59636e;--ground:#ffffff;--grid:#d1d9e0;${variables(0)};max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.findling-plot{--ink:#f0f6fc;--faint:#9198a1;--ground:#0d1117;--grid:#3d444d;${variables(1)}}}
.findling-plot text{font:12px system-ui,sans-serif;fill:var(--ink);stroke:none}
.findling-plot .heading{font-size:15px;font-weight:600}
.findling-plot .faint{fill:var(--faint)}
.findling-plot .ground{fill:var(--ground);stroke:none}
.findling-plot .halo{paint-order:stroke;stroke:var(--ground);stroke-width:4px;font-weight:600}
.findling-plot .grid{stroke:var(--grid);fill:none}
.findling-plot .axis{stroke:var(--faint);fill:none}
${rules}
.findling-plot .line{fill:none;stroke-width:2}
.findling-plot .rest{fill:var(--faint);stroke:var(--faint)}
</style>`

/** Where the data are drawn, below the title. */
export interface Area {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

interface Frame {
  readonly title: string
  readonly description: string
  readonly width: number
  readonly height: number
}

/** A whole plot with its own background, for light and dark surroundings. It runs no script and loads nothing. */
export function framed({ title, description, width, height }: Frame, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="findling-plot" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    style,
    `<rect class="ground" width="${width}" height="${height}"/>`,
    ...headingOf(title, width),
    ...parts,
    '</svg>\n',
  ].join('\n')
}

/** Wider than letters are on average. */
const LETTER = 7.5
const HEADING_LETTER = 8.5

/** Characters for which there is room. */
export const charactersIn = (pixels: number): number => Math.max(4, Math.floor(pixels / LETTER))

const headingOf = (title: string, width: number): string[] =>
  title === ''
    ? []
    : [
        textAt(
          { x: 12, y: 24, kind: 'heading' },
          title,
          Math.max(4, Math.floor((width - 24) / HEADING_LETTER)),
        ),
      ]

interface Place {
  readonly x: number
  readonly y: number
  readonly kind?: 'heading' | 'faint' | 'halo'
  readonly anchor?: 'start' | 'middle' | 'end'
}

/** A text; of a longer one its beginning, with the whole of it as its title. */
export function textAt({ x, y, kind, anchor }: Place, text: string, most = Number.POSITIVE_INFINITY): string {
  const shown = shortened(text, most)
  const kindOf = kind ? ` class="${kind}"` : ''
  const anchored = anchor && anchor !== 'start' ? ` text-anchor="${anchor}"` : ''
  const whole = shown === text ? '' : `<title>${escaped(text)}</title>`
  return `<text x="${at(x)}" y="${at(y)}"${kindOf}${anchored}>${escaped(shown)}${whole}</text>`
}

/** The tooltip of a mark. */
export const hint = (text: string): string => `<title>${escaped(text)}</title>`

/** A coordinate, rounded to visible precision. */
export const at = (value: number): string => String(Math.round(value * 100) / 100)

/** Where there is nothing to draw. */
export const noData = ({ left, right, top, bottom }: Area): string =>
  textAt({ x: (left + right) / 2, y: (top + bottom) / 2, kind: 'faint', anchor: 'middle' }, 'No data')

export const line = (
  kind: string,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
): string => `<line class="${kind}" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`

/** A number in few characters: 1,234, 12.5k, 3.2M, 1e-7. */
export function brief(value: number, digits = 3): string {
  const size = Math.abs(value)
  if (size >= 1e15 || (size < 1e-4 && size > 0)) return value.toExponential(digits - 1).replace(/\.?0+e/, 'e')
  const rounded = size < 1e4 ? size : Number(size.toPrecision(digits))
  for (const [from, unit, sign] of units)
    if (rounded >= from) return `${Number((value / unit).toPrecision(digits))}${sign}`
  return Number(value.toPrecision(digits + 1)).toLocaleString('en-US', { maximumFractionDigits: digits + 3 })
}

/** Each number in few characters, but in as many as tell them apart. */
export function briefApart(values: readonly number[]): string[] {
  const different = new Set(values).size
  for (let digits = 3; ; digits++) {
    const told = values.map(value => brief(value, digits))
    if (digits === MOST_DIGITS || new Set(told).size === different) return told
  }
}

/** Of a double, those that are always exact. */
const MOST_DIGITS = 15

const units = [
  [1e12, 1e12, 'T'],
  [1e9, 1e9, 'G'],
  [1e6, 1e6, 'M'],
  [1e4, 1e3, 'k'],
] as const

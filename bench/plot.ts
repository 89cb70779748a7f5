/** One line of a plot: a bar from the left edge, points, or a bar with the interval it may lie in. */
export interface Mark {
  readonly name: string
  /** Drawn in the strong colour. */
  readonly ours: boolean
  /** Stands at the end of the line. */
  readonly label: string
  readonly bar?: number
  /** Joined by a line, each drawn smaller than the one before. */
  readonly points?: readonly number[]
  readonly interval?: readonly [low: number, high: number]
}

export interface Plot {
  readonly title: string
  /** For those who do not see it: what is compared, and how to read it. */
  readonly description: string
  readonly axis: string
  readonly scale: 'log' | 'linear'
  readonly groups: readonly { readonly name: string; readonly marks: readonly Mark[] }[]
}

const width = 760
const left = 170
const right = 110
const lineHeight = 18
const top = 64
const groupGap = 34

/** A plot as SVG with its own background, for light and dark surroundings; every value stands there as text too. */
export function svg(plot: Plot): string {
  const scale = scaleOf(plot)
  const height =
    top + plot.groups.reduce((sum, { marks }) => sum + groupGap + marks.length * lineHeight, 0) + lineHeight
  const body: string[] = [...axis(plot, scale, height)]
  let y = top
  for (const { name, marks } of plot.groups) {
    y += groupGap
    body.push(text({ x: 12, y: y - 8, of: 'group' }, name))
    for (const mark of marks) {
      body.push(...line(mark, y, scale))
      y += lineHeight
    }
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(plot.title)}</title>`,
    `<desc id="desc">${escaped(plot.description)}</desc>`,
    style,
    `<rect class="ground" width="${width}" height="${height}" rx="6"/>`,
    text({ x: 12, y: 24, of: 'title' }, plot.title),
    ...body,
    '</svg>\n',
  ].join('\n')
}

const style = `<style>
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-weight: 600; font-size: 15px }
  .group { font-weight: 600 }
  .faint { fill: #57606a }
  .ground { fill: #ffffff }
  .grid { stroke: #d0d7de }
  .ours { fill: #0969da; stroke: #0969da }
  .theirs { fill: #8c959f; stroke: #8c959f }
  .interval { stroke: #24292f; fill: none }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .faint { fill: #9198a1 }
    .ground { fill: #0d1117 }
    .grid { stroke: #3d444d }
    .ours { fill: #4493f8; stroke: #4493f8 }
    .theirs { fill: #6e7681; stroke: #6e7681 }
    .interval { stroke: #e6edf3 }
  }
</style>`

interface Scale {
  readonly x: (value: number) => number
  readonly ticks: readonly number[]
}

function scaleOf({ scale, groups }: Plot): Scale {
  const values = groups.flatMap(({ marks }) =>
    marks.flatMap(({ bar, points = [], interval = [] }) => [
      ...(bar === undefined ? [] : [bar]),
      ...points,
      ...interval,
    ]),
  )
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const room = width - left - right
  if (scale === 'linear') {
    const end = Math.ceil(high * 10) / 10
    const ticks = Array.from({ length: Math.round(end * 10) + 1 }, (_, at) => at / 10)
    return { x: value => left + (value / end) * room, ticks }
  }
  // Below the smallest value: a bar that begins where it ends would not be seen.
  const first = Math.ceil(Math.log10(low)) - 1
  const last = Math.max(first + 1, Math.ceil(Math.log10(high)))
  const ticks = Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at))
  return { x: value => left + ((Math.log10(value) - first) / (last - first)) * room, ticks }
}

function axis({ axis: name }: Plot, { x, ticks }: Scale, height: number): string[] {
  return [
    text({ x: left, y: 42, of: 'faint' }, name),
    ...ticks.flatMap(tick => [
      `<line class="grid" x1="${at(x(tick))}" x2="${at(x(tick))}" y1="${top}" y2="${height - lineHeight / 2}"/>`,
      text({ x: x(tick), y: top - 4, of: 'faint', anchor: 'middle' }, tickLabel(tick)),
    ]),
  ]
}

const tickLabel = (tick: number): string =>
  tick >= 1e6 ? `${tick / 1e6}M` : tick >= 1e3 ? `${tick / 1e3}k` : String(Number(tick.toPrecision(6)))

function line(mark: Mark, y: number, { x }: Scale): string[] {
  const whose = mark.ours ? 'ours' : 'theirs'
  const middle = y + lineHeight / 2 - 2
  const { bar, points = [], interval } = mark
  const drawn: string[] = [text({ x: left - 8, y: middle + 4, of: 'name', anchor: 'end' }, mark.name)]
  if (bar !== undefined) {
    const length = Math.max(1, x(bar) - left)
    drawn.push(
      `<rect class="${whose}" x="${left}" y="${y}" width="${at(length)}" height="${lineHeight - 5}"/>`,
    )
  }
  if (points.length > 0) {
    const [from, to] = [at(x(Math.min(...points))), at(x(Math.max(...points)))]
    drawn.push(
      `<line class="${whose}" stroke-width="2" x1="${from}" x2="${to}" y1="${middle}" y2="${middle}"/>`,
    )
    for (const [place, point] of points.entries()) {
      drawn.push(`<circle class="${whose}" cx="${at(x(point))}" cy="${middle}" r="${5.5 - place}"/>`)
    }
  }
  if (interval) {
    const [from, to] = interval.map(end => at(x(end)))
    const [above, below] = [middle - 4, middle + 4]
    drawn.push(
      `<path class="interval" d="M${from} ${middle}H${to}M${from} ${above}V${below}M${to} ${above}V${below}"/>`,
    )
  }
  const end = Math.max(
    left,
    ...[bar, ...points, ...(interval ?? [])].map(value => (value === undefined ? 0 : x(value))),
  )
  drawn.push(text({ x: end + 8, y: middle + 4, of: 'label' }, mark.label))
  return drawn
}

interface Place {
  readonly x: number
  readonly y: number
  readonly of: 'title' | 'group' | 'faint' | 'name' | 'label'
  readonly anchor?: 'middle' | 'end'
}

const text = ({ x, y, of, anchor }: Place, content: string): string =>
  `<text class="${of}" x="${at(x)}" y="${at(y)}"${anchor ? ` text-anchor="${anchor}"` : ''}>${escaped(content)}</text>`

/** A tenth of a pixel is enough. */
const at = (position: number): number => Math.round(position * 10) / 10

const escaped = (content: string): string =>
  content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

import * as z from 'zod'
import { parseInput } from '../input.ts'
import {
  type Area,
  at,
  charactersIn,
  finite,
  framed,
  hint,
  MOST_COLOURS,
  name,
  noData,
  type PlotOptions,
  plotMembers,
  textAt,
} from './frame.ts'
import { widthOf } from './markup.ts'

/** One point of a map. */
export interface MapPoint {
  x: number
  y: number
  /** The tooltip. */
  name?: string
  /** Points of a group share a colour: the eight largest groups have one each, all others the same. */
  group?: string
}

/** What `map()` takes. */
export interface MapOptions extends PlotOptions {
  /** At most 5,000. */
  points: readonly MapPoint[]
  /** Texts at positions, at most 100; those that would overlap an earlier one are left out. */
  labels?: readonly { x: number; y: number; text: string }[]
}

const place = { x: finite, y: finite }
const mapOptions = z.strictObject({
  ...plotMembers,
  height: plotMembers.height.default(480),
  points: z.array(z.strictObject({ ...place, name: name.optional(), group: name.optional() })).max(5_000),
  labels: z
    .array(z.strictObject({ ...place, text: name }))
    .max(100)
    .default([]),
})

/**
 * Points in the plane, as SVG. Only their distances matter, so there are no axes. INVALID_ARGUMENT.
 * @example
 * const points = [{ x: 0, y: 0, group: 'lamps' }, { x: 1, y: 2, group: 'hoses' }]
 * console.log(map({ title: 'What is alike', points }).includes('<circle')) // true
 */
export function map(options: MapOptions): string {
  const { title, width, height, points, labels, description } = parseInput(mapOptions, options, 'options')
  const groups = largest(points)
  const legend = groups.size > 0 ? 22 * Math.ceil(groups.size / legendColumns(width)) : 0
  const area = { left: 16, right: width - 16, top: 40 + legend, bottom: height - 16 }
  const { x, y } = scalesOf([...points, ...labels], area)
  const radius = points.length > 1_000 ? 2 : points.length > 200 ? 3 : 4
  const drawn = points.map(({ x: across, y: up, name, group }) => {
    const number = group === undefined ? 0 : groups.get(group)
    const said = [name, group].filter(one => one !== undefined && one !== '').join(' · ')
    const circle = `class="${number === undefined ? 'rest' : `c${number}`}" fill-opacity=".7" stroke="none" style="stroke:none" cx="${at(x(across))}" cy="${at(y(up))}" r="${radius}"`
    return said === '' ? `<circle ${circle}/>` : `<circle ${circle}>${hint(said)}</circle>`
  })
  const told = `Map of ${points.length} points${groups.size > 0 ? ` in groups: ${[...groups.keys()].join(', ')}` : ''}${
    labels.length > 0
      ? `; labelled ${labels
          .slice(0, 12)
          .map(({ text }) => text)
          .join('; ')}`
      : ''
  }.`
  return framed({ title, description: description ?? told, width, height }, [
    ...(points.length === 0 ? [noData(area)] : drawn),
    ...withoutOverlaps(
      labels.map(({ text, ...one }) => ({ text, x: x(one.x), y: y(one.y) })),
      width,
    ),
    ...legendOf(groups, width),
  ])
}

type Scale = (value: number) => number

/** Both axes have the same scale, so that distances are in proportion in every direction. */
function scalesOf(
  places: readonly { x: number; y: number }[],
  { left, right, top, bottom }: Area,
): { x: Scale; y: Scale } {
  const [across, up] = [extentOf(places.map(({ x }) => x)), extentOf(places.map(({ y }) => y))]
  const unit = Math.max(across.span / (right - left), up.span / (bottom - top)) || 1
  return {
    x: value => (left + right) / 2 + (value - across.middle) / unit,
    y: value => (top + bottom) / 2 - (value - up.middle) / unit,
  }
}

function extentOf(values: readonly number[]): { middle: number; span: number } {
  let [low, high] = [values[0] ?? 0, values[0] ?? 0]
  for (const value of values) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  return { middle: low / 2 + high / 2, span: high - low }
}

/** By group its colour, those of most points first. */
function largest(points: readonly { group?: string | undefined }[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { group } of points) if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1)
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return new Map(sorted.slice(0, MOST_COLOURS).map(([group], i) => [group, i]))
}

const legendColumns = (width: number): number => Math.max(2, Math.floor(width / 150))

function legendOf(groups: ReadonlyMap<string, number>, width: number): string[] {
  const columns = legendColumns(width)
  const room = (width - 24) / columns
  return [...groups].flatMap(([group, colour]) => {
    const [left, top] = [16 + (colour % columns) * room, 46 + 22 * Math.floor(colour / columns)]
    return [
      `<circle class="c${colour}" cx="${at(left)}" cy="${at(top - 4)}" r="4"/>`,
      textAt({ x: left + 10, y: top }, group, charactersIn(room - 20)),
    ]
  })
}

function withoutOverlaps(labels: readonly { text: string; x: number; y: number }[], width: number): string[] {
  const taken: { left: number; right: number; y: number }[] = []
  return labels.flatMap(({ text, x, y }) => {
    const most = charactersIn(width / 2)
    const half = Math.min(widthOf(text), most) * 3.6
    const middle = Math.max(half + 4, Math.min(width - half - 4, x))
    const [left, right] = [middle - half, middle + half]
    if (taken.some(one => Math.abs(one.y - y) < 15 && one.left < right && left < one.right)) return []
    taken.push({ left, right, y })
    return [textAt({ x: middle, y, kind: 'halo', anchor: 'middle' }, text, most)]
  })
}

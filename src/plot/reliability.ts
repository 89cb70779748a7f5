import { scaleLinear, scaleSqrt } from 'd3-scale'
import * as z from 'zod'
import { parseInput } from '../input.ts'
import { at, framed, hint, line, noData, type PlotOptions, plotMembers, words } from './frame.ts'
import { bottomAxis, leftAxis } from './number-axis.ts'

/** Answers of similar confidence. */
export interface ReliabilityBin {
  /** How sure the answers were on average, 0 to 1. */
  predicted: number
  /** How many of them were right, 0 to 1. */
  observed: number
  /** How many there were. */
  count: number
}

/** What `reliability()` takes. */
export interface ReliabilityOptions extends PlotOptions {
  /** At most 100. */
  bins: readonly ReliabilityBin[]
}

const share = z.number('a number from 0 to 1').min(0).max(1)
const reliabilityOptions = z.strictObject({
  ...plotMembers,
  width: plotMembers.width.default(420),
  height: plotMembers.height.default(420),
  bins: z
    .array(z.strictObject({ predicted: share, observed: share, count: z.int().min(0).max(1e12) }))
    .max(100),
})

/**
 * Whether answers that are sure are right that often (a reliability diagram), as SVG: points on the diagonal are what they
 * say, below it they are too sure. The size of a point says how many answers it stands for. INVALID_ARGUMENT.
 * @example
 * import { reliability } from 'findling/plot'
 * const bins = [{ predicted: 0.6, observed: 0.55, count: 40 }, { predicted: 0.9, observed: 0.93, count: 160 }]
 * console.log(reliability({ title: 'How sure, and how often right', bins }).includes('160 answers')) // true
 */
export function reliability(options: ReliabilityOptions): string {
  const { title, width, height, bins, description } = parseInput(reliabilityOptions, options, 'options')
  const area = { left: 56, right: width - 24, top: 60, bottom: height - 48 }
  const x = scaleLinear([0, 1], [area.left, area.right])
  const y = scaleLinear([0, 1], [area.bottom, area.top])
  const filled = bins.filter(({ count }) => count > 0)
  const radius = scaleSqrt([0, Math.max(1, ...filled.map(({ count }) => count))], [2, 12])
  const drawn = filled.map(({ predicted, observed, count }) => {
    const said = `${percent(predicted)} sure, ${percent(observed)} right, ${count} answers`
    return `<circle class="c0" fill-opacity=".7" cx="${at(x(predicted))}" cy="${at(y(observed))}" r="${at(radius(count))}">${hint(said)}</circle>`
  })
  const total = filled.reduce((sum, { count }) => sum + count, 0)
  const error = filled.reduce((sum, one) => sum + one.count * Math.abs(one.predicted - one.observed), 0)
  const told =
    total === 0
      ? 'Reliability diagram without answers.'
      : `Reliability diagram of ${total} answers: how sure and how often right differ by ${percent(error / total)} on average.`
  return framed({ title, description: description ?? told, width, height }, [
    ...leftAxis(y, area),
    ...bottomAxis(x, area),
    line('axis', [x(0), y(0)], [x(1), y(1)]),
    ...(filled.length === 0 ? [noData(area)] : drawn),
    words({ x: 12, y: 46, kind: 'faint' }, 'share that is right'),
    words(
      { x: (area.left + area.right) / 2, y: height - 10, kind: 'faint', anchor: 'middle' },
      'how sure the answers are',
    ),
  ])
}

const percent = (share: number): string => `${Math.round(1_000 * share) / 10} %`

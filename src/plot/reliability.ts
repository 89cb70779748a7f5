import * as z from 'zod'
import { parseInput } from '../input.ts'
import { bottomAxis, leftAxis, numberScale, radiusScale } from './axes.ts'
import { at, framed, hint, line, noData, type PlotOptions, plotMembers, textAt } from './frame.ts'

/** Answers of similar confidence, as `classifier.evaluate()` counts them. */
export interface SureAnswers {
  /** How many there were. */
  answers: number
  /** Their mean score, 0 to 1. */
  meanScore: number
  /** The share of right answers, 0 to 1. */
  accuracy: number
  /** Where the interval of scores begins. It is not drawn. */
  from?: number
}

/** What `reliability()` takes. */
export interface ReliabilityOptions extends PlotOptions {
  /** At most 100. */
  bins: readonly SureAnswers[]
}

const share = z.number('a number from 0 to 1').min(0).max(1)
const reliabilityOptions = z.strictObject({
  ...plotMembers,
  width: plotMembers.width.default(420),
  height: plotMembers.height.default(420),
  bins: z
    .array(
      z.strictObject({
        answers: z.int().min(0).max(1e12),
        meanScore: share,
        accuracy: share,
        from: share.optional(),
      }),
    )
    .max(100),
})

/**
 * Whether answers are right as often as their scores say (a reliability diagram), as SVG: points on the diagonal are well
 * calibrated, points below it overconfident. The area of a point shows how many answers it stands for. INVALID_ARGUMENT.
 * @example
 * const bins = [{ meanScore: 0.6, accuracy: 0.55, answers: 40 }, { meanScore: 0.9, accuracy: 0.93, answers: 160 }]
 * console.log(reliability({ title: 'How sure, and how often right', bins }).includes('160 answers')) // true
 */
export function reliability(options: ReliabilityOptions): string {
  const { title, width, height, bins, description } = parseInput(reliabilityOptions, options, 'options')
  const area = { left: 56, right: width - 24, top: 60, bottom: height - 48 }
  const x = numberScale([0, 1], [area.left, area.right], 5)
  const y = numberScale([0, 1], [area.bottom, area.top], 5)
  const filled = bins.filter(({ answers }) => answers > 0)
  const radius = radiusScale(Math.max(1, ...filled.map(({ answers }) => answers)), [2, 12])
  const drawn = filled.map(({ meanScore, accuracy, answers }) => {
    const said = `${percent(meanScore)} sure, ${percent(accuracy)} right, ${answers} answers`
    return `<circle class="c0" fill-opacity=".7" cx="${at(x(meanScore))}" cy="${at(y(accuracy))}" r="${at(radius(answers))}">${hint(said)}</circle>`
  })
  const total = filled.reduce((sum, { answers }) => sum + answers, 0)
  const error = filled.reduce((sum, one) => sum + one.answers * Math.abs(one.meanScore - one.accuracy), 0)
  const told =
    total === 0
      ? 'Reliability diagram without answers.'
      : `Reliability diagram of ${total} answers: confidence and accuracy differ by ${percent(error / total)} on average.`
  return framed({ title, description: description ?? told, width, height }, [
    ...leftAxis(y, area),
    ...bottomAxis(x, area),
    line('axis', [x(0), y(0)], [x(1), y(1)]),
    ...(filled.length === 0 ? [noData(area)] : drawn),
    textAt({ x: 12, y: 46, kind: 'faint' }, 'share of right answers'),
    textAt(
      { x: (area.left + area.right) / 2, y: height - 10, kind: 'faint', anchor: 'middle' },
      'confidence of the answers',
    ),
  ])
}

const percent = (share: number): string => `${Math.round(1_000 * share) / 10} %`

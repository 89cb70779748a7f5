import type { ClassifiedCollection, ClassifyResults } from './classify.ts'
import { classifierNames, growing, settingsOf } from './classify-contest.ts'
import { interval } from './relevance-report.ts'
import { short, table } from './report.ts'

export function classifyReport({ collections, growth, boost, leftOut }: ClassifyResults): string {
  return [
    '### classify: how often is the right tag recommended, and what does it cost?',
    ...(collections.length === 0
      ? ['No judged collections at hand, skipped.']
      : collections.map(contestTable)),
    `A made catalogue of 1,800 leaves, ${growing}:`,
    growthTable(growth),
    ...(boost ? [boostTable(boost)] : []),
    [
      ...[...classifierNames, growing].map(name => `- ${name}: ${settingsOf(name)}`),
      ...leftOut.map(([name, reason]) => `- ${name} is left out: ${reason}`),
      ...collections.flatMap(({ collection, tooSlow }) =>
        tooSlow.map(name => `- ${name} is left out of ${collection}: it would take too long`),
      ),
    ].join('\n'),
  ].join('\n\n')
}

const headings = [
  'top-3',
  'macro-F1',
  'calibration error',
  'learn, CPU-s',
  'peak MB',
  'answers/CPU-s',
  'model MB',
]

const megabytes = (bytes: number | undefined): string => short(bytes === undefined ? undefined : bytes / 1e6)

type Costs = Pick<
  ClassifiedCollection['figures'][number],
  'top3' | 'macroF1' | 'calibrationError' | 'cpuSeconds' | 'peakBytes' | 'answersPerCpuSecond' | 'modelBytes'
>

const costs = (figures: Costs): string[] => [
  figures.top3.toFixed(4),
  figures.macroF1.toFixed(4),
  figures.calibrationError?.toFixed(3) ?? '-',
  short(figures.cpuSeconds),
  megabytes(figures.peakBytes),
  short(figures.answersPerCpuSecond),
  megabytes(figures.modelBytes),
]

function contestTable({ collection, tests, figures }: ClassifiedCollection): string {
  const rows = figures.map((figure, at) => [
    figure.name,
    figure.accuracy.toFixed(4),
    at === 0 ? '' : interval(figure.weLeadBy),
    ...costs(figure),
  ])
  return table([`${collection}, ${tests} tests`, 'top-1', 'we lead by', ...headings], rows)
}

function growthTable(growth: ClassifyResults['growth']): string {
  const rows = growth.map(({ documents, accuracy, ...figures }) => [
    short(documents),
    accuracy.toFixed(4),
    ...costs(figures),
  ])
  return table(['documents', 'top-1', ...headings], rows)
}

function boostTable(boost: NonNullable<ClassifyResults['boost']>): string {
  const gain = ({ value, gain }: (typeof boost)[number]['odd']) => `${value.toFixed(4)} (${interval(gain)})`
  return table(
    ['category boost', 'of', 'topic feedback', 'nDCG@10, odd ids (gain)', 'even ids (gain)'],
    boost.map(({ strength, level, topics, odd, even }) => [
      String(strength),
      level,
      topics ? 'yes' : 'no',
      gain(odd),
      gain(even),
    ]),
  )
}

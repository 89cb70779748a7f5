import { queryKinds } from './contestant.ts'
import type { RelevanceResults } from './relevance.ts'
import { type Measured, short, table } from './report.ts'
import type { SearchResults } from './search.ts'

type Judged = RelevanceResults['judged'][number]
type Figure = Judged['figures'][number]

const ours = 'findling on disk'

/** As the results name them, and as the first page of the repository does. */
const contestants = [
  [ours, 'Findling'],
  ['minisearch', 'MiniSearch'],
  ['orama', 'Orama'],
  ['flexsearch', 'FlexSearch'],
  ['fts5', 'FTS5'],
  ['xapian', 'Xapian'],
] as const

const judgedCollection = 'esci-us-small'
const barWidth = 40

/** The few figures that somebody wants to see first: all of one size, and how it is with the most documents. */
export function frontPage(
  search: SearchResults & Measured,
  largest: SearchResults & Measured,
  relevances: RelevanceResults & Measured,
): string {
  const { judged } = relevances
  const collection = judged.find(({ collection }) => collection === judgedCollection)
  if (!collection) throw new Error(`The stored relevance lacks ${judgedCollection}`)
  const rates = contestants.map(([name]) => figuresOf(search, name))
  const ranked = contestants.map(([name]) => bestOf(collection.figures, name.split(' ')[0]!))
  const row = (measure: string, of: (rate: (typeof rates)[number]) => number | undefined) => [
    measure,
    ...rates.map(rate => orDash(of(rate), short)),
  ]
  const rows = [
    row('documents indexed/CPU-s', ({ build }) => search.documents / build.cpuSeconds),
    row('one word, queries/CPU-s', ({ alone }) => alone.ids.term?.perCpuSecond),
    row('any of three words, queries/CPU-s', ({ alone }) => alone.ids.or?.perCpuSecond),
    row('with a typo, queries/CPU-s', ({ alone }) => alone.ids.typo?.perCpuSecond),
    row('bytes in memory per document', ({ memory }) => memory.held && memory.held / search.documents),
    [
      'nDCG@10, clean queries',
      ...ranked.map(figure => orDash(figure && relevance(figure, 'clean'), thousandths)),
    ],
    [
      'nDCG@10, one typo in each',
      ...ranked.map(figure => orDash(figure && relevance(figure, 'typo'), thousandths)),
    ],
  ]
  const charts = [
    bars(
      'any of three words, queries per CPU-second',
      rates.map(({ alone }) => alone.ids.or?.perCpuSecond),
      short,
    ),
    bars(
      'nDCG@10, one typo in each query',
      ranked.map(figure => figure && relevance(figure, 'typo')),
      thousandths,
    ),
  ]
  return [
    table([`${short(search.documents)} documents`, ...contestants.map(([, title]) => title)], rows),
    `\`\`\`text\n${charts.join('\n\n')}\n\`\`\``,
    `Speed and memory were measured at ${stateOf(search)}, nDCG@10 at ${stateOf(relevances)}, the figures below at ${stateOf(largest)}.`,
    withTheMost(largest),
  ].join('\n\n')
}

/** What was measured, as well as it is known. */
const stateOf = ({ commit, measuredAt }: Measured): string =>
  commit === undefined ? `an older state (${measuredAt.slice(0, 10)})` : `commit ${commit.slice(0, 7)}`

function withTheMost(search: SearchResults): string {
  const { alone, build, memory, reopening } = figuresOf(search, ours)
  if (memory.held === undefined || !reopening) throw new Error(`The stored figures of ${ours} are not whole`)
  const slowest = Math.max(...queryKinds.map(kind => alone.ids[kind]?.p95 ?? 0))
  return [
    `Findling is measured with up to ${search.documents.toLocaleString('en')} documents of about ${search.documentBytes} bytes:`,
    `written to disk and indexed in ${build.seconds.toFixed(0)} seconds,`,
    `${short(memory.held / search.documents)} bytes in memory for each (the whole process grows by ${short(memory.resident / search.documents)}),`,
    `opened again in ${short(reopening.seconds)} seconds.`,
    `For every kind of query, the 95th percentile is at most ${short(slowest)} ms.`,
  ].join(' ')
}

function figuresOf({ contestants }: SearchResults, wanted: string) {
  const contestant = contestants.find(({ name }) => name === wanted)
  if (!contestant) throw new Error(`The stored searches lack ${wanted}`)
  return contestant.figures
}

/** Of a contestant that was measured with several settings, those that do best with both spellings together. */
function bestOf(figures: readonly Figure[], contestant: string): Figure | undefined {
  const sum = (figure: Figure) => relevance(figure, 'clean') + relevance(figure, 'typo')
  return figures
    .filter(({ name }) => name.split(/[ ,]/)[0] === contestant)
    .reduce<Figure | undefined>(
      (best, figure) => (best && sum(best) >= sum(figure) ? best : figure),
      undefined,
    )
}

const relevance = (figure: Figure, spelling: 'clean' | 'typo'): number =>
  figure.all[spelling].value.difference

const thousandths = (value: number): string => value.toFixed(3)

const orDash = (value: number | undefined, print: (value: number) => string): string =>
  value === undefined ? '–' : print(value)

/** A line each, the longest of full width; who has no figure has no line. */
function bars(
  title: string,
  values: readonly (number | undefined)[],
  print: (value: number) => string,
): string {
  const longest = Math.max(...values.map(value => value ?? 0))
  const lines = contestants.flatMap(([, name], at) => {
    const value = values[at]
    if (value === undefined) return []
    const bar = '█'.repeat(Math.max(1, Math.round((value / longest) * barWidth)))
    return [`${name.padEnd(10)} ${bar} ${print(value)}`]
  })
  return [title, ...lines].join('\n')
}

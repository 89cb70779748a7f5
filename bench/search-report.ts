import { type QueryKind, queryKinds } from './contestant.ts'
import type { Rate } from './measure.ts'
import { percent, short, table, times } from './report.ts'
import type { SearchResults } from './search.ts'
import type { Answering, SearchFigures } from './search-contest.ts'
import { sizeName } from './sizes.ts'

type Row = SearchResults['contestants'][number]

/** Who the others are compared with in the columns of ratios. */
const reference = 'minisearch'

export function searchReport(results: SearchResults): string {
  const { documents, documentBytes, vocabulary } = results
  const asked = queryKinds.filter(kind =>
    results.contestants.some(({ figures }) => figures.right[kind] !== undefined),
  )
  return [
    `### search: ${sizeName(documents)} documents of about ${documentBytes} bytes (${vocabulary} words), ten hits, one process each`,
    buildTable(results),
    ...asked.map(kind => queryTable(results, kind)),
    rateTable(results, 'or, whole documents', figures => figures.alone.whole),
    writingTable(results, asked),
    changesTable(results),
    ...wordTable(results),
    reopenTable(results),
    notes(results),
  ].join('\n\n')
}

export const kindNames: Record<QueryKind, string> = {
  term: 'term',
  or: 'or',
  and: 'and',
  phrase: 'phrase',
  typo: 'typo',
  prefix: 'prefix',
  boosts: 'or, weighted by the request',
}

function buildTable({ documents, contestants }: SearchResults): string {
  const rate = ({ figures }: Row) => documents / figures.build.cpuSeconds
  const rows = contestants.map(row => [
    row.name,
    short(rate(row)),
    ratio(contestants, row, rate),
    short(documents / row.figures.build.seconds),
    short(row.figures.memory.held === undefined ? undefined : row.figures.memory.held / documents),
    short(row.figures.memory.resident / documents),
    { asked: 'not kept', memory: 'in memory', disk: 'on disk', never: 'not kept' }[row.documents],
  ])
  return table(
    ['build', 'docs/CPU-s', `x ${reference}`, 'docs/s', 'bytes/doc', 'resident/doc', 'documents'],
    rows,
  )
}

const queryTable = (results: SearchResults, kind: QueryKind): string =>
  rateTable(
    results,
    kindNames[kind],
    figures => figures.alone.ids[kind],
    figures => figures.right[kind],
  )

function rateTable(
  { contestants }: SearchResults,
  heading: string,
  of: (figures: SearchFigures) => Rate | undefined,
  right?: (figures: SearchFigures) => number | undefined,
): string {
  const rows = contestants.flatMap(row => {
    const rate = of(row.figures)
    if (rate === undefined) return []
    const compared = ratio(contestants, row, ({ figures }) => of(figures)?.perCpuSecond)
    const share = right?.(row.figures)
    return [
      [
        row.name,
        short(rate.perCpuSecond),
        compared,
        ...latencies(rate),
        ...(share === undefined ? [] : [percent(share)]),
      ],
    ]
  })
  const headings = [heading, 'queries/CPU-s', `x ${reference}`, 'p50 ms', 'p95 ms', 'p99 ms']
  return table(right ? [...headings, 'right'] : headings, rows)
}

const latencies = ({ p50, p95, p99 }: Rate): string[] => [p50, p95, p99].map(short)

function writingTable({ contestants }: SearchResults, asked: readonly QueryKind[]): string {
  const measures: [string, (answering: Answering) => Rate | undefined][] = [
    ...asked.map((kind): [string, (answering: Answering) => Rate | undefined] => [
      kindNames[kind],
      ({ ids }) => ids[kind],
    ]),
    ['or, whole documents', ({ whole }) => whole],
  ]
  const rows = measures.flatMap(([measure, of]) =>
    contestants.flatMap(({ name, figures: { alone, writing } }) => {
      const [free, busy] = [of(alone), writing && of(writing)]
      if (!free || !busy) return []
      const share = busy.perCpuSecond / free.perCpuSecond
      return [[`${measure}: ${name}`, short(busy.perCpuSecond), times(share), ...latencies(busy)]]
    }),
  )
  return table(
    ['while 100 documents/s are written', 'queries/CPU-s', 'x alone', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows,
  )
}

function changesTable({ contestants }: SearchResults): string {
  const rows = contestants.flatMap(({ name, figures: { visibility, removal } }) =>
    visibility && removal
      ? [
          [
            name,
            ...latencies(visibility),
            short(removal.documents / removal.seconds),
            short(removal.documents / removal.cpuSeconds),
          ],
        ]
      : [],
  )
  return table(
    ['changes', 'add and find: p50 ms', 'p95 ms', 'p99 ms', 'removed docs/s', 'removed docs/CPU-s'],
    rows,
  )
}

function wordTable({ oneWord }: SearchResults): string[] {
  if (!oneWord) return []
  const { words, first, again, afterInsert, weighted } = oneWord
  const rows: [string, Rate][] = [
    ['for the first time', first],
    ['again', again],
    ['after an insert', afterInsert],
    ['weighted by the request', weighted],
  ]
  return [
    table(
      [
        `one word, ${words} different ones, English word forms`,
        'queries/CPU-s',
        'p50 ms',
        'p95 ms',
        'p99 ms',
      ],
      rows.map(([state, rate]) => [state, short(rate.perCpuSecond), ...latencies(rate)]),
    ),
  ]
}

function reopenTable({ contestants }: SearchResults): string {
  const rows = contestants.flatMap(({ name, reopening: how, figures: { reopening, build } }) =>
    reopening
      ? [
          [
            name,
            how ?? '',
            short(reopening.seconds),
            short(reopening.cpuSeconds),
            short(build.seconds / reopening.seconds),
            short(reopening.bytes / 1e6),
          ],
        ]
      : [],
  )
  return table(['re-open to first answer', 'how', 'seconds', 'CPU-s', 'build / re-open', 'MB on disk'], rows)
}

function notes({ contestants, leftOut }: SearchResults): string {
  return [
    ...contestants.map(({ name, settings }) => `- ${name}: ${settings}`),
    ...leftOut.map(([name, reason]) => `- ${name} is left out: ${reason}`),
  ].join('\n')
}

function ratio(contestants: readonly Row[], row: Row, rate: (row: Row) => number | undefined): string {
  const base = contestants.find(({ name }) => name === reference)
  const [own, theirs] = [rate(row), base && rate(base)]
  return own === undefined || theirs === undefined ? '-' : times(own / theirs)
}

import { examine } from './answer-key.ts'
import type { Contestant } from './contestant.ts'
import { isolated } from './isolated.ts'
import { percent, print, progress, short, table, times, writeResults } from './report.ts'
import { type Contest, contestants, measureSearch, type SearchFigures } from './search-contest.ts'
import { Catalogue, type QueryKind, queryKinds, typicalBytes, vocabulary } from './synthetic.ts'

export interface SearchOptions {
  readonly documents: number
  /** Of each kind of query and contestant. */
  readonly seconds: number
  readonly evaluationData: string | undefined
}

const note = ({ name, settings, mostDocuments }: Contestant, documents: number): string =>
  mostDocuments !== undefined && documents > mostDocuments
    ? `- ${name}: left out, its memory allows ${mostDocuments} documents`
    : `- ${name}: ${settings}`

type Figures = ReadonlyMap<string, SearchFigures>

/** How fast and how large is the search index, beside others, on documents of a shop? */
export async function search({ documents, seconds, evaluationData }: SearchOptions): Promise<void> {
  const catalogue = new Catalogue(vocabulary(evaluationData))
  progress(`search: ${documents} documents; counting the right answers`)
  const exams = examine(catalogue, documents, 200)
  const figures = new Map<string, SearchFigures>()
  const present = contestants.filter(({ mostDocuments = documents }) => documents <= mostDocuments)
  for (const { name } of present) {
    const contest: Contest = { contestant: name, documents, evaluationData, exams, seconds }
    figures.set(name, await isolated(import.meta.resolve('./search-contest.ts'), measureSearch, contest))
  }
  print(
    `# search: ${documents} documents of about ${typicalBytes(catalogue)} bytes, ten hits, one process each`,
  )
  print(buildTable(figures, documents))
  for (const kind of queryKinds) print(queryTable(figures, kind))
  print(wholeTable(figures))
  print(reopenTable(figures))
  print(contestants.map(contestant => note(contestant, documents)).join('\n'))
  await writeResults('search', { documents, contestants: Object.fromEntries(figures) })
}

function buildTable(figures: Figures, documents: number): string {
  const rate = ({ build }: SearchFigures) => documents / build.cpuSeconds
  const rows = [...figures].map(([name, figure]) => [
    name,
    short(rate(figure)),
    ratio(figures, figure, rate),
    short(documents / figure.build.seconds),
    short(figure.memory.held / documents),
    short(figure.memory.resident / documents),
    whereDocumentsAre[contestants.find(contestant => contestant.name === name)!.documents],
  ])
  const headings = ['build', 'docs/CPU-s', 'x minisearch', 'docs/s', 'bytes/doc', 'resident/doc', 'documents']
  return table(headings, rows)
}

const whereDocumentsAre = { asked: 'not kept', always: 'in memory', disk: 'on disk' }

function queryTable(figures: Figures, kind: QueryKind): string {
  const rate = ({ queries }: SearchFigures) => queries[kind]?.perCpuSecond
  const rows = [...figures].flatMap(([name, figure]) => {
    const measured = figure.queries[kind]
    if (measured === undefined) return []
    return [
      [
        name,
        short(measured.perCpuSecond),
        ratio(figures, figure, rate),
        ...latencies(measured),
        percent(measured.right),
      ],
    ]
  })
  return table([kind, 'queries/CPU-s', 'x minisearch', 'p50 ms', 'p95 ms', 'p99 ms', 'right'], rows)
}

const latencies = ({ p50, p95, p99 }: SearchFigures['whole']): string[] => [p50, p95, p99].map(short)

function wholeTable(figures: Figures): string {
  const rate = ({ whole }: SearchFigures) => whole.perCpuSecond
  const rows = [...figures].map(([name, figure]) => [
    name,
    short(figure.whole.perCpuSecond),
    ratio(figures, figure, rate),
    ...latencies(figure.whole),
  ])
  return table(['or, whole documents', 'queries/CPU-s', 'x minisearch', 'p50 ms', 'p95 ms', 'p99 ms'], rows)
}

function reopenTable(figures: Figures): string {
  const rows = [...figures].map(([name, { reopening, build }]) => [
    name,
    contestants.find(contestant => contestant.name === name)!.reopening,
    short(reopening.seconds),
    short(reopening.cpuSeconds),
    short(build.seconds / reopening.seconds),
    short(reopening.bytes / 1e6),
  ])
  return table(['re-open to first answer', 'how', 'seconds', 'CPU-s', 'build / re-open', 'MB on disk'], rows)
}

function ratio(
  figures: Figures,
  figure: SearchFigures,
  rate: (figure: SearchFigures) => number | undefined,
): string {
  const reference = rate(figures.get('minisearch')!)
  const own = rate(figure)
  return own === undefined || reference === undefined ? '-' : times(own / reference)
}

import { isOurs, queryKinds } from './contestant.ts'
import { spellings } from './metrics.ts'
import { type Mark, type Plot, svg } from './plot.ts'
import type { RelevanceResults } from './relevance.ts'
import { short } from './report.ts'
import type { SearchResults } from './search.ts'
import { kindNames } from './search-report.ts'
import { sizeName } from './sizes.ts'
import type { Everything } from './targets.ts'

export interface Picture {
  readonly file: string
  readonly title: string
  readonly svg: string
}

const plottedSize = 100_000

/** The pictures of the README, as far as there is something to draw. */
export function picturesOf({ searches, relevance }: Everything): Picture[] {
  const search = searches.find(({ documents }) => documents === plottedSize)
  const plots: [string, Plot][] = []
  if (search) plots.push(['throughput', throughput(search)], ['latency', latency(search)])
  if (relevance && relevance.judged.length > 0) plots.push(['relevance', quality(relevance)])
  return plots.map(([name, plot]) => ({ file: `${name}.svg`, title: plot.title, svg: svg(plot) }))
}

type Row = SearchResults['contestants'][number]

function groupsOf(
  { contestants }: SearchResults,
  mark: (row: Row, kind: (typeof queryKinds)[number]) => Mark[],
) {
  return queryKinds
    .map(kind => ({
      name: kindNames[kind],
      marks: contestants.flatMap(row => (row.documents === 'never' ? [] : mark(row, kind))),
    }))
    .filter(({ marks }) => marks.length > 0)
}

function throughput(results: SearchResults): Plot {
  return {
    title: `Queries per CPU-second, ${sizeName(results.documents)} documents`,
    description:
      'For each kind of query one bar for each library, ids and scores of ten hits; longer is better, each line of the ' +
      'grid is ten times the one before.',
    axis: 'queries per CPU-second, logarithmic; longer is better',
    scale: 'log',
    groups: groupsOf(results, ({ name, figures }, kind) => {
      const rate = figures.alone.ids[kind]?.perCpuSecond
      return rate === undefined ? [] : [{ name, ours: isOurs(name), bar: rate, label: short(rate) }]
    }),
  }
}

function latency(results: SearchResults): Plot {
  return {
    title: `Latency of single queries, ${sizeName(results.documents)} documents`,
    description:
      'For each kind of query and each library three points, from large to small: the 50th, 95th and 99th percentile ' +
      'of the milliseconds of a call; further left is better, each line of the grid is ten times the one before.',
    axis: 'milliseconds, logarithmic: p50, p95, p99 from large to small point; further left is better',
    scale: 'log',
    groups: groupsOf(results, ({ name, figures }, kind) => {
      const rate = figures.alone.ids[kind]
      if (rate === undefined) return []
      const points = [rate.p50, rate.p95, rate.p99]
      return [{ name, ours: isOurs(name), points, label: points.map(short).join(' / ') }]
    }),
  }
}

function quality({ judged }: RelevanceResults): Plot {
  return {
    title: 'Relevance of the first ten answers',
    description:
      'For each collection, with clean and with misspelt queries, one bar for each library: mean nDCG@10, with its ' +
      '95 % bootstrap interval; longer is better.',
    axis: 'nDCG@10 with its 95 % interval; longer is better',
    scale: 'linear',
    groups: judged.flatMap(({ collection, figures }) =>
      spellings.map(spelling => ({
        name: `${collection}, ${spelling === 'clean' ? 'clean queries' : 'one typo in each query'}`,
        marks: figures.map(({ name, all }) => {
          const { difference, low, high } = all[spelling].value
          return {
            name,
            ours: isOurs(name),
            bar: difference,
            interval: [low, high],
            label: difference.toFixed(3),
          } as const
        }),
      })),
    ),
  }
}

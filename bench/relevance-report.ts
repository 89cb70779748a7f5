import { type Interval, spellings, subsets } from './metrics.ts'
import type { CatalogueResults, JudgedResults, RelevanceResults } from './relevance.ts'
import { table } from './report.ts'

export function relevanceReport({ judged, pooled, catalogue, leftOut }: RelevanceResults): string {
  const sets = pooled ? [...judged, pooled] : judged
  return [
    ...(sets.length === 0 ? ['relevance: no judged collections at hand, skipped'] : sets.map(judgedTables)),
    catalogueTable(catalogue),
    ...leftOut.map(([name, reason]) => `- ${name} is left out: ${reason}`),
  ].join('\n\n')
}

const spellingNames = { clean: 'clean queries', typo: 'one typo in each query' }

function judgedTables({ collection, queries, figures, known }: JudgedResults): string {
  const tables = spellings.map(spelling => {
    const rows = figures.map((figure, at) => [
      figure.name,
      ...subsets.flatMap(subset => {
        const { value, weLeadBy } = figure[subset][spelling]
        return [value.difference.toFixed(3), at === 0 ? '' : interval(weLeadBy)]
      }),
    ])
    const headings = [`all ${queries.all}`, 'we lead by', `the even ${queries.even}`, 'we lead by']
    return table([spellingNames[spelling], ...headings], rows)
  })
  if (known) {
    const rows = figures.map(({ name }, at) => [name, ...spellings.map(of => known[at]![of].toFixed(3))])
    tables.push(table(['known items, mean reciprocal rank', ...spellings], rows))
  }
  return [`### relevance: ${collection}, nDCG@10; our lead with its 95 % interval`, ...tables].join('\n\n')
}

const signed = (value: number): string => `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`

export const interval = ({ difference, low, high }: Interval): string =>
  `${signed(difference)} (${signed(low)} to ${signed(high)})`

function catalogueTable({ asked, figures }: CatalogueResults): string {
  const rows = figures.map(({ name, right, rightAt1, ofKind }) =>
    [name, right, rightAt1, ...ofKind].map(String),
  )
  const all = asked.reduce((sum, [, count]) => sum + count, 0)
  const headings = [
    'catalogue',
    `all ${all}`,
    'by the first hit',
    ...asked.map(([kind, count]) => `${kind} ${count}`),
  ]
  return [
    '### relevance: the catalogue of this repository, queries answered as expected',
    table(headings, rows),
  ].join('\n\n')
}

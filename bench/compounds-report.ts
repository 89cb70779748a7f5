import type { CompoundResults } from './compounds.ts'
import { short, table } from './report.ts'

export function compoundsReport({ documents, figures, skipped }: CompoundResults): string {
  const names = figures[0]!.contestants.map(([name]) => name)
  const rows = figures.map(({ language, kind, queries, contestants, p95 }) => [
    `${language}, ${kind}`,
    String(queries),
    ...contestants.map(([, { recall }]) => recall.toFixed(3)),
    ...contestants.map(([, { precision }]) => precision.toFixed(3)),
    short(p95),
  ])
  return [
    `### compounds: words written as one, ${documents} titles in each language`,
    table(
      [
        'query',
        'queries',
        ...names.map(name => `recall, ${name}`),
        ...names.map(name => `precision@10, ${name}`),
        'p95 in ms',
      ],
      rows,
    ),
    ...skipped.map(([name, reason]) => `- ${name} is left out: ${reason}`),
  ].join('\n\n')
}

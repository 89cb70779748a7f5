import type { Accepted } from './answers/check.ts'
import { checkClasses } from './answers/checks.ts'
import type { Verdict } from './answers/verdicts.ts'
import type { AnswersResults } from './answers.ts'
import { percent, table } from './report.ts'

export function answersReport({ collections, classes, figures, leftOut }: AnswersResults): string {
  const all = classes.reduce((sum, [, count]) => sum + count, 0)
  const rows = classes.map(([name, count], at) => [
    name,
    String(count),
    ...figures.map(({ ofClass }) => String(ofClass[at])),
  ])
  const sum = ['all', String(all), ...figures.map(({ right }) => `${right} (${percent(right / all)})`)]
  return [
    `### answers: what shoppers type, accepted on ${collections.join(', ')}`,
    table(['class', 'checks', ...figures.map(({ name }) => name)], [...rows, sum]),
    ...leftOut.map(([name, reason]) => `- ${name} is left out: ${reason}`),
  ].join('\n\n')
}

const shownTitle = 70

/** What was typed, what would have been accepted, and what came, by class. */
export function failuresReport(failures: readonly Verdict[]): string {
  const parts = checkClasses.flatMap(name => {
    const ofClass = failures.filter(({ checkClass }) => checkClass === name)
    return ofClass.length > 0 ? [`### answers: not accepted, ${name}`, ofClass.map(failure).join('\n')] : []
  })
  return parts.length > 0 ? parts.join('\n\n') : 'answers: everything is accepted'
}

function failure({ check: { collection, query, typing, accepted }, hits }: Verdict): string {
  const titles = hits.slice(0, 3).map(({ title }) => `    ${title.slice(0, shownTitle)}`)
  const asked = `- ${collection}: ${query}${typing ? '…' : ''}: ${wanted(accepted)}; ${hits.length} came`
  return [asked, ...titles].join('\n')
}

function wanted(accepted: Accepted): string {
  switch (accepted.kind) {
    case 'nothing':
      return 'nothing'
    case 'same':
      return `the same as for ${accepted.as}`
    case 'titles': {
      const { atLeast, among, patterns, without } = accepted
      return `${atLeast} of ${among} with ${patterns.join(' and ')}${without ? `, none with ${without}` : ''}`
    }
  }
}

import { percent, table, times } from './report.ts'
import type { SpellingResults } from './spelling.ts'

export function spellingReport({ sets, cleanChanged, leftOut }: SpellingResults): string {
  const names = sets[0]!.right.map(([name]) => name)
  const share = (value: number) => percent(value, 1)
  const rows = sets.map(({ name, pairs, inDictionary, realWords, right }) => [
    name,
    String(pairs),
    share(inDictionary),
    share(realWords),
    ...right.map(([, value]) => share(value)),
    times(right[0]![1] / right[1]![1]),
  ])
  const headings = ['pairs', 'right word known', 'another word typed', ...names, `${names[0]} / ${names[1]}`]
  return [
    '### spelling: the first correction is the right one',
    table(['list', ...headings], rows),
    ...(cleanChanged === undefined
      ? []
      : [
          `${share(cleanChanged)} of the queries of esci-us-small have an English word that is taken for another.`,
        ]),
    ...leftOut.map(([name, reason]) => `- ${name} is left out: ${reason}`),
  ].join('\n\n')
}

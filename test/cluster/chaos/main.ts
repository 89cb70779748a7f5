import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../../../bench/report.ts'
import { hasStandbys } from '../postgres-server.ts'
import { chaos } from './chaos.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    older: { type: 'string' },
  },
})
const [seconds, seed] = [Number(values.seconds), Number(values.seed)]

if (!hasStandbys) process.exitCode = 2
else if (!(seconds >= 1 && seconds <= 3600) || !Number.isInteger(seed)) {
  process.stderr.write(
    'npm run chaos -- [--seconds <1 to 3600>] [--seed <whole number>] [--older <folder>]\n',
  )
  process.exitCode = 2
} else {
  const began = performance.now()
  const report = await chaos({
    ...{ seconds, seed },
    // A checkout of an earlier release, which has been built.
    older: values.older && resolve(values.older, 'test/cluster/chaos/node-process.mjs'),
    progress: text =>
      process.stderr.write(`  ${((performance.now() - began) / 1000).toFixed(0)} s: ${text}\n`),
  })
  const rows = (figures: Readonly<Record<string, number | string>>) =>
    Object.entries(figures).map(([what, count]) => [what, String(count)])
  const figures = {
    'writes acknowledged': report.acknowledged,
    'of these lost': report.wrong.length === 0 ? 0 : 'see below',
    'of these gone with the end of the log, and told': report.lostWithTheEnd,
    'writes refused': report.refused,
    'writes not answered': report.unanswered,
    'reads checked': report.reads,
    documents: report.documents,
  }
  const texts = [
    `# chaos: ${seconds} seconds, seed ${seed}`,
    table(['what happened', 'times'], rows(report.happened)),
    table(['what clients were told', 'times'], rows(report.codes)),
    table(['', 'number'], rows(figures)),
    report.wrong.length === 0 ? 'Everything was as promised.' : `WRONG: ${report.wrong.length}`,
    ...report.wrong.slice(0, 20),
  ]
  process.stdout.write(`${texts.join('\n\n')}\n`)
  if (report.wrong.length > 0) process.exitCode = 1
}

import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { type ReportAnalytics, reportHtml, reportText } from 'findling/plot'
import { pick, random } from '../random.ts'
import type { Question } from './questions.ts'
import type { DemoSet } from './sets.ts'
import { print } from './terminal.ts'

const SEARCHES = 400
const USERS = 40

/** What is in the data, what is wrong with it and what people ask: as text here, and as a file to be kept. */
export async function showReport({ name, questions }: DemoSet, store: string): Promise<void> {
  const engine = await Engine.open({ store, analytics: { mode: 'full' } })
  try {
    const dataset = engine.datasets.get('catalogue')
    print(`\nReport: what is asked is made up, ${SEARCHES} searches of ${USERS} users.`)
    const analytics = await asked(engine, questions)
    const input = { title: name, profile: await dataset.profile(), map: await dataset.map(), analytics }
    print(`\n${reportText(input)}`)
    const path = join(tmpdir(), `findling-report-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.html`)
    await writeFile(path, reportHtml(input))
    print(`Report with plots and all rows: ${path}\n`)
  } finally {
    await engine.close()
  }
}

/** The questions of the demo again and again, with a click on one of the first hits now and then. */
async function asked(engine: Engine, questions: readonly Question[]): Promise<ReportAnalytics> {
  const dataset = engine.datasets.get('catalogue')
  const next = random(5)
  for (let i = 0; i < SEARCHES; i++) {
    const { text, operator } = questions[Math.floor(next() ** 2 * questions.length)]!
    const user = `u${Math.floor(next() * USERS)}`
    const { hits, queryId } = await dataset.search(text, { operator, context: { user } })
    if (queryId === undefined || hits.length === 0 || next() < 0.6) continue
    await engine.analytics.event({ type: 'click', queryId, id: pick(next, hits.slice(0, 3)).id, user })
  }
  const { analytics } = engine
  return {
    overview: await analytics.overview(),
    series: await analytics.series(),
    top: await analytics.queries({ kind: 'top' }),
    withoutHits: await analytics.queries({ kind: 'withoutHits' }),
    neverClicked: await analytics.queries({ kind: 'neverClicked' }),
    suggestions: await analytics.suggestions(),
  }
}

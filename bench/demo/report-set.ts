import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { reportHtml, reportText } from 'findling/plot'
import type { DemoSet } from './sets.ts'
import { print } from './terminal.ts'

/** What is in the data and what is wrong with it: as text here, and as a file to be kept. */
export async function showReport({ name }: DemoSet, store: string): Promise<void> {
  const engine = await Engine.open({ store })
  try {
    const dataset = engine.datasets.get('catalogue')
    const input = { title: name, profile: await dataset.profile(), map: await dataset.map() }
    print(`\n${reportText(input)}`)
    const path = join(tmpdir(), `findling-report-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.html`)
    await writeFile(path, reportHtml(input))
    print(`Report with plots and all rows: ${path}\n`)
  } finally {
    await engine.close()
  }
}

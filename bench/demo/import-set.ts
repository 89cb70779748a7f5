import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dataset, Engine, type ImportReport, type TagInput } from 'findling'
import type { DemoSet } from './sets.ts'
import { fact, grouped, ProgressBar, print, seconds } from './terminal.ts'

/** What the demo needs to know of a document; all other fields are stored as they are. */
export interface Titled {
  readonly id: string
  readonly title: string
}

/** All documents and tags into a new store in a folder, shown as it goes on. */
export async function importSet(set: DemoSet, store: string): Promise<void> {
  print('Import: a document counts when it is durable on the disk and searches find it.\n')
  const engine = await Engine.open({ store })
  try {
    const dataset = await engine.datasets.create<Titled>('catalogue', { interpretedFields: [...set.fields] })
    const start = performance.now()
    const report = await importDocuments(dataset, set.documents)
    const took = performance.now() - start
    fact('documents', grouped(report.stored))
    if (report.failed > 0) fact('refused', `${grouped(report.failed)}, the first: ${reasonIn(report)}`)
    fact('time', seconds(took))
    fact('documents per second', grouped((report.stored / took) * 1_000))
    fact('tags', await importTags(dataset, set.tags))
    await untilQuiet(engine)
  } finally {
    await engine.close()
  }
}

async function importDocuments(dataset: Dataset<Titled>, path: string): Promise<ImportReport> {
  const bar = new ProgressBar('importing')
  try {
    return await dataset.documents.import(path, { onProgress: ({ percent }) => bar.show(percent) }).finished
  } finally {
    bar.clear()
  }
}

function reasonIn({ errors: [first] }: ImportReport): string {
  return first ? `line ${first.line}, ${first.message}` : ''
}

/** The index is merged behind the writes; closing would cut that short. */
async function untilQuiet(engine: Engine): Promise<void> {
  while (engine.jobs({ status: ['running'] }).length > 0) await sleep(10)
}

async function importTags(dataset: Dataset<Titled>, path: string | undefined): Promise<string> {
  if (path === undefined) return 'none in this set'
  const lines = (await readFile(path, 'utf8')).split('\n').filter(Boolean)
  const replaced = dataset.tags.replaceAll(lines.map(readTag))
  return await replaced.then(
    ({ stored }) => grouped(stored),
    error => `refused: ${error.message}`,
  )
}

/** Some sets write the names of the members with capitals. */
function readTag(line: string): TagInput {
  const { id, name, parentId, Id, Name, ParentId } = JSON.parse(line)
  return { id: id ?? Id, name: name ?? Name, parentId: parentId ?? ParentId ?? null }
}

import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Demo, readArguments, usage, WrongUse } from './demo/arguments.ts'
import { survivesKill } from './demo/crash.ts'
import { importSet } from './demo/import-set.ts'
import { showReport } from './demo/report-set.ts'
import { showAnswers } from './demo/search-set.ts'
import { type DemoSet, findSets, sampleCatalogue } from './demo/sets.ts'
import { print } from './demo/terminal.ts'

/** Exit code 1 when anything that was acknowledged did not survive, 2 when the arguments are wrong. */
async function main(args: readonly string[]): Promise<number> {
  try {
    const demo = readArguments(args)
    if (demo.help) return explain(usage)
    const sets = demo.data === undefined ? [await sampleCatalogue()] : await findSets(demo.data)
    return (await inDemoFolder(demo, folder => showAll(sets, folder, demo.report))) ? 0 : 1
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error
    process.stderr.write(`demo: ${error.message}\n`)
    return 2
  }
}

function explain(text: string): number {
  print(text)
  return 0
}

async function inDemoFolder<T>({ keep }: Demo, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-demo-'))
  const interrupted = () => {
    if (!keep) rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  }
  process.once('SIGINT', interrupted)
  try {
    return await work(folder)
  } finally {
    process.off('SIGINT', interrupted)
    if (keep) print(`Kept: ${folder}`)
    else await rm(folder, { recursive: true, force: true })
  }
}

async function showAll(sets: readonly DemoSet[], folder: string, reports: boolean): Promise<boolean> {
  let sound = true
  for (const set of sets) {
    const store = join(folder, set.name)
    print(`${set.name}\n${'='.repeat(set.name.length)}\n`)
    await importSet(set, store)
    const answers = await showAnswers(set, store)
    if (reports) await showReport(set, store)
    if (!(await survivesKill(store, answers))) sound = false
  }
  return sound
}

process.exitCode = await main(process.argv.slice(2))

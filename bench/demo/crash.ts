import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { type Dataset, Engine } from 'findling'
import type { Titled } from './import-set.ts'
import { isNumbered, numberedProduct, numberIn } from './numbered-product.ts'
import { type Matches, matchesOf } from './search-set.ts'
import { fact, grouped, ms, print } from './terminal.ts'

const killAfter = 300

/** Kills a process that is writing into the store, opens it again and compares. True when nothing is wrong. */
export async function survivesKill(store: string, before: readonly Matches[]): Promise<boolean> {
  print('Crash: another process writes products one by one, durably, and is killed on the way (SIGKILL).\n')
  const acknowledged = await writeUntilKilled(store)
  const start = performance.now()
  const engine = await Engine.open({ store })
  try {
    const opened = performance.now()
    const dataset = engine.datasets.get<Titled>('catalogue')
    await dataset.search('anything')
    const answered = performance.now()
    fact('opened again', `in ${ms(opened - start)} ms, first answer ${ms(answered - opened)} ms later`)
    const lost = await compareProducts(dataset, acknowledged)
    const { ok, documents, faults } = await engine.doctor()
    fact('doctor', ok ? `ok, ${grouped(documents)} documents examined` : faults.map(f => f.message).join(' '))
    await removeWritten(engine, dataset)
    const same = await compareAnswers(dataset, before)
    const sound = lost === 0 && ok && same
    print(`\n${sound ? 'Nothing that was acknowledged is missing.' : 'SOMETHING IS WRONG: see above.'}\n`)
    return sound
  } finally {
    await engine.close()
  }
}

/** Ids of the products that were acknowledged, in their order. */
async function writeUntilKilled(store: string): Promise<string[]> {
  const script = fileURLToPath(new URL('./writer.ts', import.meta.url))
  const writer = spawn(process.execPath, [...process.execArgv, script, store], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  writer.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece
    if (said.split('\n').length > killAfter) writer.kill('SIGKILL')
  })
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    writer.once('error', reject)
    writer.once('close', (_code, signal) => resolve(signal))
  })
  if (signal !== 'SIGKILL') throw new Error('The writing process ended before it could be killed.')
  return said.split('\n').slice(0, -1)
}

/** How many acknowledged products are not there as they were written. */
async function compareProducts(dataset: Dataset<Titled>, acknowledged: readonly string[]): Promise<number> {
  const found = new Set<string>()
  let findable = 0
  for await (const { id, document } of dataset.documents.scan()) {
    if (!isNumbered(id) || !isDeepStrictEqual(document, numberedProduct(numberIn(id)))) continue
    found.add(id)
    const { hits } = await dataset.search(id, { limit: 1, documents: false })
    if (hits[0]?.id === id) findable++
  }
  const there = acknowledged.filter(id => found.has(id)).length
  fact('acknowledged', grouped(acknowledged.length))
  fact('there, and unchanged', grouped(there))
  fact('there, not acknowledged', `${found.size - there} (stored, killed before it could be said)`)
  fact('found by a search', `${grouped(findable)} of ${grouped(found.size)}`)
  return acknowledged.length - there + (found.size - findable)
}

/**
 * Every query has to match exactly the documents of before. Their order may move where the index has renewed its
 * length statistics in between; so that is told, not judged.
 */
async function compareAnswers(dataset: Dataset<Titled>, before: readonly Matches[]): Promise<boolean> {
  let [same, sameOrder] = [0, 0]
  for (const { question, ids } of before) {
    const { ids: after } = await matchesOf(dataset, question)
    if (isDeepStrictEqual(after.toSorted(), ids.toSorted())) same++
    if (isDeepStrictEqual(after.slice(0, 10), ids.slice(0, 10))) sameOrder++
  }
  const lines = [
    `${same} of ${before.length} find exactly the same documents,`,
    `${sameOrder} of ${before.length} have the same first ten in the same order`,
    '(compared after the written products had been removed again)',
  ]
  if (sameOrder < before.length) {
    lines.push(
      'Order can move when the index renews its length statistics,',
      'as it does after it has doubled.',
    )
  }
  fact('queries as before', ...lines)
  return same === before.length
}

/** They make words more or less rare, which would move the scores of all others. */
async function removeWritten(engine: Engine, dataset: Dataset<Titled>): Promise<void> {
  const written: string[] = []
  for await (const { id } of dataset.documents.scan()) if (isNumbered(id)) written.push(id)
  await engine.write(written.map(id => ({ type: 'delete', dataset: dataset.name, id })))
}

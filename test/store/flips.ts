import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type Dataset, Engine, type JsonObject } from 'findling'
import { Level } from 'level'

const script = fileURLToPath(new URL('./flipped-bytes.mjs', import.meta.url))

/** What one flipped bit came to; without `opened` the process did not survive it. */
export interface Verdict {
  seed: number
  file: string
  at: number
  bit: number
  opened?: boolean
  code?: string
  /** The logger and the doctor say that changes are lost. */
  isTold?: boolean
  /** Every answer is that of the newest state. */
  isWell?: boolean
  /** Answers that never were right. */
  wrong?: string[]
}

/** Whether a verdict is what it should be: refused by a code that says why, told, or without any consequence. */
export const isFine = ({ opened, code, isTold, isWell, wrong }: Verdict): boolean =>
  opened === false ? isAnswer(code) : opened === true && wrong?.length === 0 && (isTold || isWell) === true

const isAnswer = (code: string | undefined) => code === 'STORE_CORRUPT' || code === 'DATASETS_LOST'

/**
 * A store with tables on several levels and a log, as it lies when it was closed and as a kill leaves it. What must
 * be in it lies beside each. LevelDB's smallest buffer makes many tables of few documents.
 */
export async function storesToFlip(folder: string): Promise<{ closed: string; killed: string }> {
  const closed = join(folder, 'closed')
  const killed = join(folder, 'killed')
  const random = numbers(7)
  const documents: Record<string, Record<string, JsonObject>> = { one: {}, two: {}, three: {} }
  const versions: Record<string, Record<string, string[]>> = { one: {}, two: {}, three: {} }
  const write = async (engine: Engine, life: number, count: number) => {
    for (const [name, expected] of Object.entries(documents)) {
      const dataset: Dataset = engine.datasets.has(name)
        ? engine.datasets.get(name)
        : await engine.datasets.create(name, { interpretedFields: ['title'] })
      if (life === 0) await dataset.tags.create({ id: 'tag', name: 'Tag' })
      const rows = Array.from({ length: name === 'one' ? count : 5 }, (_, n) => ({
        id: `${Math.floor(random() * 90)}-${n % 3}`,
        title: `Lamp of life ${life}`,
        body: Array.from({ length: 60 }, () => random().toString(36).slice(2)).join(''),
      }))
      for (const row of rows) await dataset.documents.upsert(row)
      for (const row of rows) {
        expected[row.id] = row
        versions[name]![row.id] = [...(versions[name]![row.id] ?? []), JSON.stringify(row)]
      }
      const gone = rows.at(-1)!.id
      await dataset.documents.delete(gone)
      delete expected[gone]
    }
  }
  const db = new Level<string, Uint8Array>(closed, { valueEncoding: 'view', writeBufferSize: 2 ** 16 })
  const first = await Engine.open({ store: db, durability: 'process' })
  for (let life = 0; life < 12; life++) await write(first, life, 80)
  await first.close()
  await db.close()
  for (let life = 12; life < 14; life++) {
    const engine = await Engine.open({ store: closed, durability: 'process' })
    await write(engine, life, 8)
    await engine.close()
  }
  await writeFile(`${closed}.json`, JSON.stringify({ documents, versions }))
  const open = join(folder, 'open')
  await cp(closed, open, { recursive: true })
  const engine = await Engine.open({ store: open, durability: 'process' })
  await write(engine, 14, 20)
  await cp(open, killed, { recursive: true, filter: path => basename(path) !== 'LOCK' })
  await engine.close()
  await writeFile(`${killed}.json`, JSON.stringify({ documents, versions }))
  return { closed, killed }
}

/** What each flip came to. Behind one that a process does not survive the next goes on. */
export async function verdictsOn(store: string, from: number, end: number): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  while (from + verdicts.length < end) {
    const next = from + verdicts.length
    const child = spawn(process.execPath, [script, store, String(next), String(end)])
    const errors: string[] = []
    child.stderr.on('data', data => errors.push(String(data)))
    const exited = once(child, 'exit')
    for await (const line of createInterface(child.stdout)) {
      const verdict: Verdict = JSON.parse(line)
      verdicts[verdict.seed - from] = verdict
    }
    const [code, signal] = await exited
    if (code !== 0 && signal !== 'SIGABRT')
      throw new Error(`a process ended with ${code ?? signal}: ${errors.join('')}`)
  }
  return verdicts
}

/** The tables of each level, in LevelDB's words. */
export async function tablesOf(store: string): Promise<string> {
  const db = new Level<string, Uint8Array>(store, { valueEncoding: 'view' })
  await db.open()
  // The types are those of all platforms; on this one it is LevelDB.
  const stats = (db as unknown as { getProperty(name: string): string }).getProperty('leveldb.sstables')
  await db.close()
  return stats
}

function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 16807) % 2147483647
    return state / 2147483647
  }
}

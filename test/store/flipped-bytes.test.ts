import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Engine, errorCodes, type JsonObject } from 'findling'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../engine/engines.ts'

const script = fileURLToPath(new URL('./flipped-bytes.mjs', import.meta.url))
const FLIPS = 150

interface Verdict {
  seed: number
  file: string
  at: number
  opened?: boolean
  code?: string
  wrong?: string[]
  missing?: number
}

/** Three datasets, in tables and in a log. */
async function closedStore(): Promise<string> {
  const store = join(await temporaryFolder(), 'store')
  const all: Record<string, Record<string, JsonObject>> = { one: {}, two: {}, three: {} }
  for (let life = 0; life < 3; life++) {
    const engine = await Engine.open({ store, durability: 'process' })
    for (const [name, documents] of Object.entries(all)) {
      const dataset = life === 0 ? await engine.datasets.create(name) : engine.datasets.get(name)
      await dataset.tags.create({ id: `tag-${life}`, name: 'Tag' })
      for (let i = 0; i < 15; i++) {
        const document = {
          id: `${life}-${i}`,
          title: `Lamp ${name} ${i}`,
          desc: 'a'.repeat(i * 3),
          tag: `tag-${life}`,
        }
        documents[`${life}-${i}`] = document
      }
      await dataset.documents.bulk(Object.values(documents))
      for (const document of Object.values(documents).slice(-5)) await dataset.documents.upsert(document)
    }
    await engine.close()
  }
  await writeFile(`${store}.json`, JSON.stringify(all))
  return store
}

/** What each flip came to. One that LevelDB does not survive has no verdict; the next process goes on behind it. */
async function verdictsOn(store: string): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  for (let next = 0; next < FLIPS; next = verdicts.length) {
    const child = spawn(process.execPath, [script, store, String(next), String(FLIPS)])
    const errors: string[] = []
    child.stderr.on('data', data => errors.push(String(data)))
    const exited = once(child, 'exit')
    for await (const line of createInterface(child.stdout)) {
      const verdict: Verdict = JSON.parse(line)
      verdicts[verdict.seed] = verdict
    }
    const [code, signal] = await exited
    if (code !== 0) expect(signal, errors.join('')).toBe('SIGABRT')
  }
  return verdicts
}

describe('one flipped bit in a closed store', () => {
  it('is refused, or reported, or does no harm, and never changes an answer', async () => {
    const store = await closedStore()
    expect((await readdir(store)).join(' ')).toMatch(/\.ldb.*\.log/)
    const verdicts = await verdictsOn(store)
    expect(verdicts).toHaveLength(FLIPS)
    for (const verdict of verdicts) {
      if (verdict.opened === false) expect(errorCodes, JSON.stringify(verdict)).toContain(verdict.code)
      if (verdict.opened) expect(verdict).toMatchObject({ wrong: [], missing: 0 })
    }
    const judged = verdicts.filter(({ opened }) => opened !== undefined)
    expect(judged.length).toBeGreaterThan(FLIPS * 0.9)
    expect(verdicts.filter(({ opened }) => opened).length).toBeGreaterThan(FLIPS * 0.2)
  })
})

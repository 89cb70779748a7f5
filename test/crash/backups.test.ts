import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, collected, expectHealthy, temporaryFolder } from '../engine/engines.ts'
import { numbers } from './numbers.mjs'

const writer = fileURLToPath(new URL('./backup-writer.mjs', import.meta.url))
const SEED = 5
const LIVES = 3

type Said = { begun?: number; ended?: number; done?: number; restored?: boolean }

/** Runs a process until what it says is enough, and kills it so many milliseconds later; all that it said. */
async function killed(args: string[], isEnough: (said: Said[]) => boolean, ms: number): Promise<Said[]> {
  const child = spawn(process.execPath, [writer, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const said: Said[] = []
  let isDoomed = false
  for await (const line of createInterface(child.stdout)) {
    said.push(JSON.parse(line))
    if (isDoomed || !isEnough(said)) continue
    isDoomed = true
    void pause(ms).then(() => child.kill('SIGKILL'))
  }
  await exited
  return said
}

async function idsIn(store: string): Promise<number[]> {
  const engine = await Engine.open({ store })
  await expectHealthy(engine)
  const records = await collected(engine.datasets.get('items').documents.scan())
  await engine.close()
  return records.map(({ id }) => Number(id.slice(1))).sort((a, b) => a - b)
}

describe(`a process that is killed while it backs up and writes (seed ${SEED})`, () => {
  it('leaves the backup before or the next, and a restore that is killed leaves nothing that opens', async () => {
    const random = numbers(SEED)
    const folder = await temporaryFolder()
    const [store, backup] = [join(folder, 'store'), join(folder, 'backup')]
    let least = 0
    for (let life = 0; life < LIVES; life++) {
      // In the first life a backup ends, in the others the kill comes at any time of one.
      const isEnough = (all: Said[]) => all.some(({ ended }) => ended !== undefined) || life > 0
      const said = await killed(['backup', store, backup], isEnough, random(60))
      least = Math.max(least, ...said.map(({ ended = 0 }) => ended))
      await Engine.verifyBackup(backup)
      const again = join(folder, `again-${life}`)
      await Engine.restore(backup, again)
      const ids = await idsIn(again)
      expect(ids).toEqual(ids.map((_, i) => i))
      expect([ids.length >= least, ids.length % 200]).toEqual([true, 0])
    }
    const again = join(folder, 'half')
    let halves = 0
    for (let life = 0; life < LIVES; life++) {
      // The first dies by itself as soon as something is restored: on a fast machine no other may be killed in time.
      const args = ['restore', again, backup, ...(life === 0 ? ['dying'] : [])]
      const said = await killed(args, () => true, random(15))
      if (said.at(-1)?.restored) break
      halves++
      // What a killed restore has left is looked at in a copy: the next one meets it as it is.
      const copy = join(folder, `copy-${life}`)
      await cp(again, copy, { recursive: true })
      expect(await codeOf(() => Engine.open({ store: copy }))).toBe('STORE_CORRUPT')
    }
    expect(halves).toBeGreaterThan(0)
    await killed(['restore', again, backup], () => false, 0).catch(() => [])
    expect((await idsIn(again)).length).toBeGreaterThanOrEqual(least)
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { expectHealthy, temporaryFolder } from '../engine/engines.ts'
import { numbers } from './numbers.mjs'

const writer = fileURLToPath(new URL('./service-writer.mjs', import.meta.url))
const SEED = 11
const LIVES = 5

type Status = string | null

/** Kills a process after so many steps; what it said that services are, and what one may have become. */
async function killedAfter(store: string, seed: number, steps: number, known: Map<string, Status>) {
  const child = spawn(process.execPath, [writer, store, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let begun: { begins: string; to: Status } | undefined
  let done = 0
  for await (const line of createInterface(child.stdout)) {
    const said = JSON.parse(line)
    if (said.begins) begun = said
    else {
      known.set(said.ended, said.is)
      begun = undefined
      done += 1
    }
    if (done >= steps && begun) child.kill('SIGKILL')
  }
  await exited
  return begun
}

describe(`a process that is killed while it prepares, activates and removes services (seed ${SEED})`, () => {
  it('leaves each as it was before or after what was being done, and nothing besides', async () => {
    const random = numbers(SEED)
    const store = join(await temporaryFolder(), 'store')
    const first = await Engine.open({ store })
    const { documents } = await first.datasets.create('items')
    await documents.bulk([1, 2, 3].map(id => ({ id, title: `lamp ${id}` })))
    await first.close()
    const known = new Map<string, Status>()
    for (let life = 1; life <= LIVES; life++) {
      const begun = await killedAfter(store, SEED * 100 + life, 8 + random(15), known)
      const engine = await Engine.open({ store })
      const found = new Map(engine.services.list().map(({ alias, status }) => [alias!, status]))
      for (const [alias, status] of [...known, ...(begun ? [[begun.begins, undefined] as const] : [])]) {
        const now = found.get(alias) ?? null
        if (begun?.begins === alias) expect([known.get(alias) ?? null, begun.to]).toContain(now)
        else expect([alias, now]).toEqual([alias, status])
        known.set(alias, now)
        if (now === 'active')
          expect((await engine.services.get(alias, 'search').search('lamp')).total).toBe(3)
      }
      const ids = engine.services.list().map(({ id }) => id)
      const jobs = engine.jobs().flatMap(({ service }) => service ?? [])
      expect(jobs.filter(id => !ids.includes(id))).toEqual([])
      await expectHealthy(engine)
      await engine.close()
    }
    expect(known.size).toBe(3)
  })
})

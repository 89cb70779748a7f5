import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { collected, expectHealthy, temporaryFolder } from '../engine/engines.ts'
import { numbers } from './numbers.mjs'

const writer = fileURLToPath(new URL('./slice-writer.mjs', import.meta.url))
const MANY = 4000
const SLICE = 200
const SEED = 7

/** Kills a process as soon as it has come to so many documents; how many it had come to by then. */
async function killedAt(store: string, change: string, enough: number): Promise<number> {
  const child = spawn(process.execPath, [writer, store, change], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let done = 0
  for await (const line of createInterface(child.stdout)) {
    done = Number(line)
    if (done >= enough) child.kill('SIGKILL')
  }
  await exited
  return done
}

describe(`a process that is killed while it changes documents by query (seed ${SEED})`, () => {
  it('leaves whole slices changed and the others as they were', { timeout: 180_000 }, async () => {
    const random = numbers(SEED)
    const store = join(await temporaryFolder(), 'store')
    const ids = Array.from({ length: MANY }, (_, i) => `d${String(i).padStart(4, '0')}`)
    const first = await Engine.open({ store })
    const { documents } = await first.datasets.create('items', { interpretedFields: ['title'] })
    await documents.bulk(ids.map(id => ({ id, title: `lamp ${id}`, round: 0 })))
    await first.close()
    let rounds = ids.map(() => 0)
    for (const round of [1, 2, 3]) {
      const done = await killedAt(store, String(round), SLICE * (2 + random(10)))
      const engine = await Engine.open({ store })
      const items = engine.datasets.get('items')
      const found = (await collected(items.documents.scan())).map(({ document }) => Number(document.round))
      const changed = found.filter(one => one === round).length
      expect(found).toEqual([...found.slice(0, changed).fill(round), ...rounds.slice(changed)])
      expect(changed % SLICE).toBe(0)
      // What was told is written but for the slice under way, and the last was not reached.
      expect(changed).toBeGreaterThanOrEqual(done - (done % SLICE) - SLICE)
      expect(changed).toBeLessThan(MANY)
      expect(engine.jobs({ status: ['failed'] })).toHaveLength(round)
      await expectHealthy(engine)
      await engine.close()
      rounds = found
    }
    await killedAt(store, 'delete', SLICE * (2 + random(10)))
    const engine = await Engine.open({ store })
    const items = engine.datasets.get('items')
    const left = (await collected(items.documents.scan())).map(({ id }) => id)
    expect([left.length > 0, left.length < MANY, left.length % SLICE]).toEqual([true, true, 0])
    expect(left).toEqual(ids.slice(-left.length))
    await expectHealthy(engine)
    await engine.close()
  })
})

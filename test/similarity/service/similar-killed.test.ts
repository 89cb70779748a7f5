import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine, type SimilarService } from 'findling'
import { describe, expect, it } from 'vitest'
import { SEAL_BYTES } from '../../../src/store/checksum.ts'
import { numbers } from '../../crash/numbers.mjs'
import { expectHealthy, temporaryFolder } from '../../engine/engines.ts'
import { withRaw } from '../../store/raw-store.ts'

const writer = fileURLToPath(new URL('./similar-writer.mjs', import.meta.url))
const SEED = 5

/** In these steps it is killed: each once. */
const steps = ['index', 'prepare', 'partial']

/** What a process had begun and ended when it was killed within a step. */
async function killedWithin(step: string, store: string, round: number, wait: number) {
  const child = spawn(process.execPath, [writer, store, String(round)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const ended = new Set<string>()
  let begun = ''
  let isKilled = false
  for await (const line of createInterface(child.stdout)) {
    const [what, of] = line.split(' ')
    if (what === 'ended') ended.add(of!)
    if (what === 'begun') begun = of!
    if (what === 'begun' && of === step && !isKilled) {
      isKilled = true
      void pause(wait).then(() => child.kill('SIGKILL'))
    }
  }
  await exited
  return { ended, begun }
}

/** All neighbours of some documents. */
async function listsOf(service: SimilarService) {
  const lists: [string, number][][] = []
  for (const id of [...Array.from({ length: 20 }, (_, i) => String(9 * i)), 'n0', 'n1', 'n2']) {
    const found = await service.recommendById(id, { limit: 1000 })
    lists.push(found.map(({ id, score }) => [id, score]))
  }
  return lists
}

async function storedIn(store: string): Promise<{ trash: string[]; lists: string[]; models: Set<string> }> {
  return await withRaw(store, async db => {
    const manifest = JSON.parse(Buffer.from((await db.get('manifest'))!).toString('utf8', SEAL_BYTES))
    const keys = (await db.keys({ gte: 'm/', lt: 'm0' }).all()).map(String)
    const models = new Set(keys.map(key => key.split('/').slice(0, 3).join('/')))
    return { trash: manifest.trash, lists: keys.filter(key => key.includes('/lists/b/')), models }
  })
}

describe(`a process that is killed while a service of similar documents is prepared and indexed (seed ${SEED})`, () => {
  it('leaves what was before, or what was to come, and nothing besides', async () => {
    const random = numbers(SEED)
    const store = join(await temporaryFolder(), 'store')
    let wasPrepared = false
    for (const [life, step] of steps.entries()) {
      const { ended, begun } = await killedWithin(step, store, life, 5 + random(150))
      const engine = await Engine.open({ store })
      const service = engine.services.get('alike', 'similar')
      const { status } = service
      if (wasPrepared || ended.has('prepare')) expect(['prepared', 'active']).toContain(status)
      else expect(['new', 'prepared']).toContain(status)
      wasPrepared ||= ended.has('prepare')
      if (status === 'prepared') await service.activate()
      if (service.status === 'active') {
        const before = await service.indexed()
        if (ended.has('index') && begun !== 'prepare') expect(before).not.toBeNull()
        const now = await listsOf(service)
        if (before) {
          expect(now.filter(list => list.length > 0).length).toBeGreaterThanOrEqual(20)
          await service.indexPartial()
          const partial = await listsOf(service)
          await service.index()
          expect(await listsOf(service)).toEqual(partial)
        } else expect(now.flat()).toEqual([])
      }
      await expectHealthy(engine)
      await engine.close()
      const { trash, models, lists } = await storedIn(store)
      expect(trash).toEqual([])
      expect(models.size).toBe(status === 'new' ? 0 : 1)
      // Of one run: what others have written, also when they were cut short, is gone.
      expect(new Set(lists.map(key => key.split('/lists/b/')[1]!.split('/')[0])).size).toBeLessThanOrEqual(1)
    }
    expect(wasPrepared).toBe(true)
  })
})

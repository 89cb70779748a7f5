import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine } from 'findling'
import { describe, expect, it } from 'vitest'
import { SEAL_BYTES } from '../../../src/store/checksum.ts'
import { numbers } from '../../crash/numbers.mjs'
import { expectHealthy, temporaryFolder } from '../../engine/engines.ts'
import { withRaw } from '../../store/raw-store.ts'

const trainer = fileURLToPath(new URL('./classifier-trainer.mjs', import.meta.url))
const SEED = 3

describe(`a process that is killed while it prepares and activates a classifier service (seed ${SEED})`, () => {
  it('leaves the model before, or the new one, and a clean store', async () => {
    const random = numbers(SEED)
    const store = join(await temporaryFolder(), 'store')
    let prepared = -1
    for (let life = 0; life < 4; life++) {
      const child = spawn(process.execPath, [trainer, store, String(prepared + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      let begun = prepared
      let last = ''
      let lines = 0
      const enough = 20 + random(60)
      for await (const line of createInterface(child.stdout)) {
        const [what, round] = line.split(' ')
        if (what === 'begun') begun = Number(round)
        if (what === 'prepared') prepared = Number(round)
        if (what === 'activating' || what === 'active' || what === 'begun') last = what
        lines++
        if (lines === enough) void pause(random(5)).then(() => child.kill('SIGKILL'))
      }
      await exited
      const engine = await Engine.open({ store })
      const service = engine.services.get('tags', 'classifier')
      const { status } = service
      if (last === 'active') expect(status).toBe('active')
      if (prepared >= 0) expect(['prepared', 'active']).toContain(status)
      else expect(['new', 'prepared']).toContain(status)
      if (status === 'prepared') await service.activate()
      if (status !== 'new') {
        const [best] = await service.recommend('lamp', { limit: 1 })
        const found = Number(best!.tagId.split('-')[1])
        expect([prepared, begun]).toContain(found)
        prepared = found
      }
      await expectHealthy(engine)
      await engine.close()
      const manifest = await withRaw(store, db => db.get('manifest'))
      expect(JSON.parse(Buffer.from(manifest!).toString('utf8', SEAL_BYTES)).trash).toEqual([])
    }
    expect(prepared).toBeGreaterThan(0)
  })
})

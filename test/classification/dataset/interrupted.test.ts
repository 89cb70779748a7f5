import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Engine, type TagClassifier } from 'findling'
import { describe, expect, it } from 'vitest'
import { SEAL_BYTES } from '../../../src/store/checksum.ts'
import { numbers } from '../../crash/numbers.mjs'
import { codeOf, expectHealthy, openEngine, temporaryFolder } from '../../engine/engines.ts'
import { withRaw } from '../../store/raw-store.ts'
import { fill } from './products.ts'

const trainer = fileURLToPath(new URL('./trainer.mjs', import.meta.url))
const SEED = 5

const roundOf = async (classifier: TagClassifier | undefined): Promise<number> =>
  Number((await classifier!.recommend('lamp'))[0]!.tagId.split('-')[1])

async function manifestOf(store: string) {
  const manifest = await withRaw(store, db => db.get('manifest'))
  return JSON.parse(Buffer.from(manifest!).toString('utf8', SEAL_BYTES))
}

describe(`a training that is interrupted (seed ${SEED})`, () => {
  it('leaves the classifier before and a clean store, wherever it is cancelled', async () => {
    const random = numbers(SEED)
    const store = join(await temporaryFolder(), 'store')
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title'] })
    await fill(dataset, 300, 0)
    const first = await dataset.classifier()
    const before = await first.recommend('lamp word1')
    await fill(dataset, 300, 1)
    let steps = 0
    await dataset.classifier({ onProgress: () => void steps++ })
    expect(await roundOf(await dataset.savedClassifier())).toBe(1)
    // What somebody keeps stays as it is.
    expect(await first.recommend('lamp word1')).toEqual(before)
    await fill(dataset, 300, 2)
    for (let time = 0; time < 6; time++) {
      const end = new AbortController()
      let left = 1 + random(steps - 1)
      const job = dataset.classifier({
        signal: end.signal,
        onProgress: () => {
          if (--left === 0) setTimeout(() => end.abort(), random(4))
        },
      })
      const outcome = await job.then(
        () => 'trained',
        (error: unknown) => (error as { code: string }).code,
      )
      const round = await roundOf(await dataset.savedClassifier())
      expect([outcome, round]).toEqual(outcome === 'trained' ? ['trained', 2] : ['CANCELLED', 1])
      if (outcome === 'trained') break
    }
    await expectHealthy(engine)
    expect(await roundOf(await dataset.classifier())).toBe(2)
    await engine.close()
    const { trash, datasets } = await manifestOf(store)
    expect(trash).toEqual([])
    expect(datasets[0].classifier).toBeGreaterThan(1)
  })

  it('leaves the classifier before, or the new one, when the process is killed', async () => {
    const random = numbers(SEED)
    const store = join(await temporaryFolder(), 'store')
    let trained = -1
    for (let life = 0; life < 3; life++) {
      const child = spawn(process.execPath, [trainer, store, String(trained + 1)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      let begun = trained
      let lines = 0
      const enough = 12 + random(25)
      for await (const line of createInterface(child.stdout)) {
        const [what, round] = line.split(' ')
        if (what === 'begun') begun = Number(round)
        if (what === 'trained') trained = Number(round)
        lines++
        if (lines === enough) void pause(random(5)).then(() => child.kill('SIGKILL'))
      }
      await exited
      const engine = await Engine.open({ store })
      const classifier = await engine.datasets.get('items').savedClassifier()
      const found = classifier ? await roundOf(classifier) : -1
      expect([trained, begun]).toContain(found)
      trained = found
      await expectHealthy(engine)
      await engine.close()
      expect((await manifestOf(store)).trash).toEqual([])
    }
    expect(trained).toBeGreaterThan(-1)
  })

  it('ends with its dataset, of which nothing is left', async () => {
    const store = join(await temporaryFolder(), 'store')
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('items', { interpretedFields: ['title'] })
    await fill(dataset, 300)
    await dataset.classifier()
    const job = dataset.classifier()
    const outcome = codeOf(() => job)
    await engine.datasets.remove('items')
    expect(['CANCELLED', 'DATASET_NOT_FOUND']).toContain(await outcome)
    await engine.close()
    expect(await withRaw(store, db => db.keys({ gte: 'c/', lt: 'c0' }).all())).toEqual([])
  })
})

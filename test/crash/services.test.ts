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

const holder = fileURLToPath(new URL('./service-holder.mjs', import.meta.url))

describe('a service whose process is killed', () => {
  it.each<[what: string, status: string, limit: number | undefined]>([
    ['prepare', 'new', undefined],
    ['again', 'active', 1],
    ['activate', 'active', 2],
    ['cancelled', 'prepared', 3],
  ])('while it does this: %s, is %s', async (what, status, limit) => {
    const store = join(await temporaryFolder(), 'store')
    const child = spawn(process.execPath, [holder, store, what], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await exited
    const engine = await Engine.open({ store })
    const service = engine.services.get('held', 'search')
    expect([service.status, service.info().runningJob]).toEqual([status, null])
    const jobs = engine.jobs({ service: service.id })
    expect(jobs.map(({ status }) => status)).not.toContain('running')
    if (what !== 'cancelled')
      expect(jobs[0]).toMatchObject({ status: 'failed', error: { code: 'JOB_INTERRUPTED' } })
    const settings = service.info().activateSettings as { search: { limit: number } } | null
    expect(settings?.search.limit).toBe(limit)
    if (status === 'active') expect((await service.search('lamp')).hits).toHaveLength(limit!)
    else if (status === 'new') await service.prepare({ dataset: 'items' })
    else await service.activate()
    await expectHealthy(engine)
    await engine.close()
  })
})

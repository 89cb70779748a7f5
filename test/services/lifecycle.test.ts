import type { Engine } from 'findling'
import { describe, expect, it, onTestFinished } from 'vitest'
import { modelPrefix, servicePrefix } from '../../src/store/keyspace.ts'
import { snapshot } from '../../src/store/snapshot.ts'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  memoryDatabase,
  waitingDatabase,
} from '../engine/engines.ts'
import { counterOf, createCounter, gate, openCounting } from './engines.ts'

async function shop(engine: Engine, titles: readonly string[] = ['red lamp', 'blue lamp', 'chair']) {
  const { documents } = await engine.datasets.create('shop')
  await documents.bulk(titles.map((title, id) => ({ id, title, other: 'other' })))
}

/** Keys of the models in a database. */
async function modelKeys(db: ReturnType<typeof memoryDatabase>): Promise<string[]> {
  const keys = await db.keys({ gte: 'm/', lt: 'm0' }).all()
  return keys.map(String)
}

describe('a service', () => {
  it('is new, busy, prepared, busy, active and prepared again, with its settings at each', async () => {
    const engine = await openCounting()
    await shop(engine)
    const service = await createCounter(engine, { description: 'Counts' })
    const seen: unknown[] = []
    const look = () => {
      const { status, dataset, prepareSettings, activateSettings } = service.info()
      seen.push([status, dataset, prepareSettings, activateSettings])
    }
    look()
    const preparing = service.prepare({ dataset: 'shop' })
    expect(service.status).toBe('busy')
    await preparing
    look()
    const activating = service.activate({ least: 2 })
    expect(service.status).toBe('busy')
    await activating
    look()
    expect([await service.count('lamp'), await service.count('red')]).toEqual([2, 0])
    await service.deactivate()
    look()
    await service.activate()
    look()
    const prepared = { dataset: 'shop', field: 'title' }
    expect(seen).toEqual([
      ['new', null, null, null],
      ['prepared', 'shop', prepared, { least: 1 }],
      ['active', 'shop', prepared, { least: 2 }],
      ['prepared', 'shop', prepared, { least: 2 }],
      ['active', 'shop', prepared, { least: 2 }],
    ])
  })

  it.each(['prepare', 'adopt'] as const)(
    'has a finished job as soon as it is changed by it, whenever the process ends: %s',
    async what => {
      const { open, opened } = gate()
      const { open: told, opened: isSwept } = gate()
      let isMaking = false
      let clears = 0
      const store = waitingDatabase({
        async clear() {
          // First the place of the new model is cleared, and then, when it is in place, that of the one before.
          if (!isMaking || ++clears < 2) return
          told()
          await opened
        },
      })
      const engine = await openCounting({ store })
      onTestFinished(open)
      await shop(engine)
      const service = await createCounter(engine, { alias: 'words' })
      await service.prepare({ dataset: 'shop' })
      const model = await collected(service.exportModel())
      isMaking = true
      const again = { dataset: 'shop', again: true } as const
      const job = what === 'prepare' ? service.prepare(again) : service.adoptModel(model, { dataset: 'shop' })
      await isSwept
      // What a process that is killed here leaves.
      const left = memoryDatabase()
      for await (const batch of snapshot(store, {}))
        for (const [key, value] of batch) await left.put(key, value)
      const next = await openCounting({ store: left })
      expect(next.job(job.id)).toMatchObject({ status: 'finished', percent: 100, error: null })
      expect(counterOf(next, 'words').status).toBe('prepared')
      expect(engine.job(job.id)?.status).toBe('running')
      open()
      await job
    },
  )

  it('names its jobs oldest first, and the one that is running', async () => {
    let now = 1000
    const engine = await openCounting({ clock: () => now })
    await shop(engine)
    const [service, other] = [await createCounter(engine), await createCounter(engine)]
    const ids: string[] = []
    for (const dataset of ['shop', 'shop']) {
      const job = service.prepare({ dataset, again: true })
      ids.push(job.id)
      expect(service.info()).toMatchObject({ jobs: ids, runningJob: job.id })
      await job
      now += 1000
    }
    const activating = service.activate()
    await activating
    await other.prepare({ dataset: 'shop' })
    expect(service.info()).toMatchObject({ jobs: [...ids, activating.id], runningJob: null })
    expect(engine.jobs({ service: service.id }).map(({ id }) => id)).toEqual(service.info().jobs.toReversed())
    expect(engine.job(activating.id)).toMatchObject({
      kind: 'counter-activate',
      description: 'Activating counter service Words',
      service: service.id,
    })
  })

  it('refuses what its state does not allow, and says which it is and which it must be', async () => {
    const { open, opened } = gate()
    const engine = await openCounting({}, { pause: () => opened })
    await shop(engine)
    const service = await createCounter(engine)
    const calls = {
      prepare: () => service.prepare({ dataset: 'shop' }),
      activate: () => service.activate(),
      deactivate: () => service.deactivate(),
      count: () => service.count('lamp'),
    }
    const refused = async () => {
      const names: string[] = []
      for (const [name, call] of Object.entries(calls)) {
        const code = await codeOf(call).catch(() => 'done')
        if (code === 'SERVICE_STATE') names.push(name)
      }
      return names
    }
    expect(await failureOf(calls.activate)).toMatchObject({
      code: 'SERVICE_STATE',
      message: 'The service Words cannot activate: it is new, but must be prepared.',
      details: { field: 'status', received: 'new', expected: 'prepared' },
    })
    const preparing = calls.prepare()
    expect(await refused()).toEqual(['prepare', 'activate', 'deactivate', 'count'])
    open()
    await preparing
    expect(await failureOf(calls.prepare)).toMatchObject({ code: 'SERVICE_STATE' })
    expect(await failureOf(calls.count)).toMatchObject({ code: 'SERVICE_STATE' })
    expect(await failureOf(calls.deactivate)).toMatchObject({ code: 'SERVICE_STATE' })
    await calls.activate()
    expect(await failureOf(calls.prepare)).toMatchObject({ code: 'SERVICE_STATE' })
    expect(await failureOf(calls.activate)).toMatchObject({ code: 'SERVICE_STATE' })
  })

  it('is deactivated by one of several calls at once, which finds it active; the others do not', async () => {
    const engine = await openCounting()
    await shop(engine)
    const service = await createCounter(engine)
    await service.prepare({ dataset: 'shop' })
    await service.activate()
    const calls = await Promise.allSettled([1, 2, 3].map(() => service.deactivate()))
    const refused = {
      status: 'rejected',
      reason: { code: 'SERVICE_STATE', details: { received: 'prepared' } },
    }
    expect(calls).toMatchObject([{ status: 'fulfilled' }, refused, refused])
    expect(service.status).toBe('prepared')
  })

  it.each([
    ['an unknown dataset', { dataset: 'shpo' }, 'DATASET_NOT_FOUND'],
    ['no dataset', {}, 'INVALID_ARGUMENT'],
    ['an unknown member', { dataset: 'shop', feild: 'title' }, 'INVALID_ARGUMENT'],
    ['a member of a wrong type', { dataset: 'shop', field: 7 }, 'INVALID_ARGUMENT'],
    ['nothing', undefined, 'INVALID_ARGUMENT'],
  ])('is not prepared from %s', async (_, settings, code) => {
    const engine = await openCounting()
    await shop(engine)
    const service = await createCounter(engine)
    expect(await codeOf(() => service.prepare(settings as never))).toBe(code)
    expect([service.status, engine.jobs()]).toEqual(['new', []])
    await engine.datasets.remove('shop')
  })

  it('is not activated by settings that do not fit', async () => {
    const engine = await openCounting()
    await shop(engine)
    const service = await createCounter(engine)
    await service.prepare({ dataset: 'shop' })
    expect(await codeOf(() => service.activate({ least: 0 }))).toBe('INVALID_ARGUMENT')
    expect(await codeOf(() => service.activate({ least: 101 }))).toBe('INVALID_ARGUMENT')
    expect(service.info()).toMatchObject({ status: 'prepared', activateSettings: { least: 1 } })
  })

  it('is new again when preparing was cancelled or failed, with nothing left of it in the store', async () => {
    const db = memoryDatabase()
    const { open, opened } = gate()
    const engine = await openCounting({ store: db }, { pause: () => opened })
    await shop(engine)
    const service = await createCounter(engine)
    const job = service.prepare({ dataset: 'shop' })
    job.cancel()
    expect(service.status).toBe('busy')
    open()
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    expect(service.info()).toMatchObject({ status: 'new', prepareSettings: null, jobs: [job.id] })
    const failed = await service.prepare({ dataset: 'shop', onProgress: fail }).catch(error => error)
    expect(failed).toMatchObject({ message: 'watcher' })
    expect([service.status, await modelKeys(db)]).toEqual(['new', []])
    await service.prepare({ dataset: 'shop' })
    expect(service.status).toBe('prepared')
  })

  it('is prepared again when activating was cancelled', async () => {
    const gates = [gate(), gate()]
    const engine = await openCounting(
      {},
      { pause: phase => (phase === 'loading' ? gates[0]!.opened : undefined) },
    )
    await shop(engine)
    const service = await createCounter(engine)
    await service.prepare({ dataset: 'shop' })
    const job = service.activate({ least: 2 })
    job.cancel()
    gates[0]!.open()
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    expect(service.info()).toMatchObject({ status: 'prepared', activateSettings: { least: 1 } })
    await service.activate()
    expect(await service.count('lamp')).toBe(2)
  })

  it('answers by the old model while it is prepared again, and then by the new', async () => {
    let stop: Promise<void> | undefined
    const counted = { loaded: 0 }
    const engine = await openCounting({}, { pause: () => stop, counted })
    await shop(engine)
    const service = await createCounter(engine)
    await service.prepare({ dataset: 'shop' })
    await service.activate({ least: 2 })
    await engine.datasets.get('shop').documents.bulk([{ id: 9, title: 'green lamp' }])
    const held = gate()
    stop = held.opened
    const job = service.prepare({ dataset: 'shop', again: true })
    expect([service.status, await service.count('lamp')]).toEqual(['active', 2])
    expect(await failureOf(() => service.prepare({ dataset: 'shop', again: true }))).toMatchObject({
      code: 'SERVICE_STATE',
      details: { received: 'preparing again' },
    })
    held.open()
    await job
    expect([service.status, await service.count('lamp'), await service.count('green')]).toEqual([
      'active',
      3,
      0,
    ])
    expect(counted.loaded).toBe(1)
  })

  it('stays with its dataset', async () => {
    const engine = await openCounting()
    await shop(engine)
    await engine.datasets.create('other')
    const service = await createCounter(engine)
    const failing = service.prepare({ dataset: 'other', onProgress: fail })
    await failing.finished.catch(() => {})
    await service.prepare({ dataset: 'shop' })
    expect(await failureOf(() => service.prepare({ dataset: 'other', again: true }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'dataset', expected: expect.stringContaining('shop') },
    })
    expect(service.info()).toMatchObject({ status: 'prepared', dataset: 'shop' })
  })

  it('keeps the old model when preparing it again fails', async () => {
    const db = memoryDatabase()
    const engine = await openCounting({ store: db })
    await shop(engine)
    const service = await createCounter(engine)
    await service.prepare({ dataset: 'shop' })
    await service.activate()
    const failing = service.prepare({ dataset: 'shop', field: 'other', again: true, onProgress: fail })
    await failing.finished.catch(() => {})
    expect([service.status, await service.count('lamp'), await service.count('other')]).toEqual([
      'active',
      2,
      0,
    ])
    expect(service.info().prepareSettings).toEqual({ dataset: 'shop', field: 'title' })
    const only = modelPrefix(service.id, 1)
    expect((await modelKeys(db)).every(key => key.startsWith(only))).toBe(true)
    await expectHealthy(engine)
  })

  it('stays prepared when it is deactivated while it is prepared again', async () => {
    let stop: Promise<void> | undefined
    const counted = { loaded: 0 }
    const engine = await openCounting({}, { pause: () => stop, counted })
    await shop(engine)
    const service = await createCounter(engine)
    await service.prepare({ dataset: 'shop' })
    await service.activate()
    const held = gate()
    stop = held.opened
    const job = service.prepare({ dataset: 'shop', field: 'other', again: true })
    await service.deactivate()
    expect(service.status).toBe('busy')
    held.open()
    await job
    expect([service.status, counted.loaded]).toEqual(['prepared', 0])
    await service.activate()
    expect(await service.count('other')).toBe(3)
  })

  it('is removed with its model and its jobs, and what it does is cancelled first', async () => {
    const db = memoryDatabase()
    const { open, opened } = gate()
    const engine = await openCounting({ store: db }, { pause: () => opened })
    await shop(engine)
    const service = await createCounter(engine, { alias: 'words' })
    const job = service.prepare({ dataset: 'shop' })
    const removed = service.remove()
    const second = codeOf(() => service.remove())
    expect(await codeOf(() => service.activate())).toBe('SERVICE_NOT_FOUND')
    open()
    await removed
    expect(await second).toBe('SERVICE_NOT_FOUND')
    expect([await codeOf(() => job.finished), engine.job(job.id), engine.services.list()]).toEqual([
      'CANCELLED',
      undefined,
      [],
    ])
    expect(await codeOf(() => service.info())).toBe('SERVICE_NOT_FOUND')
    expect(await codeOf(() => service.remove())).toBe('SERVICE_NOT_FOUND')
    const next = await createCounter(engine, { alias: 'words' })
    await next.prepare({ dataset: 'shop' })
    await next.activate()
    await next.remove()
    expect(await modelKeys(db)).toEqual([])
    expect(await codeOf(() => next.count('lamp'))).toBe('SERVICE_NOT_FOUND')
    await engine.close()
    const again = await openCounting({ store: db })
    expect([again.services.list(), again.jobs({ service: next.id })]).toEqual([[], []])
    await expectHealthy(again)
  })

  it('answers at once after the store is opened again', async () => {
    const db = memoryDatabase()
    const first = await openCounting({ store: db })
    await shop(first)
    const service = await createCounter(first, { alias: 'words', description: 'Counts' })
    await service.prepare({ dataset: 'shop' })
    await service.activate({ least: 2 })
    const info = service.info()
    await first.close()
    const counted = { loaded: 0 }
    const second = await openCounting({ store: db }, { counted })
    expect(second.services.get('words').info()).toEqual(info)
    const asked = ['lamp', 'red', 'lamp'].map(word => counterOf(second, 'words').count(word))
    expect(await Promise.all(asked)).toEqual([2, 0, 2])
    expect(counted.loaded).toBe(1)
    await second.close()
    expect(counted.loaded).toBe(0)
  })

  it('refuses who asks while its model is loaded, when it is deactivated before that is there', async () => {
    const db = memoryDatabase()
    const first = await openCounting({ store: db })
    await shop(first)
    const words = await createCounter(first, { alias: 'words' })
    await words.prepare({ dataset: 'shop' })
    await words.activate()
    const finder = await first.services.create({ type: 'search', name: 'Finder', alias: 'finder' })
    await finder.prepare({ dataset: 'shop' })
    await finder.activate({ classifier: { id: 'words' } })
    expect((await finder.search('lamp')).tags).toMatchObject([{ tagId: 'lamp', isFound: false }])
    await first.close()
    const held = gate()
    const counted = { loaded: 0 }
    const second = await openCounting({ store: db }, { pause: () => held.opened, counted })
    const service = counterOf(second, 'words')
    const asked = codeOf(() => service.count('lamp'))
    const searched = second.services.get('finder', 'search').search('lamp')
    await service.deactivate()
    held.open()
    expect(await asked).toBe('SERVICE_STATE')
    const { hits, tags } = await searched
    expect([hits.length, tags]).toEqual([2, null])
    expect([counted.loaded, service.status]).toEqual([0, 'prepared'])
  })

  it('is active after a reopen when the engine was closed while it was activated, unless that was cancelled', async () => {
    const db = memoryDatabase()
    let held = gate()
    let arrived = gate()
    const pause = (phase: string) => {
      if (phase !== 'loading') return undefined
      arrived.open()
      return held.opened
    }
    const first = await openCounting({ store: db }, { pause })
    await shop(first)
    const [service, other] = [await createCounter(first, { alias: 'words' }), await createCounter(first)]
    for (const one of [service, other]) await one.prepare({ dataset: 'shop' })
    const cancelled = other.activate({ least: 2 })
    await arrived.opened
    cancelled.cancel()
    held.open()
    expect(await codeOf(() => cancelled.finished)).toBe('CANCELLED')
    held = gate()
    arrived = gate()
    const job = service.activate({ least: 2 })
    const ended = codeOf(() => job.finished)
    await arrived.opened
    const closing = first.close()
    held.open()
    await closing
    expect(await ended).toBe('CANCELLED')
    const second = await openCounting({ store: db })
    expect(second.services.list().map(({ status }) => status)).toEqual(['active', 'prepared'])
    const words = counterOf(second, 'words')
    expect([await words.count('lamp'), await words.count('red')]).toEqual([2, 0])
    expect(words.info().activateSettings).toEqual({ least: 2 })
    expect(second.job(job.id)).toMatchObject({ status: 'cancelled' })
    await words.deactivate()
    await second.close()
    const third = await openCounting({ store: db })
    expect(third.services.list().map(({ status }) => status)).toEqual(['prepared', 'prepared'])
  })

  it('lets the model go that was not asked for longest where the memory ends, and loads it again', async () => {
    const db = memoryDatabase()
    const counted = { loaded: 0 }
    const options = { store: db, memoryBudget: 32 * 2 ** 20 }
    const ballast = 12 * 2 ** 20
    let held: Promise<void> | undefined
    const hooks = { counted, ballast, pause: () => held }
    const engine = await openCounting(options, hooks)
    await shop(engine)
    const services = [await createCounter(engine), await createCounter(engine)] as const
    const [one, other] = services
    for (const service of services) {
      await service.prepare({ dataset: 'shop' })
      await service.activate()
    }
    const taken = () => engine.memory().services.map(({ bytes }) => bytes)
    expect([taken(), counted.loaded]).toEqual([[0, ballast], 1])
    for (const asked of [one, other, one, one])
      expect([await asked.count('lamp'), asked.status, counted.loaded]).toEqual([2, 'active', 1])
    expect(taken()).toEqual([ballast, 0])
    await Promise.all(services.map(service => service.count('lamp')))
    expect(counted.loaded).toBe(1)
    // What is being prepared again keeps its model meanwhile.
    const { open, opened } = gate()
    await one.count('lamp')
    held = opened
    const job = one.prepare({ dataset: 'shop', again: true })
    const asked = other.count('lamp')
    held = undefined
    open()
    expect([await asked, await one.count('lamp')]).toEqual([2, 2])
    await job
    expect([await one.count('lamp'), await other.count('lamp'), counted.loaded]).toEqual([2, 2, 1])
    await one.remove()
    expect(await other.count('lamp')).toBe(2)
    await engine.close()
    expect(counted.loaded).toBe(0)
  })

  it('says of a damaged model that it is, and is healed by preparing it again', async () => {
    const db = memoryDatabase()
    const first = await openCounting({ store: db })
    await shop(first)
    const service = await createCounter(first, { alias: 'words' })
    await service.prepare({ dataset: 'shop' })
    await service.activate()
    await first.close()
    await db.open()
    const key = (await modelKeys(db)).find(
      name => name.startsWith(servicePrefix(service.id)) && name.includes('counts'),
    )!
    const value = Buffer.from((await db.get(key))!)
    value[value.length - 2]! ^= 1
    await db.put(key, value)
    const heard: string[] = []
    const logger = { warn: (_: object, message: string) => void heard.push(message), error() {} }
    const second = await openCounting({ store: db, logger })
    const words = counterOf(second, 'words')
    expect(await codeOf(() => words.count('lamp'))).toBe('STORE_CORRUPT')
    expect(heard).toContain('The service Words could not be loaded; this is retried on its next request.')
    expect((await second.doctor()).faults).toMatchObject([{ kind: 'damaged-value', subject: key }])
    await words.prepare({ dataset: 'shop', again: true })
    expect(await words.count('lamp')).toBe(2)
    await expectHealthy(second)
  })
})

function fail(): never {
  throw new Error('watcher')
}

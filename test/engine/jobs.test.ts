import { Engine, type Job, type JobOptions } from 'findling'
import { describe, expect, it } from 'vitest'
import { codeOf, expectHealthy, failureOf, memoryDatabase, openEngine, temporaryFolder } from './engines.ts'

async function* endless() {
  for (let i = 0; ; i++) yield { id: i }
}

const started = async (engine: Engine, id: string) => {
  while (engine.job(id)?.progress.done === 0) await new Promise(setImmediate)
}

describe('an engine that is closed', () => {
  it('while it merges an index or finds its topics tells nobody, and goes on at the next open', async () => {
    const heard: unknown[] = []
    const hear = (...told: unknown[]) => void heard.push(told)
    const logger = { warn: hear, error: hear }
    const store = await temporaryFolder()
    for (let round = 0; round < 4; round++) {
      const engine = await openEngine({ store, logger, durability: 'process' })
      const { documents } = engine.datasets.has('items')
        ? engine.datasets.get('items')
        : await engine.datasets.create('items', { interpretedFields: ['title'] })
      await documents.import(
        Array.from({ length: 20_000 }, (_, i) => ({
          id: i,
          title: `lamp ${i} shade ${i % 97} of ${i % 1013}`,
        })),
      )
      const isBusy = () => engine.jobs({ status: ['running'] }).some(({ kind }) => /merge|topics/.test(kind))
      await expect.poll(isBusy, { interval: 1, timeout: 20_000 }).toBe(true)
      await engine.close()
    }
    expect(heard).toEqual([])
    await expectHealthy(await openEngine({ store }))
  }, 120_000)
})

describe('jobs', () => {
  it('are listed newest first, by state and by start', async () => {
    let now = 1000
    const engine = await openEngine({ clock: () => now })
    const dataset = await engine.datasets.create('products')
    await dataset.documents.import([{ id: 1 }]).finished
    now = 2000
    await dataset.documents.import('/no/such/file.csv').finished.catch(() => undefined)
    now = 3000
    const running = dataset.documents.import(endless())
    const kinds = (filter?: Parameters<Engine['jobs']>[0]) => engine.jobs(filter).map(({ status }) => status)
    expect(kinds()).toEqual(['running', 'failed', 'finished'])
    expect(kinds({ status: ['failed', 'finished'] })).toEqual(['failed', 'finished'])
    expect(kinds({ since: 2000 })).toEqual(['running', 'failed'])
    expect(engine.job(running.id)).toMatchObject({
      kind: 'import',
      description: 'Importing into products',
      startedAt: 3000,
      endedAt: null,
    })
    running.cancel()
  })

  it('are cancelled once, by id', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products')
    const job = dataset.documents.import(endless())
    engine.cancelJob(job.id)
    expect(engine.job(job.id)?.status).toBe('cancelling')
    engine.cancelJob(job.id)
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    engine.cancelJob(job.id)
    expect(engine.job(job.id)?.status).toBe('cancelled')
    expect(await failureOf(() => engine.cancelJob('nothing'))).toMatchObject({
      code: 'JOB_NOT_FOUND',
      details: { field: 'id', received: '"nothing"' },
    })
    expect(engine.job('nothing')).toBeUndefined()
  })

  it('of the program are listed, cancelled and stored beside the others', async () => {
    const store = memoryDatabase()
    const first = await Engine.open({ store })
    const about = { kind: 'shop:report', description: 'Counting' }
    const told: number[] = []
    const done = first.startJob(
      about,
      async function* () {
        yield { done: 1, total: 4, phase: 'counting' }
        return { sold: 42 }
      },
      { onProgress: ({ percent }) => void told.push(percent) },
    )
    expect([await done, told]).toEqual([{ sold: 42 }, [25]])
    const endless = first.startJob(about, async function* ({ signal }) {
      for (let n = 1; !signal.aborted; n++) yield { done: n, total: undefined, phase: 'waiting' }
    })
    await started(first, endless.id)
    first.cancelJob(endless.id)
    expect(await codeOf(() => endless)).toBe('CANCELLED')
    const failing = first.startJob(about, async function* () {
      yield* []
      throw new Error('nothing to count')
    })
    await expect(failing).rejects.toThrow('nothing to count')
    const cutOff = first.startJob(about, async function* () {
      yield { done: 1, total: 2, phase: 'half' }
      await new Promise(() => {})
    })
    await started(first, cutOff.id)
    const copy = memoryDatabase()
    await copy.batch((await store.iterator().all()).map(([key, value]) => ({ type: 'put', key, value })))
    const second = await openEngine({ store: copy })
    expect(
      second.jobs().map(({ kind, status, error, result }) => [kind, status, error?.code, result]),
    ).toEqual([
      ['shop:report', 'failed', 'JOB_INTERRUPTED', null],
      ['shop:report', 'failed', 'JOB_FAILED', null],
      ['shop:report', 'cancelled', undefined, null],
      ['shop:report', 'finished', undefined, { sold: 42 }],
    ])
  })

  it('that read, write or index documents are watched and ended by whoever starts them', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products')
    const other = await engine.datasets.create('other')
    await dataset.documents.bulk([1, 2, 3].map(id => ({ id, title: `Lamp ${id}`, tag: 'gone' })))
    const jobs: Record<string, (options: JobOptions) => Job<unknown>> = {
      reconfigure: options => dataset.reconfigure({ language: 'german' }, options),
      optimize: options => dataset.optimize(options),
      copy: options => dataset.documents.copy([1, 2], other.documents, options),
      move: options => dataset.documents.move([3], other.documents, options),
      update: options => dataset.documents.updateWhere({ title: 'Lamp 1' }, { title: 'Lamp 4' }, options),
      clean: options => dataset.tags.cleanDocuments(options),
      import: options => dataset.documents.import([{ id: 5 }], options),
      delete: options => dataset.documents.deleteWhere({}, options),
    }
    const cause = new Error('the user left')
    const signal = AbortSignal.abort(cause)
    for (const start of Object.values(jobs)) {
      await expect(start({ signal }).finished).rejects.toMatchObject({ code: 'CANCELLED', cause })
    }
    expect([dataset.documents.count, other.documents.count, dataset.settings.language]).toEqual([
      3,
      0,
      'english',
    ])
    expect(await dataset.documents.get(1)).toEqual({ id: 1, title: 'Lamp 1', tag: 'gone' })
    for (const [name, start] of Object.entries(jobs)) {
      const phases: string[] = []
      await start({ onProgress: ({ phase }) => phases.push(phase) })
      expect(phases, name).not.toEqual([])
      expect(await failureOf(() => start({ sgnal: signal } as JobOptions)), name).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field: 'sgnal' },
      })
    }
  })

  it('keep their states over a reopen of a folder', async () => {
    const store = await temporaryFolder()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products')
    await dataset.documents.import([{ id: 1 }, {}]).finished
    const running = dataset.documents.import(endless())
    await started(engine, running.id)
    await engine.close()
    const jobs = engine.jobs()
    expect(jobs.map(({ status }) => status).sort()).toEqual(['cancelled', 'finished'])
    const again = await openEngine({ store })
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    expect(again.jobs().sort(byId)).toEqual(jobs.sort(byId))
    again.cancelJob(running.id)
    expect(again.job(running.id)?.status).toBe('cancelled')
  })

  it('are awaited for their result, and tell the logger why they failed when nobody awaits them', async () => {
    const logged: [details: object, message: string][] = []
    const logger = { warn: () => {}, error: (...entry: [object, string]) => logged.push(entry) }
    const engine = await openEngine({ logger })
    const { documents } = await engine.datasets.create('products')
    expect(await documents.import([{ id: 1, title: 'Lamp' }])).toMatchObject({ rows: 1, stored: 1 })
    await expect((async () => await documents.import('missing.csv'))()).rejects.toThrow(/missing/)
    expect(logged).toEqual([])
    const job = documents.import('missing.csv')
    while (job.state.endedAt === null) await new Promise(resolve => setTimeout(resolve, 1))
    await engine.close()
    expect(logged).toMatchObject([[{ job: job.id, kind: 'import' }, expect.stringContaining('products')]])
  })

  it('that a crash interrupted have failed', async () => {
    const store = memoryDatabase()
    const engine = await openEngine({ store })
    const dataset = await engine.datasets.create('products')
    const job = dataset.documents.import(endless())
    await started(engine, job.id)
    const crashed = memoryDatabase()
    for await (const [key, value] of store.iterator()) await crashed.put(key, value)
    const again = await openEngine({ store: crashed })
    expect(again.job(job.id)).toMatchObject({ status: 'failed', error: { code: 'JOB_INTERRUPTED' } })
    expect(again.jobs({ status: ['running'] })).toEqual([])
  })

  it('end before close() does, and none starts afterwards', async () => {
    const engine = await openEngine()
    const dataset = await engine.datasets.create('products')
    const job = dataset.documents.import(endless())
    await engine.close()
    expect(job.state.status).toBe('cancelled')
    expect(await codeOf(() => dataset.documents.import([]))).toBe('CLOSED')
  })
})

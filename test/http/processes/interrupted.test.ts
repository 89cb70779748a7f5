import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, Engine, type JobState } from 'findling'
import { MemoryLevel } from 'memory-level'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allBackupsKind } from '../../../adapters/http/src/backups/backups.ts'
import { processKinds } from '../../../adapters/http/src/processes/kinds.ts'
import { startApi } from '../routes/api.ts'
import { Mortal } from './mortal-database.ts'

type Memory = MemoryLevel<string, Uint8Array>

const sample = { id: '1', title: 'Sample', tag: ['a'] }
const jsonl = { 'Content-Type': 'application/x-ndjson' }

interface Interrupted {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Of the service in the path: what it was before, and is after a process that has not come to its end. */
  readonly service?: 'New' | 'Prepared' | 'Active'
  /** The same after one that has. */
  readonly done?: 'Prepared' | 'Active'
}

const transfer = { DocumentIdList: ['1', '2', '3'], TargetDataSetName: 'other' }

/** How a process of each kind begins, by the kind of its job. */
const kinds: Record<string, Interrupted> = {
  copy: { path: 'Documents/Copy', body: transfer },
  move: { path: 'Documents/Move', body: transfer },
  import: { path: 'Documents/Import', body: `${JSON.stringify({ ...sample, id: 'new' })}\n`, headers: jsonl },
  words: { path: 'Tags/ExportWords', body: { NGramList: [1, 2] } },
  duplicates: { path: 'Documents/Duplicates', body: {} },
  classifier: { path: 'DataSets/items/Classifier/Train', body: {} },
  'classifier-evaluation': { path: 'DataSets/items/Classifier/Evaluate' },
  'classifier-doubts': { path: 'DataSets/items/Classifier/DoubtfulTags', body: {} },
  profile: { path: 'DataSets/items/Profile' },
  reconfigure: { path: 'DataSets/items/Reconfigure', body: { Language: 'German' } },
  optimize: { path: 'DataSets/items/Optimize' },
  backup: { path: 'Maintenance/Backup' },
  'classifier-prepare': {
    path: 'Services/Classifier/classifier-new/Prepare',
    body: { DataSetName: 'items', NGramList: [1] },
    service: 'New',
    done: 'Prepared',
  },
  'classifier-activate': {
    path: 'Services/Classifier/classifier-prepared/Activate',
    body: {},
    service: 'Prepared',
    done: 'Active',
  },
  'classifier-export': {
    path: 'Services/Classifier/classifier-active/ExportDictionaries',
    body: { NGramList: [1] },
    service: 'Active',
  },
  'similar-prepare': {
    path: 'Services/Prc/similar-new/Prepare',
    body: { DataSetName: 'items' },
    service: 'New',
    done: 'Prepared',
  },
  'similar-activate': {
    path: 'Services/Prc/similar-prepared/Activate',
    body: {},
    service: 'Prepared',
    done: 'Active',
  },
  'similar-index': { path: 'Services/Prc/similar-active/Index', body: {}, service: 'Active' },
  'similar-index-partial': { path: 'Services/Prc/similar-active/IndexPartial', service: 'Active' },
  'similar-export': { path: 'Services/Prc/similar-active/ExportDictionaries', body: {}, service: 'Active' },
  'search-prepare': {
    path: 'Services/Search/search-new/Prepare',
    body: { DataSetName: 'items' },
    service: 'New',
    done: 'Prepared',
  },
  'search-activate': {
    path: 'Services/Search/search-prepared/Activate',
    body: {},
    service: 'Prepared',
    done: 'Active',
  },
}

/** Those that write more than their beginning and their end. */
const inTheMiddle = [
  'backup',
  'classifier',
  'reconfigure',
  'similar-index',
  'classifier-prepare',
  'similar-prepare',
  'search-prepare',
]

/** @returns ids of its jobs */
async function fill(database: Database): Promise<string[]> {
  const engine = await Engine.open({ store: database })
  for (const name of ['items', 'other'])
    await engine.datasets.create(name, { sample, interpretedFields: ['title'], validation: 'strict' })
  const { documents, tags, ...items } = engine.datasets.get<object>('items')
  for (const id of ['a', 'b']) await tags.create({ id, name: id })
  await documents.bulk(
    Array.from({ length: 30 }, (_, i) => {
      const title = i % 2 === 0 ? `Desk lamp ${i}` : `Garden hose ${i}`
      return { id: String(i), title, tag: [i % 2 === 0 ? 'a' : 'b'] }
    }),
  )
  await engine.datasets.get(items.name).classifier().finished
  for (const type of ['search', 'classifier', 'similar'] as const) {
    for (const state of ['new', 'prepared', 'active']) {
      const alias = `${type}-${state}`
      const service = await engine.services.create({ type, name: alias, alias })
      if (state !== 'new') await service.prepare({ dataset: 'items' })
      if (state === 'active') await service.activate({})
    }
  }
  await engine.services.get('similar-active', 'similar').index()
  const jobs = engine.jobs().map(({ id }) => id)
  await engine.close()
  return jobs
}

const opened = (): Memory =>
  new MemoryLevel<string, Uint8Array>({ keyEncoding: 'utf8', valueEncoding: 'view' })

async function copyOf(db: Memory): Promise<Memory> {
  const copy = opened()
  await copy.batch((await db.iterator().all()).map(([key, value]) => ({ type: 'put', key, value })))
  return copy
}

describe('a server that ends in the middle of a process', () => {
  let filled: Memory
  let known: string[]
  let backupFolder: string
  beforeAll(async () => {
    backupFolder = await mkdtemp(join(tmpdir(), 'findling-backup-'))
    filled = opened()
    known = await fill(filled)
    await filled.open()
  }, 60_000)
  afterAll(() => rm(backupFolder, { recursive: true, force: true }))

  test('is looked at for every kind', () => {
    // Of clients, where there are several: it ends as others do.
    const alone = [...processKinds.keys()].filter(kind => kind !== allBackupsKind)
    expect(Object.keys(kinds).sort()).toEqual(alone.sort())
  })

  /** @returns the process as the next life shows it */
  async function interrupt(kind: string, writes: number) {
    const { path, body, headers, service } = kinds[kind]!
    const db = await copyOf(filled)
    const isBegun = (text: string) => text.includes(`"kind":"${kind}"`) && text.includes('"status":"running"')
    const mortal = new Mortal(db, {
      dooms: batch => batch.some(one => one.type === 'put' && isBegun(Buffer.from(one.value).toString())),
      writes,
    })
    const first = await Engine.open({ store: mortal.database })
    const api = await startApi({ engine: first, config: { backupFolder } })
    const call = api.send('POST', `/api/${path}`, {
      dataset: 'items',
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    })
    const over = call.then(async ({ status, body }) => {
      expect(status).toBe(202)
      await expect.poll(() => first.job(body.Id)?.endedAt).toEqual(expect.any(Number))
    })
    await Promise.race([mortal.died, over])
    mortal.end()
    const second = await Engine.open({ store: db })
    const next = await startApi({ engine: second, config: { backupFolder } })
    mortal.bury()
    await Promise.allSettled([over, api.stop()])
    await first.close().catch(() => undefined)
    const job = second.jobs().find(one => one.kind === kind && !known.includes(one.id)) as JobState
    const process = (await next.send('GET', `/api/Processes/${job.id}`)).body
    const model = service && (await next.send('GET', `/api/Services/${path.split('/')[2]}`)).body
    return { second, next, process, model, job }
  }

  const rounds = [
    ...Object.keys(kinds).map(kind => ({ kind, writes: 0 })),
    ...inTheMiddle.map(kind => ({ kind, writes: 2 })),
  ]
  test.each(rounds)(
    'tells of $kind, $writes writes after it has begun, that it was interrupted, and can do it again',
    { timeout: 60_000 },
    async ({ kind, writes }) => {
      const { path, body, headers, service, done } = kinds[kind]!
      const { second, next, process, model } = await interrupt(kind, writes)
      const isFinished = process.Status === 'Finished'
      if (writes === 0) expect(isFinished).toBe(false)
      if (!isFinished) {
        expect(process).toMatchObject({ Status: 'Error', ResultMessage: null })
        expect(process.ErrorMessages.join()).toContain('interrupted')
        expect(process.End > process.Start).toBe(true)
      }
      if (model) {
        // A service changes before its process says so, and what was being activated may be taken up again.
        const isSettled = writes === 0 && !kind.endsWith('-activate')
        const states = isSettled ? [service] : isFinished ? [done ?? service] : [service, done]
        expect(states).toContain(model.Status)
        expect(model).toMatchObject({ ActualProcessId: null })
        expect(model.ProcessIdList).toContain(process.Id)
      }
      expect((await next.send('GET', '/api/Processes?extensions=true')).body).toEqual([])
      expect(await second.doctor()).toMatchObject({ ok: true, faults: [] })
      if (!isFinished && model?.Status === service) {
        const again = await next.send('POST', `/api/${path}`, {
          dataset: 'items',
          ...(body !== undefined && { body }),
          ...(headers && { headers }),
        })
        expect([again.status, again.body]).toEqual([202, expect.anything()])
        await expect.poll(() => second.job(again.body.Id)?.status).toBe('finished')
      }
      await next.stop()
      await second.close()
    },
  )
})

describe('a server that is stopped in the middle of a process', () => {
  async function* endless() {
    yield sample
    await new Promise(() => {})
  }

  test('tells of it as after a crash, and of one that was cancelled before that it was', async () => {
    const db = opened()
    const first = await Engine.open({ store: db })
    const { documents } = await first.datasets.create('items', { sample })
    const api = await startApi({ engine: first })
    const cancelled = documents.import(endless())
    expect((await api.send('POST', `/api/Processes/${cancelled.id}/Cancel`)).status).toBe(202)
    await cancelled.ended
    const stopped = documents.import(endless())
    expect((await api.send('GET', `/api/Processes/${stopped.id}`)).body.Status).toBe('InProgress')
    await api.stop()
    await first.close()
    const second = await Engine.open({ store: db })
    const next = await startApi({ engine: second })
    const told = async ({ id }: { id: string }) => (await next.send('GET', `/api/Processes/${id}`)).body
    expect(await told(cancelled)).toMatchObject({ Status: 'Cancelled', ErrorMessages: [] })
    const process = await told(stopped)
    expect(process).toMatchObject({
      Status: 'Error',
      ErrorMessages: ['The process failed.', 'interrupted at 0 % when the engine was closed'],
      ResultMessage: null,
    })
    expect(process.End >= process.Start).toBe(true)
    for (const [{ id }, status] of [[cancelled, 'Cancelled'] as const, [stopped, 'Error'] as const]) {
      const refused = await next.send('POST', `/api/Processes/${id}/Cancel`)
      const error = `The process ${id} cannot be cancelled: it is ${status}.`
      expect([refused.status, refused.body.Errors]).toEqual([400, [error]])
    }
    await next.stop()
    await second.close()
  })
})

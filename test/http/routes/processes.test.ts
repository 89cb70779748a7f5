import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Api, type Given, startApi } from './api.ts'
import { openShop, openStrictShop, sample } from './shop.ts'

let api: Api
beforeEach(async () => {
  api = await startApi()
  return api.stop
})

async function transfer(kind: 'Copy' | 'Move', from: string, ids: unknown[], to: string, { send } = api) {
  const body = { DocumentIdList: ids, TargetDataSetName: to }
  return (await send('POST', `/api/Documents/${kind}`, { dataset: from, body })).body
}

async function ended({ Id }: { Id: string }, { engine, send } = api) {
  await expect.poll(() => engine.job(Id)?.endedAt).not.toBeNull()
  return (await send('GET', `/api/Processes/${Id}`)).body
}

const count = (dataset: string) => api.engine.datasets.get(dataset).documents.count

describe('POST /api/Documents/Copy', () => {
  test('copies what is there, tells how much, and links to what became of each document', async () => {
    const [from, to] = [await openShop(api.engine), await openShop(api.engine)]
    await api.engine.datasets.get(to).documents.delete('1')
    const process = await ended(await transfer('Copy', from, ['1', 2, 'none', '2'], to))
    expect(process).toMatchObject({
      Type: 'DocumentsCopy',
      Status: 'Finished',
      Percent: 100,
      ErrorMessages: [],
    })
    const [sentence, link] = process.ResultMessage.split('\n')
    expect(sentence).toBe(`Copying from ${from} to ${to}: 2 succeeded, 0 failed.`)
    // 256 bits that nobody can tell who only knows ids: not that of the process, nor those of others.
    expect(link.slice(0, api.url.length + 7)).toBe(`${api.url}/files/`)
    expect(link.slice(api.url.length + 7)).toMatch(/^[\w-]{43}\.json$/)
    expect((await fetch(`${api.url}/files/${process.Id}.json`)).status).toBe(404)
    const file = await fetch(link)
    expect(file.headers.get('Content-Type')).toMatch(/^application\/json/)
    expect(await file.json()).toEqual([
      { StatusCode: 200, Id: '1', Error: '' },
      { StatusCode: 200, Id: '2', Error: '' },
    ])
    expect([count(from), count(to)]).toEqual([2, 2])
  })

  test('has a time for its start, and none for its end until it has ended', async () => {
    const [from, to] = [await openShop(api.engine), await openShop(api.engine)]
    const before = new Date().toISOString()
    const started = await transfer('Copy', from, ['1'], to)
    const process = await ended(started)
    expect(process.Start >= before && process.End >= process.Start).toBe(true)
    expect(process.End).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(started.Id).toBe(process.Id)
  })

  test.each([
    ['no list', { TargetDataSetName: 'shop' }],
    ['null', { DocumentIdList: null, TargetDataSetName: 'shop' }],
    ['an empty list', { DocumentIdList: [], TargetDataSetName: 'shop' }],
    ['a target that can be none', { DocumentIdList: ['1'], TargetDataSetName: 'a b' }],
    ['an unknown target', { DocumentIdList: ['1'], TargetDataSetName: 'nothing' }],
  ])('refuses %s', async (_, body) => {
    const dataset = await openShop(api.engine)
    expect((await api.send('POST', '/api/Documents/Copy', { dataset, body })).status).toBe(400)
    expect(api.engine.jobs()).toEqual([])
  })

  test('skips ids that no document can have as it skips those that none has', async () => {
    const [from, to] = [await openShop(api.engine), await openShop(api.engine)]
    await api.engine.datasets.get(to).documents.delete('1')
    const impossible = ['', ' ', 'x'.repeat(2_000), '\ud800']
    for (const [ids, copied] of [
      [impossible, 0],
      [[...impossible, '1'], 1],
    ] as const) {
      const process = await ended(await transfer('Copy', from, [...ids], to))
      expect(process).toMatchObject({ Status: 'Finished', Percent: 100 })
      expect(process.ResultMessage).toContain(`${copied} succeeded, 0 failed.`)
    }
  })
})

describe('POST /api/Documents/Move', () => {
  test('leaves in the source what the target refuses, and tells of it first', async () => {
    const [from, to] = [await openShop(api.engine), await openStrictShop(api.engine)]
    const source = api.engine.datasets.get<object>(from).documents
    await source.insert({ id: '3', title: 'No tag', desc: '', tag: null })
    const process = await ended(await transfer('Move', from, ['3', '1'], to))
    expect(process.ResultMessage).toMatch(/1 succeeded, 1 failed\.\n/)
    expect(await (await fetch(process.ResultMessage.split('\n')[1])).json()).toEqual([
      { StatusCode: 406, Id: '1', Error: expect.stringContaining('tag') },
      { StatusCode: 200, Id: '3', Error: '' },
    ])
    expect(await source.getMany(['1', '3'])).toEqual([expect.anything(), undefined])
    expect(process.Type).toBe('DocumentsMove')
  })
})

describe('GET /api/Processes', () => {
  test('lists those in progress, and on demand those that are over', async () => {
    const [from, to] = [await openShop(api.engine), await openShop(api.engine)]
    const copy = await ended(await transfer('Copy', from, ['1'], to))
    const { readable } = new TransformStream<Uint8Array, Uint8Array>()
    const waiting = api.engine.datasets.get(from).documents.import(readable, { format: 'jsonl' })
    const list = async (query: string) => {
      const { body } = await api.send('GET', `/api/Processes${query}`)
      return body.map(({ Id, Status }: { Id: string; Status: string }) => [Id, Status])
    }
    expect(await list('?extensions=true')).toEqual([[waiting.id, 'InProgress']])
    expect(await list('?allStatus=True&extensions=true')).toEqual([
      [waiting.id, 'InProgress'],
      [copy.Id, 'Finished'],
    ])
    const { body } = await api.send('GET', `/api/Processes/${waiting.id}`)
    expect(body).toMatchObject({ End: '0001-01-01T00:00:00', ResultMessage: null, Percent: 0 })
    await api.send('POST', `/api/Processes/${waiting.id}/Cancel`)
    await waiting.finished.catch(() => {})
    expect(await list('?extensions=true')).toEqual([])
    expect(await ended({ Id: waiting.id })).toMatchObject({ Status: 'Cancelled', ResultMessage: null })
  })

  test('has processes of types that 1.5.0 does not know only when they are asked for', async () => {
    const [shop, other] = [await openShop(api.engine), await openShop(api.engine)]
    const copy = await ended(await transfer('Copy', shop, ['1'], other))
    const dataset = api.engine.datasets.get<object>(shop)
    const starts = [
      () => dataset.optimize(),
      () => dataset.reconfigure({ language: 'none' }),
      () => dataset.documents.import([{ ...sample, id: '9' }]),
    ]
    const ids: string[] = []
    for (const start of starts) {
      const { id, finished } = start()
      ids.push(id)
      await finished
    }
    const { body: usual } = await api.send('GET', '/api/Processes?allStatus=true')
    expect(usual.map(({ Id }: { Id: string }) => Id)).toEqual([copy.Id])
    const { body: all } = await api.send('GET', '/api/Processes?allStatus=true&Extensions=True')
    expect(all.map(({ Type }: { Type: string }) => Type).sort()).toEqual([
      'DataSetsOptimize',
      'DataSetsReconfigure',
      'DocumentsCopy',
      'DocumentsImport',
    ])
    for (const id of ids) expect((await api.send('GET', `/api/Processes/${id}`)).status).toBe(200)
  })

  test('goes back 30 days, unless all time is asked for', async () => {
    let now = Date.now() - 31 * 24 * 60 * 60 * 1000
    await using engine = await Engine.open({ clock: () => now })
    const old = await serve({ engine })
    const [from, to] = [await openShop(engine), await openShop(engine)]
    const before = await ended(await transfer('Copy', from, ['1'], to, old), old)
    now = Date.now()
    const today = await ended(await transfer('Copy', from, ['1'], to, old), old)
    const list = async (query: string) => {
      const { body } = await old.send('GET', `/api/Processes?allStatus=true${query}`)
      return body.map(({ Id }: { Id: string }) => Id)
    }
    expect(await list('')).toEqual([today.Id])
    expect(await list('&allTime=true')).toEqual([today.Id, before.Id])
  })
})

describe('a process', () => {
  test('is the same after a restart, file and all', async () => {
    const store = await temporaryFolder()
    const filesFolder = await temporaryFolder()
    const first = await Engine.open({ store })
    const before = await serve({ engine: first, config: { filesFolder } })
    const [from, to] = [await openShop(first), await openShop(first)]
    const process = await ended(await transfer('Copy', from, ['1', '2'], to, before), before)
    await before.stop()
    await first.close()
    await using second = await Engine.open({ store })
    const after = await serve({ engine: second, config: { filesFolder } })
    const { body } = await after.send('GET', `/api/Processes/${process.Id}`)
    expect(body).toEqual({ ...process, ResultMessage: process.ResultMessage.replace(before.url, after.url) })
    expect(await (await fetch(body.ResultMessage.split('\n')[1])).json()).toHaveLength(2)
  })

  test('has its link as soon as its file can be written', async () => {
    const parent = await temporaryFolder()
    const filesFolder = join(parent, 'files')
    await writeFile(filesFolder, 'in the way')
    const { engine, ...blocked } = await serve({ config: { filesFolder } })
    const [from, to] = [await openShop(engine), await openShop(engine)]
    const process = await ended(await transfer('Copy', from, ['1'], to, { engine, ...blocked }), {
      engine,
      ...blocked,
    })
    expect(process).toMatchObject({ Status: 'Finished', ResultMessage: expect.not.stringContaining('\n') })
    await rm(filesFolder)
    await mkdir(filesFolder)
    const { body } = await blocked.send('GET', `/api/Processes/${process.Id}`)
    expect((await fetch(body.ResultMessage.split('\n')[1])).status).toBe(200)
  })

  test('of the program around the engine is listed too, without a file', async () => {
    const [from, to] = [await openShop(api.engine), await openShop(api.engine)]
    const { documents } = api.engine.datasets.get(from)
    const copy = documents.copy(['1'], api.engine.datasets.get(to).documents)
    await copy.finished
    expect(await ended({ Id: copy.id })).toMatchObject({
      Status: 'Finished',
      ResultMessage: `Copying from ${from} to ${to}: 1 succeeded, 0 failed.`,
    })
  })

  test('that was cancelled links to nothing and leaves no file', async () => {
    const shop = await openShop(api.engine)
    const { readable } = new TransformStream<Uint8Array, Uint8Array>()
    const importing = api.engine.datasets.get(shop).documents.import(readable, { format: 'jsonl' })
    await api.send('POST', `/api/Processes/${importing.id}/Cancel`)
    await importing.finished.catch(() => {})
    const cancelled = await api.send('GET', `/api/Processes/${importing.id}`)
    expect(cancelled.body).toMatchObject({ Status: 'Cancelled', ResultMessage: null })
    const { status, body } = await api.send('POST', `/api/Processes/${importing.id}/Cancel`)
    const error = `The process ${importing.id} cannot be cancelled: it is Cancelled.`
    expect([status, body.Errors]).toEqual([400, [error]])
  })
})

async function serve(given: Given): Promise<Api> {
  const other = await startApi(given)
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= other.stop()
    return stopped
  }
  onTestFinished(stop)
  return { ...other, stop }
}

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'findling-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

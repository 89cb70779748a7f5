import { once as eventOf } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../adapters/client/src/client.ts'
import type { Process } from '../../adapters/client/src/index.ts'
import { CallError, unwrap } from '../../adapters/client/src/result.ts'
import { fillShop, type Product, products, type Server, startServer } from './server.ts'

let server: Server
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-client-'))
  server = await startServer()
  await fillShop(server.client())
})

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const shop = () => server.client().dataset<Product>('shop')
const text = (stream: ReadableStream<Uint8Array>) => new Response(stream).text()

function* many(count: number, prefix = 'm'): Generator<Product> {
  for (let i = 0; i < count; i++) yield { ...products[i % 4]!, id: `${prefix}${i}`, price: i }
}

async function count(name: string): Promise<number> {
  return (await unwrap(server.client().dataSets.get(name))).statistics.documentsCount
}

describe('waiting for a process', () => {
  it('ends when that has finished, and tells how far it is', async () => {
    const { processes } = server.client()
    const seen: Process[] = []
    const onProgress = (process: Process) => seen.push(process)
    const finished = await unwrap(processes.wait(shop().optimize(), { onProgress }))
    expect(finished).toMatchObject({ status: 'Finished', percent: 100, type: 'DataSetsOptimize' })
    expect(seen.at(-1)).toEqual(finished)
    // Also by id, and as it came before.
    expect(await unwrap(processes.wait(finished.id))).toEqual(finished)
    expect(await unwrap(processes.wait(finished))).toEqual(finished)
  })

  it('gives the refusal of the call that should have begun it', async () => {
    const { processes } = server.client()
    const refused = await processes.wait(server.client().dataset('none').optimize())
    expect(refused).toMatchObject({ isSuccessful: false, httpStatusCode: 404 })
    expect(await processes.wait('00000000-0000-4000-8000-000000000000')).toMatchObject({
      httpStatusCode: 404,
    })
  })

  it('fails with what a process has failed with', async () => {
    const { processes } = server.client()
    const failed = await processes.wait(shop().documents.import('{"id": 1}\n{"id": 2}\n'))
    expect(failed).toMatchObject({ isSuccessful: false, httpStatusCode: 200, process: { status: 'Error' } })
    expect(failed.errors.errors).toEqual(!failed.isSuccessful && failed.process!.errorMessages)
    expect(failed.errors.errors.length).toBeGreaterThan(0)
    await expect(unwrap(failed)).rejects.toMatchObject({ name: 'CallError', httpStatusCode: 200 })
  })

  describe('with a signal', () => {
    /** A process that runs until it is cancelled, and the way to let it end. */
    async function begun() {
      const client = server.client()
      const name = 'long'
      await fillShop(client, name)
      await unwrap(client.dataset<Product>(name).documents.bulk([...many(3000)]))
      const service = await unwrap(client.services.create({ name, type: 'Prc' }))
      await unwrap(client.processes.wait(client.services.prc.prepare(service.id, { dataSetName: name })))
      await unwrap(client.processes.wait(client.services.prc.activate(service.id)))
      const process = await unwrap(client.services.prc.index(service.id))
      return {
        client,
        process,
        async end() {
          await client.services.remove(service.id)
          await unwrap(client.dataSets.remove(name))
        },
      }
    }

    it('only stops waiting, or cancels the process and tells how that has ended', async () => {
      const { client, process, end } = await begun()
      const { processes } = client
      const first = new AbortController()
      const onProgress = () => first.abort()
      const given = await processes.wait(process, { signal: first.signal, onProgress })
      expect(given).toMatchObject({ isSuccessful: false, failure: 'aborted' })
      expect(await unwrap(processes.get(process.id))).toMatchObject({ status: 'InProgress' })

      const second = new AbortController()
      const waiting = processes.wait(process, { signal: second.signal, cancelOnAbort: true })
      second.abort()
      const cancelled = await waiting
      expect(cancelled).toMatchObject({
        isSuccessful: false,
        process: { id: process.id, status: 'Cancelled' },
        errors: { errors: ['The process is Cancelled.'] },
      })
      await end()
    })

    it('that comes too late, gives what has finished', async () => {
      const { processes } = server.client()
      const finished = await unwrap(processes.wait(shop().optimize()))
      const late = await processes.wait(finished, { signal: AbortSignal.abort(), cancelOnAbort: true })
      expect(late).toMatchObject({ isSuccessful: true, responseObject: { status: 'Finished' } })
    })
  })
})

describe('an import', () => {
  const { title, brand } = products[0]!
  const csv = `id,title,brand,price,tag\nc1,${title},${brand},1,drills\nc2,"Ä ""quoted"" one",${brand},2,garden\n`

  it('takes documents one after the other, however many, from generators of both kinds', async () => {
    const { processes } = server.client()
    await fillShop(server.client(), 'imported')
    const { documents } = server.client().dataset<Product>('imported')
    await unwrap(processes.wait(documents.import(many(5000))))
    expect(await count('imported')).toBe(5004)
    async function* later() {
      for (const one of many(10, 'later')) {
        await null
        yield one
      }
    }
    await unwrap(processes.wait(documents.import(later(), { mode: 'insert' })))
    expect(await count('imported')).toBe(5014)
  })

  it('takes files as text, bytes, Blob, stream, and stream of Node.js', async () => {
    const { processes } = server.client()
    const { documents } = shop()
    const path = join(folder, 'rows.csv')
    await writeFile(path, csv)
    const forms = {
      text: csv,
      bytes: new TextEncoder().encode(csv),
      buffer: new TextEncoder().encode(csv).buffer,
      blob: new Blob([csv]),
      stream: new Blob([csv]).stream(),
      file: createReadStream(path),
      decodedStream: new Blob([csv]).stream().pipeThrough(new TextDecoderStream()),
      decodedFile: createReadStream(path, { encoding: 'utf8', highWaterMark: 5 }),
    }
    for (const [name, rows] of Object.entries(forms)) {
      const process = await unwrap(processes.wait(documents.import(rows, { type: 'text/csv' })))
      expect([name, process.status]).toEqual([name, 'Finished'])
      expect((await unwrap(documents.get('c2'))).title).toBe('Ä "quoted" one')
      for (const id of ['c1', 'c2']) await unwrap(documents.remove(id))
    }
  })

  it('names and types the columns of a file', async () => {
    const { processes } = server.client()
    const { documents } = shop()
    const csv = 'Art.-Nr.;Bezeichnung;Marke;Tags;Lager\nc3;Lamp;Lumo;a+b;12\n'
    const columns = {
      'Art.-Nr.': 'id',
      Bezeichnung: 'title',
      Marke: 'brand',
      Tags: { field: 'tag', type: 'list', separator: '+' },
      Lager: null,
    } as const
    const process = await unwrap(processes.wait(documents.import(csv, { type: 'text/csv', columns })))
    expect([process.status, process.errorMessages]).toEqual(['Finished', []])
    expect(await unwrap(documents.get('c3'))).toEqual({
      id: 'c3',
      title: 'Lamp',
      brand: 'Lumo',
      tag: ['a', 'b'],
    })
    await unwrap(documents.remove('c3'))
  })

  it('says which rows were refused', async () => {
    const { processes } = server.client()
    const rows = [products[0]!, { id: 'half' } as Product]
    const process = await unwrap(processes.wait(shop().documents.import(rows)))
    expect(process.status).toBe('Finished')
    expect(process.errorMessages.length).toBeGreaterThan(0)
  })

  it('that is refused before all has been sent tells why', async () => {
    const { key } = await unwrap(server.client().keys.create({ name: 'reads', scopes: ['Read'] }))
    const { documents } = server.client({ key }).dataset<Product>('shop')
    expect(await documents.import(many(20_000))).toMatchObject({ isSuccessful: false, httpStatusCode: 403 })
    const strange = shop().documents.import('<a/>', { type: 'text/xml' })
    expect(await strange).toMatchObject({ isSuccessful: false, httpStatusCode: 415 })
  })

  it('whose rows fail says so, and nothing of the network', async () => {
    function* broken() {
      yield* many(3, 'broken')
      throw new Error('row 4 cannot be read')
    }
    const result = await shop().documents.import(broken())
    expect(result).toMatchObject({ failure: 'unsent', cause: { message: 'row 4 cannot be read' } })
    expect(result.errors.errors[0]).toContain('row 4 cannot be read')
    const circle: Record<string, unknown> = {}
    circle.self = circle
    expect(await server.client().dataset('shop').documents.import([circle])).toMatchObject({
      failure: 'unsent',
    })
  })

  it('can be aborted while it is sent, and then reads no more rows', async () => {
    const controller = new AbortController()
    let isLeft = false
    async function* endless() {
      try {
        for (let i = 0; ; i++) {
          if (i === 5000) controller.abort()
          await null
          yield { ...products[0]!, id: `endless${i}` }
        }
      } finally {
        isLeft = true
      }
    }
    const result = await shop().documents.import(endless(), {}, { signal: controller.signal })
    expect(result).toMatchObject({ failure: 'aborted' })
    await expect.poll(() => isLeft).toBe(true)
  })

  it('cancels a stream, even one that waits, when it is aborted while it is sent', async () => {
    const controller = new AbortController()
    let pulled = 0
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      async pull(stream) {
        if (++pulled === 50) controller.abort()
        // It has nothing more to give, and never ends.
        if (pulled > 50) await new Promise(() => {})
        stream.enqueue(new TextEncoder().encode(`{"id":"s${pulled}","title":"${'lamp '.repeat(1000)}"}\n`))
      },
      cancel() {
        isCancelled = true
      },
    })
    const result = await shop().documents.import(endless, {}, { signal: controller.signal })
    expect(result).toMatchObject({ failure: 'aborted' })
    await expect.poll(() => isCancelled).toBe(true)
  })
})

describe('an export', () => {
  it('streams a file, and documents one after the other', async () => {
    await fillShop(server.client(), 'exported')
    const { documents } = server.client().dataset<Product>('exported')
    await unwrap(documents.bulk([...many(3000, 'é')]))
    const csv = await text(await unwrap(documents.export({ format: 'csv', columns: 'id,price' })))
    expect(csv.trimEnd().split(/\r?\n/)).toHaveLength(3005)
    const found = new Map<string, Product>()
    for await (const one of documents.exportAll()) found.set(one.id, one)
    expect(found.size).toBe(3004)
    expect(found.get('é2999')).toEqual([...many(3000, 'é')][2999])
  })

  it('can be left early, and aborted while it is read', async () => {
    const { documents } = server.client().dataset<Product>('exported')
    for await (const { id } of documents.exportAll()) {
      expect(id).toBeDefined()
      break
    }
    const controller = new AbortController()
    const stream = await unwrap(documents.export({}, { signal: controller.signal }))
    controller.abort()
    await expect(text(stream)).rejects.toThrow()
    expect(await documents.export({ format: 'xml' as 'csv' })).toMatchObject({
      isSuccessful: false,
      httpStatusCode: 400,
    })
  })
})

describe('documents of an export that breaks off', () => {
  /** Who sends two documents and the beginning of a third. */
  async function half(then: 'break' | 'end' | 'hold') {
    const http = createServer((_, response) => {
      response.write('{"id":"1"}\n{"id":"2"}\n{"id":')
      if (then === 'break') setTimeout(() => response.destroy(), 20)
      if (then === 'end') response.end()
    })
    await eventOf(http.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    const { port } = http.address() as AddressInfo
    return createClient({ baseAddress: `http://127.0.0.1:${port}` }).dataset<{ id: string }>('half').documents
  }

  it.each(['break', 'end'] as const)('are followed by the error of a call that was lost: %s', async then => {
    const ids: string[] = []
    const reading = async () => {
      for await (const { id } of (await half(then)).exportAll()) ids.push(id)
    }
    const error = await reading().catch(error => error)
    expect(error).toBeInstanceOf(CallError)
    expect([error.failure, error.message]).toEqual([
      'offline',
      expect.stringMatching(/^The answer broke off: /),
    ])
    expect(ids).toEqual(['1', '2'])
  })

  it('are followed by the reason of the signal that aborts it', async () => {
    const controller = new AbortController()
    const reason = new Error('the page is gone')
    const reading = async () => {
      for await (const { id } of (await half('hold')).exportAll({ signal: controller.signal }))
        if (id === '2') setTimeout(() => controller.abort(reason), 20)
    }
    await expect(reading()).rejects.toBe(reason)
  })
})

describe('the file of a process', () => {
  it('is found by the process, its link and its name', async () => {
    const client = server.client()
    const process = await unwrap(client.processes.wait(shop().tags.exportWords({ nGramList: [1] })))
    const link = /http:\S+/.exec(process.resultMessage!)![0]
    for (const file of [process, link, link.split('/').at(-1)!]) {
      const bytes = await new Response(await unwrap(client.files.get(file))).arrayBuffer()
      expect(Buffer.from(bytes).subarray(0, 2).toString()).toBe('PK')
    }
    expect(await client.files.get('none.zip')).toMatchObject({ httpStatusCode: 404 })
    expect(await client.files.get({ ...process, resultMessage: null })).toMatchObject({ failure: 'unsent' })
  })
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Engine } from 'findling'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { slowDocx } from '../extraction/packed.ts'

const file = async (name: string): Promise<string> =>
  (await readFile(new URL(`../fixtures/files/${name}`, import.meta.url))).toString('base64')
const text = (content: string): string => Buffer.from(content).toString('base64')

const schema = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    title: { type: 'string' },
    tag: { type: 'array', items: { type: 'string' } },
    manual: { type: 'attachment' },
    parts: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, sheet: { type: 'attachment' } } },
    },
  },
}
interface Item {
  id: string
  title?: string | null
  tag?: string[]
  manual?: string | null
  parts?: { name?: string; sheet?: string }[]
}
const settings = { schema, interpretedFields: ['title', 'manual', 'parts.sheet'] }

let engine: Engine
let folder: string
let number = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-attachments-'))
  engine = await Engine.open({ store: folder, extraction: { processes: 1 } })
})
afterAll(async () => {
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

const open = () => engine.datasets.create<Item>(`items${++number}`, settings)
const found = async (dataset: Awaited<ReturnType<typeof open>>, query: string) =>
  (await dataset.search(query)).hits.map(({ id }) => id)

describe('the text of an attachment', () => {
  it('is searched, highlighted and named by queries; the document stays as it was given', async () => {
    const items = await open()
    const bench: Item = { id: 'bench', title: 'Bench', tag: ['oak'], manual: await file('letter.pdf') }
    await items.documents.insert(bench)
    await items.documents.insert({ id: 'lamp', title: 'Lamp', manual: text('Fill it with petroleum.') })
    expect(await items.documents.get('bench')).toEqual(bench)
    const { hits } = await items.search('linsed oil', {
      highlight: { fields: ['manual'], snippet: 40, marks: true },
    })
    expect(hits.map(({ id }) => id)).toEqual(['bench'])
    expect(hits[0]!.highlights!.manual![0]!.html).toContain('<mark>linseed</mark> <mark>oil</mark>')
    const counted = (query: string) => items.count(query)
    expect(await counted('manual:petroleum')).toBe(1)
    expect(await counted('manual:"wire brush" AND tag:oak')).toBe(1)
    expect(await counted('manual:petrol*')).toBe(1)
    expect(await counted('manual:petrolium~1')).toBe(1)
    expect(await counted('manual:[penny TO petunia]')).toBe(1)
    expect(await counted('petroleum OR linseed')).toBe(2)
    expect(await counted('_exists_:manual')).toBe(2)
    // The content itself is no text.
    expect(await counted(`manual:${text('Fill it with petroleum.').slice(0, 8)}*`)).toBe(0)
    expect(await items.documents.updateWhere('manual:petroleum', { title: 'Oil lamp' })).toBe(1)
  })

  it('is found by queries as well where the field is not searched', async () => {
    const items = await engine.datasets.create<Item>(`items${++number}`, {
      schema,
      interpretedFields: ['title'],
    })
    await items.documents.insert({ id: '1', title: 'Lamp', manual: text('Fill it with petroleum.') })
    expect(await found(items, 'petroleum')).toEqual([])
    expect(await items.count('manual:petroleum')).toBe(1)
    expect(await items.count('manual:water')).toBe(0)
    expect(await items.count('NOT manual:petroleum')).toBe(0)
  })

  it('follows updates: of the file, of other fields, to null, and with a new id', async () => {
    const items = await open()
    await items.documents.insert({ id: '1', title: 'Lamp', manual: text('Fill it with petroleum.') })
    await items.documents.update('1', { title: 'Lantern' })
    expect(await found(items, 'petroleum lantern')).toEqual(['1'])
    await items.documents.update('1', { id: '2' })
    expect(await found(items, 'petroleum')).toEqual(['2'])
    await items.documents.update('2', { manual: text('Wind it up.') })
    expect(await found(items, 'petroleum')).toEqual([])
    expect(await found(items, 'wind')).toEqual(['2'])
    await items.documents.update('2', { manual: null })
    expect(await found(items, 'wind')).toEqual([])
  })

  it('is that of each file in a list of objects', async () => {
    const items = await open()
    const parts = [
      { name: 'wick' },
      { sheet: text('Trim the wick weekly.') },
      { sheet: text('Polish the glass.') },
    ]
    await items.documents.insert({ id: '1', title: 'Lamp', parts })
    expect(await found(items, 'polish')).toEqual(['1'])
    expect(await items.count('parts.sheet:weekly')).toBe(1)
    await items.documents.update('1', { parts: parts.slice(0, 2) })
    expect(await found(items, 'polish')).toEqual([])
    expect(await found(items, 'weekly')).toEqual(['1'])
  })

  it('makes documents similar, and teaches classifiers', async () => {
    const items = await open()
    const garden = ['spade rake beds', 'rake lawn dig beds', 'dig spade lawn']
    const light = ['wick petroleum light', 'trim wick light lamp', 'petroleum warm light']
    await items.documents.bulk([
      ...garden.map((one, i) => ({ id: `g${i}`, tag: ['garden'], manual: text(one) })),
      ...light.map((one, i) => ({ id: `l${i}`, tag: ['light'], manual: text(one) })),
    ])
    const similar = await items.similar({ id: 'g0' }, { limit: 2 })
    expect(similar.map(({ id }) => id).sort()).toEqual(['g1', 'g2'])
    await items.classifier({ parallel: 1 })
    expect((await items.classify('a spade'))[0]?.tagId).toBe('garden')
  })

  it('is there when the store is opened again and the index is built anew, without another reading', async () => {
    const place = await mkdtemp(join(tmpdir(), 'findling-again-'))
    onTestFinished(() => rm(place, { recursive: true, force: true }))
    const first = await Engine.open({ store: place, extraction: { processes: 1 } })
    const items = await first.datasets.create<Item>('items', settings)
    await items.documents.insert({ id: '1', title: 'Bench', manual: await file('letter.docx') })
    await first.close()
    // Nothing can be read within a millisecond.
    const second = await Engine.open({ store: place, extraction: { timeLimitMs: 1 } })
    const again = second.datasets.get<Item>('items')
    expect((await again.search('linseed')).hits.map(({ id }) => id)).toEqual(['1'])
    await again.reconfigure({ language: 'english' }).finished
    expect((await again.search('splinter')).hits.map(({ id }) => id)).toEqual(['1'])
    await again.documents.update('1', { title: 'Oak bench' })
    const copy = await second.datasets.create<Item>('copy', settings)
    expect((await again.documents.copy(['1'], copy.documents)).failed).toEqual([])
    expect((await copy.search('splinters')).hits.map(({ id }) => id)).toEqual(['1'])
    expect((await second.doctor()).ok).toBe(true)
    await second.close()
  })

  it('is stored beside what the tags of a document are cleaned from', async () => {
    const items = await open()
    await items.tags.create({ id: 'oak', name: 'Oak' })
    await items.documents.insert({ id: '1', tag: ['oak'], manual: text('Fill it with petroleum.') })
    await (await items.tags.remove('oak', { cleanDocuments: true })).cleaning
    expect((await items.documents.get('1'))?.tag).toEqual([])
    expect(await found(items, 'petroleum')).toEqual(['1'])
  })

  it('is read after a zod object has had its say', async () => {
    const shape = z.object({ id: z.string(), note: z.string().trim().meta({ type: 'attachment' }) })
    const notes = await engine.datasets.create('notes', { schema: shape, interpretedFields: ['note'] })
    await notes.documents.insert({ id: '1', note: `  ${text('petroleum')}\n` })
    expect((await notes.search('petroleum')).hits.length).toBe(1)
  })
})

describe('a file that cannot be read', () => {
  it('refuses the write, whose error names the field', async () => {
    const items = await open()
    const refused = async (write: Promise<unknown>) => {
      const failure = await write.then(
        () => undefined,
        error => error,
      )
      const { code, details, message } = failure
      return [code, details?.field, message]
    }
    expect(await refused(items.documents.insert({ id: '1', manual: 'no!' }))).toEqual([
      'INVALID_DOCUMENT',
      'manual',
      'document: manual is "no!"; expected the content of a file as base64 text',
    ])
    const locked = await refused(items.documents.upsert({ id: '1', manual: await file('locked.pdf') }))
    expect(locked).toEqual(['INVALID_DOCUMENT', 'manual', expect.stringContaining('an encrypted file')])
    const picture = text('\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
    const inList = await refused(
      items.documents.insert({ id: '1', parts: [{ name: 'a' }, { sheet: picture }] }),
    )
    expect(inList.slice(0, 2)).toEqual(['INVALID_DOCUMENT', 'parts[1].sheet'])
    expect(items.documents.count).toBe(0)
    await items.documents.insert({ id: '1', manual: text('petroleum') })
    const patched = await refused(items.documents.update('1', { manual: await file('locked.pdf') }))
    expect(patched.slice(0, 2)).toEqual(['INVALID_DOCUMENT', 'manual'])
    const operation = { type: 'upsert', dataset: items.name, document: { id: '2', manual: picture } } as const
    expect((await refused(engine.write([operation]))).slice(0, 2)).toEqual(['INVALID_DOCUMENT', 'manual'])
    expect(await found(items, 'petroleum')).toEqual(['1'])
  })

  it('ends nothing where it fails while the other rows of a bulk are still being checked', async () => {
    const items = await open()
    await items.documents.insert({ id: 'first', manual: text('so that the process has begun') })
    const tag = Array.from({ length: 20_000 }, (_, i) => `t${i}`)
    const rows: Item[] = Array.from({ length: 50 }, (_, i) => ({ id: `row${i}`, tag }))
    rows.unshift({ id: 'broken', manual: text('%PDF-1.4 cut off') })
    const results = await items.documents.bulk(rows)
    expect(results.filter(({ status }) => status === 'failed').map(({ id }) => id)).toEqual(['broken'])
  })

  it('ends nothing where it fails behind an operation that cannot be made', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const items = await open()
    const broken = { id: 'broken', manual: text('%PDF-1.4 cut off') }
    const writing = engine.write([
      { type: 'insert', dataset: items.name, document: broken },
      { type: 'insert', dataset: 'nowhere', document: { id: '1' } },
    ])
    await expect(writing).rejects.toMatchObject({ code: 'DATASET_NOT_FOUND' })
    // Behind the other one in the queue, so that it has failed by then.
    await expect(items.documents.insert(broken)).rejects.toThrow()
    await new Promise(resolve => setImmediate(resolve))
    expect(unhandled).toEqual([])
  })

  it('fails the whole bulk when the engine is closed before it is read', async () => {
    const closing = await Engine.open({ extraction: { processes: 1 } })
    const items = await closing.datasets.create<Item>('items', settings)
    const bulk = items.documents.bulk([{ id: 'first' }, { id: 'second', manual: text('unread') }])
    const [outcome] = await Promise.allSettled([bulk, closing.close()])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'CLOSED' } })
  })

  it('fails its row of a bulk and of an import, and no other', async () => {
    const items = await open()
    const rows = [
      { id: '1', manual: text('petroleum') },
      { id: '2', manual: await file('locked.pdf') },
      { id: '3', manual: 'no!' },
      { id: '4', manual: await file('stock.xlsx') },
    ]
    const results = await items.documents.bulk(rows)
    expect(results.map(({ status, error }) => error?.details.field ?? status)).toEqual([
      'stored',
      'manual',
      'manual',
      'stored',
    ])
    expect(await found(items, 'watering can')).toEqual(['4'])
    const report = await items.documents.import(rows.slice(1))
    expect([report.stored, report.failed]).toEqual([1, 2])
  })
})

describe('a document that changes while its file is read', () => {
  it('is stored as it was given', async () => {
    const items = await open()
    const given: Item = { id: '1', manual: text('petroleum') }
    const written = items.documents.insert(given)
    given.manual = text('candles')
    await written
    expect(await items.documents.get('1')).toEqual({ id: '1', manual: text('petroleum') })
    expect(await found(items, 'petroleum')).toEqual(['1'])
  })
})

describe('writes that nobody awaits', () => {
  it('are decided in the order of their calls, also where some wait for their files and some fail', async () => {
    const items = await open()
    const manual = await file('letter.pdf')
    const refused = items.documents.upsert({ id: '1', manual: await file('locked.pdf') })
    const writes = [
      items.documents.upsert({ id: '1', title: 'first', manual }),
      items.documents.upsert({ id: '1', title: 'second', manual: text('petroleum') }),
      items.documents.update('1', { title: 'third' }),
      items.documents.upsert({ id: '2', manual }),
      items.documents.delete('2'),
    ]
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_DOCUMENT' })
    const written = await Promise.all(writes)
    expect(written.at(-1)).toBe(true)
    expect(await items.documents.get('1')).toMatchObject({ title: 'third', manual: text('petroleum') })
    expect(await items.documents.get('2')).toBeUndefined()
  })
})

describe('writes of several documents', () => {
  it('read the file of a patch once', async () => {
    const items = await open()
    await items.documents.bulk([
      { id: '1', title: 'Lamp' },
      { id: '2', title: 'Lamp' },
    ])
    expect(await items.documents.updateWhere('title:lamp', { manual: text('petroleum') })).toBe(2)
    expect((await found(items, 'petroleum')).sort()).toEqual(['1', '2'])
    const refused = items.documents.updateWhere('title:lamp', { manual: await file('locked.pdf') })
    await expect(refused.finished).rejects.toMatchObject({ code: 'INVALID_DOCUMENT' })
  })

  it('of one call are stored together or not at all', async () => {
    const items = await open()
    const write = (id: string, manual: string) =>
      ({ type: 'insert', dataset: items.name, document: { id, manual } }) as const
    await engine.write([write('1', text('petroleum')), { type: 'delete', dataset: items.name, id: '9' }])
    const both = engine.write([write('2', text('petroleum')), write('3', await file('locked.pdf'))])
    await expect(both).rejects.toMatchObject({ code: 'INVALID_DOCUMENT' })
    expect(await found(items, 'petroleum')).toEqual(['1'])
  })
})

describe('writes of an owner', () => {
  it('wait for no files of another, however many that has sent and in whatever way each is made', async () => {
    const busy = await Engine.open({ extraction: { processes: 1 } })
    const items = await busy.datasets.create<Item>('items', settings)
    const others = await busy.datasets.create('others', {
      schema: { type: 'object', properties: { id: { type: 'string' }, manual: { type: 'string' } } },
    })
    await others.documents.insert({ id: 'copied', manual: text('walnut') })
    const slow = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => (await slowDocx(`lamp${i}`)).toString('base64')),
    )
    const few = { owner: 'few' }
    const many = items.documents.bulk(
      slow.map((manual, i) => ({ id: `slow${i}`, manual })),
      { owner: 'many' },
    )
    const one = items.documents.insert({ id: 'slow', manual: slow[0]! }, { owner: 'many' })
    const ended = Promise.allSettled([many, one])
    const { documents } = items
    const write = async () => {
      await documents.insert({ id: '1', manual: text('oak') }, few)
      await documents.upsert({ id: '2', manual: text('beech') }, few)
      await documents.update('1', { manual: text('maple') }, few)
      await documents.bulk([{ id: '3', manual: text('birch') }], few)
      await documents.import([{ id: '4', manual: text('cherry') }], few).finished
      await documents.updateWhere('id:3', { manual: text('pine') }, few).finished
      await others.documents.copy(['copied'], documents, few).finished
      const document = { id: '5', manual: text('larch') }
      await busy.write([{ type: 'insert', dataset: 'items', document }], few)
      await documents.delete('2', few)
      return 'few'
    }
    const first = Promise.any([many, one]).then(() => 'many')
    expect(await Promise.race([write(), first])).toBe('few')
    await busy.close()
    await Promise.all([ended, first.catch(() => {})])
  })
})

import { createReadStream } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { JsonObject, Progress } from 'findling'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  codeOf,
  collected,
  expectHealthy,
  failureOf,
  openEngine,
  temporaryFolder,
  waitingDatabase,
} from './engines.ts'

const catalogue = new URL('../fixtures/catalogue/products.jsonl', import.meta.url)

async function openProducts() {
  const engine = await openEngine()
  return { engine, products: await engine.datasets.create('products') }
}

async function fileOf(name: string, text: string): Promise<string> {
  const path = join(await temporaryFolder(), name)
  await writeFile(path, text)
  return path
}

describe('import', () => {
  it('stores every line of a JSONL file, searchable at once, and tells how far it is', async () => {
    const { engine, products } = await openProducts()
    const steps: (Progress & { percent: number })[] = []
    const job = products.documents.import(catalogue, { onProgress: step => steps.push(step) })
    const report = await job.finished
    const lines = (await readFile(catalogue, 'utf8')).trim().split('\n')
    const sums = { rows: lines.length, stored: lines.length, replaced: 0, unchanged: 0, failed: 0, tags: 0 }
    const reading = { encoding: 'utf-8', delimiter: null, roles: null, columns: [], doubts: [] }
    expect(report).toEqual({ ...sums, errors: [], reading })
    expect(steps.length).toBeGreaterThan(2)
    expect(steps.at(-1)).toMatchObject({ phase: 'importing', percent: 100 })
    expect(steps.map(({ percent }) => percent)).toEqual(
      [...steps.map(({ percent }) => percent)].sort((a, b) => a - b),
    )
    const wanted = lines.map(line => JSON.parse(line) as JsonObject)
    expect(await products.documents.getMany(wanted.map(({ id }) => String(id)))).toEqual(wanted)
    expect((await products.search('dumbbells')).hits.length).toBeGreaterThan(0)
    expect(engine.job(job.id)).toMatchObject({ status: 'finished', percent: 100, result: report })
  })

  it('goes on behind bad lines and names each by its number', async () => {
    const engine = await openEngine()
    const products = await engine.datasets.create('products', { interpretedFields: ['title'] })
    const lines = [
      '{"id":"1","title":"One"}',
      '{"id":"2",',
      '',
      '{"title":"No id"}',
      '[1]',
      '{"id":"6","title":{}}',
      '{"id":"7"}',
    ]
    const path = await fileOf('rows.jsonl', `\ufeff${lines.join('\r\n')}`)
    const { errors, ...sums } = await products.documents.import(path).finished
    expect(sums).toMatchObject({ rows: 6, stored: 2, failed: 4 })
    expect(errors.map(({ line, id, code }) => [line, id, code])).toEqual([
      [2, null, 'INVALID_ROW'],
      [4, null, 'INVALID_DOCUMENT'],
      [5, null, 'INVALID_DOCUMENT'],
      [6, '6', 'INVALID_DOCUMENT'],
    ])
    expect((await collected(products.documents.scan())).map(({ id }) => id)).toEqual(['1', '7'])
    await expectHealthy(engine)
  })

  it('keeps the first thousand errors and counts all', async () => {
    const { products } = await openProducts()
    const rows = [{ id: 'good' }, ...Array.from({ length: 1500 }, () => ({}))]
    const report = await products.documents.import(rows).finished
    expect([report.failed, report.errors.length, report.errors[999]?.line]).toEqual([1500, 1000, 1001])
  })

  it.each([
    ['jsonl', '{"no":"id"}\n{broken\n', 2],
    ['csv', 'id,title\n,Lamp\n,Desk\n,Chair\n', 3],
    ['json', '[{"no":"id"},5]', 2],
  ] as const)('of %s fails where no row can be stored, and says why', async (format, text, rows) => {
    const { engine, products } = await openProducts()
    const job = products.documents.import(Buffer.from(text), { format })
    const failure = await failureOf(() => job.finished)
    const first = format === 'csv' ? 2 : 1
    expect(failure).toMatchObject({
      code: 'INVALID_ROW',
      details: { line: first, report: { rows, stored: 0, failed: rows } },
    })
    const { status, error } = engine.job(job.id)!
    expect([status, error!.code]).toEqual(['failed', 'INVALID_ROW'])
    const [sentence, ...reasons] = error!.message.split('\n')
    expect([sentence, reasons.length]).toEqual([`None of ${rows} rows could be stored.`, rows])
    expect(reasons[0]).toMatch(new RegExp(`^line ${first}: .*id`))
  })

  it.each([
    ['jsonl', '{"id": ]\r\n{"id":'],
    ['json', '[{\n  "id": ]\n}, {"i\\nd": 1}]'],
  ] as const)('of %s says each reason in one line, whatever lines a row has', async (format, text) => {
    const { products } = await openProducts()
    const failure = await failureOf(() => products.documents.import(Buffer.from(text), { format }).finished)
    const [sentence, ...reasons] = failure.message.split(/[\r\n]/)
    expect(sentence).toBe('None of 2 rows could be stored.')
    expect(reasons).toEqual([expect.stringMatching(/^line \d+/), expect.stringMatching(/^line \d+/)])
  })

  it('of a table without ids says which columns it has', async () => {
    const { products } = await openProducts()
    const failing = async (text: string) =>
      (
        await failureOf(() => products.documents.import(Buffer.from(text), { format: 'csv' }).finished)
      ).message.split('\n')
    expect(await failing(' id ;Name\n1;Lampe\n')).toEqual([
      'None of 1 rows could be stored.',
      'No column is named "id", the field of ids; the header has " id ", "Name". ' +
        'Rename one, in the file or with the option columns, or set the option guess.',
      expect.stringMatching(/^line 2: document: id is missing/),
    ])
    expect((await failing(`a\n1\n`))[1]).toContain('the header has "a". Rename')
    expect((await failing(`${Array.from({ length: 40 }, (_, i) => `c${i}`).join()}\n,\n`))[1]).toContain(
      '"c29", …. ',
    )
  })

  it.each(['jsonl', 'csv', 'json'] as const)('of %s without rows is finished', async format => {
    const { engine, products } = await openProducts()
    for (const text of format === 'csv' ? ['', 'id,title\n'] : [format === 'json' ? '[]' : '']) {
      const job = products.documents.import(Buffer.from(text), { format })
      expect(await job).toMatchObject({ rows: 0, stored: 0, failed: 0, errors: [] })
      expect(engine.job(job.id)?.status).toBe('finished')
    }
  })

  it('ends where none of the first 100,000 rows can be stored', async () => {
    const { engine, products } = await openProducts()
    let taken = 0
    function* bad() {
      for (; taken < 500_000; taken++) yield taken % 2 ? 'x' : {}
    }
    const job = products.documents.import(bad())
    const failure = await failureOf(() => job.finished)
    expect(failure).toMatchObject({ code: 'INVALID_ROW', details: { line: 1 } })
    expect(String(failure)).toContain('one of the first 100000')
    expect(engine.job(job.id)).toMatchObject({ status: 'failed', error: { code: 'INVALID_ROW' } })
    expect(taken).toBeLessThan(105_000)
  }, 60_000)

  it('reads CSV with nested columns and values made by convert', async () => {
    const { products } = await openProducts()
    const path = await fileOf(
      'rows.csv',
      'id,title,size.height,price\r\n1,"Lamp, ""brass""",40,9.5\r\n2,"Two\nlines",7,1\r\n',
    )
    const convert = (field: string, text: string) => (field === 'price' ? Number(text) : text)
    expect(await products.documents.import(path, { convert }).finished).toMatchObject({
      stored: 2,
      failed: 0,
    })
    expect(await products.documents.getMany(['1', '2'])).toEqual([
      { id: '1', title: 'Lamp, "brass"', size: { height: '40' }, price: 9.5 },
      { id: '2', title: 'Two\nlines', size: { height: '7' }, price: 1 },
    ])
  })

  it('reads CSV cells as the numbers and booleans that sample or schema say they are', async () => {
    const engine = await openEngine()
    const { documents } = await engine.datasets.create('products', {
      schema: z.object({
        id: z.string(),
        title: z.string(),
        price: z.number().optional(),
        stock: z.int().optional(),
        isNew: z.boolean().optional(),
        size: z.object({ h: z.number() }).optional(),
      }),
    })
    const text = 'id,title,price,stock,isNew,size.h\n07,12,9.50,3,true,1e2\n8,x,,,,4\n9,y,cheap,1,no,4\n'
    const report = await documents.import(Buffer.from(text), { format: 'csv' }).finished
    expect(report).toMatchObject({ stored: 2, failed: 1, errors: [{ line: 4, code: 'INVALID_DOCUMENT' }] })
    expect(await documents.getMany(['07', '8'])).toEqual([
      { id: '07', title: '12', price: 9.5, stock: 3, isNew: true, size: { h: 100 } },
      { id: '8', title: 'x', size: { h: 4 } },
    ])

    const sampled = await engine.datasets.create('sampled', { sample: { id: '1', title: 'x', price: 1.5 } })
    const rows = Buffer.from('id,title,price\n1,Lamp,9\n2,Sofa,90\n3,Pipe,12345678901234567890\n')
    await sampled.documents.import(rows, { format: 'csv' }).finished
    expect(await sampled.documents.get('3')).toMatchObject({ price: '12345678901234567890' })
    expect(await sampled.documents.deleteWhere({ price: { lt: 10 } }).finished).toBe(1)
  })

  it('reads on behind CSV rows with broken quotes or too many values', async () => {
    const { products } = await openProducts()
    const path = await fileOf('rows.csv', 'id,title\r\n1,"Lam"p\r\n2,Desk\r\n3,Chair,extra\r\n4,Sofa\r\n')
    const { stored, errors } = await products.documents.import(path).finished
    expect(errors.map(({ line, code }) => [line, code])).toEqual([
      [2, 'INVALID_ROW'],
      [4, 'INVALID_ROW'],
    ])
    expect([stored, products.documents.count]).toEqual([2, 2])
  })

  it('takes paths, URLs, bytes, streams, and lists and streams of objects', async () => {
    const { products } = await openProducts()
    const path = await fileOf('rows.jsonl', '{"id":1}\n{"id":2}\n')
    async function* documents() {
      yield { id: 1 }
      yield { id: 2 }
    }
    const bytes = Buffer.from('{"id":1}\n{"id":2}')
    const sources = [
      path,
      pathToFileURL(path),
      createReadStream(path),
      bytes,
      documents(),
      [{ id: 1 }, { id: 2 }],
    ]
    for (const source of sources) {
      await products.documents.deleteWhere({}).finished
      const report = await products.documents.import(source, { format: 'jsonl' }).finished
      expect([report.stored, products.documents.count]).toEqual([2, 2])
    }
  })

  it('fails as a job when the source cannot be read', async () => {
    const { engine, products } = await openProducts()
    const missing = products.documents.import('/no/such/file.jsonl')
    expect(await failureOf(() => missing.finished)).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: {
        field: 'source',
        received: '"/no/such/file.jsonl"',
        expected: 'the path of a file that can be read',
      },
    })
    expect(engine.job(missing.id)).toMatchObject({ status: 'failed', error: { code: 'INVALID_ARGUMENT' } })
    const formless = products.documents.import(Buffer.from('{"id":1}'))
    expect(await failureOf(() => formless.finished)).toMatchObject({ details: { field: 'format' } })
  })

  it('reads no faster than a slow store writes', async () => {
    const slow = () => new Promise<void>(resolve => setTimeout(resolve, 20))
    const engine = await openEngine({ store: waitingDatabase({ batch: slow }) })
    const products = await engine.datasets.create('products')
    let read = 0
    let mostInFlight = 0
    async function* documents() {
      for (let i = 0; i < 6000; i++) {
        mostInFlight = Math.max(mostInFlight, ++read - products.documents.count)
        yield { id: i }
      }
    }
    const report = await products.documents.import(documents()).finished
    expect(report.stored).toBe(6000)
    expect(mostInFlight).toBeLessThanOrEqual(1500)
  })

  it('stops when cancelled, keeps what was stored and writes nothing afterwards', async () => {
    const { engine, products } = await openProducts()
    let ended = false
    async function* endless() {
      try {
        for (let i = 0; ; i++) yield { id: i, title: `Lamp ${i}` }
      } finally {
        ended = true
      }
    }
    const job = products.documents.import(endless())
    while (products.documents.count < 1000) await new Promise(setImmediate)
    engine.cancelJob(job.id)
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
    const { count } = products.documents
    await products.documents.delete('none')
    expect(products.documents.count).toBe(count)
    expect(await products.documents.get(count - 1)).toEqual({ id: count - 1, title: `Lamp ${count - 1}` })
    expect([ended, engine.job(job.id)?.status]).toEqual([true, 'cancelled'])
    await expectHealthy(engine)
  })

  it('stops while it waits for a source that delivers nothing', async () => {
    const { products } = await openProducts()
    const abort = new AbortController()
    async function* stuck() {
      yield { id: 1 }
      await new Promise(() => {})
    }
    const job = products.documents.import(stuck(), { signal: abort.signal })
    setTimeout(() => abort.abort(), 10)
    expect(await codeOf(() => job.finished)).toBe('CANCELLED')
  })

  it('fails when the dataset is removed meanwhile', async () => {
    const { engine, products } = await openProducts()
    async function* endless() {
      for (let i = 0; ; i++) yield { id: i }
    }
    const job = products.documents.import(endless())
    while (products.documents.count < 500) await new Promise(setImmediate)
    await engine.datasets.remove('products')
    expect(await codeOf(() => job.finished)).toBe('DATASET_NOT_FOUND')
  })
})

describe('export', () => {
  const documents: JsonObject[] = [
    { id: '1', title: 'Lamp, "brass"\nwith shade', tag: ['a', 'b'], size: { height: 40 } },
    { id: '2', title: 'Ünïcode 😀 \u2028', price: 1e-7, gone: null, nested: [[{ deep: [] }]] },
    JSON.parse('{"id":"x/y","__proto__":{"a":1},"constructor":2}'),
  ]

  it('as JSONL gives back exactly what was stored', async () => {
    const { engine, products } = await openProducts()
    await products.documents.bulk(documents)
    const text = (await collected(products.documents.export())).join('')
    expect(text.split('\n')).toHaveLength(4)
    const copy = await engine.datasets.create('copy')
    await copy.documents.import(Buffer.from(text), { format: 'jsonl' }).finished
    const contents = async ({ documents }: typeof copy) =>
      (await collected(documents.scan())).map(({ document }) => document)
    expect(await contents(copy)).toEqual(await contents(products))
    expect(await copy.documents.get('1')).toEqual(documents[0])
  })

  it.each(['jsonl', 'json', 'csv'] as const)(
    'as %s gives back the same into a dataset of the same settings and into an open one',
    async format => {
      const engine = await openEngine()
      const sample = { id: '1', title: 'x', tag: ['a'], price: 1, sizes: [1], isNew: true, day: '2016-02-29' }
      const rows: JsonObject[] = [
        ...documents,
        {
          id: '3',
          title: 'Boots',
          tag: ['shoes', 'wo|men', 'a\\b'],
          price: 59.9,
          sizes: [38, 39.5],
          isNew: false,
        },
        {
          id: '4',
          title: '',
          tag: [],
          price: 'on request',
          sizes: [],
          isNew: null,
          day: '2020-01-01T00:00Z',
        },
        { id: 5, title: ['9', 'true'], tag: 'shoes|women', price: null, size: {}, 'a.b': { '"\n': '07' } },
        { id: '6', tag: 7, price: 1e20, size: { '': [[{ x: [] }]] }, parts: [{ n: 1 }, { n: '1' }] },
      ]
      for (const definition of [{}, { sample }]) {
        const name = `of-${format}-${Object.keys(definition).length}`
        const source = await engine.datasets.create(name, definition)
        const stored = await source.documents.bulk(rows)
        expect(stored.every(({ status }) => status === 'stored')).toBe(true)
        const text = (await collected(source.documents.export({ format }))).join('')
        for (const [copy, settings] of [['same', definition] as const, ['open', {}] as const]) {
          const target = await engine.datasets.create(`${copy}-${name}`, settings)
          const report = await target.documents.import(Buffer.from(text), { format }).finished
          expect(report).toMatchObject({ stored: rows.length, failed: 0 })
          const contents = async ({ documents }: typeof target) =>
            (await collected(documents.scan())).map(({ document }) => document)
          expect(await contents(target)).toEqual(await contents(source))
          expect(await target.tags.counts()).toEqual(await source.tags.counts())
        }
      }
    },
  )

  it('as CSV takes the columns that are named, and has all of them without', async () => {
    const { products } = await openProducts()
    const many = Array.from({ length: 600 }, (_, i) => ({ id: String(i).padStart(3, '0'), title: 'Lamp' }))
    await products.documents.bulk([...many, { id: '999', title: 'Desk', late: 'yes' }])
    const all = (await collected(products.documents.export({ format: 'csv' }))).join('').split('\r\n')
    expect([all[0], all[1], all[601], all.length]).toEqual([
      'id,title,late:text',
      '000,Lamp,',
      '999,Desk,yes',
      603,
    ])
    const named = products.documents.export({ format: 'csv', columns: ['id', 'late'] })
    const lines = (await collected(named)).join('').split('\r\n')
    expect([lines[0], lines[1], lines[601], lines.length]).toEqual(['id,late', '000,', '999,yes', 603])
  })

  it('as CSV refuses a column that neither the schema nor any document has', async () => {
    const engine = await openEngine()
    const { documents } = await engine.datasets.create('shop', {
      sample: { id: '1', title: 'x', size: { h: 1 } },
    })
    const header = async (columns: string[]) =>
      (await collected(documents.export({ format: 'csv', columns }))).join('').split('\r\n')[0]
    expect(await header(['anything'])).toBe('anything')
    await documents.insert({ id: '1', title: 'Lamp', brand: 'Acme' })
    expect(await header(['size.h', 'brand', 'size'])).toBe('size.h,brand,size')
    expect(await failureOf(() => header(['id', 'size.w']))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'columns[1] is "size.w"; expected a field of the schema or of a document',
      details: { field: 'columns' },
    })
  })

  it('shows one moment and ends with CANCELLED when its signal aborts', async () => {
    const { products } = await openProducts()
    await products.documents.bulk(Array.from({ length: 1200 }, (_, i) => ({ id: i })))
    const abort = new AbortController()
    let text = ''
    const reading = async () => {
      for await (const piece of products.documents.export({ signal: abort.signal })) {
        text += piece
        abort.abort()
      }
    }
    expect(await codeOf(reading)).toBe('CANCELLED')
    expect(text.split('\n').length).toBeLessThan(1200)
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ReadOptions,
  type Row,
  type RowFormat,
  type RowSource,
  readRows,
  totalBytes,
  writeRows,
} from '../../src/datasets/rows/rows.ts'

async function groupsOf(source: RowSource, options?: ReadOptions): Promise<Row[][]> {
  const groups: Row[][] = []
  for await (const group of readRows(source, options)) groups.push(group)
  return groups
}

const rowsOf = async (source: RowSource, options?: ReadOptions) => (await groupsOf(source, options)).flat()

/** Values, and of bad rows the line. */
const shown = (rows: Row[]) => rows.map(row => (row.error ? `${row.error.code} ${row.line}` : row.value))

const jsonl = async (...text: (string | Uint8Array)[]) => shown(await rowsOf(text, { format: 'jsonl' }))
const csv = async (text: string, options: ReadOptions = {}) =>
  shown(await rowsOf([text], { format: 'csv', ...options }))

async function written(rows: Iterable<object>, format: RowFormat, columns?: string[]): Promise<string> {
  let text = ''
  for await (const piece of writeRows(rows, format, { columns })) text += piece
  return text
}

/** The text in pieces of one byte. */
const bytewise = (text: string) => [...Buffer.from(text)].map(byte => Uint8Array.of(byte))

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'findling-rows-'))
})

afterAll(() => rm(folder, { recursive: true }))

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  return path
}

describe('sources', () => {
  const text = '{"id":"ä"}\n{"id":"𝄞"}\n'
  const values = [{ id: 'ä' }, { id: '𝄞' }]

  it.each<[string, () => RowSource]>([
    ['bytes', () => Buffer.from(text)],
    ['a list of texts', () => [text]],
    ['single bytes', () => bytewise(text)],
    ['single code units', () => text.split('')],
    ['a stream of Node', () => Readable.from([Buffer.from(text)])],
    ['a stream of the web', () => new Blob([text]).stream()],
    ['the body of a response', () => new Response(text).body!],
  ])('may be %s', async (_, source) => {
    expect(shown(await rowsOf(source(), { format: 'jsonl' }))).toEqual(values)
  })

  it.each(['rows.jsonl', 'rows.ndjson', 'ROWS.JSONL'])('may be the file %s, by path or URL', async name => {
    const path = await file(name, text)
    expect(shown(await rowsOf(path))).toEqual(values)
    expect(shown(await rowsOf(pathToFileURL(path)))).toEqual(values)
    expect(await totalBytes(path)).toBe(Buffer.byteLength(text))
    expect((await rowsOf(path)).at(-1)?.bytesRead).toBe(Buffer.byteLength(text))
  })

  it('may be a .csv or .tsv file', async () => {
    expect(shown(await rowsOf(await file('a.csv', 'id,name\n1,a\tb\n')))).toEqual([{ id: '1', name: 'a\tb' }])
    expect(shown(await rowsOf(await file('a.tsv', 'id\tname\n1\ta,b\n')))).toEqual([{ id: '1', name: 'a,b' }])
  })

  it('may be objects, which are numbered', async () => {
    async function* objects() {
      yield { id: 1 }
      yield 'no object'
      yield null
    }
    const rows = [
      { line: 1, value: { id: 1 }, bytesRead: 0 },
      { line: 2, value: 'no object', bytesRead: 0 },
      { line: 3, value: null, bytesRead: 0 },
    ]
    expect(await rowsOf(objects())).toEqual(rows)
    expect(await rowsOf([{ id: 1 }, 'no object', null])).toEqual(rows)
    expect(await totalBytes([])).toBeUndefined()
  })

  it('may be empty', async () => {
    expect(await rowsOf([])).toEqual([])
    for (const format of ['jsonl', 'csv'] as const) expect(await rowsOf([''], { format })).toEqual([])
    expect(await rowsOf(await file('empty.csv', ''))).toEqual([])
  })

  it.each<[string, unknown, ReadOptions]>([
    ['a missing file', '/nowhere/rows.jsonl', {}],
    ['a URL of another kind', new URL('https://example.com/rows.jsonl'), {}],
    ['text of unknown format', ['{}'], {}],
    ['a number', 5, {}],
    ['null', null, {}],
    ['text among which there is an object', ['{}\n', {}], { format: 'jsonl' }],
  ])('cannot be %s', async (_, source, options) => {
    await expect(rowsOf(source as RowSource, options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('are read no faster than rows are taken', async () => {
    let delivered = 0
    async function* source() {
      for (; delivered < 10_000; delivered++) yield { id: delivered }
    }
    const rows = readRows(source())
    await rows.next()
    expect(delivered).toBeLessThan(1000)
    await rows.return()
  })

  it('are closed when nobody wants more', async () => {
    let closed = false
    async function* source() {
      try {
        for (;;) yield '{}\n'
      } finally {
        closed = true
      }
    }
    for await (const _ of readRows(source(), { format: 'jsonl' })) break
    expect(closed).toBe(true)
  })

  it('hand on their own errors', async () => {
    async function* source() {
      yield '{}\n'
      throw new RangeError('the network is gone')
    }
    await expect(rowsOf(source(), { format: 'jsonl' })).rejects.toThrow('the network is gone')
  })

  it('are given up on abort, even while they wait', async () => {
    async function* source() {
      yield '{}\n'
      await sleep(3_600_000, undefined, { ref: false })
    }
    const abort = new AbortController()
    const rows = rowsOf(source(), { format: 'jsonl', signal: abort.signal })
    await sleep(10)
    abort.abort()
    await expect(rows).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(rowsOf([{}], { signal: abort.signal })).rejects.toMatchObject({ code: 'CANCELLED' })
  })
})

describe('groups', () => {
  it('hold at most 500 rows', async () => {
    const lines = Array.from({ length: 1201 }, (_, i) => `{"id":${i}}\n`).join('')
    const groups = await groupsOf([lines], { format: 'jsonl' })
    expect(groups.map(group => group.length)).toEqual([500, 500, 201])
    expect(groups.flat().map(row => row.line)).toEqual(Array.from({ length: 1201 }, (_, i) => i + 1))
    expect((await groupsOf(Array(1001).fill({}))).map(group => group.length)).toEqual([500, 500, 1])
  })

  it('of long rows come every 256 KB', async () => {
    const lines = Array.from({ length: 64 }, () => `"${'x'.repeat(16 * 1024)}"\n`).join('')
    const groups = await groupsOf([lines], { format: 'jsonl' })
    expect(groups.length).toBeGreaterThanOrEqual(3)
    expect(groups.flat()).toHaveLength(64)
  })
})

describe('JSON Lines', () => {
  it('tolerate a byte order mark, CRLF, blank lines and a missing last line end', async () => {
    expect(await jsonl('\ufeff{"a":1}\r\n\r\n  \n{"a":2}')).toEqual([{ a: 1 }, { a: 2 }])
  })

  it('go on behind a bad line and name it', async () => {
    const rows = await rowsOf(['{"a":1}\n{"a":\n\n{"a":3}\nnonsense'], { format: 'jsonl' })
    expect(shown(rows)).toEqual([{ a: 1 }, 'INVALID_ROW 2', { a: 3 }, 'INVALID_ROW 5'])
    expect(rows[1]?.error?.message).toMatch(/^line 2 is no JSON: /)
    expect(rows[1]?.error?.details).toEqual({ line: 2 })
  })

  it('refuse what is not UTF-8', async () => {
    expect(await jsonl(Buffer.from('"\xff"\n"b"', 'latin1'))).toEqual(['INVALID_ROW 1', 'b'])
  })

  it('refuse a line beyond 64 MB and go on behind it', async () => {
    const long = Buffer.alloc(1024 * 1024, 'x')
    function* source() {
      yield Buffer.from('1\n"')
      for (let megabytes = 0; megabytes < 65; megabytes++) yield long
      yield Buffer.from('"\n3')
    }
    expect(shown(await rowsOf(source(), { format: 'jsonl' }))).toEqual([1, 'INVALID_ROW 2', 3])
  })

  it('keep __proto__ as a member like any other', async () => {
    const [value] = await jsonl('{"__proto__":{"admin":true},"constructor":1}')
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor'])
    expect((value as { admin?: boolean }).admin).toBeUndefined()
  })

  it('take very deep nesting', async () => {
    expect(await jsonl(`${'['.repeat(200_000)}${']'.repeat(200_000)}\n1`)).toHaveLength(2)
  })

  it('are the same however they are cut', async () => {
    const cutting = fc.record({ rows: fc.array(fc.jsonValue()), cuts: fc.array(fc.nat()) })
    await fc.assert(
      fc.asyncProperty(cutting, async ({ rows, cuts }) => {
        const text = Buffer.from(await written(rows as object[], 'jsonl'))
        const places = [0, ...cuts.map(cut => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((end, i) => text.subarray(places[i], end))
        expect(await jsonl(...pieces)).toEqual(rows.map(row => JSON.parse(JSON.stringify(row))))
      }),
    )
  })
})

describe('CSV', () => {
  it('names members by its first line, quoted or not', async () => {
    expect(await csv('id,"full name"\n1,"a ""b"", c"\n2,\n')).toEqual([
      { id: '1', 'full name': 'a "b", c' },
      { id: '2', 'full name': '' },
    ])
  })

  it('tolerates a byte order mark, CRLF, blank lines and a missing last line end', async () => {
    expect(await csv('\ufeff"id",n\r\n\r\n1,a\r\n\n2,b')).toEqual([
      { id: '1', n: 'a' },
      { id: '2', n: 'b' },
    ])
    expect(shown(await rowsOf(bytewise('\ufeff"id",n\r\n1,ä'), { format: 'csv' }))).toEqual([
      { id: '1', n: 'ä' },
    ])
  })

  it('keeps line ends inside quotes and counts lines as an editor does', async () => {
    const text = 'id,n\r\n1,"a\r\nb"\r\n\r\n2,"c\nd"\n3,e\n4\n'
    const rows = await rowsOf([text], { format: 'csv' })
    expect(rows.map(row => row.line)).toEqual([2, 5, 7, 8])
    expect(shown(rows)).toEqual([
      { id: '1', n: 'a\r\nb' },
      { id: '2', n: 'c\nd' },
      { id: '3', n: 'e' },
      'INVALID_ROW 8',
    ])
    expect(rows.at(-1)?.bytesRead).toBe(text.length)
  })

  it.each([
    ['too many values', '2,b,c', 'line 3 has 3 values for 2 columns'],
    ['too few values', '2', 'line 3 has 1 values for 2 columns'],
    ['text behind a closing quote', '2,"b"x', 'line 3 is no CSV: text follows a closing quote'],
    [
      'a quote inside a value',
      '2,3" pipe',
      'line 3 is no CSV: a quote stands inside a value that does not begin with one',
    ],
    ['a quote that is never closed', '2,"b', 'line 3 is no CSV: text follows a closing quote'],
  ])('goes on behind a row with %s', async (_, bad, message) => {
    const rows = await rowsOf([`id,n\n1,a\n${bad}\n3,c\n4,"d\ne"\n5,f\n`], { format: 'csv' })
    expect(rows[1]?.error?.message).toBe(message)
    expect(shown(rows)).toEqual([
      { id: '1', n: 'a' },
      'INVALID_ROW 3',
      { id: '3', n: 'c' },
      { id: '4', n: 'd\ne' },
      { id: '5', n: 'f' },
    ])
  })

  it('goes on behind broken quotes in the last line, in every line, and at every cut', async () => {
    expect(await csv('id,n\n1,"a')).toEqual(['INVALID_ROW 2'])
    expect(await csv('id,n\n1,"a\n')).toEqual(['INVALID_ROW 2'])
    const text = `id,n\n${'1,"a"b\n2,c\n'.repeat(3)}`
    const expected = [2, 4, 6].flatMap(line => [`INVALID_ROW ${line}`, { id: '2', n: 'c' }])
    expect(await csv(text)).toEqual(expected)
    expect(shown(await rowsOf(bytewise(text), { format: 'csv' }))).toEqual(expected)
  })

  it('goes on behind a quote that hundreds of thousands of rows leave open', async () => {
    const rows = await rowsOf([`id\n"1\n${'2\n'.repeat(200_000)}`], { format: 'csv' })
    expect([rows.length, ...shown(rows.slice(0, 2))]).toEqual([200_001, 'INVALID_ROW 2', { id: '2' }])
  })

  it('leaves a quote open over more than 64 MB no longer than that', async () => {
    const long = Buffer.alloc(1024 * 1024, 'x')
    function* source() {
      yield 'id,n\n1,"'
      for (let megabytes = 0; megabytes < 65; megabytes++) yield long
      yield '\n2,b\n'
    }
    expect(shown(await rowsOf(source(), { format: 'csv' }))).toEqual(['INVALID_ROW 2', { id: '2', n: 'b' }])
  })

  it('makes objects of dotted columns', async () => {
    expect(await csv('id,specs.color,specs.size.cm\n1,red,5\n')).toEqual([
      { id: '1', specs: { color: 'red', size: { cm: '5' } } },
    ])
  })

  it('leaves out columns without a name', async () => {
    expect(await csv(',id,\nx,1,y\n')).toEqual([{ id: '1' }])
  })

  it('keeps __proto__ as a member like any other', async () => {
    const [value] = await csv('__proto__.admin,constructor,a.__proto__\nyes,1,2\n')
    expect(JSON.stringify(value)).toBe(
      '{"__proto__":{"admin":"yes"},"constructor":"1","a":{"__proto__":"2"}}',
    )
    expect((value as { admin?: string }).admin).toBeUndefined()
  })

  it('converts text as the caller says', async () => {
    const convert = (field: string, text: string) => {
      if (text === '') return undefined
      if (field === 'tags') return text.split('|')
      if (field !== 'specs.size') return text
      if (Number.isNaN(Number(text))) throw new TypeError(`${text} is no number`)
      return Number(text)
    }
    expect(await csv('id,tags,specs.size\n1,a|b,5\n2,,x\n3,,\n', { convert })).toEqual([
      { id: '1', tags: ['a', 'b'], specs: { size: 5 } },
      'INVALID_ROW 3',
      { id: '3' },
    ])
  })

  it('takes another delimiter', async () => {
    expect(await csv('id;n\n1;a,b\n', { delimiter: ';' })).toEqual([{ id: '1', n: 'a,b' }])
  })

  it('refuses a row that is not UTF-8', async () => {
    const rows = await rowsOf([Buffer.from('id\n\xff\n2\n', 'latin1')], { format: 'csv' })
    expect(shown(rows)).toEqual(['INVALID_ROW 2', { id: '2' }])
  })

  it.each([
    ['names a column twice', 'id,n,id\n'],
    ['has a member that is a value and an object', 'a,a.b\n'],
    ['has an empty part in a name', 'a..b\n'],
    ['has a broken quote', 'a,"b"c\n1,2\n'],
    ['is not UTF-8', Buffer.from('\xff\n', 'latin1')],
  ])('cannot be read when the header %s', async (_, text) => {
    await expect(rowsOf([text], { format: 'csv' })).rejects.toMatchObject({ code: 'INVALID_ROW' })
  })
})

describe('writeRows', () => {
  it('writes one JSON value a line', async () => {
    expect(await written([{ a: 'x\ny' }, { b: [1] }], 'jsonl')).toBe('{"a":"x\\ny"}\n{"b":[1]}\n')
  })

  it('writes CSV with dotted columns and joined lists', async () => {
    const rows = [
      { id: 1, tags: ['a', 'b'], specs: { color: 'red, dark', size: { cm: 5 } } },
      { id: 'two "2"', ok: false, none: null, specs: { color: 'a\nb' }, things: [{ a: 1 }, null] },
    ]
    expect(await written(rows, 'csv')).toBe(
      'id,tags,specs.color,specs.size.cm,ok,none,things\r\n' +
        '1,a|b,"red, dark",5,,,\r\n' +
        '"two ""2""",,"a\nb",,false,,"{""a"":1}|"\r\n',
    )
  })

  it('writes the columns asked for, with or without rows', async () => {
    expect(await written([{ a: 1, b: 2, c: 3 }], 'csv', ['c', 'x', 'a'])).toBe('c,x,a\r\n3,,1\r\n')
    expect(await written([], 'csv', ['a', 'b'])).toBe('a,b\r\n')
    expect(await written([], 'csv')).toBe('')
  })

  it('loses no member that the first rows lack', async () => {
    const rows = [...Array(600).fill({ a: 1 }), { a: 1, late: 2 }]
    await expect(written(rows, 'csv')).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'columns' },
    })
    expect(await written(rows, 'csv', ['a', 'late'])).toContain('1,2\r\n')
  })

  it('writes CSV that reads back the same', async () => {
    const cell = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('', '"', ',', '\n', '\r\n', '\r', ' a ', '\ufeff'),
    )
    const row = fc.record(
      { id: cell, __proto__: cell, specs: fc.record({ ö: cell }) },
      { noNullPrototype: true },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1 }), async rows => {
        const back = await rowsOf([await written(rows, 'csv')], { format: 'csv' })
        expect(back.map(({ value }) => value)).toEqual(rows)
      }),
    )
  })

  it('writes single values, empty ones too, that read back the same', async () => {
    const rows = [{ a: '' }, { a: 'x' }, { a: '' }]
    expect(await csv(await written(rows, 'csv'))).toEqual(rows)
  })
})

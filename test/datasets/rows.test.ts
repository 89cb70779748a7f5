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
  rowFormats,
  rowsAsText,
  totalBytes,
} from '../../src/datasets/rows/row-reader.ts'
import { parseSettings } from '../../src/datasets/schema/dataset-settings.ts'
import { anyCharacter } from '../any-character.ts'
import { leastLongestTurn } from '../longest-turn.ts'
import { schemaFromSample } from './schemas.ts'

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
  for await (const piece of rowsAsText(() => rows, format, { columns })) text += piece
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
    expect(rows[1]?.error?.message).toMatch(/^line 2 is not valid JSON: /)
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

describe('a JSON list', () => {
  const list = async (...text: (string | Uint8Array)[]) => shown(await rowsOf(text, { format: 'json' }))

  it('may be a .json file', async () => {
    const text = '\ufeff [ {"a":"]},[\\"{"} ,\n{"b":[1,{"c":[]}]}\n, null ] \n'
    const values = [{ a: ']},["{' }, { b: [1, { c: [] }] }, null]
    expect(shown(await rowsOf(await file('rows.json', text)))).toEqual(values)
    expect(await list(...bytewise(text))).toEqual(values)
    expect((await rowsOf([text], { format: 'json' })).map(row => row.line)).toEqual([1, 2, 3])
    expect((await rowsOf(await file('rows.json', text))).at(-1)?.bytesRead).toBe(Buffer.byteLength(text) - 2)
  })

  it('may be empty', async () => {
    for (const text of ['', '[]', ' [ \n ]\n']) expect(await list(text)).toEqual([])
  })

  it('goes on behind an element that is not valid JSON', async () => {
    const text = '[{"a":1},\n{"a":},\n{a:2},,"x"\n,{"a":\n1.},{"n":9007199254740993},]'
    expect(await list(text)).toEqual([
      { a: 1 },
      'INVALID_ROW 2',
      'INVALID_ROW 3',
      'INVALID_ROW 3',
      'x',
      'INVALID_ROW 4',
      { n: 9007199254740993n },
      'INVALID_ROW 5',
    ])
  })

  it('tells where it does not end, and what stands behind its end', async () => {
    expect(await list('[{"a":1},\n{"a":[1},\n{"a":2}]')).toEqual([{ a: 1 }, 'INVALID_ROW 2'])
    expect(await list('[{"a":1}')).toEqual(['INVALID_ROW 1'])
    expect(await list('[1]\n[2]\n[3]')).toEqual([1, 'INVALID_ROW 2'])
  })

  it('refuses an element beyond 64 MB and goes on behind it', async () => {
    const long = Buffer.alloc(1024 * 1024, 'x')
    function* source() {
      yield Buffer.from('[1,"')
      for (let megabytes = 0; megabytes < 65; megabytes++) yield long
      yield Buffer.from('",3]')
    }
    expect(shown(await rowsOf(source(), { format: 'json' }))).toEqual([1, 'INVALID_ROW 1', 3])
  })

  it.each(['{"id":1}\n{"id":2}\n', 'id,n\n', '  '])(
    'is not %j, and the error tells what to do',
    async text => {
      await expect(rowsOf(await file('rows.json', text))).rejects.toMatchObject({
        code: 'INVALID_ROW',
        message: expect.stringMatching(/one list of objects.* use the format "jsonl"/),
      })
    },
  )

  it('is told from other files by its ending alone', async () => {
    await expect(rowsOf(await file('rows.txt', '[]'))).rejects.toThrow(
      'format is missing and it cannot be inferred from the ending .txt; expected "jsonl" (an object on each line), "json"',
    )
  })

  it('is the same however it is cut', async () => {
    const cutting = fc.record({ rows: fc.array(fc.jsonValue()), space: fc.nat(2), cuts: fc.array(fc.nat()) })
    await fc.assert(
      fc.asyncProperty(cutting, async ({ rows, space, cuts }) => {
        const text = Buffer.from(JSON.stringify(rows, undefined, space))
        const places = [0, ...cuts.map(cut => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
        const pieces = places.slice(1).map((end, i) => text.subarray(places[i], end))
        expect(await list(...pieces)).toEqual(JSON.parse(text.toString()))
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
    ['text behind a closing quote', '2,"b"x', 'line 3 is not valid CSV: text follows a closing quote'],
    [
      'a quote inside a value',
      '2,3" pipe',
      'line 3 is not valid CSV: a quote stands inside a value that does not begin with one',
    ],
    ['a quote that is never closed', '2,"b', 'line 3 is not valid CSV: text follows a closing quote'],
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

  it.each([
    ['carriage returns', '\r'],
    ['carriage returns twice and a line feed', '\r\r\n'],
  ])('may end its lines with %s, whatever is in quotes', async (_, end) => {
    const text = ['id;"n\r\nm"', '1;a', '2;"b;c', '3"', '', '4;"d'].join(end)
    const expected = [
      { id: '1', 'n\r\nm': 'a' },
      { id: '2', 'n\r\nm': expect.stringMatching(/^b;c\s+3$/) },
    ]
    const failed = 'INVALID_ROW 7'
    const whole = shown(await rowsOf([text], { format: 'csv' }))
    expect(whole).toEqual([...expected, failed])
    expect(shown(await rowsOf(bytewise(text), { format: 'csv' }))).toEqual(whole)
    expect(shown(await rowsOf(bytewise(text), { format: 'csv', delimiter: ';' }))).toEqual(whole)
  })

  it('counts a line that ends with two carriage returns and a line feed as one', async () => {
    const text = ['id,n', '1,a', '', '2', '3,c', '4,"d', 'e"', '5', ''].join('\r\r\n')
    const expected = [
      { id: '1', n: 'a' },
      'INVALID_ROW 4',
      { id: '3', n: 'c' },
      { id: '4', n: 'd\r\r\ne' },
      'INVALID_ROW 8',
    ]
    expect(await csv(text)).toEqual(expected)
    expect(shown(await rowsOf(bytewise(text), { format: 'csv' }))).toEqual(expected)
  })

  it('keeps a carriage return in a line that ends otherwise', async () => {
    expect(await csv('id,n\r\n1,a\rb\r\n')).toEqual([{ id: '1', n: 'a\rb' }])
    expect(await csv('id,n\n1,a\rb\n')).toEqual([{ id: '1', n: 'a\rb' }])
    for (const text of ['id,n\r', 'id,n\r\r', 'id,n\r\r\n', '\r\r\n', '\r'])
      expect(await csv(text)).toEqual([])
    expect(await csv('id,n\r\r1,a\r')).toEqual([{ id: '1', n: 'a' }])
  })

  it('goes on at the same row wherever a row with too many values is cut', async () => {
    const text = 'id,n\n1,a,b,"c\n2,d\n",e\n3,f\n4,"g,"h,"i\n5,j,"k\n6,l\n'
    const whole = shown(await rowsOf([text], { format: 'csv' }))
    expect(whole.slice(0, 2)).toEqual(['INVALID_ROW 2', { id: '3', n: 'f' }])
    expect(shown(await rowsOf(bytewise(text), { format: 'csv' }))).toEqual(whole)
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
    expect(await csv('id;n,m\n1;a,b\n', { delimiter: ';' })).toEqual([{ id: '1', 'n,m': 'a,b' }])
    expect(await csv('id,a;b;c\n1,x\n', { delimiter: ',' })).toEqual([{ id: '1', 'a;b;c': 'x' }])
  })

  it.each([',', ';', '\t', '|'])('guesses the delimiter %j from its first line', async delimiter => {
    const others = [',', ';', '\t', '|'].filter(one => one !== delimiter).join('')
    const name = `x${others}${others}\n${others}`
    const lines = [
      ['id', 'n', `"${name}"`],
      ['1', 'a', `"${others}"`],
    ]
    const text = `\ufeff${lines.map(cells => cells.join(delimiter)).join('\r\n')}`
    const expected = [{ id: '1', n: 'a', [name]: others }]
    expect(await csv(text)).toEqual(expected)
    expect(shown(await rowsOf(bytewise(text), { format: 'csv' }))).toEqual(expected)
  })

  it('takes a comma where the first line has no delimiter', async () => {
    expect(await csv('id\n1\n')).toEqual([{ id: '1' }])
    expect(await csv('id\n1,2\n')).toEqual(['INVALID_ROW 2'])
    expect(await csv('')).toEqual([])
    expect(await csv('\n\n')).toEqual([])
  })

  it('reads columns by the type that the header gives them', async () => {
    const text =
      'id:text,n:number,ok:boolean,tags:list,x:json,plain\n' +
      '1,1e20,true,a|b\\|c|,"{""a"":[1]}",1\n' +
      ',,,,,\n' +
      '\\2,"\\""3""",maybe,\\[],\\null,\\\n' +
      '4,9007199254740993,false,x,{,y\n'
    expect(await csv(text)).toEqual([
      { id: '1', n: 1e20, ok: true, tags: ['a', 'b|c', ''], x: { a: [1] }, plain: '1' },
      { plain: '' },
      { id: 2, n: '3', ok: 'maybe', tags: [], x: null },
      'INVALID_ROW 5',
    ])
    expect(await csv('n:number\n9007199254740993\n')).toEqual([{ n: '9007199254740993' }])
  })

  it('reads plain columns by what the dataset knows', async () => {
    const { root } = schemaFromSample(
      { id: '1', n: 1.5, ok: true, list: ['a'], sizes: [1], size: { h: 1 }, box: { a: 'x' }, tag: 'a' },
      { ...parseSettings({}), interpretedFields: [] },
    )
    const text =
      'id,n,ok,list,sizes,size.h,box,tag,other,\n' +
      '07,9.50,true,a|b,1|2.5|x,4,"{""a"":""y""}",a|b,1|2,x\n' +
      '8,,,,,,,,,\n' +
      '9,x,no,"[""a|b""]",[],1e1,{,\\n,\\\\server\\x,\n'
    expect(await csv(text, { known: { root, tagField: 'tag' } })).toEqual([
      {
        ...{ id: '07', n: 9.5, ok: true, list: ['a', 'b'], sizes: [1, 2.5, 'x'], size: { h: 4 } },
        ...{ box: { a: 'y' }, tag: 'a|b', other: '1|2' },
      },
      { id: '8', list: [], sizes: [], tag: '', other: '' },
      {
        ...{ id: '9', n: 'x', ok: 'no', list: ['a|b'], sizes: [], size: { h: 10 } },
        ...{ box: '{', tag: '\\n', other: '\\\\server\\x' },
      },
    ])
    const open = { root: { type: 'object' as const }, tagField: 'tag' }
    expect(await csv('id,tag,n\n1,shoes|women,9\n2,shoes,\n', { known: open })).toEqual([
      { id: '1', tag: ['shoes', 'women'], n: '9' },
      { id: '2', tag: 'shoes', n: '' },
    ])
  })

  it('refuses a row that has a member as a value and as an object', async () => {
    const either = 'a:json,a.b:text\n1,\n,x\n1,x\n'
    expect(await csv(either)).toEqual([{ a: 1 }, { a: { b: 'x' } }, 'INVALID_ROW 4'])
    expect(await csv('a.b:text,a:json\nx,1\n')).toEqual(['INVALID_ROW 2'])
  })

  it('refuses a row that is not UTF-8', async () => {
    const rows = await rowsOf([Buffer.from('id\n\xff\n2\n', 'latin1')], { format: 'csv' })
    expect(shown(rows)).toEqual(['INVALID_ROW 2', { id: '2' }])
  })

  it.each([
    ['names a column twice', 'id,n,id\n'],
    ['names a column twice, with and without type', 'id,n,id:text\n'],
    ['has a member that is a value and an object', 'a,a.b\n'],
    ['has an empty part in a name', 'a..b\n'],
    ['has a broken quote', 'a,"b"c\n1,2\n'],
    ['is not UTF-8', Buffer.from('\xff\n', 'latin1')],
  ])('cannot be read when the header %s', async (_, text) => {
    await expect(rowsOf([text], { format: 'csv' })).rejects.toMatchObject({ code: 'INVALID_ROW' })
  })
})

describe('rowsAsText', () => {
  it('writes one JSON value a line', async () => {
    expect(await written([{ a: 'x\ny' }, { b: [1] }], 'jsonl')).toBe('{"a":"x\\ny"}\n{"b":[1]}\n')
  })

  it('writes one JSON list', async () => {
    for (const rows of [[], [{ a: 'x' }], Array.from({ length: 1201 }, (_, a) => ({ a }))]) {
      const text = await written(rows, 'json')
      expect(JSON.parse(text)).toEqual(rows)
      expect(shown(await rowsOf([text], { format: 'json' }))).toEqual(rows)
    }
  })

  it('writes CSV with dotted columns, joined lists, and types where text would not do', async () => {
    const rows = [
      {
        id: 1,
        title: 'Lamp',
        ean: '400',
        tags: ['a', 'b|c'],
        specs: { color: 'red, dark', size: { cm: 5 } },
      },
      {
        id: 2,
        title: '"two"',
        ean: '401',
        ok: false,
        none: null,
        specs: { color: 'a\nb' },
        things: [{ a: 1 }],
      },
      { id: 3, title: '', ean: '402', tags: [], specs: {}, ok: 'no', things: 7 },
    ]
    expect(await written(rows, 'csv')).toBe(
      'id:number,title,ean,tags:list,specs:json,specs.color:text,specs.size.cm:number,ok:text,none:json,things:number\r\n' +
        '1,Lamp,400,a|b\\|c,,"red, dark",5,,,\r\n' +
        '2,"""two""",401,,,"a\nb",,\\false,null,"\\[{""a"":1}]"\r\n' +
        '3,,402,\\[],{},,,no,,7\r\n',
    )
  })

  it('writes the columns asked for, with or without rows', async () => {
    const rows = [
      { a: 1, b: 2, c: [1, 'x'] },
      { x: { y: ['p', 'q|r'], z: null }, 'd.e': '\\' },
    ]
    expect(await written(rows, 'csv', ['c', 'x.y', 'x', 'a', '\\["d.e"]', 'x.z'])).toBe(
      'c,x.y,x,a,"\\[""d.e""]",x.z\r\n"[1,""x""]",,,1,,\r\n,p|q\\|r,"{""y"":[""p"",""q|r""],""z"":null}",,\\,\r\n',
    )
    expect(await written([], 'csv', ['a', 'b'])).toBe('a,b\r\n')
    expect(await written([], 'csv')).toBe('')
  })

  it('has a column for a member that only the last row has', async () => {
    const rows = [...Array(1200).fill({ a: 'x' }), { a: 'x', late: 2 }]
    expect(await written(rows, 'csv')).toMatch(/^a,late:number\r\nx,\r\n(.|\r\n)*x,2\r\n$/)
  })

  it('refuses a member that comes between its two readings', async () => {
    let readings = 0
    const growing = () => (++readings === 1 ? [{ a: 'x' }] : [{ a: 1 }, {}, { a: 'x', b: { late: 1 } }])
    const pieces = rowsAsText(growing, 'csv')
    expect((await pieces.next()).value).toBe('a\r\n')
    await expect(pieces.next()).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { received: '"b"' },
    })
  })

  it.each(['x', 'titel', 'spec.colour'])('refuses the column %s, which no row has', async name => {
    const rows = [...Array(600).fill({ title: 1 }), { specs: { colour: 1 } }]
    await expect(written(rows, 'csv', ['title', name])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'columns', received: JSON.stringify(name) },
    })
    expect(await written(rows, 'csv', ['title', 'specs.colour', 'specs'])).toContain(',1,')
  })

  it('names the column that was meant', async () => {
    await expect(written([{ title: 1 }], 'csv', ['titel'])).rejects.toThrow('(did you mean "title"?)')
  })

  it('writes no more than 10,000 columns', async () => {
    const wide = Array.from({ length: 101 }, (_, i) =>
      Object.fromEntries(Array.from({ length: 100 }, (_, j) => [`c${i}-${j}`, 1])),
    )
    await expect(written(wide, 'csv')).rejects.toThrow('more than 10000 columns')
    const long = {
      ['n'.repeat(100_000)]: Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [i, i])),
    }
    // Written as JSON in quotes, a name becomes longer.
    for (const row of [long, { ['."'.repeat(1_100_000)]: 1 }])
      await expect(written([row], 'csv')).rejects.toThrow('names have more than 4194304 bytes: name columns')
    const deep = 'n'.repeat(1_000_000)
    expect(await written([{ [deep]: { a: { b: { c: { d: 1 } } } } }], 'csv')).toBe(
      `${deep}.a.b.c.d:number\r\n1\r\n`,
    )
  })

  it('writes CSV that reads back the same', async () => {
    const cell = fc.oneof(
      fc.string({ unit: anyCharacter }),
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

describe('rows that are built to take long', () => {
  const megabytes = (text: string, count: number) =>
    Buffer.alloc(Math.ceil((count * 1024 * 1024) / text.length) * text.length, text)
  const header = Buffer.from('id,n\n')

  it.each<[string, RowFormat, Buffer[]]>([
    ['empty lines', 'jsonl', [megabytes('\n', 10)]],
    ['blank lines', 'jsonl', [megabytes(' \r\n', 2)]],
    ['lines that are no JSON', 'jsonl', [megabytes('x\n', 0.08)]],
    ['elements that are none', 'json', [Buffer.from('['), megabytes(',', 0.1)]],
    ['columns of the header', 'csv', [megabytes('a,', 7)]],
    ['cells of a row', 'csv', [header, megabytes(',', 20)]],
    ['quotes in quotes', 'csv', [header, megabytes('"a""b",', 14)]],
    ['an unclosed quote', 'csv', [header, Buffer.from('"'), megabytes('x', 10)]],
    ['line ends in quotes', 'csv', [header, Buffer.from('1,"'), megabytes('\n', 10), Buffer.from('"')]],
    ['levels of a column', 'csv', [megabytes('a.', 3)]],
    [
      'columns of many levels',
      'csv',
      [Buffer.from(Array.from({ length: 16_000 }, (_, i) => `${'a.'.repeat(100)}${i}`).join(','))],
    ],
  ])('hold the event loop no longer: %s', async (_, format, source) => {
    // For a cell of 10 MB csv-parse doubles one buffer, most of the time for memory that is new to the process.
    const turn = await leastLongestTurn(120, () => rowsOf(source, { format }).catch(() => undefined))
    expect(turn).toBeLessThan(120)
  })

  it('hold the event loop no longer: tens of thousands of short ones', async () => {
    const turn = await leastLongestTurn(60, () => rowsOf([header, megabytes('1\n', 0.1)], { format: 'csv' }))
    expect(turn).toBeLessThan(60)
  })

  it.each(rowFormats)('hold the event loop no longer: a thousand members written as %s', async format => {
    const members = Array.from({ length: 1_000 }, (_, i) => [`member ${i}`, i % 3 ? `some words ${i}` : i])
    const rows = Array.from({ length: 500 }, (_, id) => ({ id, ...Object.fromEntries(members) }))
    const turn = await leastLongestTurn(60, async () => {
      for await (const piece of rowsAsText(() => rows, format)) expect(piece.length).toBeLessThan(400_000)
    })
    expect(turn).toBeLessThan(60)
  })

  it('a CSV has at most 16,384 columns', async () => {
    const names = Array.from({ length: 16_385 }, (_, i) => `c${i}`)
    expect(await csv(`${names.slice(1).join()}\n${names.slice(1).join()}\n`)).toHaveLength(1)
    for (const end of ['\n', `,${names.join()}`.repeat(20)])
      await expect(csv(names.join() + end)).rejects.toMatchObject({
        code: 'INVALID_ROW',
        message: expect.stringContaining('more than 16384 columns'),
      })
  })

  it('a CSV has a header of at most 4 MB', async () => {
    const message = expect.stringContaining('longer than 4194304 bytes')
    await expect(csv('x'.repeat(5_000_000))).rejects.toMatchObject({ code: 'INVALID_ROW', message })
  })

  it('a column leads at most 128 levels deep', async () => {
    const deep = (levels: number) => Array.from({ length: levels }, () => 'a').join('.')
    expect(await csv(`${deep(128)}\n1\n`)).toHaveLength(1)
    for (const name of [deep(129), deep(1000), `"\\[${'""a"",'.repeat(128)}""a""]"`])
      await expect(csv(`${name}\n1\n`)).rejects.toMatchObject({
        code: 'INVALID_ROW',
        message: expect.stringContaining('deeper than 128 levels'),
      })
  })

  it('a row of far more cells than columns fails, and the next is read', async () => {
    const rows = await rowsOf([header, megabytes(',', 1), '\n2,b\n'], { format: 'csv' })
    expect(shown(rows)).toEqual(['INVALID_ROW 2', { id: '2', n: 'b' }])
    expect(rows[0]!.error!.message).toContain('more than 2 values for 2 columns')
  })
})

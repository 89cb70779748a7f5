import type { ImportOptions, ImportReport } from 'findling'
import { describe, expect, it } from 'vitest'
import { collected, expectHealthy, failureOf, openEngine } from './engines.ts'

async function openShop(definition = {}) {
  const engine = await openEngine()
  return { engine, shop: await engine.datasets.create('shop', definition) }
}

type Shop = Awaited<ReturnType<typeof openShop>>['shop']

const importing = (shop: Shop, text: string | Buffer, options: ImportOptions = {}): Promise<ImportReport> =>
  shop.documents.import(Buffer.from(text as string), { format: 'csv', ...options }).finished

const contents = async ({ documents }: Shop) =>
  (await collected(documents.scan())).map(({ document }) => document)

const doubtsOf = ({ reading }: ImportReport) =>
  reading.doubts.map(({ column, line, value, count, problem }) => [
    column,
    line,
    value,
    count,
    problem.split(',')[0]!.split(';')[0],
  ])

describe('columns of a CSV', () => {
  const text =
    'Art.-Nr.;Bezeichnung;Preis (€);Neu ab;Farben;Intern\n7;Lampe;1.299,00 €;31.12.2024;rot, blau;x\n8;Sofa;;;;y\n'

  it('are renamed, typed and left out as the caller says', async () => {
    const { shop } = await openShop()
    const report = await importing(shop, text, {
      columns: {
        'Art.-Nr.': 'id',
        'Preis (€)': 'price:number',
        'Neu ab ': { field: 'dates.new', type: 'date', format: 'dd.MM.yyyy' },
        Farben: { field: 'colors', type: 'list', separator: ',' },
        Intern: null,
      },
    })
    expect(await contents(shop)).toEqual([
      { id: '7', Bezeichnung: 'Lampe', price: 1299, dates: { new: '2024-12-31' }, colors: ['rot', 'blau'] },
      { id: '8', Bezeichnung: 'Sofa' },
    ])
    expect(report).toMatchObject({ stored: 2, replaced: 0, failed: 0 })
    const { encoding, delimiter, columns, doubts } = report.reading
    expect([encoding, delimiter, doubts]).toEqual(['utf-8', ';', []])
    expect(columns).toEqual([
      { column: 'Art.-Nr.', field: 'id', type: null, format: null, decimal: null },
      { column: 'Bezeichnung', field: 'Bezeichnung', type: null, format: null, decimal: null },
      { column: 'Preis (€)', field: 'price', type: 'number', format: null, decimal: ',' },
      { column: 'Neu ab', field: 'dates.new', type: 'date', format: 'dd.MM.yyyy', decimal: null },
      { column: 'Farben', field: 'colors', type: 'list', format: null, decimal: null },
      { column: 'Intern', field: null, type: null, format: null, decimal: null },
    ])
  })

  it('are read below a line that says the delimiter', async () => {
    for (const [mark, sign, end] of [
      ['', ';', '\r\n'],
      ['\ufeff', ',', '\n'],
      ['', '\t', '\r\n'],
    ] as const) {
      const { shop } = await openShop()
      const lines = [`SEP=${sign}`, ['id', 'title'], ['1', 'a|b;c'], ['2'], ['3', '"Lamp, red"']]
      const report = await importing(
        shop,
        mark + lines.map(line => (typeof line === 'string' ? line : line.join(sign)) + end).join(''),
        sign === ';' ? { columns: { title: 'name' } } : {},
      )
      expect(report.reading.delimiter).toBe(sign)
      expect(report.errors.map(({ line }) => line)).toEqual(sign === ';' ? [3, 4] : [4])
      const name = sign === ';' ? 'name' : 'title'
      expect((await contents(shop)).at(-1)).toEqual({ id: '3', [name]: 'Lamp, red' })
    }
    const { shop } = await openShop()
    await importing(shop, 'sep=;\nid,title\n1,x\n', { delimiter: ',' })
    await importing(shop, 'id,title\nsep=;,x\n')
    expect((await contents(shop)).map(({ id }) => id)).toEqual(['1', 'sep=;'])
  })

  it('must be there, and lead to one field each', async () => {
    const { shop } = await openShop()
    const options = { columns: { 'Art.-Nr.': 'id', Preise: 'price' } }
    expect(await failureOf(() => importing(shop, text, options))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('columns names "Preise"; expected a column of the header'),
      details: { field: 'columns' },
    })
    const twice = { columns: { 'Art.-Nr.': 'id', Bezeichnung: 'id' } }
    expect(await failureOf(() => importing(shop, text, twice))).toMatchObject({ code: 'INVALID_ROW' })
  })

  it.each(['dc:date:text', 'ns:data', 'x:last', 'a:rate'])('may name a field %s', async field => {
    const { shop } = await openShop()
    await importing(shop, 'Nr;a\n1;b\n', { columns: { Nr: 'id', a: field } })
    expect(await contents(shop)).toEqual([{ id: '1', [field.replace(/:text$/, '')]: 'b' }])
  })

  it.each<[string, unknown, string]>([
    ['a type that there is not', { a: { type: 'money' } }, 'type'],
    ['a type that there is not behind a field', { a: 'price:nummer' }, ':number'],
    ['a type in capitals behind a field', { a: 'price:Date' }, ':date'],
    ['a type of other programs behind a field', { a: 'price:float' }, ':number'],
    ['a format that is none', { a: { type: 'date', format: 'ggg' } }, 'format'],
    ['a day of the year with a month', { a: { type: 'date', format: 'YYYY-MM-DD' } }, 'dd is the day'],
    ['minutes in place of months', { a: { type: 'date', format: 'dd.MM.yyyy||dd/mm/yyyy' } }, 'MM the month'],
    ['a format without dates', { a: { format: 'dd.MM.yyyy' } }, 'type'],
    ['a separator without lists', { a: { separator: ',' } }, 'type'],
    ['an empty field', { a: '' }, 'columns'],
    ['another member', { a: { fields: 'b' } }, 'fields'],
    ['no object', 5, 'columns'],
  ])('refuse %s', async (_, columns, field) => {
    const { shop } = await openShop()
    const failure = await failureOf(async () => importing(shop, text, { columns } as ImportOptions))
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(String(failure)).toContain(field)
  })

  it('may have any names, and go to fields of any names', async () => {
    const { shop } = await openShop()
    const columns = JSON.parse('{"__proto__":"id","constructor":"__proto__"}')
    await importing(shop, '__proto__,constructor,toString\n1,2,3\n', { columns })
    expect(await contents(shop)).toEqual([JSON.parse('{"id":"1","__proto__":"2","toString":"3"}')])
    expect(Object.getPrototypeOf({}).polluted).toBeUndefined()

    await importing(shop, 'id,a,b\n2,3,4\n', { columns: { a: 'g:price', b: { field: 'x:int' } } })
    expect(await shop.documents.get('2')).toEqual({ id: '2', 'g:price': '3', 'x:int': '4' })
  })

  it('that are renamed have their cells converted under the new name', async () => {
    const { shop } = await openShop()
    const seen: string[] = []
    const convert = (field: string, cell: string) => {
      seen.push(field)
      return field === 'price' ? Number(cell) : cell
    }
    await importing(shop, 'Nr,Preis,Menge,n:number\n1,5,6,7\n', {
      columns: { Nr: 'id', Preis: 'price', Menge: 'stock:number' },
      convert,
    })
    expect(seen).toEqual(['id', 'price', 'n:number'])
    expect(await contents(shop)).toEqual([{ id: '1', price: 5, stock: 6, n: '7' }])
  })
})

describe('numbers of a CSV', () => {
  const columns = { p: 'p:number' }
  const pricesOf = async (shop: Shop) => (await contents(shop)).map(({ p }) => p)

  it('are taken by the sign of decimals that is given', async () => {
    const { shop } = await openShop()
    const report = await importing(shop, 'id;p\n1;1.200\n2;1.2\n3;9,5\n4;abc\n5;\n6;1.000.000,5\n', {
      columns,
      decimal: ',',
    })
    expect(await pricesOf(shop)).toEqual([1200, '1.2', 9.5, 'abc', undefined, 1000000.5])
    expect(doubtsOf(report)).toEqual([
      ['p', 3, '"1.2"', 1, 'is not a number with this decimal sign'],
      ['p', 5, '"abc"', 1, 'is not a number'],
    ])
  })

  it('are told, and not taken, where nothing says which of two they are', async () => {
    const { shop } = await openShop()
    const report = await importing(shop, 'id;p\n1;1.200\n2;3.500\n3;12\n', { columns })
    expect(await pricesOf(shop)).toEqual(['1.200', '3.500', 12])
    expect(doubtsOf(report)).toEqual([['p', 2, '"1.200"', 2, 'is ambiguous without the option decimal']])
    expect(report.reading.columns[1]).toMatchObject({ decimal: null })
  })

  it('are told by others, of the column or else of the file', async () => {
    const { shop } = await openShop()
    const report = await importing(shop, 'id;p;q\n1;1.200;0,5\n2;3.500;1.000\n', {
      columns: { p: 'p:number', q: 'q:number' },
    })
    expect(await contents(shop)).toMatchObject([
      { p: 1200, q: 0.5 },
      { p: 3500, q: 1000 },
    ])
    expect(report.reading.doubts).toEqual([])
    const late = Array.from({ length: 1500 }, (_, i) => `${i};${i === 1400 ? '9,75' : '5'}`).join('\n')
    const { shop: other } = await openShop()
    await importing(other, `id;p\n${late}\n`, { columns })
    expect(await other.documents.get('1400')).toMatchObject({ p: 9.75 })
  })

  it('have one currency a column', async () => {
    const { shop } = await openShop()
    const report = await importing(shop, 'id;p\n1;9,50 €\n2;$ 8,50\n3;7,50\n4;€6,50\n', { columns })
    expect(await pricesOf(shop)).toEqual([9.5, '$ 8,50', 7.5, 6.5])
    expect(doubtsOf(report)).toEqual([
      ['p', 3, '"$ 8,50"', 1, 'has a different currency from the values before'],
    ])
  })

  it('of fields that the dataset knows as numbers are read alike', async () => {
    const { shop } = await openShop({ sample: { id: '1', title: 'x', p: 1.5 } })
    const report = await importing(shop, 'id;title;p\n1;a;1.299,00\n2;b;1.200\n3;c;9,5\n')
    expect(await pricesOf(shop)).toEqual([1299, 1200, 9.5])
    expect(report.failed).toBe(0)
    const { shop: other } = await openShop({ sample: { id: '1', title: 'x', p: 1.5 } })
    const doubtful = await importing(other, 'id;title;p\n1;a;1.200\n2;b;5\n')
    expect(doubtful.failed).toBe(0)
    // Text would count as the first of the two there.
    expect(await pricesOf(other)).toEqual([undefined, 5])
    expect(doubtsOf(doubtful)).toEqual([['p', 2, '"1.200"', 1, 'is ambiguous without the option decimal']])
  })

  it('that an export has written come back as they were', async () => {
    const { shop } = await openShop()
    await shop.documents.bulk([
      { id: '1', n: 1.2 },
      { id: '2', n: 1200 },
      { id: '3', n: 1e21 },
      { id: '4', n: '1.200' },
    ])
    const text = (await collected(shop.documents.export({ format: 'csv' }))).join('')
    const { shop: copy } = await openShop()
    const report = await importing(copy, text)
    expect(await contents(copy)).toEqual(await contents(shop))
    expect(report.reading.doubts).toEqual([])
  })
})

describe('dates and truths of a CSV', () => {
  const datesOf = async (shop: Shop) => (await contents(shop)).map(({ d }) => d)

  it('become ISO 8601, in the format that the first rows tell', async () => {
    for (const [dates, iso, format] of [
      [['31.12.2024', '1.2.2024', ''], ['2024-12-31', '2024-02-01', undefined], 'dd.MM.yyyy'],
      [['01/02/2024', '25/12/2023'], ['2024-02-01', '2023-12-25'], 'dd/MM/yyyy'],
      [['01/02/2024', '12/25/2023'], ['2024-01-02', '2023-12-25'], 'MM/dd/yyyy'],
      [['2024-02-01', '2024-02-01 10:30'], ['2024-02-01', '2024-02-01T10:30:00.000Z'], 'yyyy-MM-dd'],
    ] as const) {
      const { shop } = await openShop()
      const text = `id;d\n${dates.map((date, i) => `${i};${date}`).join('\n')}\n`
      const report = await importing(shop, text, { columns: { d: 'd:date' } })
      expect(await datesOf(shop)).toEqual(iso)
      expect(report.reading.columns[1]!.format).toContain(format)
      expect(report.reading.doubts).toEqual([])
    }
  })

  it('are told, and not taken, where days may be months or a date does not fit', async () => {
    const { shop } = await openShop()
    const either = await importing(shop, 'id;d\n1;01/02/2024\n2;03/04/2024\n', { columns: { d: 'd:date' } })
    expect(await datesOf(shop)).toEqual(['01/02/2024', '03/04/2024'])
    expect(doubtsOf(either)).toEqual([['d', 2, '"01/02/2024"', 2, 'is ambiguous without the option format']])
    const columns = { d: { type: 'date', format: 'dd.MM.yyyy' } } as const
    const other = await importing(shop, 'id;d\n1;31.02.2024\n2;01.02.2024\n', { columns })
    expect(await datesOf(shop)).toEqual(['31.02.2024', '2024-02-01'])
    expect(doubtsOf(other)).toEqual([['d', 2, '"31.02.2024"', 1, 'is not a date in this format']])
    const named = { d: { type: 'date', format: "date_time||yyyy-DDD||dd.MM.yyyy 'um' HH:mm" } } as const
    const rows = 'id;d\n1;2024-02-01T10:30:00.000Z\n2;2024-032\n3;01.02.2024 um 10:30\n'
    await importing(shop, rows, { columns: named })
    expect(await datesOf(shop)).toEqual([
      '2024-02-01T10:30:00.000Z',
      '2024-02-01',
      '2024-02-01T10:30:00.000Z',
    ])
  })

  it('of yes and no are truths in several languages', async () => {
    const { shop } = await openShop()
    const report = await importing(shop, 'id;d\n1;ja\n2;NEIN\n3;1\n4;\n5;vielleicht\n', {
      columns: { d: 'd:boolean' },
    })
    expect(await datesOf(shop)).toEqual([true, false, true, undefined, 'vielleicht'])
    expect(doubtsOf(report)).toEqual([['d', 6, '"vielleicht"', 1, 'is neither yes nor no']])
  })

  it('of JSON are values, null like any other', async () => {
    const { shop } = await openShop()
    const text = 'id;p\n1;null\n2;[null]\n3;\n4;false\n'
    const { reading } = await importing(shop, text, { columns: { p: 'p:json' } })
    expect(await contents(shop)).toEqual([
      { id: '1', p: null },
      { id: '2', p: [null] },
      { id: '3' },
      { id: '4', p: false },
    ])
    expect(reading.doubts).toEqual([])
  })
})

describe('text in other encodings', () => {
  it('is told by itself in a CSV, and by the caller in all', async () => {
    const { shop } = await openShop()
    const bytes = Buffer.from('id;title\n1;Gr\xf6\xdfe\n', 'latin1')
    const report = await importing(shop, bytes)
    expect([await contents(shop), report.reading.encoding]).toEqual([
      [{ id: '1', title: 'Größe' }],
      'windows-1252',
    ])
    const lines = Buffer.from('{"id":"2","title":"Gr\xf6\xdfe"}\n', 'latin1')
    const asUnicode = shop.documents.import(lines, { format: 'jsonl' })
    expect(await failureOf(() => asUnicode.finished)).toMatchObject({ code: 'INVALID_ROW' })
    await shop.documents.import(lines, { format: 'jsonl', encoding: 'windows-1252' }).finished
    expect(await shop.documents.get('2')).toEqual({ id: '2', title: 'Größe' })
    expect(await failureOf(async () => importing(shop, bytes, { encoding: 'cp9' }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'encoding' },
    })
  })

  it('tells how far it is in bytes of the file', async () => {
    const { shop } = await openShop()
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i};Gr\u00f6\u00dfe\n`).join('')
    for (const bytes of [
      Buffer.from(`id;t\n${rows}`, 'latin1'),
      Buffer.from(`\ufeffid;t\n${rows}`, 'utf16le'),
    ]) {
      const steps: number[] = []
      await importing(shop, bytes, { onProgress: ({ percent }) => steps.push(percent) })
      expect(steps.at(-1)).toBe(100)
      expect(steps[Math.floor(steps.length / 2)]).toBeGreaterThan(30)
      expect(steps[Math.floor(steps.length / 2)]).toBeLessThan(70)
    }
  })
})

describe('row', () => {
  it('makes one document, several or none of a row of any format', async () => {
    const { shop } = await openShop()
    const lines: number[] = []
    const row = ({ id, sizes, skip }: Record<string, unknown>, line: number) => {
      lines.push(line)
      if (skip === 'x') return undefined
      if (id === 'bad') throw new Error('no such thing')
      return typeof sizes === 'string' && sizes !== ''
        ? sizes.split(' ').map(size => ({ id: `${id}-${size}`, size }))
        : { id }
    }
    const report = await importing(shop, 'Nr,sizes,skip\n1,S M,\n2,,\n3,,x\nbad,,\n', {
      columns: { Nr: 'id' },
      row,
    })
    expect(report).toMatchObject({ rows: 4, stored: 3, failed: 1 })
    expect(report.errors).toEqual([
      { line: 5, id: null, code: 'INVALID_ROW', message: 'line 5 is refused by row(): no such thing' },
    ])
    expect(lines).toEqual([2, 3, 4, 5])
    expect(await contents(shop)).toEqual([{ id: '1-M', size: 'M' }, { id: '1-S', size: 'S' }, { id: '2' }])
    await shop.documents.import([{ id: 'a', sizes: 'L' }, { id: 'b' }], { row }).finished
    expect(await shop.documents.getMany(['a-L', 'b'])).toEqual([{ id: 'a-L', size: 'L' }, { id: 'b' }])
  })

  it('that makes no document of any row is no failure', async () => {
    const { shop } = await openShop()
    expect(await importing(shop, 'id\n1\n2\n', { row: () => null })).toMatchObject({
      rows: 2,
      stored: 0,
      failed: 0,
    })
  })

  it('that makes what is no document fails the row', async () => {
    const { shop } = await openShop()
    const failure = await failureOf(() => importing(shop, 'id\n1\n', { row: async () => ({ id: 1 }) }))
    expect(failure).toMatchObject({ code: 'INVALID_ROW', details: { report: { failed: 1 } } })
  })
})

describe('replaced documents', () => {
  it('are counted: those from before, and those of earlier rows', async () => {
    const { shop } = await openShop()
    await shop.documents.insert({ id: '1', title: 'Old' })
    const report = await importing(shop, 'id,title\n1,a\n2,b\n3,c\n2,d\n2,e\n')
    expect(report).toMatchObject({ rows: 5, stored: 5, replaced: 3, failed: 0 })
    expect(await shop.documents.get('2')).toEqual({ id: '2', title: 'e' })
  })

  it('are refused in mode insert', async () => {
    const { shop } = await openShop()
    const report = await importing(shop, 'id,title\n1,a\n1,b\n', { mode: 'insert' })
    expect(report).toMatchObject({
      stored: 1,
      replaced: 0,
      errors: [{ line: 3, id: '1', code: 'DOCUMENT_EXISTS' }],
    })
    expect(await shop.documents.get('1')).toEqual({ id: '1', title: 'a' })
  })
})

describe('tagPath', () => {
  const text =
    'id;Kategorie\n1;Garten > Schläuche\n2;garten>SCHLÄUCHE \n3;Garten\n4;\n5;Haus > Garten > | Haus\n'

  it('makes the tags that paths lead to, and takes other spellings for the same', async () => {
    const { engine, shop } = await openShop()
    const report = await importing(shop, text, { tagPath: 'Kategorie' })
    expect((await shop.tags.list()).map(({ id, name, parentId }) => [id, name, parentId])).toEqual([
      ['Garten', 'Garten', null],
      ['Garten > Schläuche', 'Schläuche', 'Garten'],
      ['Haus', 'Haus', null],
      ['Haus > Garten', 'Garten', 'Haus'],
    ])
    expect((await contents(shop)).map(({ tag }) => tag)).toEqual([
      'Garten > Schläuche',
      'Garten > Schläuche',
      'Garten',
      undefined,
      ['Haus > Garten', 'Haus'],
    ])
    expect(report.tags).toBe(4)
    expect(report.reading.doubts).toMatchObject([
      { column: 'Kategorie', line: 3, value: '"garten"', problem: expect.stringContaining('"Garten"') },
      { column: 'Kategorie', line: 3, value: '"SCHLÄUCHE"', count: 1 },
    ])
    expect((await shop.tags.counts()).get('Garten')?.documents).toBe(3)
    const again = await importing(shop, text, { tagPath: 'Kategorie' })
    expect([again.tags, again.replaced]).toEqual([0, 5])
    await expectHealthy(engine)
  })

  it('leads through tags that are there, whatever their ids', async () => {
    const { shop } = await openShop()
    await shop.tags.create({ id: 7, name: 'Garden  tools' })
    await shop.tags.create({ id: 'Garden tools > Hoses', name: 'Elsewhere' })
    const documents = [
      { id: 1, tag: 'garden tools / Hoses' },
      { id: 2, path: 'x', tag: ['garden tools'] },
    ]
    await shop.documents.import(documents, { tagPath: { field: 'tag', separator: '/' } }).finished
    expect((await shop.documents.get(1))?.tag).toBe('Garden tools > Hoses (2)')
    expect((await shop.tags.get('Garden tools > Hoses (2)'))?.parentId).toBe('7')
    expect((await shop.documents.get(2))?.tag).toBe('7')
  })

  it('goes on when somebody removes tags meanwhile', async () => {
    const { shop } = await openShop()
    async function* documents() {
      yield* Array.from({ length: 500 }, (_, i) => ({ id: `a${i}`, path: 'A > B' }))
      await new Promise(resolve => setTimeout(resolve, 50))
      await shop.tags.remove('A', { force: true })
      yield* Array.from({ length: 500 }, (_, i) => ({ id: `b${i}`, path: 'A > B' }))
    }
    const report = await shop.documents.import(documents(), { tagPath: 'path' }).finished
    expect([report.stored, await shop.tags.get('A > B')]).toMatchObject([1000, { parentId: 'A' }])
  })

  it('fails rows whose paths are none', async () => {
    const { shop } = await openShop()
    const deep = Array.from({ length: 100 }, (_, i) => i).join('>')
    const report = await shop.documents.import(
      [
        { id: 1, path: deep },
        { id: 2, path: `${'x'.repeat(501)}` },
        { id: 3, path: 5 },
        { id: 4, path: 'A' },
        'x',
      ],
      { tagPath: 'path' },
    ).finished
    expect(report.errors.map(({ line, code }) => [line, code])).toEqual([
      [1, 'INVALID_ROW'],
      [2, 'INVALID_ROW'],
      [5, 'INVALID_DOCUMENT'],
    ])
    expect(report.stored).toBe(2)
  })

  it('gives tags numbers where the dataset wants them', async () => {
    const { shop } = await openShop({
      validation: 'strict',
      sample: { id: '1', title: 'x', tag: [1], path: 'A' },
      interpretedFields: ['title'],
    })
    await shop.tags.create({ id: 4, name: 'A' })
    const report = await importing(shop, 'id;title;tag;path\n1;a;;A > B\n', { tagPath: 'path' })
    expect(report.errors).toEqual([])
    expect((await contents(shop))[0]).toMatchObject({ tag: [5] })
    expect(await shop.tags.get(5)).toMatchObject({ name: 'B', parentId: '4' })
  })
})

describe('cells of a field with vectors', () => {
  const vectors = { embedding: { dimensions: 3 }, 'image.small': { dimensions: 2 } }
  const table = 'id,title,embedding,image.small\na,A,"[1, 0, 0.5]",1|2\nb,B,0|1|0,\nc,C,,"[3,4]"\n'
  const expected = [
    { id: 'a', title: 'A', embedding: [1, 0, 0.5], image: { small: [1, 2] } },
    { id: 'b', title: 'B', embedding: [0, 1, 0] },
    { id: 'c', title: 'C', image: { small: [3, 4] } },
  ]
  const sample = { id: 'x', title: 'X', embedding: [0.1, 0.2, 0.3], image: { small: [1.5, 2.5] } }

  it.each([
    ['knows no other fields', {}],
    ['has a sample', { sample }],
  ])('are read as lists, and empty ones as none, where the dataset %s', async (_, definition) => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { ...definition, vectors })
    for (const guess of [false, true]) {
      const report = await shop.documents.import(Buffer.from(table), { format: 'csv', guess }).finished
      expect([report.stored, report.errors]).toEqual([3, []])
      expect(await shop.documents.getMany(['a', 'b', 'c'])).toEqual(expected)
    }
    let columns = ''
    for await (const text of shop.documents.export({ format: 'csv', columns: Object.keys(sample) }))
      columns += text
    const copy = await engine.datasets.create('copy', { ...definition, vectors: shop.settings.vectors! })
    const nested = columns.replace(',image', ',image:json')
    await copy.documents.import(Buffer.from(nested), { format: 'csv' })
    expect(await copy.documents.getMany(['a', 'b', 'c'])).toMatchObject(expected)
  })

  it('that are wrong fail their rows, in words about the field', async () => {
    const shop = await (await openEngine()).datasets.create('shop', { vectors })
    const rows = Buffer.from('id,embedding\na,"[1,2,3]"\nb,"[1,2]"\nc,near\nd,"[0,0,0]"\n')
    const { stored, errors } = await shop.documents.import(rows, { format: 'csv' }).finished
    expect(stored).toBe(1)
    expect(errors.map(({ line, message }) => [line, message])).toEqual([
      [3, 'document: embedding is a list of 2; expected null, or a list of 3 numbers'],
      [4, 'document: embedding is a list of 1; expected null, or a list of 3 numbers'],
      [5, 'document: embedding is a list of zeros; expected null, or one number other than 0'],
    ])
  })
})

import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ImportOptions } from 'findling'
import { describe, expect, it } from 'vitest'
import { packed } from '../extraction/packed.ts'
import { collected, failureOf, openEngine } from './engines.ts'

const office = 'application/vnd.openxmlformats-officedocument.spreadsheetml.'
const part = (name: string, type: string) =>
  `<Override PartName="/${name}" ContentType="${office}${type}+xml"/>`

const formats = [
  '[h]:mm:ss.000',
  '[Red]0.0&quot; hours&quot;',
  '[m]',
  '#,##0.00 [$Sh-441]',
  '[s].00',
  'h:mm:ss\\.00',
  '[$-407]mmmm',
]
  .map((code, i) => `<numFmt numFmtId="${200 + i}" formatCode="${code}"/>`)
  .join('')
const styles = [0, 14, 20, 200, 201, 202, 203, 204, 205, 206].map(id => `<xf numFmtId="${id}"/>`).join('')

/** Each sheet by its name, as XML of its rows; without rows it is a diagram. */
function xlsx(sheets: Record<string, string>): Promise<Buffer> {
  const all = Object.entries(sheets)
  const book = all.map(([name], i) => `<sheet name="${name}" r:id="r${i}"/>`).join('')
  const relations = all.map((_, i) => `<Relationship Id="r${i}" Target="s${i}.xml"/>`).join('')
  const types = all.map(([, rows], i) => part(`s${i}.xml`, rows ? 'worksheet' : 'chartsheet')).join('')
  return packed({
    '[Content_Types].xml': `<Types>${part('book.xml', 'sheet.main')}${part('strings.xml', 'sharedStrings')}${part('styles.xml', 'styles')}${types}</Types>`,
    'book.xml': `<workbook xmlns:r="r">${book}</workbook>`,
    '_rels/book.xml.rels': `<Relationships>${relations}</Relationships>`,
    'strings.xml': '<sst><si><t>Oak </t><rPh><t>okku</t></rPh><r><t>table</t></r></si></sst>',
    'styles.xml': `<styleSheet><numFmts>${formats}</numFmts><cellXfs>${styles}</cellXfs></styleSheet>`,
    ...Object.fromEntries(
      all.map(([, rows], i) => [`s${i}.xml`, `<worksheet><sheetData>${rows}</sheetData></worksheet>`]),
    ),
  })
}

const inline = (place: string, text: string) => `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`
const number = (place: string, value: number | string, style = 0) =>
  `<c r="${place}" s="${style}"><v>${value}</v></c>`
const row = (place: number, ...cells: string[]) => `<row r="${place}">${cells.join('')}</row>`

const ods = (tables: string): Promise<Buffer> =>
  packed({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<o:document-content xmlns:o="o" xmlns:t="t" xmlns:x="x"><o:body><o:spreadsheet>${tables}</o:spreadsheet></o:body></o:document-content>`,
  })

async function imported(bytes: Buffer, options: ImportOptions, definition = {}) {
  const engine = await openEngine()
  const shop = await engine.datasets.create('shop', definition)
  const report = await shop.documents.import(bytes, options).finished
  const documents = (await collected(shop.documents.scan())).map(({ document }) => document)
  return { report, documents }
}

describe('an xlsx file', () => {
  it('has the characters that its texts escape, and no others', async () => {
    const escaped = 'two_x000D_\nlines, _x005F_x000D_, _x0000_, _xD800_ and _x00zz_'
    const text = 'two\r\nlines, _x000D_, _x0000_, _xD800_ and _x00zz_'
    const header = row(1, inline('A1', 'id'), inline('B1', 'given_x0020_name'))
    const file = await xlsx({ One: header + row(2, number('A2', 1), inline('B2', escaped)) })
    const { documents } = await imported(file, { format: 'xlsx' })
    expect(documents).toEqual([{ id: 1, 'given name': text }])
  })

  it('is read from its first sheet with cells, which diagrams before it do not have', async () => {
    const file = await xlsx({ Diagram: '', One: row(1, inline('A1', 'id')) + row(2, number('A2', 7)) })
    const { documents } = await imported(file, { format: 'xlsx' })
    expect(documents).toEqual([{ id: 7 }])
  })

  it('has times as they are shown, and no others', async () => {
    const header = row(
      1,
      ...[...'ABCDEFGH'].map((column, i) => inline(`${column}1`, i === 0 ? 'id' : column)),
    )
    const cells = [
      number('A2', 1),
      number('B2', 0.3958333333, 2),
      number('C2', 1.5000173611, 3),
      number('D2', 7.5, 4),
      number('E2', 0.0625, 5),
      number('F2', 2.5, 6),
      number('G2', 0.0001, 7),
      number('H2', 0.5, 8),
    ]
    const moment = row(3, number('A3', 2), number('B3', 45_000.25, 2))
    const sheet = xlsx({ One: header + row(2, ...cells) + moment })
    const { documents } = await imported(await sheet, { format: 'xlsx' })
    expect(documents).toEqual([
      {
        id: 1,
        B: '09:30:00',
        C: '36:00:01.500',
        D: 7.5,
        E: '01:30:00',
        F: 2.5,
        G: '00:00:08.640',
        H: '12:00:00',
      },
      expect.objectContaining({ id: 2, B: '2023-03-15T06:00:00' }),
    ])
  })

  it('has dates of which only the month is shown', async () => {
    const header = row(1, inline('A1', 'id'), inline('B1', 'month'))
    const file = await xlsx({ One: header + row(2, number('A2', 1), number('B2', 45_000, 9)) })
    const { documents } = await imported(file, { format: 'xlsx' })
    expect(documents).toEqual([{ id: 1, month: '2023-03-15' }])
  })

  const stock = xlsx({
    Notes: row(1, inline('A1', 'nothing')),
    Stock: [
      row(
        3,
        inline('A3', 'Nr'),
        inline('B3', 'Bezeichnung'),
        inline('C3', 'Preis'),
        inline('E3', 'Neu'),
        inline('F3', 'Da'),
      ),
      row(
        5,
        number('A5', 7),
        '<c r="B5" t="s"><v>0</v></c>',
        number('C5', 12.5),
        number('E5', 45292, 1),
        '<c r="F5" t="b"><v>1</v></c>',
      ),
      row(
        6,
        inline('A6', 'x-8'),
        inline('B6', 'Lamp &amp; shade'),
        inline('C6', '1.299,00 €'),
        '<c r="E6" t="e"><v>#N/A</v></c>',
      ),
      row(7),
      row(8, inline('B8', 'No id')),
    ].join(''),
  })
  const options = {
    format: 'xlsx',
    sheet: 'Stock',
    columns: { Nr: 'id', Preis: 'price:number', Neu: 'added' },
  } as const

  it('is read by the same mapping as a CSV: the sheet by its name, numbers, dates and truths as they are', async () => {
    const { report, documents } = await imported(await stock, options)
    expect(documents).toEqual([
      { id: 7, Bezeichnung: 'Oak table', price: 12.5, added: '2024-01-01', Da: true },
      { id: 'x-8', Bezeichnung: 'Lamp & shade', price: 1299, added: '', Da: '' },
    ])
    expect(report).toMatchObject({
      rows: 3,
      stored: 2,
      failed: 1,
      errors: [{ line: 8, code: 'INVALID_DOCUMENT' }],
    })
    expect(report.reading.columns.map(({ column, field }) => [column, field])).toEqual([
      ['Nr', 'id'],
      ['Bezeichnung', 'Bezeichnung'],
      ['Preis', 'price'],
      ['Neu', 'added'],
      ['Da', 'Da'],
    ])
  })

  it('is guessed as a CSV is', async () => {
    const rows = Array.from({ length: 40 }, (_, i) =>
      row(
        i + 2,
        number(`A${i + 2}`, 1000 + i),
        inline(`B${i + 2}`, `Oak table ${i} cm`),
        number(`C${i + 2}`, i + 0.5),
        inline(`D${i + 2}`, i % 2 ? 'Home &gt; Tables' : 'Home'),
      ),
    )
    const header = row(
      1,
      inline('A1', 'Item No.'),
      inline('B1', 'Product'),
      inline('C1', 'Price'),
      inline('D1', 'Category'),
    )
    const { report, documents } = await imported(await xlsx({ One: header + rows.join('') }), {
      format: 'xlsx',
      guess: true,
    })
    expect(report.reading.roles).toMatchObject({
      id: 'Item No',
      title: 'Product',
      price: 'Price',
      category: 'Category',
    })
    expect(documents[1]).toEqual({
      id: 1001,
      Product: 'Oak table 1 cm',
      Price: 1.5,
      Category: 'Home > Tables',
      tag: 'Home > Tables',
    })
    expect([report.tags, report.stored]).toEqual([2, 40])
  })

  it('keeps its numbers and truths when columns are guessed, whatever the texts beside them are', async () => {
    const values: [string, string | number][] = [
      ['no', '2024-05-01'],
      ['yes', 45],
      ['no', '2024-05-02'],
    ]
    const rows = values.map(([stocked, added], i) => {
      const line = i + 3
      const cell = typeof added === 'number' ? number(`C${line}`, added) : inline(`C${line}`, added)
      return row(line, inline(`A${line}`, `A-${i}`), inline(`B${line}`, stocked), cell)
    })
    const header = row(1, inline('A1', 'id'), inline('B1', 'stocked'), inline('C1', 'added'))
    const typed = row(2, inline('A2', 'A-9'), number('B2', 1), '<c r="C2" t="b"><v>1</v></c>')
    const { report, documents } = await imported(await xlsx({ One: header + typed + rows.join('') }), {
      format: 'xlsx',
      guess: true,
    })
    expect(documents).toEqual([
      { id: 'A-0', stocked: false, added: '2024-05-01' },
      { id: 'A-1', stocked: true, added: 45 },
      { id: 'A-2', stocked: false, added: '2024-05-02' },
      { id: 'A-9', stocked: 1, added: true },
    ])
    const [{ line, column, value, problem } = {}, ...others] = report.reading.doubts
    expect([line, column, value, others]).toEqual([2, 'stocked', '"1"', []])
    expect(problem).toBe('has another type than its column, and keeps it')
  })

  it('is guessed by the types of its cells as well, and tells which have another type than most', async () => {
    const truth = (place: string, value: number) => `<c r="${place}" t="b"><v>${value}</v></c>`
    const line = (i: number) => ({
      price: number(`B${i}`, i + 0.5),
      day: number(`C${i}`, 45_000 + i, 1),
      there: truth(`D${i}`, i % 2),
      note: inline(`E${i}`, `word ${i}`),
    })
    const unlike: Record<number, Partial<ReturnType<typeof line>>> = {
      5: { price: number('B5', 45_000, 1), day: number('C5', 12.5), note: number('E5', 7) },
      9: { price: truth('B9', 1), there: number('D9', 3) },
      20: { price: inline('B20', 'n/a'), there: inline('D20', 'yes'), day: truth('C20', 0) },
    }
    const rows = Array.from({ length: 40 }, (_, place) => {
      const i = place + 2
      const cells = { id: inline(`A${i}`, `A-${i}`), ...line(i), ...unlike[i] }
      return row(i, ...Object.values(cells))
    })
    const names = ['id', 'price', 'day', 'there', 'note']
    const header = row(1, ...names.map((name, i) => inline(`${'ABCDE'[i]}1`, name)))
    const sheet = await xlsx({ One: header + rows.join('') })
    const { report, documents } = await imported(sheet, { format: 'xlsx', guess: true })
    expect(report.reading.columns.map(({ type }) => type)).toEqual([
      'text',
      'number',
      'date',
      'boolean',
      'text',
    ])
    const doubts = report.reading.doubts.map(({ column, value, count, problem }) => [
      column,
      value,
      count,
      problem.split(';')[0],
    ])
    const otherType = 'has another type than its column, and keeps it'
    expect(doubts).toEqual([
      ['price', '"2023-03-15"', 2, 'is not a number'],
      ['day', '"12.5"', 2, otherType],
      ['price', '"true"', 1, otherType],
      ['there', '"3"', 1, otherType],
    ])
    const kept = documents.filter(({ id }) => ['A-5', 'A-9', 'A-20'].includes(id as string))
    expect(kept).toEqual([
      { id: 'A-20', price: 'n/a', day: false, there: true, note: 'word 20' },
      { id: 'A-5', price: '2023-03-15', day: 12.5, there: true, note: 7 },
      { id: 'A-9', price: true, day: '2023-03-24', there: 3, note: 'word 9' },
    ])
  })

  it('has dates beside texts in the format that is given', async () => {
    const cells = [number('B2', 45_000, 1), inline('B3', '24.12.2024'), inline('B4', '12/24/2024')]
    const rows = cells.map((cell, i) => row(i + 2, inline(`A${i + 2}`, `${i}`), cell))
    const sheet = await xlsx({ One: row(1, inline('A1', 'id'), inline('B1', 'day')) + rows.join('') })
    const columns = { day: { type: 'date', format: 'dd.MM.yyyy' } } as const
    const { report, documents } = await imported(sheet, { format: 'xlsx', columns })
    expect(documents.map(({ day }) => day)).toEqual(['2023-03-15', '2024-12-24', '12/24/2024'])
    expect(report.reading.doubts.map(({ value, count }) => [value, count])).toEqual([['"12/24/2024"', 1]])
  })

  type Told = [value: string, problem: string]
  it.each<[string, string, (string | number | boolean)[], unknown[], Told[]]>([
    [
      'dates',
      'date',
      ['31.12.2024', '1.2.2024', '3.2.2024', 7, true],
      ['2024-12-31', '2024-02-01', '2024-02-03', 7, true],
      [['"7"', 'has another type']],
    ],
    ['numbers', 'number', [1, '2,5', '3,5', true], [1, 2.5, 3.5, true], [['"true"', 'has another type']]],
    ['lists', 'json', ['[1, 2]', '[3, 4]', 5], [[1, 2], [3, 4], 5], [['"5"', 'has another type']]],
    ['truths', 'boolean', ['yes', 'no', 5], [true, false, 5], [['"5"', 'has another type']]],
    [
      'numbers and too many texts',
      'text',
      [1, 2, 3, '4', 'n/a'],
      [1, 2, 3, '4', 'n/a'],
      [['"4"', 'stays text']],
    ],
    [
      'numbers and other texts',
      'text',
      [1, 2, 3, 'n/a', 'none'],
      [1, 2, 3, 'n/a', 'none'],
      [['"n/a"', 'stays text']],
    ],
    [
      'truths and too many texts',
      'text',
      [true, 'yes', 'maybe', 'x'],
      [true, 'yes', 'maybe', 'x'],
      [['"yes"', 'stays text']],
    ],
    ['texts and a few numbers', 'text', ['oak', 'brass', 7], ['oak', 'brass', 7], []],
  ])(
    'guesses %s by its texts and by its typed cells, and tells what differs',
    async (_, type, values, expected, told) => {
      const cells = values.map((value, i) => {
        const place = `B${i + 2}`
        const cell =
          typeof value === 'string'
            ? inline(place, value)
            : typeof value === 'number'
              ? number(place, value)
              : `<c r="${place}" t="b"><v>${Number(value)}</v></c>`
        return row(i + 2, inline(`A${i + 2}`, `A-${i}`), cell)
      })
      const sheet = await xlsx({ One: row(1, inline('A1', 'id'), inline('B1', 'x')) + cells.join('') })
      const { report, documents } = await imported(sheet, { format: 'xlsx', guess: true })
      expect(report.reading.columns[1]).toMatchObject({ field: 'x', type })
      expect(documents.map(({ x }) => x)).toEqual(expected)
      expect(
        report.reading.doubts.map(({ value, problem }) => [value, problem.slice(0, told[0]?.[1].length)]),
      ).toEqual(told)
    },
  )

  it.each([
    ['yyyy-dd-MM', '2024-06-05'],
    ['yyyy-MM-dd', '2024-05-06'],
    ['dd.MM.yyyy', '2024-05-06'],
  ])('has texts that look like ISO 8601 in the format %s, if that fits', async (format, expected) => {
    const cells = row(2, inline('A2', '1'), inline('B2', '2024-05-06'))
    const sheet = await xlsx({ One: row(1, inline('A1', 'id'), inline('B1', 'day')) + cells })
    const columns = { day: { type: 'date', format } } as const
    const { report, documents } = await imported(sheet, { format: 'xlsx', columns })
    expect(documents).toEqual([{ id: '1', day: expected }])
    expect(report.reading.doubts).toEqual([])
  })

  it('gives text to fields of text, and is updated from', async () => {
    const engine = await openEngine()
    const shop = await engine.datasets.create('shop', { sample: { id: '1', title: 'x', code: 'x' } })
    const sheet = await xlsx({
      One:
        row(1, inline('A1', 'id'), inline('B1', 'title'), inline('C1', 'code')) +
        row(2, number('A2', 1), inline('B2', 'Oak'), number('C2', 4006381333931)),
    })
    await shop.documents.import(sheet, { format: 'xlsx' }).finished
    expect(await shop.documents.get(1)).toEqual({ id: '1', title: 'Oak', code: '4006381333931' })
    const report = await shop.documents.import(sheet, { format: 'xlsx', mode: 'update' }).finished
    expect(report).toMatchObject({ stored: 1, unchanged: 1 })
  })

  it('tells which sheets there are', async () => {
    const failure = await failureOf(async () => imported(await stock, { ...options, sheet: 'Stok' }))
    expect(failure).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'sheet is "Stok"; expected a sheet of the file: "Notes", "Stock"',
      details: { field: 'sheet' },
    })
  })

  it.each<[string, Buffer | Promise<Buffer>, string]>([
    ['is none', Buffer.from('id,title\n1,x\n'), 'FILE_UNSUPPORTED'],
    ['is empty', Buffer.from(''), 'FILE_BROKEN'],
    ['is cut off', stock.then(bytes => bytes.subarray(0, 300)), 'FILE_BROKEN'],
    ['is another packed file', packed({ a: 'b' }), 'FILE_UNSUPPORTED'],
    ['has broken XML', xlsx({ One: '<row><c>' }), 'FILE_BROKEN'],
    ['names a text that is not there', xlsx({ One: row(1, '<c r="A1" t="s"><v>9</v></c>') }), 'FILE_BROKEN'],
    ['has a million columns', xlsx({ One: row(1, inline('ZZZ1', 'x')) }), 'FILE_LIMIT'],
    ['has a column twice', xlsx({ One: row(1, inline('A1', 'id'), inline('B1', 'id')) }), 'INVALID_ROW'],
  ])('ends the import where it %s', async (_, bytes, code) => {
    const job = imported(await bytes, { format: 'xlsx' })
    expect(await failureOf(() => job)).toMatchObject({ code })
  })

  it('of very many empty cells takes no more than its limits allow', async () => {
    const wide = Array.from({ length: 3000 }, (_, i) => row(i + 1, inline(`XFD${i + 1}`, 'x'))).join('')
    expect(
      await failureOf(async () => imported(await xlsx({ One: wide }), { format: 'xlsx' })),
    ).toMatchObject({
      code: 'FILE_LIMIT',
      details: { limit: 'text' },
    })
  })

  it('that a spreadsheet program has saved is read, by its ending too', async () => {
    for (const name of ['stock.xlsx', 'stock.ods'] as const) {
      const path = fileURLToPath(new URL(`../fixtures/files/${name}`, import.meta.url))
      const engine = await openEngine()
      const shop = await engine.datasets.create('shop')
      const row = (cells: Record<string, unknown>, line: number) => ({ id: line, ...cells })
      const report = await shop.documents.import(path, { row }).finished
      expect([report.stored > 0, report.failed]).toEqual([true, 0])
      const bytes = await readFile(path)
      const format = name === 'stock.ods' ? 'ods' : 'xlsx'
      expect((await shop.documents.import(bytes, { format, row }).finished).replaced).toBe(report.stored)
    }
  })
})

describe('an ods file', () => {
  const text = (value: string, times = 1) =>
    `<t:table-cell t:number-columns-repeated="${times}"><x:p>${value}</x:p></t:table-cell>`
  const typed = (type: string, value: string) =>
    `<t:table-cell o:value-type="${type}" o:value="${value}" o:date-value="${value}" o:boolean-value="${value}"><x:p>shown</x:p></t:table-cell>`
  const file = ods(
    [
      '<t:table t:name="One"><t:table-row><t:table-cell><x:p>no</x:p></t:table-cell></t:table-row></t:table>',
      '<t:table t:name="Two">',
      `<t:table-row>${text('id')}${text('title')}${text('price')}${text('day')}${text('in')}<t:table-cell t:number-columns-repeated="16000"/></t:table-row>`,
      '<t:table-row t:number-rows-repeated="1000000"><t:table-cell t:number-columns-repeated="16384"/></t:table-row>',
      `<t:table-row>${typed('float', '7')}<t:table-cell><o:annotation><x:p>note</x:p></o:annotation><x:p>Oak<x:s x:c="2"/>table</x:p><x:p>two</x:p></t:table-cell>${typed('currency', '12.5')}${typed('date', '2024-05-01')}${typed('boolean', 'true')}</t:table-row>`,
      `<t:table-row t:number-rows-repeated="2">${text('8')}<t:table-cell/>${text('3')}</t:table-row>`,
      '</t:table>',
    ].join(''),
  )

  it('is read likewise', async () => {
    const { report, documents } = await imported(await file, { format: 'ods', sheet: 'Two' })
    expect(documents).toEqual([
      { id: 7, title: 'Oak  table\ntwo', price: 12.5, day: '2024-05-01', in: true },
      { id: '8', title: '', price: '3', day: '', in: '' },
    ])
    expect(report).toMatchObject({ rows: 3, stored: 3, replaced: 1 })
    expect(
      await failureOf(async () => imported(await file, { format: 'ods', sheet: 'Three' })),
    ).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'sheet is "Three"; expected a sheet of the file: "One", "Two"',
    })
  })

  it('has the text of its cells, without that of pictures and shapes over them', async () => {
    const picture = '<d:frame><d:image><x:p/></d:image><s:title>Photo</s:title><s:desc>Alt</s:desc></d:frame>'
    const shape = '<d:custom-shape><x:p>New!</x:p></d:custom-shape>'
    const cell = (content: string) => `<t:table-cell>${content}</t:table-cell>`
    const rows = [
      text('id') + text('title') + text('photo'),
      text('a') + cell(`${picture}<x:p>Oak</x:p><x:p>chair</x:p>${shape}`) + cell(picture + shape),
      text('b') +
        cell(`<x:p>Lamp${picture}</x:p>`) +
        cell(
          '<x:list><x:list-item><x:p>no</x:p></x:list-item></x:list><x:numbered-paragraph><x:p>ne</x:p></x:numbered-paragraph>',
        ),
    ].map(cells => `<t:table-row>${cells}</t:table-row>`)
    const sheet = packed({
      mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
      'content.xml': `<o:body xmlns:o="o" xmlns:t="t" xmlns:x="x" xmlns:d="d" xmlns:s="s"><t:table>${rows.join('')}</t:table></o:body>`,
    })
    const { documents } = await imported(await sheet, { format: 'ods' })
    expect(documents).toEqual([
      { id: 'a', title: 'Oak\nchair', photo: '' },
      { id: 'b', title: 'Lamp', photo: 'no\nne' },
    ])
  })

  it('has dates beside texts that are dates as well', async () => {
    const day = (value: string) =>
      `<t:table-cell o:value-type="date" o:date-value="${value}"><x:p>shown</x:p></t:table-cell>`
    const cells = [day('2024-01-05'), day('2024-01-06T09:30:00'), text('31.12.2024'), text('soon')]
    const rows = cells.map((cell, i) => `<t:table-row>${text(`${i}`)}${cell}</t:table-row>`)
    const sheet = await ods(
      `<t:table t:name="A"><t:table-row>${text('id')}${text('added')}</t:table-row>${rows.join('')}</t:table>`,
    )
    const { report, documents } = await imported(sheet, { format: 'ods', columns: { added: 'added:date' } })
    expect(documents.map(({ added }) => added)).toEqual([
      '2024-01-05',
      '2024-01-06T09:30:00.000Z',
      '2024-12-31',
      'soon',
    ])
    expect(report.reading.doubts.map(({ value, count }) => [value, count])).toEqual([['"soon"', 1]])
    const [, { format }] = report.reading.columns as [unknown, { format: string }]
    const pinned = { added: { field: 'added', type: 'date', format } } as const
    expect((await imported(sheet, { format: 'ods', columns: pinned })).documents).toEqual(documents)
  })

  it('has times as an xlsx file has them', async () => {
    const time = (value: string) =>
      `<t:table-cell o:value-type="time" o:time-value="${value}"><x:p>shown</x:p></t:table-cell>`
    const rows = [
      text('id') + text('opens'),
      text('a') + time('PT09H30M00S'),
      text('b') + time('PT206H05M01,5S'),
      text('c') + time('-PT1H'),
    ].map(cells => `<t:table-row>${cells}</t:table-row>`)
    const sheet = ods(`<t:table t:name="A">${rows.join('')}</t:table>`)
    const { documents } = await imported(await sheet, { format: 'ods' })
    expect(documents.map(({ opens }) => opens)).toEqual(['09:30:00', '206:05:01.500', 'shown'])
  })

  it('of a row a million times takes no more than its limits allow', async () => {
    const many = ods(
      `<t:table t:name="A"><t:table-row t:number-rows-repeated="1000000000">${text('x', 1000)}</t:table-row></t:table>`,
    )
    expect(await failureOf(async () => imported(await many, { format: 'ods' }))).toMatchObject({
      code: 'FILE_LIMIT',
    })
  })
})

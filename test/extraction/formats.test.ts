import { readFileSync } from 'node:fs'
import { Extractor, extract } from 'findling/extract'
import { afterAll, describe, expect, it } from 'vitest'
import { docx, packed, xlsx } from './packed.ts'

const extractor = new Extractor({ processes: 1 })
afterAll(() => extractor.close())

const file = (name: string): Buffer => readFileSync(new URL(`../fixtures/files/${name}`, import.meta.url))
const office = 'application/vnd.openxmlformats-officedocument.'
const open = 'application/vnd.oasis.opendocument.'

const letterSays = [
  'Care of wooden garden benches',
  'Brush it with linseed oil in spring, and let it dry for three days before anybody sits on it.',
  'Never use a wire brush: its splinters rust in the grain.',
  'Stone feet keep the legs dry.',
  'Spare slats cost 12,50 € each; Grüße aus der Werkstatt, őszi tölgyfa.',
  'Slat 120 cm',
  'Screw 40 mm',
]
const oneLine = (text: string): string => text.split(/\s+/).join(' ')

describe('a letter that an office program has written', () => {
  it.each([
    ['letter.docx', `${office}wordprocessingml.document`, null],
    ['letter.odt', `${open}text`, null],
    ['letter.pdf', 'application/pdf', null],
    ['letter.rtf', 'application/rtf', 'windows-1252'],
    ['letter.html', 'text/html', 'UTF-8'],
  ])('gives its text and what it says of itself: %s', async (name, contentType, charset) => {
    const bytes = file(name)
    const found = await extractor.extract(bytes)
    for (const said of letterSays) expect(oneLine(found.text)).toContain(said)
    expect(found.text.endsWith('\n')).toBe(true)
    expect(found).toMatchObject({ contentType, charset, language: 'en', length: bytes.length })
    expect(found).toMatchObject({ title: letterSays[0], author: 'Workshop at the Mill' })
    expect(found.keywords).toMatch(/bench,? oak,? linseed oil/)
  })

  it('gives plain text, which says nothing of itself', async () => {
    const found = await extractor.extract(file('letter.txt'))
    for (const said of letterSays) expect(oneLine(found.text)).toContain(said)
    const nothing = { title: null, author: null, date: null, keywords: null }
    expect(found).toMatchObject({ ...nothing, contentType: 'text/plain', charset: 'UTF-8' })
  })

  it('parts cells by tabs', async () => {
    for (const name of ['letter.docx', 'letter.odt', 'letter.rtf'])
      expect((await extractor.extract(file(name))).text).toMatch(/^Slat ?\t120 cm$/m)
  })
})

describe('a table', () => {
  const rows = ['Article\tPieces\tCounted\tNote', 'Lantern\t12\t2026-03-01\tGlass of two is cracked']
  it.each([
    ['stock.xlsx', `${office}spreadsheetml.sheet`],
    ['stock.ods', `${open}spreadsheet`],
  ])('gives its rows, dates as they are shown: %s', async (name, contentType) => {
    const { text, ...found } = await extractor.extract(file(name))
    expect(text.split('\n').slice(0, 3)).toEqual(['stock', ...rows])
    expect(text).toContain('Dünger\t31\t2026-03-02\tSäcke à 5 kg\n')
    expect(found.contentType).toBe(contentType)
  })

  it('is CSV where its lines have as many columns each, or its name says so', async () => {
    const found = await extractor.extract(file('stock.csv'))
    expect(found).toMatchObject({ contentType: 'text/csv', charset: 'ISO-8859-1' })
    expect(found.text).toContain('Dünger,31,2026-03-02,Säcke à 5 kg\n')
    const short = Buffer.from('one,two\n')
    expect((await extractor.extract(short)).contentType).toBe('text/plain')
    expect((await extractor.extract(short, { name: 'short.CSV' })).contentType).toBe('text/csv')
  })

  it('gives truths, texts in cells, and days counted from 1904 or with a time', async () => {
    const cells = '<c t="b"><v>1</v></c><c t="inlineStr"><is><t>in place</t></is></c><c><v>1.5</v></c>'
    const strings = '<sst><si><t>東京</t><rPh><t>トウキョウ</t></rPh></si></sst>'
    const sheet = `<worksheet><row>${cells}<c t="s"><v>0</v></c></row></worksheet>`
    expect((await extractor.extract(await xlsx({ strings, sheet }))).text).toBe(
      'One\nTRUE\tin place\t1.5\t東京\n',
    )
  })
})

describe('a workbook', () => {
  it('gives its sheets in its order and by its names, whatever their parts are called', async () => {
    const sheet = (text: string) => `<worksheet><row><c t="str"><v>${text}</v></c></row></worksheet>`
    const main = `${office}spreadsheetml.`
    const types = Object.entries({
      book: 'sheet.main',
      one: 'worksheet',
      two: 'worksheet',
      lost: 'worksheet',
    })
    const sheets = [
      ['Prices', 'r3'],
      ['Diagram', 'r2'],
      ['Stock', 'r1'],
    ].map(([name, id], i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="${id}"/>`)
    const relations = [
      ['r1', 'one.xml'],
      ['r2', 'diagram.xml'],
      ['r3', '/xl/two.xml'],
    ].map(([id, target]) => `<Relationship Id="${id}" Target="${target}"/>`)
    const bytes = await packed({
      '[Content_Types].xml': `<Types>${types
        .map(([name, type]) => `<Override PartName="/xl/${name}.xml" ContentType="${main}${type}+xml"/>`)
        .join('')}</Types>`,
      'xl/book.xml': `<workbook xmlns:r="r"><sheets>${sheets.join('')}</sheets></workbook>`,
      'xl/_rels/book.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
      'xl/diagram.xml': '<chartsheet/>',
      'xl/one.xml': sheet('12 lanterns'),
      'xl/two.xml': sheet('3.50 each'),
      'xl/lost.xml': sheet('left over'),
    })
    const { text } = await extractor.extract(bytes)
    expect(text).toBe('Prices\n3.50 each\nStock\n12 lanterns\nleft over\n')
  })
})

it('a file of thousands of parts is read', async () => {
  const main = `<Override PartName="/main.xml" ContentType="${office}wordprocessingml.document.main+xml"/>`
  const others = Array.from({ length: 3000 }, (_, i) => `<Override PartName="/${i}.xml" ContentType="a/b"/>`)
  const bytes = await packed({
    '[Content_Types].xml': `<Types>${others.join('')}${main}</Types>`,
    'main.xml': '<document><p><r><t>Oak</t></r></p></document>',
  })
  expect((await extractor.extract(bytes)).text).toBe('Oak\n')
})

describe('slides', () => {
  it.each([
    ['slides.pptx', `${office}presentationml.presentation`],
    ['slides.odp', `${open}presentation`],
  ])('give their texts in order: %s', async (name, contentType) => {
    const found = await extractor.extract(file(name))
    expect(found.text.split('\n')).toEqual([
      'Autumn in the nursery',
      'Tulip bulbs go into the ground before the first frost.',
      'Hedges are cut back by a third.',
      'Orders until October',
      '',
    ])
    const date = '2026-02-01T08:00:00.000Z'
    expect(found).toMatchObject({ title: 'Autumn in the nursery', contentType, date, language: 'en' })
  })
})

describe('a presentation', () => {
  it('gives its slides in its order, then their notes, whatever their parts are called', async () => {
    const page = (text: string) => `<p:sld xmlns:p="p"><p:p><p:r><p:t>${text}</p:t></p:r></p:p></p:sld>`
    const relations = (targets: Record<string, string>) =>
      `<Relationships>${Object.entries(targets)
        .map(([id, target]) => `<Relationship Id="${id}" Target="${target}"/>`)
        .join('')}</Relationships>`
    const types = { main: 'presentation.main', s1: 'slide', s2: 'slide', s10: 'slide', s11: 'slide' }
    const notes = { n1: 'notesSlide', n2: 'notesSlide' }
    // Ids of its own, which are not those of the relations.
    const shown = ['r3', 'r1', 'r2', 'r3', 'gone'].map((id, i) => `<p:sldId id="r${i}" rel:id="${id}"/>`)
    const bytes = await packed({
      '[Content_Types].xml': `<Types>${Object.entries({ ...types, ...notes })
        .map(
          ([name, type]) =>
            `<Override PartName="/ppt/${name}.xml" ContentType="${office}presentationml.${type}+xml"/>`,
        )
        .join('')}</Types>`,
      'ppt/main.xml': `<p:presentation xmlns:p="p" xmlns:rel="r"><p:sldIdLst>${shown.join('')}</p:sldIdLst></p:presentation>`,
      'ppt/_rels/main.xml.rels': relations({ r1: 's1.xml', r2: 's2.xml', r3: '/ppt/s10.xml' }),
      'ppt/_rels/s1.xml.rels': relations({ r1: 'n2.xml' }),
      'ppt/_rels/s10.xml.rels': relations({ r1: 'layout.xml', r2: '../ppt/n1.xml' }),
      'ppt/s1.xml': page('Hedges'),
      'ppt/s2.xml': page('Orders'),
      'ppt/s10.xml': page('Tulips'),
      'ppt/s11.xml': page('left over'),
      'ppt/n1.xml': page('Notes on tulips'),
      'ppt/n2.xml': page('Notes on hedges'),
    })
    const { text } = await extractor.extract(bytes)
    expect(text).toBe('Tulips\nHedges\nOrders\nleft over\nNotes on tulips\nNotes on hedges\n')
  })
})

describe('a mail', () => {
  it('gives its text and those of the files that it brings, but for what cannot be read', async () => {
    const { text, ...found } = await extractor.extract(file('letter.eml'))
    expect(text.split('\n').filter(line => line !== '')).toEqual([
      'The twelve lanterns will come on Friday. Please leave the gate open.',
      'Viele Grüße',
      'stock.csv',
      'Article;Pieces',
      'Lantern;12',
      'gate.png',
    ])
    expect(found).toMatchObject({
      title: 'Delivery of the lanterns – new date',
      author: 'Jörg at the Mill',
      date: '2026-03-03T08:14:58.000Z',
      keywords: 'delivery, lanterns',
      contentType: 'message/rfc822',
      language: 'en',
    })
  })

  it('gives the text of its page where it has no other', async () => {
    const mail = 'From: a@mill.example\nSubject: Oak\nContent-Type: text/html\n\n<p>Only <i>a page</i></p>'
    expect((await extractor.extract(Buffer.from(mail))).text).toBe('Only a page\n')
  })
})

describe('what a document hides', () => {
  it('is no text: deleted runs, field codes, doubled drawings', async () => {
    const run = (inner: string) => `<w:r>${inner}</w:r>`
    const xml = `<w:document xmlns:w="w" xmlns:mc="mc"><w:p>${run('<w:t>kept</w:t>')}<w:del>${run('<w:delText>gone</w:delText>')}</w:del>${run('<w:instrText>PAGE</w:instrText>')}<mc:AlternateContent><mc:Choice>${run('<w:tab/><w:t>once</w:t>')}</mc:Choice><mc:Fallback>${run('<w:t>once</w:t>')}</mc:Fallback></mc:AlternateContent></w:p></w:document>`
    expect((await extractor.extract(await docx(xml))).text).toBe('kept\tonce\n')
  })

  it('is no text: what was moved away or deleted', async () => {
    const xml =
      '<w:document xmlns:w="w"><w:p><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom><w:r><w:t>kept</w:t></w:r></w:p></w:document>'
    expect((await extractor.extract(await docx(xml))).text).toBe('kept\n')
    const rtf = '{\\rtf1 kept{\\deleted gone} and\\deleted  gone\\deleted0  more}'
    expect((await extractor.extract(Buffer.from(rtf))).text).toBe('kept and more\n')
  })

  it('is no text: hints on how a word is pronounced', async () => {
    const hinted = {
      page: Buffer.from('<html><p><ruby>東<rp>(</rp><rt>とう</rt><rp>)</rp>京<rt>きょう</rt></ruby>'),
      document: await docx(
        '<w:document xmlns:w="w"><w:p><w:ruby><w:rt><w:r><w:t>とう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:p></w:document>',
      ),
      open: await packed({
        mimetype: `${open}text`,
        'content.xml':
          '<o:c xmlns:o="o" xmlns:x="x"><o:body><x:p><x:ruby><x:ruby-base>東京</x:ruby-base><x:ruby-text>とう</x:ruby-text></x:ruby></x:p></o:body></o:c>',
      }),
      sheet: await xlsx({
        strings: '<sst/>',
        sheet:
          '<worksheet><row><c t="inlineStr"><is><t>東京</t><rPh><t>とう</t></rPh></is></c></row></worksheet>',
      }),
    }
    for (const bytes of Object.values(hinted))
      expect((await extractor.extract(bytes)).text.replace('One\n', '')).toBe('東京\n')
  })

  it('is no text: scripts, styles and comments of a page', async () => {
    const page =
      '<!-- x --><html><style>p{}</style><script>let a = "<p>b"</script><p>a &lt; b&nbsp;&eacute;<br>c'
    expect((await extractor.extract(Buffer.from(page))).text).toBe('a < b\u00a0é\nc\n')
  })

  it('is no text: fonts, pictures and bytes of an RTF file', async () => {
    const parts = [
      '{\\rtf1\\ansi\\ansicpg1250',
      '{\\fonttbl{\\f0\\fcharset204 Arial;}{\\f1 Times;}}',
      "{\\pict\\bin3 }}{}\\f1 \\'f5szi ",
    ]
    const rest = "\\f0 \\'ef\\'f0\\'e8\\f1 \\u8364?\\par{\\*\\unknown no}{\\uc2\\u-10179??\\u-8704??}}"
    const found = await extractor.extract(Buffer.from([...parts, rest].join('')))
    expect(found.text).toBe('őszi при€\n😀\n')
    expect(found.charset).toBe('windows-1250')
  })
})

describe('a word beside a note, a comment or a text box', () => {
  const content = (body: string) =>
    packed({
      mimetype: `${open}text`,
      'content.xml': `<o:document-content xmlns:o="o" xmlns:d="d" xmlns:t="t" xmlns:x="x" xmlns:s="s"><o:body>${body}</o:body></o:document-content>`,
    })
  const text = async (bytes: Buffer) => (await extractor.extract(bytes)).text

  it('stays whole in odt', async () => {
    const note =
      '<x:note><x:note-citation>1</x:note-citation><x:note-body><x:p>see below</x:p></x:note-body></x:note>'
    const comment =
      '<o:annotation><d:creator>Ann</d:creator><d:date>2026-01-31</d:date><x:p>really?</x:p></o:annotation>'
    const box = '<d:frame><d:text-box><x:p>in a box</x:p></d:text-box></d:frame>'
    const picture = '<d:frame><d:image/><s:title>Bench</s:title><s:desc>of oak</s:desc></d:frame>'
    const bytes = await content(
      `<x:p>hose${note}, lamp${comment}<x:span>post</x:span>${box}rose${picture}end</x:p>`,
    )
    expect(await text(bytes)).toBe(
      'hose\nsee below\n, lamp\nreally?\npost\nin a box\nrose\nBench\nof oak\nend\n',
    )
  })

  it('stays whole in docx', async () => {
    const box = '<w:pict><w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent></w:pict>'
    const xml = `<w:document xmlns:w="w"><w:p><w:r><w:t>hose</w:t>${box}<w:t>lamp</w:t><w:ptab/><w:t>rose</w:t></w:r></w:p></w:document>`
    expect(await text(await docx(xml))).toBe('hose\nin a box\nlamp\trose\n')
  })

  it('stays whole in RTF, where notes and boxes are text, too', async () => {
    const note = '{\\super\\chftn{\\*\\footnote\\ftnalt\\chftn see below}}'
    const comment = '{\\*\\atnauthor Ann}{\\*\\annotation{\\*\\atndate 17}really?}'
    const box =
      '{\\shp{\\*\\shpinst{\\sp{\\sn type}{\\sv 202}}{\\shptxt in a box\\par}}{\\shprslt for older readers}}'
    const rtf = `{\\rtf1 hose${note}, lamp${comment}post${box}rose\\emspace end}`
    expect(await text(Buffer.from(rtf))).toBe('hose\nsee below\n, lamp\nreally?\npost\nin a box\nrose end\n')
  })

  it('stays whole in a page, as does a number with a power', async () => {
    const page =
      '<html><p>hose<a href="#1"><sup>1</sup></a> lamp<sup><a href="#2">2</a></sup>, <a href="#3">area</a> 5 m<sup>2</sup>'
    expect(await text(Buffer.from(page))).toBe('hose 1 lamp 2, area 5 m2\n')
  })

  it('stays whole between the pictures and controls of a page', async () => {
    const page =
      '<html><p>oak<img src=a>lamp<label>Size</label><input><button>Buy</button><select><option>S</select>end'
    expect(oneLine(await text(Buffer.from(page))).trim()).toBe('oak lamp Size Buy S end')
    const spaced = '<html><p>oak <img src=a> lamp <button>Buy</button> <input>'
    expect(await text(Buffer.from(spaced))).toBe('oak lamp Buy\n')
  })

  it('is kept in the cell of an odt around another table', async () => {
    const table = (inner: string) =>
      `<t:table><t:table-row><t:table-cell>${inner}</t:table-cell></t:table-row></t:table>`
    const bytes = await content(table(`<x:p>before</x:p>${table('<x:p>inside</x:p>')}<x:p>after</x:p>`))
    expect(await text(bytes)).toBe('before\ninside\nafter\n')
  })
})

describe('text in sections of CDATA', () => {
  it('is text of documents and sheets', async () => {
    const document =
      '<w:document xmlns:w="w"><w:p><w:r><w:t><![CDATA[oak < elm]]></w:t></w:r></w:p></w:document>'
    expect((await extractor.extract(await docx(document))).text).toBe('oak < elm\n')
    const strings = '<sst><si><t><![CDATA[oak & elm]]></t></si></sst>'
    const sheet = '<worksheet><row><c t="s"><v>0</v></c></row></worksheet>'
    expect((await extractor.extract(await xlsx({ strings, sheet }))).text).toBe('One\noak & elm\n')
  })
})

describe('a repeated cell', () => {
  it('counts as often as it is there, and empty ones not at all', async () => {
    const cell = (times: number, text: string) =>
      `<table:table-cell table:number-columns-repeated="${times}">${text}</table:table-cell>`
    const content = `<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x"><office:body><table:table table:name="S"><table:table-row>${cell(3, '<text:p>a<text:s text:c="2"/>b</text:p>')}${cell(16_000, '')}</table:table-row></table:table></office:body></office:document-content>`
    const bytes = await packed({ mimetype: `${open}spreadsheet`, 'content.xml': content })
    expect((await extractor.extract(bytes)).text).toBe('S\na  b\ta  b\ta  b\n')
  })
})

describe('the title of a page', () => {
  it('is the first one that is not inside of a picture', async () => {
    const icon = '<svg><title>Close icon</title></svg>'
    const head = `${icon}<title>Hoses</title><title>Once more</title>`
    const found = await extractor.extract(Buffer.from(`<html>${head}<body>${icon}<p>Brass nozzle</p>`))
    expect(found).toMatchObject({ title: 'Hoses', text: 'Brass nozzle\n' })
    const none = await extractor.extract(Buffer.from(`<html><body>${icon}<p>Brass nozzle</p>`))
    expect(none.title).toBe(null)
  })
})

describe('charset and language', () => {
  const russian = 'Урожай в старом саду в этом году был небольшим, но яблоки были сладкими.'
  const bytesOf = (text: string, charset: string): Buffer => {
    // In a stream, because some versions of Node otherwise read windows-1252 as ISO 8859-1.
    const letter = (byte: number) => new TextDecoder(charset).decode(Uint8Array.of(byte), { stream: true })
    const table = new Map(Array.from({ length: 256 }, (_, i) => [letter(i), i]))
    return Buffer.from(Array.from(text, sign => table.get(sign)!))
  }

  const inShiftJis = new Map([
    ['ガーデンテーブルのセール', Buffer.from('834b815b836683938365815b8375838b82cc835a815b838b', 'hex')],
    [
      '木製の庭のベンチ、三日間の乾燥。',
      Buffer.from('96d890bb82cc92eb82cc83788393836081418e4f93fa8ad482cc8aa391878142', 'hex'),
    ],
  ])

  it.each(['windows-1251', 'KOI8-R', 'ISO-8859-5'])(
    'are found without a mark: Russian in %s',
    async charset => {
      const found = await extractor.extract(bytesOf(russian, charset))
      expect(found).toMatchObject({ text: `${russian}\n`, charset, language: 'ru' })
    },
  )

  it.each([
    ['Größe: 5 €', 'windows-1252'],
    ['Straße 5', 'windows-1252'],
    ['“Café” – l’été à 12,50 €', 'windows-1252'],
    ['La nouvelle voiture Škoda est très appréciée à l’étranger.', 'windows-1252'],
    ['El señor Miloš compró una cámara y mañana irá a Córdoba.', 'windows-1252'],
    ['Příliš žluťoučký kůň úpěl ďábelské ódy. Žena šla přes řeku.', 'windows-1250'],
    [
      'Stolna svjetiljka sa savitljivom rukom i prigušivačem. Širina sjenila je 20 centimetara.',
      'windows-1250',
    ],
    ['Stolná lampa s ohybným ramenom a stmievačom. Šírka tienidla je dvadsať centimetrov.', 'windows-1250'],
    ['ガーデンテーブルのセール', 'Shift_JIS'],
    ['木製の庭のベンチ、三日間の乾燥。', 'Shift_JIS'],
  ])('are found in a short text without a mark: %s', async (text, charset) => {
    const bytes = charset === 'Shift_JIS' ? inShiftJis.get(text)! : bytesOf(text, charset)
    expect((await extractor.extract(bytes)).text).toBe(`${text}\n`)
  })

  it('has the signs of windows-1252 in pages, RTF and mails that declare it', async () => {
    const said = '“5 €” – l’été'
    const bytes = bytesOf(said, 'windows-1252')
    const text = async (before: string, after = '') =>
      (await extractor.extract(Buffer.concat([Buffer.from(before), bytes, Buffer.from(after)]))).text
    expect(await text('<html><meta charset="windows-1252"><p>')).toBe(`${said}\n`)
    expect(await text('{\\rtf1\\ansi\\ansicpg1252 ', '}')).toBe(`${said}\n`)
    const type = 'Content-Type: text/plain; charset=windows-1252'
    expect(await text(`From: a@mill.example\nSubject: Oak\n${type}\n\n`)).toBe(`${said}\n`)
  })

  it('are found in UTF-16, with a mark and without', async () => {
    const plain = Buffer.from(russian, 'utf16le')
    const marked = Buffer.concat([Buffer.from([0xff, 0xfe]), plain])
    const swapped = Buffer.from(plain).swap16()
    for (const [bytes, charset] of [
      [plain, 'UTF-16LE'],
      [marked, 'UTF-16LE'],
      [swapped, 'UTF-16BE'],
    ] as const)
      expect(await extractor.extract(bytes)).toMatchObject({ text: `${russian}\n`, charset, language: 'ru' })
  })

  it('a byte order mark is no text, and too little text has no language', async () => {
    const found = await extractor.extract(Buffer.from('\ufeffLampe', 'utf8'))
    expect(found).toMatchObject({ text: 'Lampe\n', charset: 'UTF-8', language: null, length: 8 })
  })

  it.each([
    ['by a text that is no declaration', '<html><p>charset=windows-1251 '],
    ['by an element of a similar name', '<html><metadata charset=windows-1251><p>'],
    ['by a comment', '<html><!-- <meta charset="windows-1251"> <title>Old</title> --><p>'],
    ['by a script', '<html><script>"<meta charset=windows-1251>"</script><p>'],
    ['by another attribute', '<html><meta name="keywords" content="charset=windows-1251"><p>'],
    ['as UTF-16, which it cannot be', '<html><meta charset="utf-16le"><p>'],
  ])('a page is not misled %s', async (_, begin) => {
    const found = await extractor.extract(Buffer.from(`${begin}сад</p>`))
    expect(found.text.trim()).toMatch(/сад$/)
    expect(found).toMatchObject({ charset: 'UTF-8', title: null })
  })

  it.each([
    '<html><meta charset="windows-1251"><p>',
    '<html><!-- older --><META content="text/html; charset=windows-1251" http-equiv=Content-Type><p>',
    '<?xml version="1.0" encoding="windows-1251"?><!DOCTYPE html><html><p>',
    '<!--><meta charset=windows-1251><meta charset=utf-8><p>',
  ])('a page is read in the charset that it declares: %s', async begin => {
    const page = Buffer.concat([Buffer.from(begin), bytesOf('сад', 'windows-1251')])
    const found = await extractor.extract(page, { name: 'page.html' })
    expect(found).toMatchObject({ text: 'сад\n', charset: 'windows-1251' })
  })
})

describe('extract', () => {
  it('reads one file, and its process ends with it', async () => {
    expect((await extract(file('letter.docx'))).title).toBe('Care of wooden garden benches')
  })
})

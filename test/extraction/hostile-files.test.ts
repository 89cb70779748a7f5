import { readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { Extractor, extract } from 'findling/extract'
import { afterAll, describe, expect, it } from 'vitest'
import { docx, emptyParts, packed, pdf, xlsx } from './packed.ts'

const MB = 2 ** 20
const extractor = new Extractor({ processes: 1, memoryLimit: 32 * MB })
afterAll(() => extractor.close())

const file = (name: string): Buffer => readFileSync(new URL(`../fixtures/files/${name}`, import.meta.url))
const codeOf = (bytes: Uint8Array, of = extractor): Promise<string> =>
  of.extract(bytes).then(
    () => 'read',
    error => error.code,
  )
const goesOn = async () =>
  expect((await extractor.extract(Buffer.from('still here'))).text).toBe('still here\n')

describe('a file that is no file of a known kind', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'FILE_BROKEN'],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'FILE_UNSUPPORTED'],
    ['zeros', Buffer.alloc(5000), 'FILE_UNSUPPORTED'],
    ['an office file of old', Buffer.from(`d0cf11e0a1b11ae1${'00'.repeat(512)}`, 'hex'), 'FILE_UNSUPPORTED'],
    ['a beginning of a PDF', Buffer.from('%PDF-1.7\nnothing else'), 'FILE_BROKEN'],
    ['half a zip file', file('letter.docx').subarray(0, 4000), 'FILE_BROKEN'],
    ['half an RTF file', file('letter.rtf').subarray(0, 4000), 'FILE_BROKEN'],
  ])('is refused: %s', async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code)
  })

  it('is refused as a zip file of something else', async () => {
    expect(await codeOf(await packed({ 'notes.txt': 'hello' }))).toBe('FILE_UNSUPPORTED')
  })
})

describe('an encrypted file', () => {
  it('is refused as such', async () => {
    expect(await codeOf(file('locked.pdf'))).toBe('FILE_ENCRYPTED')
    const container = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(600),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ])
    expect(await codeOf(container)).toBe('FILE_ENCRYPTED')
    const manifest = '<manifest><file-entry><encryption-data/></file-entry></manifest>'
    const mimetype = 'application/vnd.oasis.opendocument.text'
    const odt = await packed({ mimetype, 'META-INF/manifest.xml': manifest, 'content.xml': 'x' })
    expect(await codeOf(odt)).toBe('FILE_ENCRYPTED')
  })
})

describe('XML inside a file', () => {
  it.each([
    ['that declares entities', '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><d><t>&b;</t></d>'],
    ['that names a file outside', '<!DOCTYPE d SYSTEM "file:///etc/passwd"><d/>'],
    ['that uses an entity', '<d><t>&b;</t></d>'],
    ['that is not well-formed', '<d><t>hello</d>'],
    ['that has elements without end', '<d>'.repeat(5000)],
    ['that is not in Unicode', Buffer.from('<d>\xff\xfe</d>', 'latin1')],
  ])('%s is refused', async (_, xml) => {
    expect(await codeOf(await docx(xml))).toBe('FILE_BROKEN')
  })
})

describe('a file that wants too much', () => {
  const spaces = Buffer.alloc(8 * MB, 32)

  it('of unpacked bytes is refused: a zip bomb', async () => {
    const small = new Extractor({ processes: 1, unpackedLimit: MB })
    const failure = await small.extract(await docx(spaces)).catch(error => error)
    expect(failure).toMatchObject({ code: 'FILE_LIMIT', details: { limit: 'unpacked' } })
    expect(failure.message).toContain('or a larger unpackedLimit')
    expect(await codeOf(Buffer.alloc(MB + 1, 'a'), small)).toBe('FILE_LIMIT')
    expect((await small.extract(Buffer.alloc(MB, 'a'))).length).toBe(MB)
    await small.close()
  })

  it('of text is refused: one string in a hundred thousand cells', async () => {
    const strings = `<sst><si><t>${'x'.repeat(30_000)}</t></si></sst>`
    const sheet = `<s>${'<row><c t="s"><v>0</v></c></row>'.repeat(100_000)}</s>`
    const failure = await extractor.extract(await xlsx({ strings, sheet })).catch(error => error)
    expect(failure).toMatchObject({ code: 'FILE_LIMIT', details: { limit: 'text' } })
    expect(failure.message).toContain('or a larger textLimit')
    const bytes = Buffer.from('12345678')
    expect((await extract(bytes, { textLimit: 8 })).text).toBe('12345678\n')
    await expect(extract(bytes, { textLimit: 7 })).rejects.toMatchObject({ code: 'FILE_LIMIT' })
  })

  it('of memory is refused, the process ends and the next file is read', async () => {
    const twice = deflateSync(deflateSync(Buffer.alloc(130 * MB, 32), { level: 1 }))
    const failure = await extractor.extract(pdf(twice, '[/FlateDecode /FlateDecode]')).catch(error => error)
    expect(failure).toMatchObject({ code: 'FILE_LIMIT', details: { limit: 'memory' } })
    expect(failure.message).toContain('or a larger memoryLimit')
    await goesOn()
    const strings = `<sst>${'<si><t>abcdefghijkl</t></si>'.repeat(1_000_000)}</sst>`
    const heap = await extractor.extract(await xlsx({ strings, sheet: '<s/>' })).catch(error => error)
    expect(heap).toMatchObject({ code: 'FILE_LIMIT', details: { limit: 'memory' } })
    await goesOn()
  })

  it('of time is refused, and the next file is read', async () => {
    const hasty = new Extractor({ processes: 1, timeLimitMs: 1 })
    const failure = await hasty.extract(file('letter.pdf')).catch(error => error)
    expect(failure).toMatchObject({ code: 'FILE_LIMIT', details: { limit: 'time' } })
    expect(failure.message).toContain('or a larger timeLimitMs')
    await hasty.close()
    await goesOn()
  })

  it('of depth is refused', async () => {
    expect(await codeOf(Buffer.from(`{\\rtf1${'{'.repeat(5000)}`))).toBe('FILE_BROKEN')
    expect(await codeOf(Buffer.from(`<html>${'<div>'.repeat(100_000)}`))).toBe('FILE_BROKEN')
  })
})

describe('a file that is simple to write and hard to hold', () => {
  const own = new Extractor({ processes: 1 })
  afterAll(() => own.close())
  const attributes = (count: number, nameOf: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => ` ${nameOf(i)}="1"`).join('')
  const unlike = (i: number) => `a${i.toString(36)}`
  const limitOf = async (bytes: Uint8Array) => (await own.extract(bytes).catch(error => error)).details?.limit

  it.each([1_000_000, 2_000_000])('is refused: a paragraph with %i attributes', async count => {
    const bytes = await docx(`<d><p${attributes(count, unlike)}><t>x</t></p></d>`)
    expect(await limitOf(bytes)).toBe('attributes')
    expect((await own.extract(Buffer.from('still here'))).text).toBe('still here\n')
  })

  it('is refused: elements and attributes of ever new names', async () => {
    const elements = Array.from({ length: 25_000 }, (_, i) => `<${unlike(i)}/>`).join('')
    expect(await limitOf(await docx(`<d>${elements}</d>`))).toBe('names')
    const few = Array.from({ length: 300 }, (_, i) => `<p${attributes(100, j => unlike(100 * i + j))}/>`)
    expect(await limitOf(await docx(`<d>${few.join('')}</d>`))).toBe('names')
  })

  it('is read: what the formats really have, at its largest', async () => {
    const spaces = attributes(900, i => `xmlns:n${i}`)
    expect((await own.extract(await docx(`<d${spaces}><p><r><t>x</t></r></p></d>`))).text).toBe('x\n')
    // As many cells as a row can have.
    const row = `<row>${'<c><v>1</v></c>'.repeat(16_384)}</row>`
    const { text } = await own.extract(await xlsx({ strings: '<sst/>', sheet: `<s>${row}</s>` }))
    expect(text.split('\t')).toHaveLength(16_384)
  })

  it('is read without them: a page with an element of 3,000,000 attributes', async () => {
    const page = `<html><body><p${attributes(3_000_000, unlike)}>Brass nozzle`
    expect((await own.extract(Buffer.from(page))).text).toBe('Brass nozzle\n')
  })

  it('is refused: a zip file of very many parts, whatever it says how many there are', async () => {
    const many = emptyParts(20_001)
    expect(await limitOf(many)).toBe('parts')
    expect(await codeOf(emptyParts(20_000))).toBe('FILE_UNSUPPORTED')
    const end = many.lastIndexOf('PK\u0005\u0006')
    many.writeUInt16LE(3, end + 8)
    many.writeUInt16LE(3, end + 10)
    expect(['FILE_BROKEN', 'FILE_UNSUPPORTED']).toContain(await codeOf(many, own))
  })

  it('is refused: a mail of very many files, and files in them', async () => {
    const part = '--b\nContent-Type: message/rfc822\n\nFrom: a@mill.example\n\nOak\n'
    const mail = (parts: string) =>
      `From: a@mill.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n${parts}--b--\n`
    expect(await limitOf(Buffer.from(mail(part.repeat(1001))))).toBe('files')
    const inner = Buffer.from(mail(part.repeat(40))).toString('base64')
    const attached = `--b\nContent-Type: message/rfc822\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n${inner}\n`
    expect(await limitOf(Buffer.from(mail(attached.repeat(30))))).toBe('files')
    expect(await codeOf(Buffer.from(mail(part.repeat(1000))), own)).toBe('read')
  })

  it('is read as far as anybody nests them: mails in mails, a hundred deep', async () => {
    const lines = 'The lamp is green.\n'.repeat(20)
    let mail = `From: a@mill.example\nSubject: innermost\n\n${lines}`
    for (let i = 99; i >= 0; i--)
      mail = `From: a@mill.example\nSubject: mail ${i}\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b${i}"\n\n--b${i}\nContent-Type: message/rfc822\n\n${mail}\n--b${i}--\n`
    const { text, title } = await own.extract(Buffer.from(mail))
    expect([title, text]).toEqual(['mail 0', 'mail 1\nmail 2\nmail 3\nmail 4\n'])
  })

  it('keeps nothing of what nobody asked for: fonts, and what a document tells of itself', async () => {
    const fonts = Array.from({ length: 100_000 }, (_, i) => `{\\f${i}\\fcharset0 a;}`).join('')
    const info = Array.from({ length: 100_000 }, (_, i) => `{\\q${unlike(i).replace(/\d/g, 'x')} a}`).join('')
    const rtf = `{\\rtf1{\\fonttbl${fonts}}{\\info{\\title Hoses}${info}}Brass}`
    expect(await own.extract(Buffer.from(rtf))).toMatchObject({ title: 'Hoses', text: 'Brass\n' })
    const metas = Array.from({ length: 200_000 }, (_, i) => `<meta name=n${i} content=x>`).join('')
    const page = `<html>${metas}<meta name=author content=Jo><p>Brass`
    expect(await own.extract(Buffer.from(page))).toMatchObject({ author: 'Jo', text: 'Brass\n' })
  })
})

describe('a PDF file that unpacks to very much', () => {
  it('is refused again and again, and takes no more memory each time', async () => {
    const bomb = pdf(deflateSync(Buffer.alloc(600 * MB, 32), { level: 1 }))
    const own = new Extractor({ processes: 1 })
    const before = process.memoryUsage.rss()
    for (let i = 0; i < 4; i++) expect(await codeOf(bomb, own)).toBe('FILE_LIMIT')
    expect(process.memoryUsage.rss() - before).toBeLessThan(700 * MB)
    await own.close()
  })
})

describe('a fixture with changed bytes', () => {
  it('is read or refused with a code for files, whatever is changed', async () => {
    const codes = ['read', 'FILE_UNSUPPORTED', 'FILE_BROKEN', 'FILE_ENCRYPTED', 'FILE_LIMIT']
    const names = [
      'letter.docx',
      'letter.odt',
      'letter.pdf',
      'letter.rtf',
      'letter.html',
      'letter.eml',
      'stock.xlsx',
    ]
    const files = fc.constantFrom(...names.map(file))
    const change = fc.tuple(fc.nat(), fc.nat(255))
    // With its memory as it is: to begin new threads would take most of the time.
    const own = new Extractor({ processes: 1 })
    await fc.assert(
      fc.asyncProperty(files, fc.array(change, { minLength: 1, maxLength: 20 }), async (bytes, changes) => {
        const changed = Buffer.from(bytes)
        for (const [at, value] of changes) changed[at % changed.length] = value
        expect(codes).toContain(await codeOf(changed, own))
      }),
      { numRuns: 12 },
    )
    expect((await own.extract(Buffer.from('still here'))).text).toBe('still here\n')
    await own.close()
  })
})

describe('Extractor', () => {
  it('refuses what is no file and no option', async () => {
    await expect(extractor.extract('text' as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { field: 'bytes' },
    })
    await expect(extractor.extract(Buffer.from('a'), { nam: 'a' } as never)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    for (const [options, field] of [
      [null, ''],
      [{ timeLimit: 1 }, 'timeLimit'],
      [{ name: 1 }, 'name'],
    ] as const)
      await expect(extract(Buffer.from('a'), options as never)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { field },
      })
    expect(() => new Extractor({ memoryLimit: 1 })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    )
  })

  it('stops when asked to, and when it is closed', async () => {
    const stop = new AbortController()
    const stopped = extractor.extract(file('letter.pdf'), { signal: stop.signal })
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(
      extractor.extract(file('letter.pdf'), { signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({ code: 'CANCELLED' })
    const other = new Extractor()
    const closed = other.extract(file('letter.pdf'))
    const refused = expect(closed).rejects.toMatchObject({ code: 'CLOSED' })
    await other.close()
    await refused
  })

  it('reads more files than it has threads', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => `number ${i}`)
    const found = await Promise.all(texts.map(text => extractor.extract(Buffer.from(text))))
    expect(found.map(({ text }) => text.trim())).toEqual(texts)
  })
})

import { deflateSync } from 'node:zlib'
import { packed } from '../test/extraction/packed.ts'
import { pick, random, randomInteger } from './random.ts'
import { syllableWords } from './synthetic.ts'

/** A file that was made here, so that what it says is known. */
export interface MadeFile {
  readonly format: Format
  readonly bytes: Buffer
  /** Its words, in order, parted by single blanks. */
  readonly says: string
}

export const formats = ['txt', 'html', 'rtf', 'eml', 'pdf', 'docx', 'odt', 'pptx', 'xlsx', 'ods'] as const
export type Format = (typeof formats)[number]

/** Files of so many characters each, with the same paragraphs in all; in tables each is a cell, in rows of ten. Office programs open them, too. */
export async function madeFiles(characters: number): Promise<MadeFile[]> {
  const paragraphs = paragraphsOf(characters)
  const says = paragraphs.join(' ')
  return await Promise.all(
    formats.map(async format => ({ format, says, bytes: Buffer.from(await writers[format](paragraphs)) })),
  )
}

function paragraphsOf(characters: number): string[] {
  const vocabulary = syllableWords(5_000, 11)
  const next = random(3)
  const paragraphs: string[] = []
  for (let length = 0; length < characters; length += paragraphs.at(-1)!.length + 1) {
    const words = Array.from({ length: 20 + randomInteger(next, 80) }, () => pick(next, vocabulary))
    paragraphs.push(`${words.join(' ')}.`)
  }
  return paragraphs
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  )
}

const office = 'application/vnd.openxmlformats-officedocument.'
const schemas = 'http://schemas.openxmlformats.org'
const relationships = `xmlns:r="${schemas}/officeDocument/2006/relationships"`
const open = 'urn:oasis:names:tc:opendocument:xmlns'
const openDocument = 'application/vnd.oasis.opendocument.'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** @param types by part, behind `office`; the first is the main one */
function officeOpen(types: Record<string, string>, parts: Record<string, string>): Promise<Buffer> {
  const [main] = Object.keys(types)
  const overrides = Object.entries(types).map(
    ([name, type]) => `<Override PartName="/${name}" ContentType="${office}${type}+xml"/>`,
  )
  return packed({
    '[Content_Types].xml': `${declaration}<Types xmlns="${schemas}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${overrides.join('')}</Types>`,
    '_rels/.rels': relations('officeDocument', [main!]),
    ...parts,
  })
}

function relations(type: string, targets: readonly string[]): string {
  const all = targets.map(
    (target, i) =>
      `<Relationship Id="r${i + 1}" Type="${schemas}/officeDocument/2006/relationships/${type}" Target="${target}"/>`,
  )
  return `${declaration}<Relationships xmlns="${schemas}/package/2006/relationships">${all.join('')}</Relationships>`
}

/** Every word processor writes each paragraph with its style, and each run with its own. */
const wordRun = (text: string) =>
  `<w:r><w:rPr><w:rFonts w:ascii="Carlito"/><w:sz w:val="22"/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`

function wordParagraph(text: string): string {
  const half = text.indexOf(' ', text.length / 2)
  const runs = [text.slice(0, half), text.slice(half)].map(wordRun)
  return `<w:p><w:pPr><w:pStyle w:val="Normal"/><w:spacing w:after="120"/></w:pPr>${runs.join('')}</w:p>`
}

const slide = (paragraphs: readonly string[]) =>
  `${declaration}<p:sld xmlns:p="${schemas}/presentationml/2006/main" xmlns:a="${schemas}/drawingml/2006/main"><p:cSld><p:spTree><p:sp><p:txBody>${paragraphs
    .map(text => `<a:p><a:pPr lvl="1"/><a:r><a:rPr lang="en-GB" sz="1800"/><a:t>${text}</a:t></a:r></a:p>`)
    .join('')}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`

function openFile(kind: 'text' | 'spreadsheet', body: string): Promise<Buffer> {
  const names = ['office', 'text', 'table'].map(name => `xmlns:${name}="${open}:${name}:1.0"`).join(' ')
  const content = `${declaration}<office:document-content ${names} office:version="1.2"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`
  const entry = (path: string, type: string) =>
    `<manifest:file-entry manifest:full-path="${path}" manifest:media-type="${type}"/>`
  const manifest = `${declaration}<manifest:manifest xmlns:manifest="${open}:manifest:1.0" manifest:version="1.2">${entry('/', openDocument + kind)}${entry('content.xml', 'text/xml')}</manifest:manifest>`
  return packed({
    mimetype: openDocument + kind,
    'content.xml': content,
    'META-INF/manifest.xml': manifest,
  })
}

/** Pages of fifty lines each, packed. */
function pdf(paragraphs: readonly string[]): string {
  const lines = paragraphs.flatMap(text => text.match(/.{1,90}(?: |$)/g) ?? [])
  const pages = inGroups(lines, 50).map(page => {
    const shown = page.map(line => `(${line.trimEnd()}) Tj T*`).join('\n')
    return deflateSync(`BT /F1 10 Tf 12 TL 40 800 Td\n${shown}\nET`).toString('latin1')
  })
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...pages.flatMap((stream, i) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents ${5 + 2 * i} 0 R/Resources<</Font<</F1 3 0 R>>>>>>`,
      `<</Length ${stream.length}/Filter/FlateDecode>>\nstream\n${stream}\nendstream`,
    ]),
  ]
  const chunks = ['%PDF-1.5\n']
  let length = chunks[0]!.length
  const places = objects.map((object, i) => {
    const place = `${String(length).padStart(10, '0')} 00000 n \n`
    const chunk = `${i + 1} 0 obj\n${object}\nendobj\n`
    chunks.push(chunk)
    length += chunk.length
    return place
  })
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${places.join('')}trailer\n<</Size ${count}/Root 1 0 R>>\n`
  return [...chunks, table, `startxref\n${length}\n%%EOF`].join('')
}

const quotedPrintable = (text: string) => text.replace(/.{1,75}(?=.)/g, '$&=\r\n')

const writers: Record<Format, (paragraphs: readonly string[]) => string | Buffer | Promise<Buffer>> = {
  txt: paragraphs => `${paragraphs.join('\n')}\n`,
  html: paragraphs =>
    `<!DOCTYPE html><html><head><meta charset="utf-8"></head><body>${paragraphs
      .map(text => `<p class="body">${text.replace(' ', ' <em>').replace(/ (\S+)$/, '</em> $1')}</p>\n`)
      .join('')}</body></html>`,
  rtf: paragraphs =>
    `{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Carlito;}}\n${paragraphs
      .map(text => `\\pard\\plain\\sa120\\f0\\fs22 {\\rtlch\\ltrch\\loch ${text}}\\par\n`)
      .join('')}}`,
  eml: paragraphs =>
    `From: a@mill.example\r\nTo: b@mill.example\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${paragraphs
      .map(quotedPrintable)
      .join('\r\n')}\r\n`,
  pdf: paragraphs => Buffer.from(pdf(paragraphs), 'latin1'),
  docx: paragraphs =>
    officeOpen(
      { 'word/document.xml': 'wordprocessingml.document.main' },
      {
        'word/document.xml': `${declaration}<w:document xmlns:w="${schemas}/wordprocessingml/2006/main"><w:body>${paragraphs.map(wordParagraph).join('')}</w:body></w:document>`,
      },
    ),
  odt: paragraphs =>
    openFile('text', paragraphs.map(text => `<text:p text:style-name="P1">${text}</text:p>`).join('')),
  pptx: paragraphs => {
    const slides = inGroups(paragraphs, 5).map((group, i) => [`ppt/slides/slide${i + 1}.xml`, slide(group)])
    const types = slides.map(([name]) => [name, 'presentationml.slide'])
    return officeOpen(
      { 'ppt/presentation.xml': 'presentationml.presentation.main', ...Object.fromEntries(types) },
      {
        'ppt/presentation.xml': `${declaration}<p:presentation xmlns:p="${schemas}/presentationml/2006/main"/>`,
        ...Object.fromEntries(slides),
      },
    )
  },
  xlsx: paragraphs => {
    const rows = inGroups([...paragraphs.keys()], 10).map(
      row => `<row>${row.map(i => `<c t="s" s="1"><v>${i}</v></c>`).join('')}</row>`,
    )
    const strings = paragraphs.map(text => `<si><t>${text}</t></si>`)
    return officeOpen(
      {
        'xl/workbook.xml': 'spreadsheetml.sheet.main',
        'xl/sharedStrings.xml': 'spreadsheetml.sharedStrings',
        'xl/sheet1.xml': 'spreadsheetml.worksheet',
      },
      {
        'xl/workbook.xml': `${declaration}<workbook xmlns="${schemas}/spreadsheetml/2006/main" ${relationships}><sheets><sheet name="Made" sheetId="1" r:id="r1"/></sheets></workbook>`,
        'xl/_rels/workbook.xml.rels': relations('worksheet', ['sheet1.xml']),
        'xl/sharedStrings.xml': `${declaration}<sst>${strings.join('')}</sst>`,
        'xl/sheet1.xml': `${declaration}<worksheet><sheetData>${rows.join('')}</sheetData></worksheet>`,
      },
    )
  },
  ods: paragraphs => {
    const rows = inGroups(paragraphs, 10).map(
      row =>
        `<table:table-row>${row.map(text => `<table:table-cell><text:p>${text}</text:p></table:table-cell>`).join('')}</table:table-row>`,
    )
    return openFile('spreadsheet', `<table:table>${rows.join('')}</table:table>`)
  },
}

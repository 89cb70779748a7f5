import { ZipFile } from 'yazl'

/** A zip file of these parts. */
export async function packed(parts: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  const chunks: Buffer[] = []
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks)
}

const office = 'application/vnd.openxmlformats-officedocument.'
const types = (parts: Record<string, string>): string =>
  `<Types>${Object.entries(parts)
    .map(([name, type]) => `<Override PartName="/${name}" ContentType="${office}${type}+xml"/>`)
    .join('')}</Types>`

/** A docx file with this main part. */
export const docx = (document: string | Buffer): Promise<Buffer> =>
  packed({
    '[Content_Types].xml': types({ 'main.xml': 'wordprocessingml.document.main' }),
    'main.xml': document,
  })

/** A docx file that is quickly sent and slowly read: three megabytes when it is unpacked. */
export const slowDocx = (word: string): Promise<Buffer> =>
  docx(`<w:document><w:body>${`<w:p><w:t>${word}</w:t></w:p>`.repeat(120_000)}</w:body></w:document>`)

/** An xlsx file with these parts. */
export const xlsx = (parts: { strings: string; sheet: string }): Promise<Buffer> =>
  packed({
    '[Content_Types].xml': types({
      'book.xml': 'spreadsheetml.sheet.main',
      'strings.xml': 'spreadsheetml.sharedStrings',
      'sheet.xml': 'spreadsheetml.worksheet',
    }),
    'book.xml': '<workbook xmlns:r="r"><sheet name="One" r:id="r1"/></workbook>',
    '_rels/book.xml.rels': '<Relationships><Relationship Id="r1" Target="sheet.xml"/></Relationships>',
    'strings.xml': parts.strings,
    'sheet.xml': parts.sheet,
  })

/** A PDF file of one page, drawn by a stream that is packed as the filter says. */
export function pdf(stream: Buffer, filter = '/FlateDecode'): Buffer {
  const font = '<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>'
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font${font}>>>>`,
    `<</Length ${stream.length}/Filter ${filter}>>\nstream\n${stream.toString('latin1')}\nendstream`,
  ]
  let file = '%PDF-1.5\n'
  const places = objects.map((object, i) => {
    const place = String(file.length).padStart(10, '0')
    file += `${i + 1} 0 obj\n${object}\nendobj\n`
    return `${place} 00000 n \n`
  })
  const table = `xref\n0 5\n0000000000 65535 f \n${places.join('')}trailer\n<</Size 5/Root 1 0 R>>\n`
  return Buffer.from(`${file}${table}startxref\n${file.length}\n%%EOF`, 'latin1')
}

/** A zip file of so many empty parts. */
export function emptyParts(count: number): Buffer {
  const names = Array.from({ length: count }, (_, i) => `p${String(i).padStart(7, '0')}`)
  const local = names.map(name => {
    const header = Buffer.alloc(30)
    header.write('PK\u0003\u0004', 'latin1')
    header.writeUInt16LE(name.length, 26)
    return Buffer.concat([header, Buffer.from(name)])
  })
  const central = names.map((name, i) => {
    const header = Buffer.alloc(46)
    header.write('PK\u0001\u0002', 'latin1')
    header.writeUInt16LE(name.length, 28)
    header.writeUInt32LE(i * local[0]!.length, 42)
    return Buffer.concat([header, Buffer.from(name)])
  })
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 'latin1')
  end.writeUInt16LE(count & 0xffff, 8)
  end.writeUInt16LE(count & 0xffff, 10)
  end.writeUInt32LE(count * central[0]!.length, 12)
  end.writeUInt32LE(count * local[0]!.length, 16)
  return Buffer.concat([...local, ...central, end])
}

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

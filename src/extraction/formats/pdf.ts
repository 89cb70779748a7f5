import { type Budget, brokenFile, encryptedFile } from '../reader/budget.ts'
import { type Content, isoDate } from '../reader/content.ts'
import { optional } from '../reader/packages.ts'
import { unpackWithin } from '../reader/pdf-unpacking.ts'
import { oneLine, PlainText } from '../reader/plain-text.ts'

/** Reads page by page, keeping the lines of text. Nothing is drawn, no script runs, no font is fetched. */
export async function readPdf(bytes: Uint8Array, budget: Budget): Promise<Content> {
  const refuse = unpackWithin(budget)
  const { getDocumentProxy } = await optional('unpdf', 'PDF files', () => import('unpdf'))
  try {
    const document = await getDocumentProxy(new Uint8Array(bytes), {
      isEvalSupported: false,
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
      // No messages.
      verbosity: 0,
    })
    const text = new PlainText(budget)
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number)
      const { items } = await page.getTextContent()
      for (const item of items) {
        if (!('str' in item)) continue
        text.add(item.str)
        if (item.hasEOL) text.add('\n')
      }
      text.endLine()
      page.cleanup()
      refuse()
    }
    const { info } = await document.getMetadata()
    const told = (name: string): string | undefined => {
      const value: unknown = Reflect.get(info, name)
      return typeof value === 'string' ? value : undefined
    }
    return {
      text: text.toString(),
      title: oneLine(told('Title')),
      author: oneLine(told('Author')),
      date: pdfDate(told('ModDate')) ?? pdfDate(told('CreationDate')),
      keywords: oneLine(told('Keywords')),
      contentType: 'application/pdf',
      charset: null,
    }
  } catch (error) {
    refuse()
    if (!(error instanceof Error) || error.name === 'FindlingError') throw error
    if (error.name === 'PasswordException') throw encryptedFile()
    throw brokenFile(error.message)
  }
}

/** `D:20260131174500+01'00'` (ISO 32000-1, 7.9.4). */
function pdfDate(text: string | undefined): string | null {
  const parts = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?([-+Z])?(\d\d)?'?(\d\d)?/.exec(text ?? '')
  if (!parts) return null
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', sign, hours, minutes] =
    parts
  const zone = sign === '+' || sign === '-' ? `${sign}${hours ?? '00'}:${minutes ?? '00'}` : 'Z'
  return isoDate(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
}

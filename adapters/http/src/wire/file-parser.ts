import type { ExtractedFile } from 'findling'
import * as z from 'zod'

const expected = 'the content of a file as base64 text'

/** Contract, 5.1: blanks and line ends are skipped; whole groups of four signs, at most three `=` at the end; not empty. */
const fileContent = z
  .string({ error: expected })
  .transform(text => text.replace(/[ \r\n]+/g, ''))
  .refine(isBase64, expected)

function isBase64(text: string): boolean {
  let padding = 0
  while (text[text.length - 1 - padding] === '=') padding++
  const signs = text.slice(0, text.length - padding)
  return text !== '' && text.length % 4 === 0 && padding <= 3 && !/[^A-Za-z0-9+/]/.test(signs)
}

/** Contract, 6.9. */
export const FileParserRequest = z
  .object({ Content: fileContent.describe('The file as base64 text') })
  .meta({ id: 'FileParserRequest' })

export const FileParserResult = z
  .object({
    Content: z.string().describe('The text; its last line ends, too'),
    Title: z.string().nullable(),
    Author: z.string().nullable(),
    Keywords: z.string().nullable(),
    Date: z.string().nullable().describe('yyyy-MM-dd HH:mm:ssZ, in UTC'),
    ContentType: z.string().describe('text/plain; charset=UTF-8'),
    ContentLength: z.int().describe('Bytes of the file'),
    Language: z.string().nullable().describe('Two letters of ISO 639-1'),
  })
  .meta({ id: 'FileParserResult' })

export const fileBytes = ({ Content }: z.output<typeof FileParserRequest>): Buffer =>
  Buffer.from(Content, 'base64')

export function fileParserResult(file: ExtractedFile): z.output<typeof FileParserResult> {
  const { text, title, author, keywords, date, contentType, charset, language, length } = file
  return {
    Content: text,
    Title: title,
    Author: author,
    Keywords: keywords,
    Date: date && `${date.slice(0, 19).replace('T', ' ')}Z`,
    ContentType: charset === null ? contentType : `${contentType}; charset=${charset}`,
    ContentLength: length,
    Language: language,
  }
}

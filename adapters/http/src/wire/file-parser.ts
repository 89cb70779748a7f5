import { setImmediate as breathe } from 'node:timers/promises'
import type { ExtractedFile } from 'findling'
import * as z from 'zod'
import { HttpError } from '../http/errors.ts'

const expected = 'the content of a file as base64 text'

/** Contract, 6.9. */
export const FileParserRequest = z
  .object({ Content: z.string({ error: expected }).describe('The file as base64 text') })
  .meta({ id: 'FileParserRequest' })

export const FileParserResult = z
  .object({
    Content: z.string().describe('The text; its last line also ends with a line break'),
    Title: z.string().nullable(),
    Author: z.string().nullable(),
    Keywords: z.string().nullable(),
    Date: z.string().nullable().describe('yyyy-MM-dd HH:mm:ssZ, in UTC'),
    ContentType: z.string().describe('text/plain; charset=UTF-8'),
    ContentLength: z.int().describe('Bytes of the file'),
    Language: z.string().nullable().describe('Two letters of ISO 639-1'),
  })
  .meta({ id: 'FileParserResult' })

/** Characters decoded at a time: about a millisecond, then other calls are served. */
const PIECE = 2 ** 18

/**
 * The bytes of base64 text. Contract, 5.1: spaces and line ends are skipped; whole groups of four signs, at most three `=` at
 * the end; not empty.
 */
export async function fileBytes({ Content }: z.output<typeof FileParserRequest>): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.ceil((Content.length * 3) / 4))
  let length = 0
  let open = ''
  let padding = 0
  for (let at = 0; at < Content.length; at += PIECE) {
    if (at > 0) await breathe()
    const piece = Content.slice(at, at + PIECE).replace(/[ \r\n]+/g, '')
    const [, signs = '', end = ''] = /^([A-Za-z0-9+/]*)(=*)$/.exec(piece) ?? refuse(Content)
    if (padding > 0 && signs !== '') refuse(Content)
    padding += end.length
    open += signs
    const whole = open.length - (open.length % 4)
    length += bytes.write(open.slice(0, whole), length, 'base64')
    open = open.slice(whole)
  }
  const isWhole = (open.length + padding) % 4 === 0 && padding <= 3 && (length > 0 || open !== '')
  if (!isWhole) refuse(Content)
  length += bytes.write(open, length, 'base64')
  return bytes.subarray(0, length)
}

function refuse(content: string): never {
  throw new HttpError(400, `Content is ${JSON.stringify(content.slice(0, 60))}; expected ${expected}`)
}

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

import { FindlingError } from '../../errors.ts'
import { withWesternSigns } from '../../western-signs.ts'
import { type Budget, brokenFile } from '../reader/budget.ts'
import { type Content, isoDate } from '../reader/content.ts'
import { optional } from '../reader/packages.ts'
import { oneLine, PlainText } from '../reader/plain-text.ts'
import { readMarkup } from './html.ts'

/** Maximum nesting depth of parts. */
const deepest = 100

/** Reads a file contained in another. */
export type InnerReader = (bytes: Buffer, name: string) => Promise<Content>

/**
 * A mail (RFC 5322, MIME) with the texts of its attachments, except those that cannot be read. Attached mails are treated as
 * files, too: the package itself would read each of them once for every mail around it.
 */
export async function readMail(bytes: Buffer, budget: Budget, readInner: InnerReader): Promise<Content> {
  budget.takeBytes(bytes.length)
  const { default: PostalMime } = await optional('postal-mime', 'mails', () => import('postal-mime'))
  const mail = await PostalMime.parse(bytes, { maxRfc822NestingDepth: 0, maxNestingDepth: deepest }).catch(
    error => {
      throw brokenFile(error instanceof Error ? error.message : String(error))
    },
  )
  budget.takeFiles(mail.attachments.length)
  const text = new PlainText(budget)
  // The package decodes with TextDecoder.
  if (mail.text?.trim()) text.add(withWesternSigns(mail.text))
  else if (mail.html) text.add((await readMarkup(withWesternSigns(mail.html), budget)).text)
  text.endLine()
  for (const { content, filename } of mail.attachments) {
    if (filename) text.add(`${filename}\n`)
    text.add(await innerText(content, filename ?? '', readInner))
    text.endLine()
  }
  return {
    text: text.toString(),
    title: oneLine(withWesternSigns(mail.subject ?? '')),
    author: oneLine(withWesternSigns(mail.from?.name || mail.from?.address || '')),
    date: isoDate(mail.date),
    keywords: oneLine(mail.headers.find(({ key }) => key === 'keywords')?.value),
    contentType: 'message/rfc822',
    charset: null,
  }
}

const unread = ['FILE_UNSUPPORTED', 'FILE_BROKEN', 'FILE_ENCRYPTED']

async function innerText(
  content: ArrayBuffer | Uint8Array | string,
  name: string,
  readInner: InnerReader,
): Promise<string> {
  if (typeof content === 'string') return content
  const bytes =
    content instanceof ArrayBuffer
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  try {
    const { text, title, contentType } = await readInner(bytes, name)
    return contentType === 'message/rfc822' && title ? `${title}\n${text}` : text
  } catch (error) {
    if (error instanceof FindlingError && unread.includes(error.code)) return ''
    throw error
  }
}

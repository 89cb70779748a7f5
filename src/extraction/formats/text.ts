import { type Budget, unsupportedFile } from '../reader/budget.ts'
import { decodeText } from '../reader/charset.ts'
import type { Content } from '../reader/content.ts'
import { tidy } from '../reader/plain-text.ts'

/** Plain text and tables. */
export async function readText(bytes: Uint8Array, name: string, budget: Budget): Promise<Content> {
  budget.takeBytes(bytes.length)
  const { text, charset } = await decodeText(bytes)
  if (!isText(text)) throw unsupportedFile('of another kind')
  budget.takeText(text.length)
  const isTable = /\.(csv|tsv)$/i.test(name) || (!/\.\w{1,9}$/.test(name) && hasColumns(text))
  return {
    text: tidy(text),
    title: null,
    author: null,
    date: null,
    keywords: null,
    contentType: isTable ? 'text/csv' : 'text/plain',
    charset,
  }
}

/** Bytes that are not text contain many control characters; up to one percent is tolerated. */
function isText(text: string): boolean {
  const length = Math.min(text.length, 100_000)
  let strange = 0
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if ((code < 32 && (code < 9 || code > 13) && code !== 27) || code === 0xfffd) strange++
  }
  return strange * 100 <= length
}

/** At least three lines with equally many columns: two or more separated by tabs or semicolons, or three or more by commas. */
function hasColumns(text: string): boolean {
  const lines = text
    .slice(0, 20_000)
    .split('\n')
    .filter(line => line.trim() !== '')
    .slice(0, 20)
  if (lines.length < 3) return false
  return ['\t', ';', ','].some(sign => {
    const columns = columnsOf(lines[0]!, sign)
    return columns >= (sign === ',' ? 3 : 2) && lines.every(line => columnsOf(line, sign) === columns)
  })
}

/** Separators in quotes do not count. */
function columnsOf(line: string, sign: string): number {
  let columns = 1
  let isQuoted = false
  for (const one of line) {
    if (one === '"') isQuoted = !isQuoted
    else if (one === sign && !isQuoted) columns++
  }
  return columns
}

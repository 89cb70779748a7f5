import type { Match } from 'chardet'
import { withWesternSigns } from '../../western-signs.ts'
import { optional } from './packages.ts'

export interface DecodedText {
  readonly text: string
  readonly charset: string
}

const marks: [bytes: number[], charset: string][] = [
  [[0xef, 0xbb, 0xbf], 'UTF-8'],
  [[0xff, 0xfe], 'UTF-16LE'],
  [[0xfe, 0xff], 'UTF-16BE'],
]

/** The charset according to the byte order mark. */
function markedCharset(bytes: Uint8Array): string | undefined {
  return marks.find(([mark]) => mark.every((byte, i) => bytes[i] === byte))?.[1]
}

/**
 * Decodes text: by its byte order mark, else as declared, else as UTF-8 or UTF-16 if it is that, else as the most likely charset.
 * @param declared by the file itself; ignored if it is not a charset
 */
export async function decodeText(bytes: Uint8Array, declared?: string): Promise<DecodedText> {
  const known = markedCharset(bytes) ?? (isCharset(declared) ? declared : undefined)
  if (known) return { text: decoded(bytes, known), charset: usualName(known) }
  const unicode = asUtf8(bytes) ?? asUtf16(bytes)
  if (unicode) return unicode
  const { analyse } = await optional('chardet', 'texts that are not in Unicode', () => import('chardet'))
  const sample = bytes.subarray(0, 200_000)
  const matches = analyse(sample)
  const found = isCentralEuropean(matches, sample) ? 'windows-1250' : matches[0]?.name
  const isLikely = found && found !== 'UTF-8' && isCharset(found) && !isMistaken(found, sample)
  const charset = isLikely ? found : 'windows-1252'
  return { text: decoded(bytes, charset), charset }
}

/**
 * Croatian, Slovene and short Czech and Slovak texts are taken for windows-1252. They have š, ž or ť, as western texts may in
 * names, but no letters that are not theirs.
 */
function isCentralEuropean(matches: readonly Match[], bytes: Uint8Array): boolean {
  const [western, central] = ['windows-1252', 'windows-1250'].map(
    charset => matches.find(({ name }) => name === charset)?.confidence ?? 0,
  )
  if (matches[0]?.name !== 'windows-1252' || central! < 0.6 * western!) return false
  const text = decoded(bytes, 'windows-1250').toLowerCase()
  return /[šžť]/.test(text) && !/[^\p{ASCII}\P{L}áäčćďđéěíľňóôřšťúůýž]/u.test(text)
}

/** Bytes beyond ASCII that are too few to tell a charset. */
const fewLetters = 16

/**
 * Whether an East Asian charset was told by a few accented letters only: in one, letters of two bytes beyond ASCII follow each
 * other, and hardly any bytes are no letters.
 */
function isMistaken(charset: string, bytes: Uint8Array): boolean {
  if (!/^(?:big5|euc|gb|shift)/i.test(charset)) return false
  let [upper, pairs] = [0, 0]
  for (const [i, byte] of bytes.entries()) {
    if (byte < 0x80) continue
    upper++
    if (bytes[i + 1]! >= 0x80) pairs++
  }
  const broken = decoded(bytes, charset).split('\ufffd').length - 1
  const isScattered = upper < fewLetters && 3 * upper < bytes.length && 4 * pairs < upper
  return isScattered || 20 * broken > upper
}

export function isCharset(name: string | undefined): name is string {
  try {
    return name !== undefined && new TextDecoder(name).encoding !== 'replacement'
  } catch {
    return false
  }
}

/** The registered name, except for some capitals: `UTF-8`, `ISO-8859-2`, `windows-1250`. */
export const usualName = (charset: string): string =>
  /^(windows|x-|mac)/i.test(charset) ? charset.toLowerCase() : charset.toUpperCase()

export function decoded(bytes: Uint8Array, charset: string): string {
  const decoder = new TextDecoder(charset)
  const text = decoder.decode(bytes)
  return decoder.encoding === 'windows-1252' ? withWesternSigns(text) : text
}

function asUtf8(bytes: Uint8Array): DecodedText | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // Latin letters in UTF-16 look like UTF-8 with a NUL beside each.
    return text.includes('\0') ? undefined : { text, charset: 'UTF-8' }
  } catch {
    return undefined
  }
}

/** In UTF-16 without a byte order mark, spaces and digits have a zero byte, always on the same side. */
function asUtf16(bytes: Uint8Array): DecodedText | undefined {
  if (bytes.length % 2 !== 0) return undefined
  const zeros = [0, 0]
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros[i & 1]!++
  const [even, odd] = zeros as [number, number]
  if ((even === 0) === (odd === 0)) return undefined
  const charset = even === 0 ? 'UTF-16LE' : 'UTF-16BE'
  return { text: decoded(bytes, charset), charset }
}

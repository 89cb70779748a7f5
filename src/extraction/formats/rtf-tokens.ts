/** A token of an RTF file. */
export type RtfToken =
  | { readonly kind: 'open' }
  | { readonly kind: 'close' }
  | { readonly kind: 'byte'; readonly value: number }
  | { readonly kind: 'word'; readonly word: string; readonly value: number | undefined }

const open: RtfToken = { kind: 'open' }
const close: RtfToken = { kind: 'close' }
const longestWord = 40

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Braces, control words with their numbers, and bytes of text; bytes that `\bin` announces are left out. */
export function* rtfTokens(bytes: Uint8Array): Generator<RtfToken> {
  let at = 0
  while (at < bytes.length) {
    const code = bytes[at++]!
    if (code === 0x7b) yield open
    else if (code === 0x7d) yield close
    else if (code === 0x5c) {
      const { token, end } = control(bytes, at)
      at = end
      if (token) yield token
    } else if (code !== 10 && code !== 13 && code !== 0) yield { kind: 'byte', value: code }
  }
}

/** The token after a backslash. */
function control(bytes: Uint8Array, from: number): { token?: RtfToken; end: number } {
  let at = from
  while (at < bytes.length && at - from < longestWord && isLetter(bytes[at]!)) at++
  if (at === from) return symbol(bytes, from)
  const word = textOf(bytes, from, at)
  const digits = at
  if (bytes[at] === 45) at++
  while (at < bytes.length && at - digits < 12 && isDigit(bytes[at]!)) at++
  const number = Number.parseInt(textOf(bytes, digits, at), 10)
  const value = Number.isNaN(number) ? undefined : number
  if (bytes[at] === 32) at++
  if (word === 'bin') return { end: at + Math.max(0, value ?? 0) }
  return { token: { kind: 'word', word, value }, end: at }
}

function symbol(bytes: Uint8Array, at: number): { token?: RtfToken; end: number } {
  const code = bytes[at]
  if (code === undefined) return { end: at }
  if (code === 39) {
    const value = Number.parseInt(textOf(bytes, at + 1, at + 3), 16)
    return Number.isNaN(value) ? { end: at + 1 } : { token: { kind: 'byte', value }, end: at + 3 }
  }
  if (code === 0x5c || code === 0x7b || code === 0x7d)
    return { token: { kind: 'byte', value: code }, end: at + 1 }
  const isLineEnd = code === 10 || code === 13
  return {
    token: { kind: 'word', word: isLineEnd ? 'par' : String.fromCharCode(code), value: undefined },
    end: at + 1,
  }
}

const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1', from, to)

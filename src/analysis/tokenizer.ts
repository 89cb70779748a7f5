import { fold } from './fold.ts'

/** Called once per token: the term is `chars[0..length)`, folded UTF-16, valid until the call returns. */
export type TokenSink = (chars: Uint16Array, length: number) => void

/** The most UTF-16 units of a token that count: longer runs are known by their beginning. */
export const MAX_TOKEN_LENGTH = 64

/** Runs of letters beyond this are no words: they are folded in pieces, which bounds stack and memory. */
const MAX_RUN = 65_536

const words = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const cjk = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]/u
const scriptRuns = /(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]\p{M}*)+|[^\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]+/gu
const cjkCharacters = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー]\p{M}*/gu

const SEPARATOR = 0
const UNUSUAL = 1
const TABLE_END = 0x3000

// Letters and digits that fold to one unit whatever stands beside them. All others are folded run by run.
const table = Uint16Array.from({ length: TABLE_END }, (_, code) => classify(code))

function classify(code: number): number {
  const char = String.fromCharCode(code)
  const folded = fold(char)
  if (/\p{M}/u.test(char) || isJamo(code)) return UNUSUAL
  if (!/[\p{L}\p{N}\p{M}]/u.test(folded)) return SEPARATOR
  return folded.length === 1 && /[\p{L}\p{N}]/u.test(folded) && !cjk.test(folded)
    ? folded.charCodeAt(0)
    : UNUSUAL
}

// Conjoining jamo are the only letters that NFC joins with the letter before them.
function isJamo(code: number): boolean {
  return code >= 0x1100 && code < 0x1200
}

function foldedUnit(code: number): number {
  if (code < TABLE_END) return table[code]!
  return code >= 0xac00 && code <= 0xd7a3 ? code : UNUSUAL
}

/** Scans runs of ordinary letters through a table and hands only the other runs to `fold`. */
export function scanTokens(text: string, chars: Uint16Array, sink: TokenSink): void {
  let start = 0
  let length = 0
  for (let at = 0; at <= text.length; at++) {
    const unit = at < text.length ? foldedUnit(text.charCodeAt(at)) : SEPARATOR
    if (unit > UNUSUAL) {
      if (length < MAX_TOKEN_LENGTH) chars[length++] = unit
    } else if (unit === SEPARATOR) {
      if (length > 0) sink(chars, length)
      length = 0
      start = at + 1
    } else {
      at = runEnd(text, at)
      for (; start < at; start += MAX_RUN) {
        scanFolded(text.slice(start, Math.min(at, start + MAX_RUN)), chars, sink)
      }
      length = 0
      start = at + 1
    }
  }
}

function runEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && foldedUnit(text.charCodeAt(end)) !== SEPARATOR) end++
  return end
}

/** The definition of tokens, which `scanTokens` only makes faster. */
export function scanFolded(text: string, chars: Uint16Array, sink: TokenSink): void {
  for (const [word] of fold(text).matchAll(words)) {
    if (cjk.test(word)) scanScripts(word, chars, sink)
    else sink(chars, copyToken(word, chars))
  }
}

// Han and kana are written without spaces: overlapping pairs stand for words.
function scanScripts(word: string, chars: Uint16Array, sink: TokenSink): void {
  for (const [run] of word.matchAll(scriptRuns)) {
    if (!cjk.test(run)) {
      sink(chars, copyToken(run, chars))
      continue
    }
    let before: string | undefined
    let paired = false
    for (const [char] of run.matchAll(cjkCharacters)) {
      if (before !== undefined) {
        sink(chars, copyToken(before + char, chars))
        paired = true
      }
      before = char
    }
    if (!paired && before !== undefined) sink(chars, copyToken(before, chars))
  }
}

function copyToken(token: string, chars: Uint16Array): number {
  let length = Math.min(token.length, MAX_TOKEN_LENGTH)
  for (let i = 0; i < length; i++) chars[i] = token.charCodeAt(i)
  const cutsPair = length < token.length && (chars[length - 1]! & 0xfc00) === 0xd800
  if (cutsPair) length--
  return length
}

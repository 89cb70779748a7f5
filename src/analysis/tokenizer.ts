import { fold, lowered, nonJoiner } from './fold.ts'
import { type FoldOrigins, foldOrigins, markedEnd, marksEnd } from './fold-origins.ts'
import { links, mayLink, termOfWord, words } from './words-in-text.ts'
import { WrittenWord } from './written-word.ts'

/** Called once per token: the term is `chars[0..length)`, folded UTF-16, valid until the call returns. */
export type TokenSink = (chars: Uint16Array, length: number) => void

/**
 * Called once per token, with the position of its word in the original text: `text.slice(start, end)`, whole
 * letters with all their marks, even if the word is so long that the term is only its beginning. The words of a single
 * character (`½`) share its position, and each pair of Han or kana overlaps the next.
 */
export type RangeSink = (chars: Uint16Array, length: number, start: number, end: number) => void

/**
 * Like a `TokenSink`, with the word's spelling in the text, in lower case, if that differs from the term: `rasenmäher` for
 * `rasenmaher`. Valid until the call returns. The positions between are unused.
 */
export type WrittenSink = (
  chars: Uint16Array,
  length: number,
  start: number,
  end: number,
  written?: WrittenWord,
) => void

type RunScanner = (
  text: string,
  from: number,
  to: number,
  chars: Uint16Array,
  sink: WrittenSink,
  written: WrittenWord | undefined,
) => void

/** Maximum number of UTF-16 units in a token: longer runs are cut to their beginning. */
export const MAX_TOKEN_LENGTH = 64

/** Texts of up to this many units share a buffer that is kept. */
const MOST_KEPT = 65_536

/** Buffers of a scan, reused by the next. */
export class ScanBuffer {
  readonly term = new Uint16Array(MAX_TOKEN_LENGTH)
  #written: WrittenWord | undefined
  #text = Buffer.alloc(0)
  #units = unitsIn(this.#text)

  get written(): WrittenWord {
    this.#written ??= new WrittenWord(MAX_TOKEN_LENGTH)
    return this.#written
  }

  /** The units of the text, a NUL, and remains of earlier texts: reading an array takes half the time of a string. */
  unitsOf(text: string): Uint16Array {
    const length = text.length + 1
    if (length > MOST_KEPT) return unitsIn(Buffer.from(`${text}\0`, 'utf16le'))
    if (length > this.#units.length) {
      this.#text = Buffer.alloc(2 * Math.min(MOST_KEPT, 2 * length))
      this.#units = unitsIn(this.#text)
    }
    this.#text.write(text, 'utf16le')
    this.#units[length - 1] = 0
    return this.#units
  }
}

/** Longer runs of letters are not words: they are folded in pieces, which bounds stack and memory. */
const MAX_RUN = 65_536

/** Scripts that are written without spaces between words. */
const unspaced = '\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}'
const cjk = new RegExp(`(?!\\p{N})[${unspaced}]`, 'u')
// A mark belongs to the letter before it, whatever their scripts.
const scriptRuns = new RegExp(`(?:(?!\\p{N})[${unspaced}]\\p{M}*)+|(?:[\\p{N}\\p{M}]|[^${unspaced}])+`, 'gu')
const startsUnspaced = new RegExp(`^${cjk.source}`, 'u')

/** A mark without a letter before it does not belong to a word. */
const isMarkFirst = /^[\p{M}\u0640]/u

const beyondAscii = /[^\0-\x7f]/

const UNKNOWN = 0
const SEPARATOR = 1
const UNUSUAL = 2
/** Signs that separate words unless they link them. */
const LINK = 3
const TABLE_END = 0x3000

/**
 * Letters and digits that fold to one unit in any context. All others are folded run by run. A unit is classified when it
 * is first met: a text has a hundred of them, and all 12,288 would take a twentieth of the time that a process takes to start.
 */
const table = new Uint16Array(TABLE_END).fill(UNKNOWN)

function classify(code: number): number {
  const char = String.fromCharCode(code)
  const folded = fold(char)
  if (/\p{M}/u.test(char) || isJamo(code)) return UNUSUAL
  if (links.test(folded)) return LINK
  if (char === nonJoiner) return UNUSUAL
  if (folded === '' || /\p{Emoji_Presentation}/u.test(char)) return UNUSUAL
  if (!/[\p{L}\p{N}\p{M}]/u.test(folded)) return SEPARATOR
  return folded.length === 1 && /[\p{L}\p{N}]/u.test(folded) && !cjk.test(folded)
    ? folded.charCodeAt(0)
    : UNUSUAL
}

// Conjoining jamo are the only letters that NFC composes with the letter before them.
function isJamo(code: number): boolean {
  return code >= 0x1100 && code < 0x1200
}

function foldedUnit(code: number): number {
  if (code < TABLE_END) return table[code]!
  return code >= 0xac00 && code <= 0xd7a3 ? code : UNUSUAL
}

function learnUnit(code: number): void {
  table[code] = classify(code)
}

function unitsIn({ buffer, byteOffset, byteLength }: Buffer): Uint16Array {
  return new Uint16Array(buffer, byteOffset, byteLength / 2)
}

/** Scans runs of ordinary letters through a table and passes only the other runs to `fold`. */
export function scanTokens(text: string, buffer: ScanBuffer, sink: TokenSink): void {
  scanRuns(text, buffer, sink, scanRun)
}

/** The tokens of `scanTokens` in order, with their positions. */
export function scanRanges(text: string, buffer: ScanBuffer, sink: RangeSink): void {
  scanRuns(text, buffer, sink, scanPlacedRun)
}

/** The tokens of `scanTokens`, with their spellings in the text. */
export function scanWritten(text: string, buffer: ScanBuffer, sink: WrittenSink): void {
  scanRuns(text, buffer, sink, scanWrittenRun, buffer.written)
}

/** Number of units of a long text between two pauses. */
const PIECE = 8192

/**
 * The tokens of `scanTokens`, piece by piece. Here, other texts may be scanned in between, and a run of more than 65,536
 * letters may be cut at other places.
 */
export function scanInPieces(text: string, sink: TokenSink, piece = PIECE): Generator<void> {
  return scanParts(text, sink, piece, scanRun)
}

/** The tokens of `scanWritten`, in the same way. */
export function scanWrittenInPieces(text: string, sink: WrittenSink): Generator<void> {
  return scanParts(text, sink, PIECE, scanWrittenRun, new WrittenWord(MAX_TOKEN_LENGTH))
}

function* scanParts(
  text: string,
  sink: WrittenSink,
  piece: number,
  scanOther: RunScanner,
  written?: WrittenWord,
): Generator<void> {
  const chars = new Uint16Array(MAX_TOKEN_LENGTH)
  const units = yield* unitsInPieces(text)
  for (let from = 0; from <= text.length; ) {
    from = scanPart({ text, units, from, until: from + piece, written }, chars, sink, scanOther)
    yield
  }
}

/** The units of the text, followed by a NUL. */
function* unitsInPieces(text: string): Generator<void, Uint16Array> {
  const units = new Uint16Array(text.length + 1)
  const bytes = Buffer.from(units.buffer)
  for (let from = 0; from < text.length; from += MAX_RUN) {
    bytes.write(text.slice(from, from + MAX_RUN), 2 * from, 'utf16le')
    yield
  }
  return units
}

function scanRuns(
  text: string,
  buffer: ScanBuffer,
  sink: WrittenSink,
  scanOther: RunScanner,
  written?: WrittenWord,
): void {
  const whole = { text, units: buffer.unitsOf(text), from: 0, until: Infinity, written }
  scanPart(whole, buffer.term, sink, scanOther)
}

interface TextPart {
  readonly text: string
  /** The units of the text, followed by a NUL. */
  readonly units: Uint16Array
  readonly from: number
  /** The part ends with the word, or with the piece of a run, that contains this position. */
  readonly until: number
  /** Present if spellings are requested. */
  readonly written: WrittenWord | undefined
}

/** Scans a part; returns where the next one begins, or a position beyond the text if there is none. */
function scanPart(
  { text, units, from, until, written }: TextPart,
  chars: Uint16Array,
  sink: WrittenSink,
  scanOther: RunScanner,
): number {
  const end = text.length
  let start = from
  let length = 0
  // All bits of a word's units: an ASCII word is spelled like its term.
  let bits = 0
  for (let at = from; at <= end; at++) {
    const code = units[at]!
    const unit = foldedUnit(code)
    if (unit > LINK) {
      if (length < MAX_TOKEN_LENGTH) chars[length++] = unit
      bits |= code
    } else if (unit === SEPARATOR || (unit === LINK && !(length > 0 && mayLink(units, at, end)))) {
      if (length > 0) {
        if (written === undefined || bits < 0x80) sink(chars, length, start, at)
        else sink(chars, length, start, at, written.ofLetters(text, units, start, at, chars))
      }
      length = 0
      bits = 0
      start = at + 1
      if (start > until) return start
    } else if (unit === UNKNOWN) {
      learnUnit(code)
      at--
    } else {
      // If a run is cut anyway, it is only read up to the cut.
      const cut = until < end ? at + MAX_RUN : Infinity
      at = runEnd(units, at, end, cut)
      while (start < at) {
        const next = Math.min(at, start + MAX_RUN)
        scanOther(text, start, next, chars, sink, written)
        start = next
        if (start < at && start > until) return start
      }
      if (at === cut) return start
      length = 0
      bits = 0
      start = at + 1
      if (start > until) return start
    }
  }
  return end + 1
}

function runEnd(units: Uint16Array, from: number, length: number, most: number): number {
  let end = from
  for (const last = Math.min(length, most); end < last; end++) {
    let unit = foldedUnit(units[end]!)
    if (unit === UNKNOWN) {
      learnUnit(units[end]!)
      unit = foldedUnit(units[end]!)
    }
    if (unit === SEPARATOR || (unit === LINK && !mayLink(units, end, length))) break
  }
  return end
}

// The sink here is a TokenSink, which ignores the positions in the folded run.
function scanRun(text: string, from: number, to: number, chars: Uint16Array, sink: RangeSink): void {
  scanFolded(text.slice(from, to), chars, sink)
}

function scanPlacedRun(text: string, from: number, to: number, chars: Uint16Array, sink: RangeSink): void {
  const run = text.slice(from, to)
  const folded = fold(run)
  const { starts, ends } = foldOrigins(run, folded)
  // If a run is cut into pieces, the cut may be within a letter, or in the middle of an astral mark.
  const open = to - from === MAX_RUN ? to - 1 : Infinity
  scanWords(folded, chars, (term, length, start, end) => {
    const last = from + ends[end - 1]!
    sink(term, length, from + starts[start]!, last < open ? last : marksEnd(text, last))
  })
}

function scanWrittenRun(
  text: string,
  from: number,
  to: number,
  chars: Uint16Array,
  sink: WrittenSink,
  written: WrittenWord | undefined,
): void {
  const run = text.slice(from, to)
  const folded = fold(run)
  const lower = beyondAscii.test(run) ? lowered(run) : folded
  // Computed once: a run may be long, and have a great many words.
  const isFolded = lower === folded
  let origins: FoldOrigins | undefined
  const formAt = (start: number, end: number) => {
    if (isFolded) return folded.slice(start, end)
    if (start === 0 && end === folded.length && !isMarkFirst.test(lower)) return lower
    origins ??= foldOrigins(run, folded)
    return lowered(run.slice(origins.starts[start], origins.ends[end - 1]))
  }
  scanWords(folded, chars, (term, length, start, end) => {
    const isSame = isFolded && length === end - start
    sink(term, length, start, end, isSame ? undefined : written?.of(formAt(start, end), term, length))
  })
}

/** The definition of tokens, of which `scanTokens` is only a faster implementation. Positions are those in the folded text. */
export function scanFolded(text: string, chars: Uint16Array, sink: RangeSink): void {
  scanWords(fold(text), chars, sink)
}

function scanWords(folded: string, chars: Uint16Array, sink: RangeSink): void {
  for (const { 0: word, index } of folded.matchAll(words)) {
    if (cjk.test(word)) scanScripts(folded, word, index, chars, sink)
    else scanWord(word, index, chars, sink)
  }
}

function scanWord(word: string, at: number, chars: Uint16Array, sink: RangeSink): void {
  const term = termOfWord(word)
  sink(chars, copyToken(term, 0, term.length, chars), at, at + word.length)
}

// Some scripts are written without spaces: overlapping pairs of characters are used as words.
function scanScripts(folded: string, word: string, at: number, chars: Uint16Array, sink: RangeSink): void {
  for (const { 0: run, index } of word.matchAll(scriptRuns)) {
    const start = at + index
    if (startsUnspaced.test(run)) scanPairs(folded, start, start + run.length, chars, sink)
    else scanWord(run, start, chars, sink)
  }
}

function scanPairs(folded: string, start: number, end: number, chars: Uint16Array, sink: RangeSink): void {
  let first = start
  let second = markedEnd(folded, start)
  if (second === end) sink(chars, copyToken(folded, start, end, chars), start, end)
  while (second < end) {
    const last = markedEnd(folded, second)
    sink(chars, copyToken(folded, first, last, chars), first, last)
    first = second
    second = last
  }
}

function copyToken(text: string, start: number, end: number, chars: Uint16Array): number {
  let length = Math.min(end - start, MAX_TOKEN_LENGTH)
  for (let i = 0; i < length; i++) chars[i] = text.charCodeAt(start + i)
  const cutsPair = start + length < end && (chars[length - 1]! & 0xfc00) === 0xd800
  if (cutsPair) length--
  return length
}

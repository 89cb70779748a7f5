import { isAscii, isUtf8 } from 'node:buffer'
import { withWesternSigns } from '../../western-signs.ts'
import { ByteQueue } from './byte-queue.ts'

/** How much non-ASCII text is examined to detect its encoding. */
const tellingBytes = 64 * 1024
/** A mark of byte order has at most three bytes; without one, four tell UTF-16. */
const markBytes = 4

/** Bytes that windows-1252 has no letter for, and one that hardly any text has. */
const unlikely = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d, 0xff])

/** Whether there is such an encoding; names are those of the Encoding Standard. */
export function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name).encoding !== 'replacement'
  } catch {
    return false
  }
}

type Decode = (bytes: Buffer, isLast: boolean) => Buffer

/**
 * Turns text in any encoding into UTF-8, piece by piece. Unless the encoding is given, it is told by a mark of byte order,
 * and where `guesses` by the text itself: UTF-8 unless it cannot be, then windows-1252, which spreadsheets write.
 */
export class Transcoder {
  /** As the Encoding Standard names it: `utf-8`, `windows-1252`, `utf-16le`. */
  encoding: string
  /** Of what was given, and of what was made of it. */
  bytesIn = 0
  bytesOut = 0
  readonly #guesses: boolean
  /** Undefined while the text may still be in any encoding. */
  #decode: Decode | undefined
  readonly #held = new ByteQueue()
  #isBeginning = true
  /** Whether all that is held comes after the first byte that is not ASCII. */
  #isHolding = false

  constructor({ encoding, guesses }: { encoding?: string | undefined; guesses: boolean }) {
    this.encoding = encoding === undefined ? 'utf-8' : new TextDecoder(encoding).encoding
    this.#guesses = guesses
    if (encoding !== undefined) this.#decode = decoderOf(this.encoding)
  }

  /** Text that can be told by now. */
  push(bytes: Buffer): Buffer {
    this.bytesIn += bytes.length
    return this.#counted(this.#push(bytes))
  }

  /** What is left, before other text comes or at the end. */
  end(): Buffer {
    if (this.#decode) return this.#counted(this.#decode(nothing, true))
    return this.#held.length === 0 ? nothing : this.#counted(this.#tell(true))
  }

  #counted(bytes: Buffer): Buffer {
    this.bytesOut += bytes.length
    return bytes
  }

  #push(bytes: Buffer): Buffer {
    if (this.#decode) return this.#decode(bytes, false)
    this.#held.push(bytes)
    const needed = this.#isHolding ? tellingBytes : this.#isBeginning ? markBytes : 0
    if (this.#held.length < needed) return nothing
    return this.#tell(false)
  }

  #tell(isLast: boolean): Buffer {
    const bytes = this.#held.take(this.#held.length)
    const marked = this.#isBeginning ? byMark(bytes) : undefined
    this.#isBeginning = false
    if (marked || !this.#guesses) return this.#begin(marked ?? 'utf-8', bytes, isLast)
    const plain = isAscii(bytes) ? bytes.length : firstUpper(bytes)
    if (plain === bytes.length) return bytes
    if (!isLast && bytes.length - plain < tellingBytes) {
      this.#held.push(bytes.subarray(plain))
      this.#isHolding = true
      return bytes.subarray(0, plain)
    }
    return this.#begin(isWestern(bytes, isLast) ? 'windows-1252' : 'utf-8', bytes, isLast)
  }

  #begin(encoding: string, bytes: Buffer, isLast: boolean): Buffer {
    this.encoding = encoding
    this.#decode = decoderOf(encoding)
    return this.#decode(bytes, isLast)
  }
}

const nothing = Buffer.alloc(0)

function byMark([first, second, third, fourth]: Buffer): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  // Delimiters, digits and Latin letters of UTF-16 without a mark.
  if (first && second === 0 && third && fourth === 0) return 'utf-16le'
  return first === 0 && second && third === 0 && fourth ? 'utf-16be' : undefined
}

function firstUpper(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length && bytes[at]! < 0x80) at++
  return at
}

/** Whether bytes that are not UTF-8 are letters of windows-1252: a few broken ones in a text of UTF-8 are not. */
function isWestern(bytes: Buffer, isLast: boolean): boolean {
  const whole = isLast ? bytes : bytes.subarray(0, lastStart(bytes))
  if (isUtf8(whole)) return false
  let [sequences, others, strange] = [0, 0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte < 0x80) continue
    const length = sequenceAt(bytes, at)
    if (length > 0) {
      sequences++
      at += length - 1
    } else {
      if (unlikely.has(byte)) strange++
      others++
    }
  }
  return others > sequences && 10 * strange < others
}

/** Bytes of the character of UTF-8 that begins here; 0 where none does. */
function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at]!
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0
  return length > 0 && isUtf8(bytes.subarray(at, at + length)) ? length : 0
}

/** Where the last character begins, which may go on in the next piece. */
function lastStart(bytes: Buffer): number {
  let at = bytes.length - 1
  while (at > 0 && at > bytes.length - 4 && (bytes[at]! & 0xc0) === 0x80) at--
  return at
}

function decoderOf(encoding: string): Decode {
  // Rows that are not UTF-8 are reported one by one.
  if (encoding === 'utf-8') return bytes => bytes
  // Not by TextDecoder, which in some versions of Node takes windows-1252 for ISO 8859-1.
  if (encoding === 'windows-1252') return bytes => Buffer.from(withWesternSigns(bytes.toString('latin1')))
  const decoder = new TextDecoder(encoding)
  return (bytes, isLast) => Buffer.from(decoder.decode(bytes, { stream: !isLast }))
}

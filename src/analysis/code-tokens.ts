import { ScanBuffer, scanRanges, type TokenSink } from './tokenizer.ts'

/** Marks that occur within model codes, sizes and numbers: `PSLX-350H`, `10/100`. */
const joints = new Set(Array.from("'’.,-/_", mark => mark.charCodeAt(0)))

/** Maximum number of tokens, and of their units in total, that are joined to one code. */
const MOST_JOINED = 4
const LONGEST_CODE = 24

const ZERO = 0x30
const NINE = 0x39
const digit = /\p{N}/u

/**
 * The tokens of a text and, in addition, other ways to write a code: its letters and digits separately (`350h` is also
 * `350`), and tokens separated by marks as one (`ps-lx350h` is also `pslx350h`). Shops write codes in all these ways.
 */
export class CodeScanner {
  readonly #buffer = new ScanBuffer()
  readonly #code = new Uint16Array(LONGEST_CODE)
  #text = ''
  #sink: TokenSink = () => {}
  /** Where the last token ended, and the state of the tokens joined to it by marks. */
  #end = 0
  #tokens = 0
  #length = 0
  #hasDigit = false

  /** Calls `sink` for each token in order, right after it for its parts, and after the last joined token for the whole. */
  scan(text: string, sink: TokenSink): void {
    this.#text = text
    this.#sink = sink
    this.#tokens = 0
    this.#end = -2
    scanRanges(text, this.#buffer, this.#take)
    this.#finishCode()
    this.#text = ''
  }

  readonly #take = (chars: Uint16Array, length: number, start: number, end: number): void => {
    const isJoined = start === this.#end + 1 && joints.has(this.#text.charCodeAt(this.#end))
    if (!isJoined) this.#finishCode()
    this.#end = end
    this.#sink(chars, length)
    const hasDigit = this.#emitParts(chars, length)
    if (this.#tokens === 0) {
      this.#length = 0
      this.#hasDigit = false
    }
    this.#tokens++
    this.#hasDigit ||= hasDigit
    if (this.#length + length <= LONGEST_CODE) this.#code.set(chars.subarray(0, length), this.#length)
    this.#length += length
  }

  #finishCode(): void {
    const isCode = this.#tokens > 1 && this.#tokens <= MOST_JOINED && this.#hasDigit
    if (isCode && this.#length <= LONGEST_CODE) this.#sink(this.#code, this.#length)
    this.#tokens = 0
  }

  /** Emits runs of at least two letters or digits if a token has both. Returns whether it has a digit. */
  #emitParts(chars: Uint16Array, length: number): boolean {
    let start = 0
    let hasDigit = false
    for (let at = 0; at <= length; at++) {
      const changes = at === length || (at > start && isDigit(chars[at]!) !== isDigit(chars[start]!))
      if (!changes) continue
      hasDigit ||= isDigit(chars[start]!)
      const isPart = at - start < length
      if (isPart && at - start > 1) this.#sink(chars.subarray(start, at), at - start)
      start = at
    }
    return hasDigit
  }
}

/** Whether a UTF-16 unit is a digit in any script. */
export function isDigit(unit: number): boolean {
  return unit < 0x80 ? unit >= ZERO && unit <= NINE : digit.test(String.fromCharCode(unit))
}

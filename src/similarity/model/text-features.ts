import { CodeScanner, isDigit } from '../../analysis/code-tokens.ts'
import { grown } from '../../arrays/grow.ts'
import { hashUnits, mixed, textOf } from '../../fulltext/dictionary/term-table.ts'

/** Size of character n-grams: all sizes from two to five together find no more, and take three times the space. */
const CHARACTERS = 3
/** N-grams are taken from this many leading units of a text: longer texts have enough words. */
const CHARACTERS_OF = 400

const SPACE = 32
const POINT = 46
/** Differs from the seed of words, so that three characters are not taken for the word with the same spelling. */
const CHARACTER_SEED = 0x9747b28c

/** 32-bit hashes, with the positions in the tokens where each was found. */
export class Features {
  count = 0
  hashes = new Int32Array(1 << 8)
  starts = new Uint32Array(1 << 8)
  ends = new Uint32Array(1 << 8)

  add(hash: number, start: number, end: number): void {
    const at = this.count++
    if (at === this.hashes.length) {
      this.hashes = grown(this.hashes, at + 1)
      this.starts = grown(this.starts, this.hashes.length)
      this.ends = grown(this.ends, this.hashes.length)
    }
    this.hashes[at] = hash
    this.starts[at] = start
    this.ends[at] = end
  }
}

/** The tokens of one or more texts, and their features. Reused for one text after another. */
export class TextFeatures {
  /** The tokens one after the other, a space before and after each. */
  #units = new Uint16Array(1 << 9)
  #starts = new Uint32Array(1 << 6)
  #hashes = new Int32Array(1 << 6)
  #tokens = 0
  #end = 1
  readonly #scanner = new CodeScanner()

  constructor() {
    this.#units[0] = SPACE
  }

  clear(): void {
    this.#tokens = 0
    this.#end = 1
  }

  /** Appends the tokens of a text. */
  read(text: string): void {
    this.#scanner.scan(text, this.#take)
  }

  /** Single words. */
  words(into: Features): void {
    for (let token = 0; token < this.#tokens; token++)
      into.add(this.#hashes[token]!, this.#starts[token]!, this.#endOf(token))
  }

  /** Single words with a digit; if letters follow the number, only the number, as `0.5` in `0.5mm`. */
  numbers(into: Features): void {
    for (let token = 0; token < this.#tokens; token++) {
      const [start, end] = [this.#starts[token]!, this.#endOf(token)]
      if (!this.#units.subarray(start, end).some(isDigit)) continue
      const numberEnd = this.#numberEnd(start, end)
      const isMeasure = numberEnd > start && !this.#units.subarray(numberEnd, end).some(isDigit)
      if (isMeasure) into.add(hashUnits(this.#units, start, numberEnd - start, 0), start, numberEnd)
      else into.add(this.#hashes[token]!, start, end)
    }
  }

  /** Neighbouring words. */
  pairs(into: Features): void {
    for (let token = 1; token < this.#tokens; token++) {
      const hash = mixed(Math.imul(this.#hashes[token - 1]!, 0x9e3779b1) ^ this.#hashes[token]! ^ 2)
      into.add(hash, this.#starts[token - 1]!, this.#endOf(token))
    }
  }

  /** Three adjacent characters, including the spaces between words. */
  characters(into: Features): void {
    if (this.#tokens === 0) return
    const units = this.#units
    const stop = Math.min(this.#end, CHARACTERS_OF)
    for (let end = CHARACTERS; end <= stop; end++)
      into.add(hashUnits(units, end - CHARACTERS, CHARACTERS, CHARACTER_SEED), end - CHARACTERS, end)
  }

  /** The text in the tokens where a feature was found. */
  text(start: number, end: number): string {
    return textOf(this.#units, start, end)
  }

  /** Where the number that begins here ends, decimal point included; `start` if there is none. */
  #numberEnd(start: number, end: number): number {
    let at = start
    while (at < end) {
      if (isDigit(this.#units[at]!)) at++
      else if (at > start && this.#units[at] === POINT && at + 1 < end && isDigit(this.#units[at + 1]!))
        at += 2
      else break
    }
    return at
  }

  #endOf(token: number): number {
    return (token + 1 < this.#tokens ? this.#starts[token + 1]! : this.#end) - 1
  }

  readonly #take = (chars: Uint16Array, length: number): void => {
    const token = this.#tokens++
    this.#starts = grown(this.#starts, this.#tokens)
    this.#hashes = grown(this.#hashes, this.#tokens)
    this.#units = grown(this.#units, this.#end + length + 1)
    this.#units.set(chars.subarray(0, length), this.#end)
    this.#starts[token] = this.#end
    this.#hashes[token] = hashUnits(chars, 0, length, 0)
    this.#end += length
    this.#units[this.#end++] = SPACE
  }
}

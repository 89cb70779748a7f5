import { grown } from '../../arrays/grow.ts'
import { correctedLength } from './beginning.ts'
import { BLOCK_WORDS, WordBlock } from './word-block.ts'

/** Approximate heap bytes of a word besides its letters: two string headers, a map entry, numbers in flexsearch. */
const BYTES_PER_WORD = 130

/** Number of leading units of a word that are stored separately, since reading the word itself is slow. */
const HEAD = 4
/** A unit that no word contains. */
const DEAD = 0

/** The words of all titles, each with a number, which is reused some time after the word has been removed. */
export class Lexicon {
  readonly #numbers = new Map<string, number>()
  readonly #words: (string | undefined)[] = []
  readonly #blocks: WordBlock[] = []
  readonly #free: number[] = []
  /** By word: the letters that it contains, as bits. */
  #letters = new Uint32Array(1 << 10)
  #heads = new Uint16Array(HEAD << 10)
  #units = 0

  /** All numbers are below this. */
  get end(): number {
    return this.#words.length
  }

  get bytes(): number {
    const held = this.#numbers.size * BYTES_PER_WORD + this.#units
    return held + 8 * this.#words.length + this.#letters.byteLength + this.#heads.byteLength
  }

  word(number: number): string | undefined {
    return this.#words[number]
  }

  /** Returns the number of the word, and assigns one to a new word. */
  add(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    const number = this.#free.pop() ?? this.#words.length
    this.#numbers.set(word, number)
    this.#words[number] = word
    this.#units += word.length
    this.#letters = grown(this.#letters, number + 1)
    this.#heads = grown(this.#heads, (number + 1) * HEAD)
    this.#letters[number] = lettersOf(word)
    for (let i = 0; i < HEAD; i++)
      this.#heads[number * HEAD + i] = i < word.length ? word.charCodeAt(i) : DEAD
    this.#blockOf(number).add(number % BLOCK_WORDS, word)
    return number
  }

  remove(number: number): void {
    const word = this.#words[number]!
    this.#numbers.delete(word)
    this.#words[number] = undefined
    this.#heads.fill(DEAD, number * HEAD, (number + 1) * HEAD)
    this.#units -= word.length
    if (this.#blockOf(number).bury()) this.#renew(number - (number % BLOCK_WORDS))
  }

  /** Numbers of the words that begin with `typed`. */
  begunAs(typed: string): number[] {
    const found: number[] = []
    for (const [i, block] of this.#blocks.entries()) {
      block.visit(typed, inBlock => {
        const number = i * BLOCK_WORDS + inBlock
        if (this.#beginsSo(number, typed)) found.push(number)
      })
    }
    return found
  }

  /**
   * Numbers of the words with a prefix that is one edit away from the typed text of three letters or more. Reads a few bytes
   * of every word, which takes less than a millisecond for 100,000 words, and needs no index of deletions to be maintained.
   */
  begunNear(typed: string): number[] {
    const found: number[] = []
    const typedLetters = lettersOf(typed)
    const head = Uint16Array.from({ length: HEAD }, (_, i) => typed.charCodeAt(i))
    const [words, letters, heads] = [this.#words, this.#letters, this.#heads]
    for (let number = 0; number < words.length; number++) {
      const missing = typedLetters & ~letters[number]!
      if ((missing & (missing - 1)) !== 0 || !isHeadNear(head, heads, number * HEAD)) continue
      if (correctedLength(typed, words[number]!) > 0) found.push(number)
    }
    return found
  }

  #beginsSo(number: number, typed: string): boolean {
    for (let i = 0; i < HEAD && i < typed.length; i++) {
      if (this.#heads[number * HEAD + i] !== typed.charCodeAt(i)) return false
    }
    return typed.length <= HEAD || this.#words[number]!.startsWith(typed)
  }

  #blockOf(number: number): WordBlock {
    const i = Math.floor(number / BLOCK_WORDS)
    this.#blocks[i] ??= new WordBlock()
    return this.#blocks[i]
  }

  #renew(first: number): void {
    const living: [number, string][] = []
    const before = new Set(this.#free)
    for (let number = first; number < Math.min(first + BLOCK_WORDS, this.#words.length); number++) {
      const word = this.#words[number]
      if (word !== undefined) living.push([number - first, word])
      else if (!before.has(number)) this.#free.push(number)
    }
    this.#blockOf(first).renew(living)
  }
}

/** One bit for each letter a to z; all others share a few bits. */
function lettersOf(word: string): number {
  let letters = 0
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i)
    letters |= 1 << (unit >= 97 && unit <= 122 ? unit - 97 : 26 + (unit % 6))
  }
  return letters
}

/** Whether at most one edit turns the first three typed units into a prefix of the word with these units. */
function isHeadNear(typed: Uint16Array, units: Uint16Array, at: number): boolean {
  const [a, b, c] = [typed[0]!, typed[1]!, typed[2]!]
  const [x, y, z] = [units[at]!, units[at + 1]!, units[at + 2]!]
  if (a === x) return b === y || c === z || c === y || b === z
  return (b === y && c === z) || (b === x && (c === y || (a === y && c === z))) || (a === y && b === z)
}

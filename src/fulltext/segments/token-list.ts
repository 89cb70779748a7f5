import type { Analyzer } from '../../analysis/analyzer.ts'
import { grown } from '../grow.ts'
import { AsideMarker } from './asides.ts'
import { ASIDE, BEGINS_TEXT } from './forward-list.ts'

/** Text of one field of a document; a list is read as if its members were fields of the same name. */
export type FieldText = string | readonly string[] | undefined

/** The most tokens of a field that are indexed; what stands beyond is not found. */
export const MAX_FIELD_LENGTH = 65_535

/** Whoever numbers words: those of `chars[0..length)`. */
interface Numbering {
  intern(chars: Uint16Array, length: number): number
}

/** The words of documents one behind the other, field after field, by their numbers and with the marks of tokens. */
export class TokenList {
  tokens = new Uint32Array(1 << 10)
  size = 0
  readonly #analyzer: Analyzer
  readonly #words: Numbering
  readonly #asides: AsideMarker | undefined
  /** Where tokens of the field at hand are full. */
  #end = 0
  /** Of the next token. */
  #mark = 0
  #hasAsides = false

  constructor(analyzer: Analyzer, words: Numbering) {
    this.#analyzer = analyzer
    this.#words = words
    if (analyzer.functionWords) this.#asides = new AsideMarker(analyzer, analyzer.functionWords.asides)
  }

  /** Appends the fields of a document, as many as `lengths` has room for, and tells how many tokens each has. */
  add(texts: readonly FieldText[], lengths: Uint16Array): void {
    const begin = this.size
    for (let field = 0; field < lengths.length; field++) {
      const from = this.size
      const text = texts[field]
      this.#end = from + MAX_FIELD_LENGTH
      if (typeof text === 'string') this.#addText(text, begin, field)
      else if (text) for (const one of text) this.#addText(one, begin, field)
      lengths[field] = this.size - from
    }
  }

  /** Appends tokens as they are. */
  addAll(tokens: Uint32Array): void {
    this.tokens = grown(this.tokens, this.size + tokens.length)
    this.tokens.set(tokens, this.size)
    this.size += tokens.length
  }

  #addText(text: string, begin: number, field: number): void {
    const from = this.size
    this.#mark = from > begin ? BEGINS_TEXT : 0
    if (field > 0 || !this.#asides) {
      this.#analyzer.scan(text, this.#take)
      return
    }
    this.#hasAsides = false
    this.#analyzer.scan(text, this.#takeOfTitle)
    if (this.#hasAsides) this.#asides.complete(text, this.tokens.subarray(from, this.size))
  }

  readonly #take = (chars: Uint16Array, length: number): void => {
    if (this.size === this.#end) return
    if (this.size === this.tokens.length) this.tokens = grown(this.tokens, this.size + 1)
    this.tokens[this.size++] = this.#words.intern(chars, length) | this.#mark
    this.#mark = 0
  }

  readonly #takeOfTitle = (chars: Uint16Array, length: number): void => {
    if (this.#asides!.opens(chars, length)) {
      this.#mark |= ASIDE
      this.#hasAsides = true
    }
    this.#take(chars, length)
  }
}

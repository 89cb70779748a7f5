import type { Analyzer, WrittenSink } from '../../analysis/analyzer.ts'
import type { WrittenWord } from '../../analysis/written-word.ts'
import { grown } from '../../arrays/grow.ts'
import { atOnce } from '../../scheduling/at-once.ts'
import { AsideMarker } from './asides.ts'
import { ASIDE, BEGINS_TEXT } from './forward-list.ts'

/** Text of one field of a document; the members of a list are read like fields of the same name. */
export type FieldText = string | readonly string[] | undefined

/** Maximum number of tokens of a field that are indexed; later ones are not found. */
export const MAX_FIELD_LENGTH = 65_535

/** Number of texts of a list read between two pauses. */
const TEXTS_AT_ONCE = 64

/** Whether texts have more units than `longText`, so that reading them takes several milliseconds. */
export function areLong(texts: readonly FieldText[], longText: number): boolean {
  let units = 0
  for (const text of texts) {
    if (typeof text === 'string') units += text.length
    else if (text) for (const one of text) units += one.length + 1
  }
  return units > longText
}

/** Assigns numbers to the words of documents, given as `chars[0..length)` and their spelling if it differs. */
interface Numbering {
  /** Begins another document. */
  begin(): void
  internWritten(chars: Uint16Array, length: number, written: WrittenWord | undefined): number
}

/** The words of documents in sequence, field by field, as numbers with the marks of tokens. */
export class TokenList {
  tokens = new Uint32Array(1 << 10)
  size = 0
  readonly #analyzer: Analyzer
  readonly #words: Numbering
  readonly #asides: AsideMarker | undefined
  /** Where the current field reaches its maximum number of tokens. */
  #end = 0
  /** The mark of the next token. */
  #mark = 0
  #hasAsides = false

  constructor(analyzer: Analyzer, words: Numbering) {
    this.#analyzer = analyzer
    this.#words = words
    if (analyzer.functionWords) this.#asides = new AsideMarker(analyzer, analyzer.functionWords.asides)
  }

  /** Appends the fields of a document, as many as `lengths` has room for, and writes their numbers of tokens to it. */
  add(texts: readonly FieldText[], lengths: Uint16Array): void {
    if (areLong(texts, this.#analyzer.longText)) {
      atOnce(this.adding(texts, lengths))
      return
    }
    this.#words.begin()
    const begin = this.size
    for (let field = 0; field < lengths.length; field++) {
      const from = this.#beginField()
      const text = texts[field]
      if (typeof text === 'string') this.#addShortText(text, begin, field)
      else if (text) for (const one of text) this.#addShortText(one, begin, field)
      lengths[field] = this.size - from
    }
  }

  /** The same piece by piece; in between nothing else may be added. */
  *adding(texts: readonly FieldText[], lengths: Uint16Array): Generator<void> {
    this.#words.begin()
    const begin = this.size
    for (let field = 0; field < lengths.length; field++) {
      const from = this.#beginField()
      const text = texts[field]
      if (typeof text === 'string') yield* this.#addText(text, begin, field)
      else if (text) yield* this.#addTexts(text, begin, field)
      lengths[field] = this.size - from
    }
  }

  /** Appends tokens unchanged. */
  addAll(tokens: Uint32Array): void {
    this.tokens = grown(this.tokens, this.size + tokens.length)
    this.tokens.set(tokens, this.size)
    this.size += tokens.length
  }

  #beginField(): number {
    this.#end = this.size + MAX_FIELD_LENGTH
    return this.size
  }

  *#addTexts(texts: readonly string[], begin: number, field: number): Generator<void> {
    for (let i = 0; i < texts.length && this.size < this.#end; i++) {
      yield* this.#addText(texts[i]!, begin, field)
      if (i % TEXTS_AT_ONCE === TEXTS_AT_ONCE - 1) yield
    }
  }

  *#addText(text: string, begin: number, field: number): Generator<void> {
    if (text.length > this.#analyzer.longText) yield* this.#addLongText(text, begin, field)
    else this.#addShortText(text, begin, field)
  }

  /** Text beyond the maximum number of tokens of a field is not read. */
  *#addLongText(text: string, begin: number, field: number): Generator<void> {
    const from = this.size
    const isTitle = field === 0 && this.#asides !== undefined
    this.#mark = from > begin ? BEGINS_TEXT : 0
    this.#hasAsides = false
    for (const _ of this.#analyzer.scanWrittenInPieces(text, isTitle ? this.#takeOfTitle : this.#take)) {
      if (this.size === this.#end) break
      yield
    }
    if (this.#hasAsides) yield* this.#asides!.completing(text, this.tokens.subarray(from, this.size))
  }

  #addShortText(text: string, begin: number, field: number): void {
    const from = this.size
    this.#mark = from > begin ? BEGINS_TEXT : 0
    if (field > 0 || !this.#asides) {
      this.#analyzer.scanWritten(text, this.#take)
      return
    }
    this.#hasAsides = false
    this.#analyzer.scanWritten(text, this.#takeOfTitle)
    if (this.#hasAsides) this.#asides.complete(text, this.tokens.subarray(from, this.size))
  }

  readonly #take: WrittenSink = (chars, length, _, __, written) => {
    if (this.size === this.#end) return
    if (this.size === this.tokens.length) this.tokens = grown(this.tokens, this.size + 1)
    this.tokens[this.size++] = this.#words.internWritten(chars, length, written) | this.#mark
    this.#mark = 0
  }

  readonly #takeOfTitle: WrittenSink = (chars, length, start, end, written) => {
    if (this.#asides!.opens(chars, length)) {
      this.#mark |= ASIDE
      this.#hasAsides = true
    }
    this.#take(chars, length, start, end, written)
  }
}

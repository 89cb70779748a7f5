import type { Analyzer } from '../../analysis/analyzer.ts'
import { grown } from '../../arrays/grow.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { AddedValue, ColumnName, Columns, ColumnValue } from './columns/columns.ts'
import { ColumnRows } from './columns/rows.ts'
import { writeIds } from './document-ids.ts'
import { WholeSegment } from './segment.ts'
import { TailPostings } from './tail-postings.ts'
import { type FieldText, TokenList } from './token-list.ts'

/** The words of all fields of a document, with their marks, and the number of words in each field. */
export interface DocumentWords {
  readonly tokens: Uint32Array
  readonly lengths: Uint16Array
}

/** The newest documents as lists of words, in order of arrival, until they are frozen into a segment. */
export class Tail {
  readonly #fields: number
  readonly #columns: ColumnRows
  readonly #postings: TailPostings
  #ids: string[] = []
  readonly #documents = new Map<string, number>()
  #lengths = new Uint16Array(64)
  readonly #list: TokenList
  /** By document: the place of its first token. */
  #starts = new Uint32Array(64)

  constructor(analyzer: Analyzer, vocabulary: Vocabulary, fields: number, named: readonly ColumnName[]) {
    this.#list = new TokenList(analyzer, vocabulary)
    this.#fields = fields
    this.#columns = new ColumnRows(named)
    const keepsFollowers = analyzer.functionWords?.headsAreLast ?? false
    this.#postings = new TailPostings(vocabulary, fields, keepsFollowers)
  }

  get size(): number {
    return this.#documents.size
  }

  /** Number of documents added, including those removed since. */
  get taken(): number {
    return this.#ids.length
  }

  /** Number of words in the documents added. */
  get tokens(): number {
    return this.#list.size
  }

  /** Bytes that the values of the documents added take as columns, without names. */
  get valueBytes(): number {
    return this.#columns.valueBytes
  }

  get bytes(): number {
    const tokens = this.#list.tokens.byteLength
    return tokens + this.#lengths.byteLength + this.#postings.bytes + this.#columns.bytes
  }

  /** The words of a document as they were added, and the number of words in each field. */
  wordsOf(id: string): DocumentWords | undefined {
    const document = this.#documents.get(id)
    if (document === undefined) return undefined
    const tokens = this.#list.tokens.slice(this.#starts[document], this.#starts[document + 1])
    const from = document * this.#fields
    return { tokens, lengths: this.#lengths.slice(from, from + this.#fields) }
  }

  has(id: string): boolean {
    return this.#documents.has(id)
  }

  /**
   * Adds a document; true if it replaces one in the tail with the same id. If the analyzer throws, nothing has
   * changed.
   */
  add(id: string, texts: readonly FieldText[], values: readonly ColumnValue[]): boolean {
    const begin = this.#list.size
    const lengths = this.#lengthsOfNext()
    try {
      this.#list.add(texts, lengths)
    } catch (error) {
      this.#list.size = begin
      throw error
    }
    return this.#end(id, begin, values, false)
  }

  /**
   * The same with words that already are terms: those of all fields, and their number in each field.
   * @param isCut whether the document may have further values
   */
  addTerms(
    id: string,
    terms: Uint32Array,
    lengths: Uint16Array,
    values: readonly AddedValue[],
    isCut = false,
  ): boolean {
    const begin = this.#list.size
    this.#lengthsOfNext().set(lengths)
    this.#list.addAll(terms)
    return this.#end(id, begin, values, isCut)
  }

  #lengthsOfNext(): Uint16Array {
    const begin = this.#ids.length * this.#fields
    this.#lengths = grown(this.#lengths, begin + this.#fields)
    return this.#lengths.subarray(begin, begin + this.#fields)
  }

  #end(id: string, begin: number, values: readonly AddedValue[], isCut: boolean): boolean {
    const document = this.#ids.length
    this.#ids.push(id)
    this.#columns.take(document, values, isCut)
    this.#starts = grown(this.#starts, document + 2)
    this.#starts[document] = begin
    this.#starts[document + 1] = this.#list.size
    const { size } = this.#documents
    return this.#documents.set(id, document).size === size
  }

  /** False if the tail does not hold the document. */
  remove(id: string): boolean {
    return this.#documents.delete(id)
  }

  /**
   * The living documents as a segment without impacts, made piece by piece; in between nothing may be added or
   * removed. The tail is empty afterwards.
   */
  *freezing(): Generator<void, WholeSegment> {
    const { ids, living, tokens } = this.#living()
    const source = { living, starts: this.#starts, tokens: this.#list.tokens, lengths: this.#lengths }
    const counts = yield* this.#postings.count(source)
    const shape = {
      fields: this.#fields,
      documents: ids.length,
      ...counts,
      tokens,
      idUnits: ids.reduce((sum, id) => sum + id.length, 0),
    }
    const segment = WholeSegment.blank(shape, yield* this.#writeColumns(living))
    writeIds(segment, ids)
    yield* this.#postings.write(source, segment)
    this.#writeDocuments(segment, living)
    this.#clear()
    return segment
  }

  /** The documents that were neither removed nor replaced, with their ids and total number of words. */
  #living(): { ids: string[]; living: Uint32Array; tokens: number } {
    const { size, taken } = this
    const ids: string[] = []
    const living = new Uint32Array(size)
    let tokens = 0
    for (let document = 0; document < taken; document++) {
      const id = this.#ids[document]!
      if (size < taken && this.#documents.get(id) !== document) continue
      living[ids.length] = document
      ids.push(id)
      tokens += this.#starts[document + 1]! - this.#starts[document]!
    }
    return { ids, living, tokens }
  }

  #writeColumns(living: Uint32Array): Generator<void, Columns> {
    const becomes = new Int32Array(this.taken).fill(-1)
    for (let number = 0; number < living.length; number++) becomes[living[number]!] = number
    return this.#columns.writing(becomes, living.length)
  }

  #writeDocuments({ lengths, forward }: WholeSegment, living: Uint32Array): void {
    const { starts, tokens } = forward
    const [ownStarts, ownTokens, fields] = [this.#starts, this.#list.tokens, this.#fields]
    let words = 0
    for (let number = 0; number < living.length; number++) {
      const document = living[number]!
      const end = ownStarts[document + 1]!
      for (let at = ownStarts[document]!; at < end; at++) tokens[words++] = ownTokens[at]!
      starts[number + 1] = words
      for (let f = 0; f < fields; f++) lengths[number * fields + f] = this.#lengths[document * fields + f]!
    }
  }

  #clear(): void {
    this.#ids = []
    this.#columns.clear()
    this.#documents.clear()
    this.#list.size = 0
  }
}

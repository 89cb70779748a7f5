import type { Analyzer } from '../analysis/analyzer.ts'
import { grown } from './grow.ts'
import { Segment, writeIds } from './segment.ts'
import type { Vocabulary } from './vocabulary.ts'

/** Text of one field of a document; a list is read as if its members were fields of the same name. */
export type FieldText = string | readonly string[] | undefined

/** The most tokens of a field that are indexed; what stands beyond is not found. */
export const MAX_FIELD_LENGTH = 65_535

const MAX_FREQUENCY = 255

/** The newest documents, in order of arrival, until they are frozen into a segment. */
export class Tail {
  readonly #analyzer: Analyzer
  readonly #vocabulary: Vocabulary
  readonly #fields: number
  #ids: string[] = []
  readonly #documents = new Map<string, number>()
  #lengths = new Uint16Array(64)
  /** Postings in order of arrival. */
  #postings = 0
  #postingRow = new Uint32Array(1 << 8)
  #postingDocument = new Uint16Array(1 << 8)
  #frequencies = new Uint8Array(1 << 8)
  /** Distinct terms of the tail, by row. */
  #rows = 0
  #rowTerm = new Uint32Array(1 << 8)
  #lastDocument = new Uint32Array(1 << 8)
  #lastPosting = new Uint32Array(1 << 8)
  /** By term: its row, valid where the stamp is that of this tail; so nothing needs clearing. */
  #rowOf = new Uint32Array(1 << 8)
  #stampOf = new Uint32Array(1 << 8)
  #stamp = 1
  #field = 0
  #fieldLength = 0

  constructor(analyzer: Analyzer, vocabulary: Vocabulary, fields: number) {
    this.#analyzer = analyzer
    this.#vocabulary = vocabulary
    this.#fields = fields
  }

  get size(): number {
    return this.#documents.size
  }

  /** Documents taken, those since removed among them. */
  get taken(): number {
    return this.#ids.length
  }

  has(id: string): boolean {
    return this.#documents.has(id)
  }

  /** Adds a document or replaces the one of the same id. When the analyzer throws, nothing has changed. */
  add(id: string, texts: readonly FieldText[]): void {
    const document = this.#ids.length
    this.#ids.push(id)
    this.#lengths = grown(this.#lengths, this.#ids.length * this.#fields)
    for (let field = 0; field < this.#fields; field++) {
      this.#field = field
      this.#fieldLength = 0
      this.#scan(texts[field])
      this.#lengths[document * this.#fields + field] = this.#fieldLength
    }
    // Deleted first: the order of the map is that of the documents.
    this.#documents.delete(id)
    this.#documents.set(id, document)
  }

  /** False when the tail does not hold the document. */
  remove(id: string): boolean {
    return this.#documents.delete(id)
  }

  /** The living documents as a segment without impacts; the tail is empty afterwards. */
  freeze(): Segment {
    const numbers = this.#newNumbers()
    const order = this.#rowTerm.slice(0, this.#rows).sort()
    const counts = this.#livePostings(numbers)
    const kept = order.filter(term => counts[this.#rowOf[term]!]! > 0)
    const ids = [...this.#documents.keys()]
    const segment = Segment.blank({
      fields: this.#fields,
      documents: ids.length,
      terms: kept.length,
      postings: counts.reduce((sum, count) => sum + count, 0),
      idUnits: ids.reduce((sum, id) => sum + id.length, 0),
    })
    writeIds(segment, ids)
    this.#writeTerms(segment, kept, counts)
    this.#writePostings(segment, numbers, counts)
    this.#writeLengths(segment, numbers)
    this.#clear()
    return segment
  }

  #scan(texts: FieldText): void {
    if (texts === undefined) return
    if (typeof texts === 'string') this.#analyzer.scan(texts, this.#take)
    else for (const text of texts) this.#analyzer.scan(text, this.#take)
  }

  readonly #take = (chars: Uint16Array, length: number): void => {
    if (this.#fieldLength === MAX_FIELD_LENGTH) return
    this.#fieldLength++
    const row = this.#row(this.#vocabulary.intern(chars, length))
    const posting = this.#posting(row)
    const at = posting * this.#fields + this.#field
    if (this.#frequencies[at]! < MAX_FREQUENCY) this.#frequencies[at]!++
  }

  #row(term: number): number {
    if (term >= this.#rowOf.length) {
      this.#rowOf = grown(this.#rowOf, term + 1)
      this.#stampOf = grown(this.#stampOf, term + 1)
    }
    if (this.#stampOf[term] === this.#stamp) return this.#rowOf[term]!
    const row = this.#rows++
    this.#stampOf[term] = this.#stamp
    this.#rowOf[term] = row
    if (row >= this.#rowTerm.length) {
      this.#rowTerm = grown(this.#rowTerm, row + 1)
      this.#lastDocument = grown(this.#lastDocument, row + 1)
      this.#lastPosting = grown(this.#lastPosting, row + 1)
    }
    this.#rowTerm[row] = term
    // Documents count from 1 here, so that 0 is none.
    this.#lastDocument[row] = 0
    return row
  }

  #posting(row: number): number {
    const document = this.#ids.length
    if (this.#lastDocument[row] === document) return this.#lastPosting[row]!
    const posting = this.#postings++
    this.#lastDocument[row] = document
    this.#lastPosting[row] = posting
    if (posting >= this.#postingRow.length) {
      this.#postingRow = grown(this.#postingRow, posting + 1)
      this.#postingDocument = grown(this.#postingDocument, posting + 1)
    }
    this.#postingRow[posting] = row
    this.#postingDocument[posting] = document - 1
    const end = this.#postings * this.#fields
    if (end > this.#frequencies.length) this.#frequencies = grown(this.#frequencies, end)
    for (let at = posting * this.#fields; at < end; at++) this.#frequencies[at] = 0
    return posting
  }

  /** By document: its number in the segment, -1 when it was removed. */
  #newNumbers(): Int32Array {
    const numbers = new Int32Array(this.#ids.length).fill(-1)
    let next = 0
    for (const document of this.#documents.values()) numbers[document] = next++
    return numbers
  }

  #livePostings(numbers: Int32Array): Uint32Array {
    const counts = new Uint32Array(this.#rows)
    for (let p = 0; p < this.#postings; p++) {
      if (numbers[this.#postingDocument[p]!]! >= 0) counts[this.#postingRow[p]!]!++
    }
    return counts
  }

  /** Turns the counts into the place of each row's first posting. */
  #writeTerms(segment: Segment, kept: Uint32Array, counts: Uint32Array): void {
    let at = 0
    for (let t = 0; t < kept.length; t++) {
      const row = this.#rowOf[kept[t]!]!
      segment.terms[t] = kept[t]!
      segment.offsets[t] = at
      const count = counts[row]!
      counts[row] = at
      at += count
    }
    segment.offsets[kept.length] = at
  }

  #writePostings(segment: Segment, numbers: Int32Array, places: Uint32Array): void {
    const fields = this.#fields
    for (let p = 0; p < this.#postings; p++) {
      const number = numbers[this.#postingDocument[p]!]!
      if (number < 0) continue
      const to = places[this.#postingRow[p]!]!++
      segment.documents[to] = number
      for (let f = 0; f < fields; f++)
        segment.frequencies[to * fields + f] = this.#frequencies[p * fields + f]!
    }
  }

  #writeLengths(segment: Segment, numbers: Int32Array): void {
    const fields = this.#fields
    for (let document = 0; document < numbers.length; document++) {
      const number = numbers[document]!
      if (number < 0) continue
      const from = document * fields
      segment.lengths.set(this.#lengths.subarray(from, from + fields), number * fields)
    }
  }

  #clear(): void {
    this.#ids = []
    this.#documents.clear()
    this.#postings = 0
    this.#rows = 0
    this.#stamp++
  }
}

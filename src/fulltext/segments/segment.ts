import { ones } from '../../arrays/set-bits.ts'
import { textOf } from '../dictionary/term-table.ts'
import { Columns } from './columns/columns.ts'
import { ForwardList, forwardBytes } from './forward-list.ts'
import { IdTable } from './id-table.ts'

export const MAX_SEGMENT_DOCUMENTS = 65_536

/** How many documents reach the score of `sureImpacts` at least: enough for the first page of an answer, and its topics. */
export const SURE_DOCUMENTS = 24

export interface SegmentShape {
  readonly fields: number
  readonly documents: number
  /** Number of terms, families included. */
  readonly terms: number
  readonly postings: number
  /** Number of words in all documents and fields, repetitions included. */
  readonly tokens: number
  /** Number of postings whose term occurs in the title; 0 in a language in which what follows them is not used. */
  readonly followers: number
  /** Number of UTF-16 units of all document ids. */
  readonly idUnits: number
}

/** The contents of a segment as plain data: structured cloning shares its memory instead of copying it. */
export interface SegmentBlocks {
  readonly shape: SegmentShape
  readonly body: Uint8Array
  readonly scores: Uint8Array
  readonly forward: Uint8Array
  readonly columns: Uint8Array
}

/**
 * An immutable part of the index: up to 65,536 documents numbered in order of arrival, and for each of its terms
 * (ascending ids) the postings `offsets[i]..offsets[i + 1]`, by document. Everything is in blocks of bytes,
 * in which form it is stored and passed to workers: the body, which never changes, and the impacts, which depend on
 * the pinned lengths. Two more may be added later: the forward list, which a `ReadableSegment` has, and the columns, which
 * a `WholeSegment` also has.
 */
export class Segment {
  readonly terms: Uint32Array
  readonly offsets: Uint32Array
  readonly idStarts: Uint32Array
  readonly documents: Uint16Array
  /** Tokens per document and field, `lengths[document * fields + field]`. */
  readonly lengths: Uint16Array
  readonly idUnits: Uint16Array
  /** By document: its place among the documents ordered by id. */
  readonly idRanks: Uint16Array
  readonly impacts: Uint8Array
  readonly maxImpacts: Uint8Array
  /** By term: the impact that its `SURE_DOCUMENTS` best postings reach at least; 0 if it has fewer. */
  readonly sureImpacts: Uint8Array
  #ranks: TermRanks | undefined
  #ids: IdTable | undefined

  /** @param columns if they were needed at once */
  constructor(
    readonly shape: SegmentShape,
    readonly body: Uint8Array,
    readonly scores: Uint8Array,
    readonly columns?: Columns,
  ) {
    const { buffer } = body
    const { fields, documents, terms, postings, idUnits } = shape
    let at = body.byteOffset
    const take = (bytes: number) => {
      at += bytes
      return at - bytes
    }
    this.terms = new Uint32Array(buffer, take(4 * terms), terms)
    this.offsets = new Uint32Array(buffer, take(4 * (terms + 1)), terms + 1)
    this.idStarts = new Uint32Array(buffer, take(4 * (documents + 1)), documents + 1)
    this.documents = new Uint16Array(buffer, take(2 * postings), postings)
    this.lengths = new Uint16Array(buffer, take(2 * documents * fields), documents * fields)
    this.idUnits = new Uint16Array(buffer, take(2 * idUnits), idUnits)
    this.idRanks = new Uint16Array(buffer, take(2 * documents), documents)
    this.impacts = scores.subarray(0, postings)
    this.maxImpacts = scores.subarray(postings, postings + terms)
    this.sureImpacts = scores.subarray(postings + terms)
  }

  get bytes(): number {
    return (
      this.body.byteLength +
      this.scores.byteLength +
      (this.columns?.bytes ?? 0) +
      (this.#ids?.bytes ?? 0) +
      (this.#ranks?.bytes ?? 0)
    )
  }

  /** The place of the term in `terms`, or -1. */
  find(term: number): number {
    const { terms } = this
    const last = terms.length - 1
    if (last < 0 || term > terms[last]!) return -1
    if (terms.length * 32 < terms[last]!) return indexOf(terms, term)
    this.#ranks ??= new TermRanks(terms)
    return this.#ranks.of(term)
  }

  id(document: number): string {
    return textOf(this.idUnits, this.idStarts[document]!, this.idStarts[document + 1]!)
  }

  /** The document with this id and its hash, or -1. */
  documentOf(id: string, hash: number): number {
    return this.#idTable().find(id, hash)
  }

  /** Builds what `documentOf` needs, unless it exists; this takes a few milliseconds. */
  prepareIds(): void {
    this.#idTable()
  }

  #idTable(): IdTable {
    this.#ids ??= new IdTable(this)
    return this.#ids
  }
}

/** A segment with its forward list: it can answer every search. */
export class ReadableSegment extends Segment {
  constructor(
    shape: SegmentShape,
    body: Uint8Array,
    scores: Uint8Array,
    readonly forward: ForwardList,
    columns?: Columns,
  ) {
    super(shape, body, scores, columns)
  }

  override get bytes(): number {
    return super.bytes + this.forward.bytes.byteLength
  }
}

/** A segment that also has its columns: it can be merged, and its documents removed. */
export class WholeSegment extends ReadableSegment {
  declare readonly columns: Columns

  constructor(
    shape: SegmentShape,
    body: Uint8Array,
    scores: Uint8Array,
    forward: ForwardList,
    columns: Columns,
  ) {
    super(shape, body, scores, forward, columns)
  }

  /** A segment to be filled, except for its columns. */
  static blank(shape: SegmentShape, columns: Columns): WholeSegment {
    const forward = new ForwardList(block(forwardBytes(shape)), shape)
    return new WholeSegment(shape, block(bodyBytes(shape)), block(scoreBytes(shape)), forward, columns)
  }

  /** A segment from plain data. */
  static of({ shape, body, scores, forward, columns }: SegmentBlocks): WholeSegment {
    return new WholeSegment(shape, body, scores, new ForwardList(forward, shape), new Columns(columns))
  }

  get blocks(): SegmentBlocks {
    const { shape, body, scores, forward, columns } = this
    return { shape, body, scores, forward: forward.bytes, columns: columns.block }
  }

  /** The same documents with these impacts. */
  withScores(scores: Uint8Array): WholeSegment {
    return new WholeSegment(this.shape, this.body, scores, this.forward, this.columns)
  }

  /** The same documents, their impacts to be filled. */
  withBlankScores(): WholeSegment {
    return this.withScores(block(scoreBytes(this.shape)))
  }
}

export function bodyBytes({ fields, documents, terms, postings, idUnits }: SegmentShape): number {
  const words = terms + (terms + 1) + (documents + 1)
  return 4 * words + 2 * (postings + documents * fields + idUnits + documents)
}

export function scoreBytes({ postings, terms }: SegmentShape): number {
  return postings + 2 * terms
}

// Shared memory, which workers read without a copy.
const block = (bytes: number): Uint8Array => new Uint8Array(new SharedArrayBuffer(bytes))

function indexOf(sorted: Uint32Array, value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < value) low = middle + 1
    else if (sorted[middle]! > value) high = middle - 1
    else return middle
  }
  return -1
}

/** Positions in a dense ascending list: one bit per possible value and one count per 32 of them, side by side. */
class TermRanks {
  readonly #words: Uint32Array

  constructor(terms: Uint32Array) {
    const words = new Uint32Array(2 * (((terms[terms.length - 1] ?? 0) >>> 5) + 1))
    for (let t = 0; t < terms.length; t++) words[(terms[t]! >>> 5) << 1]! |= 1 << (terms[t]! & 31)
    for (let w = 2; w < words.length; w += 2) words[w + 1] = words[w - 1]! + ones(words[w - 2]!)
    this.#words = words
  }

  get bytes(): number {
    return this.#words.byteLength
  }

  of(term: number): number {
    const at = (term >>> 5) << 1
    const word = this.#words[at]!
    const bit = 1 << (term & 31)
    return word & bit ? this.#words[at + 1]! + ones(word & (bit - 1)) : -1
  }
}

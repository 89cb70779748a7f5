import { frequencyFactors, impactOf, type Scoring } from './bm25f.ts'
import { hashUnits, textOf, unitsOf } from './term-table.ts'

export const MAX_SEGMENT_DOCUMENTS = 65_536

export interface SegmentShape {
  readonly fields: number
  readonly documents: number
  readonly terms: number
  readonly postings: number
  /** UTF-16 units of all document ids. */
  readonly idUnits: number
}

/**
 * An immutable part of the index: up to 65,536 documents numbered in order of arrival, and for each of its terms
 * (ascending ids) the postings `offsets[i]..offsets[i + 1]`, by document. Everything lies in two blocks of
 * bytes, which are what is stored and what is handed to workers: the impacts, which follow the pinned lengths,
 * and the body, which never changes.
 */
export class Segment {
  readonly terms: Uint32Array
  readonly offsets: Uint32Array
  readonly idStarts: Uint32Array
  readonly documents: Uint16Array
  /** Tokens per document and field, `lengths[document * fields + field]`. */
  readonly lengths: Uint16Array
  readonly idUnits: Uint16Array
  /** Occurrences per posting and field, at most 255. */
  readonly frequencies: Uint8Array
  readonly impacts: Uint8Array
  readonly maxImpacts: Uint8Array
  #ranks: TermRanks | undefined
  #slots: Uint32Array | undefined

  constructor(
    readonly shape: SegmentShape,
    readonly body: Uint8Array,
    readonly scores: Uint8Array,
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
    this.frequencies = new Uint8Array(buffer, take(postings * fields), postings * fields)
    this.impacts = scores.subarray(0, postings)
    this.maxImpacts = scores.subarray(postings)
  }

  /** A segment to be filled. Shared memory: a worker reads it without a copy. */
  static blank(shape: SegmentShape): Segment {
    const body = new Uint8Array(new SharedArrayBuffer(bodyBytes(shape)))
    return new Segment(shape, body, new Uint8Array(new SharedArrayBuffer(scoreBytes(shape))))
  }

  /** The same documents with impacts for other average lengths. */
  scored(scoring: Scoring): Segment {
    const scores = new Uint8Array(new SharedArrayBuffer(scoreBytes(this.shape)))
    const segment = new Segment(this.shape, this.body, scores)
    segment.score(scoring)
    return segment
  }

  score(scoring: Scoring): void {
    const { offsets, documents, frequencies, impacts, maxImpacts } = this
    const { fields, terms } = this.shape
    const factors = frequencyFactors(this.lengths, scoring)
    for (let t = 0; t < terms; t++) {
      let most = 0
      for (let p = offsets[t]!; p < offsets[t + 1]!; p++) {
        const ofDocument = documents[p]! * fields
        let frequency = 0
        for (let f = 0; f < fields; f++) frequency += frequencies[p * fields + f]! * factors[ofDocument + f]!
        const impact = impactOf(frequency, scoring.k1)
        impacts[p] = impact
        if (impact > most) most = impact
      }
      maxImpacts[t] = most
    }
  }

  /** Where the term stands in `terms`, or -1. */
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

  /** The document with this id, or -1. `units` and `hash` are those of the id. */
  documentOf(units: Uint16Array, hash: number): number {
    this.#slots ??= this.#hashedIds()
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = hash & mask
    while (slots[slot] !== 0) {
      if (this.#hasId(slots[slot]! - 1, units)) return slots[slot]! - 1
      slot = (slot + 1) & mask
    }
    return -1
  }

  #hasId(document: number, units: Uint16Array): boolean {
    const start = this.idStarts[document]!
    if (this.idStarts[document + 1]! - start !== units.length) return false
    // Ids often differ at their end only.
    for (let i = units.length - 1; i >= 0; i--) if (this.idUnits[start + i] !== units[i]) return false
    return true
  }

  #hashedIds(): Uint32Array {
    const slots = new Uint32Array(2 ** Math.ceil(Math.log2(this.shape.documents * 2 + 1)))
    const mask = slots.length - 1
    for (let document = 0; document < this.shape.documents; document++) {
      const units = this.idUnits.subarray(this.idStarts[document]!, this.idStarts[document + 1]!)
      let slot = hashUnits(units, units.length) & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = document + 1
    }
    return slots
  }
}

/** Whether the id of one segment's document comes before that of another's in the byte order of UTF-8. */
export function idPrecedes(a: Segment, document: number, b: Segment, other: number): boolean {
  let i = a.idStarts[document]!
  let j = b.idStarts[other]!
  const endA = a.idStarts[document + 1]!
  const endB = b.idStarts[other + 1]!
  while (i < endA && j < endB && a.idUnits[i] === b.idUnits[j]) {
    i++
    j++
  }
  if (i === endA || j === endB) return endA - i < endB - j
  return codePointRank(a.idUnits[i]!) < codePointRank(b.idUnits[j]!)
}

/** A UTF-16 unit in the order of code points: surrogates stand for what lies beyond U+FFFF. */
function codePointRank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

export function bodyBytes({ fields, documents, terms, postings, idUnits }: SegmentShape): number {
  const words = terms + (terms + 1) + (documents + 1)
  return 4 * words + 2 * (postings + documents * fields + idUnits) + postings * fields
}

export function scoreBytes({ postings, terms }: SegmentShape): number {
  return postings + terms
}

/** Writes the ids of a segment's documents, which must be given in order. */
export function writeIds(segment: Segment, ids: readonly string[]): void {
  let at = 0
  for (const [document, id] of ids.entries()) {
    segment.idUnits.set(unitsOf(id), at)
    at += id.length
    segment.idStarts[document + 1] = at
  }
}

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

/** Positions of a dense ascending list: a bit per possible value and a count per 32 of them. */
class TermRanks {
  readonly #bits: Uint32Array
  readonly #before: Uint32Array

  constructor(terms: Uint32Array) {
    const words = ((terms[terms.length - 1] ?? 0) >>> 5) + 1
    this.#bits = new Uint32Array(words)
    this.#before = new Uint32Array(words)
    for (const term of terms) this.#bits[term >>> 5]! |= 1 << (term & 31)
    for (let w = 1; w < words; w++) this.#before[w] = this.#before[w - 1]! + ones(this.#bits[w - 1]!)
  }

  of(term: number): number {
    const word = this.#bits[term >>> 5]!
    const bit = 1 << (term & 31)
    return word & bit ? this.#before[term >>> 5]! + ones(word & (bit - 1)) : -1
  }
}

/** Set bits of a 32-bit word (Warren, "Hacker's Delight", section 5-1). */
export function ones(word: number): number {
  word -= (word >>> 1) & 0x55555555
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333)
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

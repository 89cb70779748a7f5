import { grown } from '../../arrays/grow.ts'
import type { TermCounts } from '../dictionary/term-counts.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import { ChangedTerms } from './changed-terms.ts'
import { SURFACE } from './forward-list.ts'
import type { ReadableSegment, Segment } from './segment.ts'

/** How many living documents have each term; exact after every write, families included. */
export class Frequencies implements TermCounts {
  /** A base changes, too, when it gets a family. */
  readonly changes = new ChangedTerms()
  readonly #vocabulary: Vocabulary
  #counts = new Uint32Array(1 << 10)
  /** By term: the last removed document that had it, numbered from 1. */
  #lastDocument = new Uint32Array(1 << 10)
  #documentsGone = 0
  #living = 0
  /** Number of late families whose counts started with that of their base. */
  #familiesBegun = 0

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary
  }

  /** By term; shorter than the vocabulary if the newest terms do not occur yet. */
  get counts(): Uint32Array {
    return this.#counts
  }

  /** Number of terms that some living document has. */
  get living(): number {
    return this.#living
  }

  get bytes(): number {
    return this.#counts.byteLength + this.#lastDocument.byteLength + this.changes.bytes
  }

  of(term: number): number {
    this.#vocabulary.terms.reader?.counted(term)
    return this.#counts[term] ?? 0
  }

  atMost(term: number): number {
    return this.of(term)
  }

  /** Adds the newest segment, for whose words all families exist. */
  add(segment: Segment): void {
    this.settle()
    this.#count(segment)
  }

  /** Adds a stored segment; its removed documents have to be subtracted afterwards. */
  restore(segment: Segment): void {
    this.#familiesBegun = this.#vocabulary.lateFamilies().length / 2
    this.#makeRoom()
    this.#count(segment)
    const pairs = this.#vocabulary.lateFamilies()
    for (let i = 0; i < pairs.length; i += 2) {
      const base = segment.find(pairs[i]!) < 0 ? segment.find(pairs[i + 1]!) : -1
      if (base >= 0) this.#change(pairs[i]!, segment.offsets[base + 1]! - segment.offsets[base]!)
    }
  }

  /** Subtracts a document. */
  remove({ forward }: ReadableSegment, document: number): void {
    this.settle()
    const mark = ++this.#documentsGone
    for (let at = forward.starts[document]!; at < forward.starts[document + 1]!; at++) {
      const surface = forward.tokens[at]! & SURFACE
      this.#takeOnce(surface, mark)
      const family = this.#vocabulary.familyOf(surface)
      if (family >= 0) this.#takeOnce(family, mark)
    }
  }

  /** The same without the forward list: one pass through all postings for all documents. */
  removeAll(segment: Segment, dead: Uint32Array): void {
    const { terms, offsets, documents } = segment
    for (let t = 0; t < terms.length; t++) {
      const gone = countAt(dead, documents, offsets[t]!, offsets[t + 1]!)
      if (gone > 0) this.#take(segment, terms[t]!, gone)
    }
  }

  #count({ terms, offsets }: Segment): void {
    for (let t = 0; t < terms.length; t++) this.#change(terms[t]!, offsets[t + 1]! - offsets[t]!)
  }

  #change(term: number, by: number): void {
    const before = this.#counts[term]!
    const now = before + by
    this.#counts[term] = now
    this.changes.add(term)
    if (before === 0 && now > 0) this.#living++
    else if (before > 0 && now === 0) this.#living--
  }

  #take(segment: Segment, term: number, gone: number): void {
    this.#change(term, -gone)
    const family = this.#vocabulary.isFamily(term) ? -1 : this.#vocabulary.familyOf(term)
    // A segment from before the family has only the base.
    if (family >= 0 && segment.find(family) < 0) this.#change(family, -gone)
  }

  #takeOnce(term: number, mark: number): void {
    if (this.#lastDocument[term] === mark) return
    this.#lastDocument[term] = mark
    this.#change(term, -1)
  }

  /** Counts families created since: until then their base stood for them. */
  settle(): void {
    this.#makeRoom()
    for (const family of this.#vocabulary.lateFamiliesFrom(this.#familiesBegun)) {
      const base = this.#vocabulary.baseOf(family)
      this.#change(family, this.of(base) - this.of(family))
      this.changes.add(base)
      this.#familiesBegun++
    }
  }

  #makeRoom(): void {
    this.#counts = grown(this.#counts, this.#vocabulary.terms.size)
    this.#lastDocument = grown(this.#lastDocument, this.#vocabulary.terms.size)
    this.changes.makeRoom(this.#vocabulary.terms.size)
  }
}

// A separate function, which is compiled after some calls; a nested loop would run unoptimized to its end.
function countAt(bits: Uint32Array, places: Uint16Array, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) count += (bits[places[i]! >>> 5]! >>> places[i]!) & 1
  return count
}

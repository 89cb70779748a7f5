import { areUnitsWithin } from '../dictionary/edit-distance.ts'
import type { TermReader } from '../dictionary/term-reader.ts'
import { type TermTable, unitsOf } from '../dictionary/term-table.ts'
import type { ChangedTerms } from '../segments/changed-terms.ts'

/** The terms of an index, and what changes of them. */
export interface WordSource {
  readonly terms: TermTable
  readonly changes: ChangedTerms
}

/** Comparing more with what has changed takes as long as finding the answer again. */
const MOST_READS = 256
const MOST_SEARCHES = 24
/** Comparisons of a changed or new term with something that was sought. */
const MOST_COMPARISONS = 2_048

/** Approximate sizes of what is kept, without its numbers, and of what was sought. */
const [BYTES_OF_READS, BYTES_OF_SEARCH] = [512, 192]

interface Reads {
  /** Terms of which the number of documents was read. */
  readonly counted: Iterable<number>
  /** Hashes of texts that were no terms. */
  readonly missed: Iterable<number>
  /** Terms that were sought by a part of their text. */
  readonly near: readonly { readonly text: Uint16Array; readonly most: number }[]
  readonly begun: Iterable<string>
  readonly ended: Iterable<string>
}

/** Records what an answer is found from. */
export class ReadRecorder implements TermReader {
  readonly #source: WordSource
  readonly #reads = {
    counted: new Set<number>(),
    missed: new Set<number>(),
    near: [] as Reads['near'][number][],
    begun: new Set<string>(),
    ended: new Set<string>(),
  } satisfies Reads
  #isTooMuch = false

  constructor(source: WordSource) {
    this.#source = source
  }

  counted(term: number): void {
    this.#add(this.#reads.counted, term)
  }

  missed(hash: number): void {
    this.#add(this.#reads.missed, hash)
  }

  soughtNear(text: Uint16Array, most: number): void {
    if (this.#isTooMuch) return
    this.#reads.near.push({ text, most })
    this.#check()
  }

  soughtBegun(text: string): void {
    this.#add(this.#reads.begun, text)
  }

  soughtEnded(text: string): void {
    this.#add(this.#reads.ended, text)
  }

  readMore(): void {
    this.#isTooMuch = true
    const { counted, missed, near, begun, ended } = this.#reads
    for (const reads of [counted, missed, begun, ended]) reads.clear()
    near.length = 0
  }

  /** Undefined if it was too much, or something of which changes are not known. */
  get all(): WordReads | undefined {
    return this.#isTooMuch ? undefined : new WordReads(this.#source, this.#reads)
  }

  #add<Read>(reads: Set<Read>, read: Read): void {
    if (this.#isTooMuch) return
    reads.add(read)
    this.#check()
  }

  #check(): void {
    const { counted, missed, near, begun, ended } = this.#reads
    const searches = near.length + begun.size + ended.size
    if (counted.size + missed.size > MOST_READS || searches > MOST_SEARCHES) this.readMore()
  }
}

/**
 * What an answer was found from, and whether all of that is still the same: dependencies recorded on the way, as in
 * self-adjusting computation (Acar, 2005).
 */
export class WordReads {
  readonly #source: WordSource
  readonly #counted: Uint32Array
  readonly #missed: Uint32Array
  readonly #near: Reads['near']
  readonly #begun: readonly Uint16Array[]
  readonly #ended: readonly Uint16Array[]
  /** The changes and terms with which the answer has been compared. */
  #moment: number
  #terms: number

  constructor(source: WordSource, { counted, missed, near, begun, ended }: Reads) {
    this.#source = source
    this.#moment = source.changes.moment
    this.#terms = source.terms.size
    this.#counted = Uint32Array.from(counted)
    this.#missed = Uint32Array.from(missed)
    this.#near = [...near]
    this.#begun = Array.from(begun, unitsOf)
    this.#ended = Array.from(ended, unitsOf)
  }

  /** Approximate memory. */
  get bytes(): number {
    const searches = this.#near.length + this.#begun.length + this.#ended.length
    return BYTES_OF_READS + 4 * (this.#counted.length + this.#missed.length) + BYTES_OF_SEARCH * searches
  }

  /** Tells a reader all of it, as if it were read again. */
  tell(reader: TermReader): void {
    for (const term of this.#counted) reader.counted(term)
    for (const hash of this.#missed) reader.missed(hash)
    for (const { text, most } of this.#near) reader.soughtNear(text, most)
    for (const text of this.#begun) reader.soughtBegun(String.fromCharCode(...text))
    for (const text of this.#ended) reader.soughtEnded(String.fromCharCode(...text))
  }

  /** Whether the answer would be the same now. */
  areCurrent(): boolean {
    const { changes, terms } = this.#source
    if (!changes.reachBack(this.#moment) || this.#comparisons > MOST_COMPARISONS) return false
    for (const term of this.#counted) if (changes.include(term, this.#moment)) return false
    for (let term = this.#terms; term < terms.size; term++) if (this.#wouldFind(term)) return false
    if (this.#begun.length + this.#ended.length > 0 && this.#haveChangedAffixes()) return false
    this.#moment = changes.moment
    this.#terms = terms.size
    return true
  }

  get #comparisons(): number {
    const { changes, terms } = this.#source
    const affixes = this.#begun.length + this.#ended.length
    const added = (terms.size - this.#terms) * (1 + this.#near.length)
    // What is near takes many times as long as a comparison of letters.
    return 16 * added + affixes * (changes.moment - this.#moment)
  }

  #wouldFind(term: number): boolean {
    const { terms } = this.#source
    if (this.#missed.includes(terms.textHash(term))) return true
    const { units, starts } = terms
    return this.#near.some(({ text, most }) =>
      areUnitsWithin(text, 0, text.length, units, starts[term]!, starts[term + 1]!, most),
    )
  }

  #haveChangedAffixes(): boolean {
    const { changes, terms } = this.#source
    return changes.some(
      this.#moment,
      term =>
        this.#begun.some(text => terms.hasAt(term, 0, text)) ||
        this.#ended.some(text => terms.hasAt(term, terms.length(term) - text.length, text)),
    )
  }
}

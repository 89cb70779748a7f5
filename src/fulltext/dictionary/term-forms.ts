import { grown } from '../../arrays/grow.ts'
import { setBit } from '../../arrays/set-bits.ts'
import { mixed, textOf } from './term-table.ts'

/** Maximum number of spellings counted per term, the first to arrive: a word with many marks has endless variants. */
const MOST_FORMS = 4

/**
 * How documents write terms, where that is not always the term itself: `rasenmäher` for `rasenmaher`. Counts in how many
 * documents the first occurrence of a word has which spelling. Counting begins with the first other spelling; all documents
 * before had the term itself. A document that was removed or changed still counts as it was: its spellings are not kept.
 */
export class TermForms {
  size = 0
  /** The units of all forms; those of form `f` are `units[starts[f]..starts[f + 1])`, empty for the term itself. */
  units = new Uint16Array(0)
  starts = new Uint32Array(1)
  /** By form. */
  terms = new Uint32Array(0)
  documents = new Uint32Array(0)
  /** By form: the next form of the same term + 1; 0 for none. */
  #next = new Uint32Array(0)
  /** By form that is the term itself: the last document that had the word. */
  #last = new Uint32Array(0)
  /** By term: whether it has forms. Read for each word of a document; most terms have none. */
  #hasForms = new Uint32Array(0)
  /** An open-addressing table by term: the form + 1 that is the term itself, which begins the chain of its other forms. */
  #slots = new Uint32Array(1 << 3)
  #formed = 0
  #document = 0

  get bytes(): number {
    const arrays = [this.units, this.starts, this.terms, this.documents, this.#next, this.#last]
    arrays.push(this.#hasForms, this.#slots)
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Begins another document. */
  begin(): void {
    this.#document++
  }

  /** Whether some document writes the term differently. */
  has(term: number): boolean {
    const bits = this.#hasForms
    return term >>> 5 < bits.length && ((bits[term >>> 5]! >>> term) & 1) !== 0
  }

  /** Counts a word of the document, written as `units[from..to)`, or as the term itself if that is empty. */
  count(term: number, units: Uint16Array, from: number, to: number): void {
    const isFormed = this.has(term)
    if (from === to && !isFormed) return
    const itself = isFormed ? this.#itselfOf(term) : this.#add(term, units, 0, 0)
    if (this.#last[itself] === this.#document) return
    this.#last[itself] = this.#document
    // This call may grow the arrays.
    const form = from === to ? itself : this.#formOf(itself, units, from, to)
    this.documents[form]!++
  }

  /**
   * The most frequent spelling, if it is not the term itself; of two equally frequent ones, the one with a mark wins.
   * @param documents number of documents that have the term
   */
  of(term: number, documents: number): string | undefined {
    if (!this.has(term)) return undefined
    const itself = this.#itselfOf(term)
    let best = itself
    let others = 0
    for (let next = this.#next[itself]!; next !== 0; next = this.#next[next - 1]!) {
      others += this.documents[next - 1]!
      if (best === itself || this.documents[next - 1]! > this.documents[best]!) best = next - 1
    }
    const plain = Math.max(this.documents[itself]!, documents - others)
    return best === itself || this.documents[best]! < plain
      ? undefined
      : textOf(this.units, this.starts[best]!, this.starts[best + 1]!)
  }

  /** Makes room for this many new forms with this many units in all. */
  reserve(forms: number, units: number): void {
    const size = this.size + forms
    this.units = grown(this.units, this.starts[this.size]! + units)
    this.starts = grown(this.starts, size + 1)
    this.terms = grown(this.terms, size)
    this.documents = grown(this.documents, size)
    this.#next = grown(this.#next, size)
    this.#last = grown(this.#last, size)
  }

  /** Appends a stored form, `units[from..to)`; false if it contradicts the existing ones. */
  restore(term: number, units: Uint16Array, from: number, to: number): boolean {
    if ((from === to) === this.has(term)) return false
    this.#add(term, units, from, to)
    return true
  }

  #formOf(itself: number, units: Uint16Array, from: number, to: number): number {
    let forms = 0
    for (let next = this.#next[itself]!; next !== 0; next = this.#next[next - 1]!) {
      if (this.#equals(next - 1, units, from, to)) return next - 1
      forms++
    }
    return forms === MOST_FORMS ? itself : this.#add(this.terms[itself]!, units, from, to)
  }

  #equals(form: number, units: Uint16Array, from: number, to: number): boolean {
    const start = this.starts[form]!
    if (this.starts[form + 1]! - start !== to - from) return false
    for (let i = from; i < to; i++) if (this.units[start + i - from] !== units[i]) return false
    return true
  }

  #add(term: number, units: Uint16Array, from: number, to: number): number {
    this.reserve(1, to - from)
    const form = this.size++
    const start = this.starts[form]!
    for (let i = from; i < to; i++) this.units[start + i - from] = units[i]!
    this.starts[form + 1] = start + to - from
    this.terms[form] = term
    if (this.has(term)) this.#append(this.#itselfOf(term), form)
    else this.#open(term, form)
    return form
  }

  #open(term: number, itself: number): void {
    this.#hasForms = grown(this.#hasForms, (term >>> 5) + 1)
    setBit(this.#hasForms, term)
    this.#formed++
    if (2 * this.#formed > this.#slots.length) this.#rehash()
    this.#slots[this.#slotOf(term)] = itself + 1
  }

  #itselfOf(term: number): number {
    return this.#slots[this.#slotOf(term)]! - 1
  }

  /** The slot of the term, or the empty one where it would go. */
  #slotOf(term: number): number {
    const mask = this.#slots.length - 1
    let slot = mixed(term) & mask
    while (this.#slots[slot] !== 0 && this.terms[this.#slots[slot]! - 1] !== term) slot = (slot + 1) & mask
    return slot
  }

  #rehash(): void {
    const before = this.#slots
    this.#slots = new Uint32Array(2 * before.length)
    for (const first of before) if (first !== 0) this.#slots[this.#slotOf(this.terms[first - 1]!)] = first
  }

  #append(itself: number, form: number): void {
    let at = itself
    while (this.#next[at] !== 0) at = this.#next[at]! - 1
    this.#next[at] = form + 1
  }
}

import type { Analyzer } from '../analysis/analyzer.ts'
import { grown } from './grow.ts'
import { TermTable, unitsOf } from './term-table.ts'

/**
 * The terms of an index and which of them share a stem. Both only grow. Words of one stem form a ring: each
 * names the next. A stem is noted only once a term differs from it, so model codes and languages without a
 * stemmer cost nothing.
 */
export class Vocabulary {
  readonly terms = new TermTable()
  readonly stems = new TermTable()
  readonly #analyzer: Analyzer
  #next = new Uint32Array(1 << 10)
  /** By stem: a term of its ring. */
  anchors = new Uint32Array(1 << 8)
  /** By term: an earlier term of its ring, itself where there was none; the rings are rebuilt from it. */
  elders = new Uint32Array(1 << 10)

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer
  }

  intern(chars: Uint16Array, length: number): number {
    const before = this.terms.size
    const id = this.terms.intern(chars, length)
    if (id === before) this.join(id, this.#elderOf(id))
    return id
  }

  /** The terms with the same stem as `word`, whose own id is `known`, -1 where it is no term. */
  family(word: string, known: number): number[] {
    const first = known >= 0 ? known : this.#memberFor(word)
    if (first < 0) return []
    const family = [first]
    for (let id = this.#next[first]!; id !== first; id = this.#next[id]!) family.push(id)
    return family
  }

  /** Puts a new term into the ring of an earlier one, or alone when `elder` is the term itself. */
  join(id: number, elder: number): void {
    this.#next = grown(this.#next, id + 1)
    this.elders = grown(this.elders, id + 1)
    this.elders[id] = elder
    this.#next[id] = elder === id ? id : this.#next[elder]!
    this.#next[elder] = id
  }

  anchor(stem: number, term: number): void {
    this.anchors = grown(this.anchors, stem + 1)
    this.anchors[stem] = term
  }

  #memberFor(word: string): number {
    const stem = this.#analyzer.stem(word)
    const noted = this.stems.find(stem)
    return noted >= 0 ? this.anchors[noted]! : this.#termThatIsStem(stem)
  }

  #elderOf(id: number): number {
    const term = this.terms.term(id)
    const stem = this.#analyzer.stem(term)
    const noted = this.stems.find(stem)
    if (noted >= 0) return this.anchors[noted]!
    if (stem === term) return id
    const base = this.#termThatIsStem(stem)
    const elder = base < 0 ? id : base
    this.anchor(this.stems.intern(unitsOf(stem), stem.length), elder)
    return elder
  }

  // Stemmers are not idempotent: "gener" may stand in a text and still have another stem.
  #termThatIsStem(stem: string): number {
    const id = this.terms.find(stem)
    return id >= 0 && this.#analyzer.stem(stem) === stem ? id : -1
  }
}

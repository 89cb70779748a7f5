import type { Analyzer } from '../../analysis/analyzer.ts'
import type { WrittenWord } from '../../analysis/written-word.ts'
import { grown } from '../../arrays/grow.ts'
import { isSet, setBit } from '../../arrays/set-bits.ts'
import { TermForms } from './term-forms.ts'
import { TermTable, textOf, unitsOf } from './term-table.ts'

/** The first unit of a family's name: no token contains it. */
export const FAMILY_MARK = 0

/**
 * The surface forms of an index and their families. A family stands for all words with one stem; it is a term of
 * its own, with its own postings, named by a mark and the stem. It is created once a word differs from its stem,
 * so model codes and languages without a stemmer cost nothing. Terms are only added; a rebuild drops unused ones.
 */
export class Vocabulary {
  readonly terms = new TermTable()
  /** How documents write its surfaces. */
  readonly forms = new TermForms()
  readonly #analyzer: Analyzer
  /**
   * By surface: its family + 1, 0 for none. By family: its base + 1, 0 for none. The base is the surface that equals the
   * stem, as `run` for `running`.
   */
  links = new Uint32Array(1 << 10)
  /** The members of each family as a linked list: by family the newest + 1, by surface the previous one + 1. */
  #members = new Uint32Array(1 << 10)
  #hasFamilies = false
  /** Families created after their base: segments from before have only the base. */
  #lateFamilies: number[] = []
  /** By term: whether it is one of these. Read for each term of a merge. */
  #isLate = new Uint32Array(1 << 5)

  constructor(analyzer: Analyzer) {
    this.#analyzer = analyzer
  }

  get bytes(): number {
    const arrays = [this.links, this.#members, this.#isLate]
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, this.terms.bytes + this.forms.bytes)
  }

  /** Whether there is any family; if not, links need not be read. */
  get hasFamilies(): boolean {
    return this.#hasFamilies
  }

  /** The id of a surface; a new one may create a family. */
  intern(chars: Uint16Array, length: number): number {
    const known = this.terms.lookup(chars, length)
    return known >= 0 ? known : this.#add(chars, length)
  }

  /** Begins another document. */
  begin(): void {
    this.forms.begin()
  }

  /** The same for a word of the document, with its spelling there if it differs. */
  internWritten(chars: Uint16Array, length: number, written: WrittenWord | undefined): number {
    const id = this.intern(chars, length)
    if (written) this.forms.count(id, written.units, 0, written.length)
    else if (this.forms.has(id)) this.forms.count(id, chars, 0, 0)
    return id
  }

  isFamily(id: number): boolean {
    return this.terms.units[this.terms.starts[id]!] === FAMILY_MARK
  }

  /** The family of a surface, or -1. */
  familyOf(surface: number): number {
    return this.links[surface]! - 1
  }

  /** The surface that equals the family's stem, or -1. */
  baseOf(family: number): number {
    return this.links[family]! - 1
  }

  /** The base of a family that was created after it; -1 for any other term. */
  lateBaseOf(term: number): number {
    return isSet(this.#isLate, term) ? this.baseOf(term) : -1
  }

  /** The stem of a word; it is only computed for a word that is not a term. */
  stemOf(word: string): string {
    const term = this.terms.find(word)
    if (term < 0) return this.#analyzer.stem(word)
    const family = this.familyOf(term)
    return family < 0 ? word : this.terms.term(family).slice(1)
  }

  /** For a word that is not a term: its family, or the term that equals its stem; -1 for none. */
  relatedTo(word: string, stem = this.#analyzer.stem(word)): number {
    const family = this.terms.find(familyName(stem))
    return family >= 0 || stem === word ? family : this.#termThatIsStem(stem)
  }

  /** Visits the surfaces of a family, the newest first; for a surface, itself. */
  visitMembers(id: number, visit: (surface: number) => void): void {
    this.terms.reader?.counted(id)
    if (!this.isFamily(id)) {
      visit(id)
      return
    }
    for (let next = this.#members[id]!; next !== 0; next = this.#members[next - 1]!) visit(next - 1)
  }

  /** Families created after their base, from this number on, in order of creation. */
  lateFamiliesFrom(first: number): readonly number[] {
    return first === this.#lateFamilies.length ? none : this.#lateFamilies.slice(first)
  }

  /** Pairs of such a family and its base, by family. */
  lateFamilies(): Uint32Array {
    const pairs = new Uint32Array(2 * this.#lateFamilies.length)
    for (const [i, family] of this.#lateFamilies.entries()) pairs.set([family, this.baseOf(family)], 2 * i)
    return pairs
  }

  /** Makes room for this many new terms with this many units in all. */
  reserve(terms: number, units: number): void {
    this.terms.reserve(terms, units)
    this.links = grown(this.links, this.terms.size + terms)
    this.#members = grown(this.#members, this.terms.size + terms)
  }

  /**
   * Appends stored terms with these lengths and links, consecutive from `units[from]` on, for which room was made. Returns
   * where the last one ends, or -1 if they contradict the existing ones.
   */
  restore(units: Uint16Array, from: number, lengths: Uint16Array, links: Uint32Array): number {
    const first = this.terms.size
    const end = this.terms.restore(units, from, lengths)
    if (end < 0) return -1
    for (let i = 0; i < links.length; i++) if (links[i] !== 0 && !this.#link(first + i, links[i]!)) return -1
    return end
  }

  /** Restores a stored link; false if it contradicts the existing ones. */
  #link(id: number, link: number): boolean {
    if (link > id) return false
    const isFamily = this.isFamily(id)
    if (isFamily === this.isFamily(link - 1)) return false
    this.#relate(isFamily ? id : link - 1, isFamily ? link - 1 : id)
    return true
  }

  // The family first, because a stored term can only refer to earlier ones.
  #add(chars: Uint16Array, length: number): number {
    const term = textOf(chars, 0, length)
    const stem = this.#analyzer.stem(term)
    let family = this.#hasFamilies ? this.terms.find(familyName(stem)) : -1
    if (family < 0 && stem !== term) family = this.#newFamily(stem)
    const id = this.terms.add(chars, length)
    this.#makeRoom(id)
    if (family >= 0) this.#relate(family, id)
    return id
  }

  #newFamily(stem: string): number {
    const base = this.#termThatIsStem(stem)
    const name = familyName(stem)
    const family = this.terms.add(unitsOf(name), name.length)
    this.#makeRoom(family)
    if (base >= 0) this.#relate(family, base)
    return family
  }

  #relate(family: number, surface: number): void {
    this.#hasFamilies = true
    this.links[surface] = family + 1
    this.#members[surface] = this.#members[family]!
    this.#members[family] = surface + 1
    if (!this.#isNamesake(family, surface)) return
    this.links[family] = surface + 1
    if (surface > family) return
    this.#lateFamilies.push(family)
    this.#isLate = grown(this.#isLate, (family >>> 5) + 1)
    setBit(this.#isLate, family)
  }

  /** Whether the surface equals the stem after which the family is named. */
  #isNamesake(family: number, surface: number): boolean {
    const { starts, units } = this.terms
    const length = this.terms.length(surface)
    if (this.terms.length(family) !== length + 1) return false
    for (let i = 0; i < length; i++) {
      if (units[starts[family]! + 1 + i] !== units[starts[surface]! + i]) return false
    }
    return true
  }

  #makeRoom(id: number): void {
    this.links = grown(this.links, id + 1)
    this.#members = grown(this.#members, id + 1)
    this.links[id] = 0
    this.#members[id] = 0
  }

  // Stemmers are not idempotent: "gener" may occur in a text and still have another stem.
  #termThatIsStem(stem: string): number {
    const id = this.terms.find(stem)
    return id >= 0 && this.#analyzer.stem(stem) === stem ? id : -1
  }
}

const none: readonly number[] = []

const familyName = (stem: string): string => String.fromCharCode(FAMILY_MARK) + stem

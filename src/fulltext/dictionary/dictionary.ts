import type { Analyzer } from '../../analysis/analyzer.ts'
import { type Compounding, compoundingOf } from '../../analysis/compounding.ts'
import { AffixIndex } from './affix-index.ts'
import { TypoIndex } from './typo-index.ts'
import { Vocabulary } from './vocabulary.ts'

/** The words of an index, with lookups of similar words, and of words by prefix and suffix. */
export class TermDictionary {
  readonly vocabulary: Vocabulary
  readonly typos: TypoIndex
  readonly prefixes: AffixIndex
  readonly suffixes: AffixIndex
  /** Undefined where the language writes words apart: then no suffixes are looked up. */
  readonly compounding: Compounding | undefined

  constructor(analyzer: Analyzer) {
    this.vocabulary = new Vocabulary(analyzer)
    this.typos = new TypoIndex(this.vocabulary.terms)
    this.prefixes = new AffixIndex(this.vocabulary.terms)
    this.suffixes = new AffixIndex(this.vocabulary.terms, 'backward')
    this.compounding = compoundingOf(analyzer.language)
  }

  get bytes(): number {
    return this.vocabulary.bytes + this.typos.bytes + this.prefixes.bytes + this.suffixes.bytes
  }

  /** Whether lookups of parts of words, of which one query makes many, leave little to sort. */
  get areAffixesSorted(): boolean {
    return !this.compounding || (this.prefixes.isSorted && this.suffixes.isSorted)
  }

  /** Sorts what lookups of prefixes and suffixes would sort, in steps of a few milliseconds. */
  *sortAffixes(): Generator<void> {
    while (this.prefixes.build()) yield
    if (this.compounding) while (this.suffixes.build()) yield
  }

  /**
   * Does in advance, in steps of a few milliseconds, work that the first lookup of a typo after loading, or many words of one
   * query, would have to do at once. Includes prefixes, since a typo may be in an unfinished word.
   */
  *prepareTypos(): Generator<void> {
    while (this.typos.build()) yield
    yield* this.sortAffixes()
  }
}

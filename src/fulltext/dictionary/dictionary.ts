import type { Analyzer } from '../../analysis/analyzer.ts'
import { type Compounding, compoundingOf } from '../../analysis/compounding.ts'
import { AffixIndex } from './affix-index.ts'
import { TypoIndex } from './typo-index.ts'
import { Vocabulary } from './vocabulary.ts'

/** The words of an index, and the ways to those that are like one, begin like it or end in it. */
export class TermDictionary {
  readonly vocabulary: Vocabulary
  readonly typos: TypoIndex
  readonly prefixes: AffixIndex
  readonly suffixes: AffixIndex
  /** Undefined where the language writes words apart: then nobody asks for suffixes. */
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

  /**
   * Does beforehand, in steps of some milliseconds, what the first lookup of a typo after a load would do at once, and many
   * words of one query together: a typo may be a beginning as well.
   */
  *prepareTypos(): Generator<void> {
    while (this.typos.build()) yield
    while (this.prefixes.build()) yield
    if (this.compounding) while (this.suffixes.build()) yield
  }
}

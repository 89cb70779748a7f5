import type { Analyzer } from '../../analysis/analyzer.ts'
import { PrefixIndex } from './prefix-index.ts'
import { TypoIndex } from './typo-index.ts'
import { Vocabulary } from './vocabulary.ts'

/** The words of an index, and the ways to those that are like one or begin like it. */
export class Dictionary {
  readonly vocabulary: Vocabulary
  readonly typos: TypoIndex
  readonly prefixes: PrefixIndex

  constructor(analyzer: Analyzer) {
    this.vocabulary = new Vocabulary(analyzer)
    this.typos = new TypoIndex(this.vocabulary.terms)
    this.prefixes = new PrefixIndex(this.vocabulary.terms)
  }

  get bytes(): number {
    return this.vocabulary.bytes + this.typos.bytes + this.prefixes.bytes
  }

  /**
   * Does beforehand, in steps of some milliseconds, what the first lookup of a typo after a load would do at once, and many
   * words of one query together: a typo may be a beginning as well.
   */
  *prepareTypos(): Generator<void> {
    while (this.typos.build()) yield
    while (this.prefixes.build()) yield
  }
}

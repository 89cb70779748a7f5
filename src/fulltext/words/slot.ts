import type { Standing } from './standing.ts'

/** How a term came to stand for a word of the query. */
export type ExpansionKind =
  | 'exact'
  | 'stem'
  | 'spelling'
  | 'joined'
  | 'compound'
  | 'unit'
  | 'prefix'
  | 'typo'
  | 'synonym'

/** A term or family that may stand for a word, and how well: above 0, at most 1. */
export interface Expansion {
  readonly kind: ExpansionKind
  readonly term: number
  readonly weight: number
  /** Of several words that stand one behind the other, of which `term` is the first. */
  readonly standing?: Standing
}

/** A distinct word of the query with all that may stand for it; everything shares one idf. */
export interface Slot {
  readonly word: string
  readonly kind: ExpansionKind
  /** How often the query says it. */
  readonly occurrences: number
  readonly idf: number
  /** Of its weight so much counts: less than 1 for function words beside enough others. */
  readonly share: number
  /** What makes a document match; the best of them that it has counts. */
  readonly cover: readonly Expansion[]
  /** Added where the word stands as it was typed: it is among what the cover finds. */
  readonly exact: Expansion | undefined
  /** All surfaces found by it, the likeliest first. */
  readonly surfaces: readonly number[]
}

/** What a word of the query was taken for. */
export interface MatchedWord {
  readonly word: string
  /**
   * The best of what was found: `exact`: the word occurs; `stem`: words of its family do; `spelling`: the same word in
   * another spelling does; `joined`: it and its neighbours written as one do; `compound`: the words that it is made of do,
   * one behind the other; `unit`: the same measure written otherwise does; `prefix`: words that begin with it do; `typo`:
   * words like it do; `synonym`: its synonyms do; `stop`: it is a stop word, which was left out; `none`: nothing.
   */
  readonly kind: ExpansionKind | 'stop' | 'none'
  /** The words searched for, the likeliest first. */
  readonly surfaces: readonly string[]
  /** How telling they are: their inverse document frequency, 0 for nothing. */
  readonly idf: number
  /** What was probably meant, where the word was taken for another: a page may ask "did you mean". */
  readonly suggestion?: string
}

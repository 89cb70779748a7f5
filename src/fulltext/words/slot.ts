import type { Standing } from './standing.ts'

/** How a term came to stand for a word of the query. */
export type ExpansionKind =
  | 'exact'
  | 'stem'
  | 'spelling'
  | 'joined'
  | 'compound'
  | 'part'
  | 'unit'
  | 'prefix'
  | 'typo'
  | 'synonym'

/** A surface that a part of it finds, and where that stands in it: UTF-16 units from `from` up to `to`. */
export interface PartOfWord {
  readonly surface: string
  readonly from: number
  readonly to: number
}

/** A term or family that may stand for a word, and how well: above 0, at most 1. */
export interface Expansion {
  readonly kind: ExpansionKind
  readonly term: number
  readonly weight: number
  /** Of several words that follow each other, of which `term` is the first. */
  readonly standing?: Standing
}

/** A distinct word of the query with all that may stand for it; everything shares one idf. */
export interface Slot {
  readonly word: string
  readonly kind: ExpansionKind
  /** How often the query says it. */
  readonly occurrences: number
  readonly idf: number
  /** Share of its weight that counts: less than 1 for function words among enough others. */
  readonly share: number
  /** What makes a document match; the best of them that it has counts. */
  readonly cover: readonly Expansion[]
  /** Added where the word stands as it was typed: it is among what the cover finds. */
  readonly exact: Expansion | undefined
  /** All surfaces found by it, the likeliest first. */
  readonly surfaces: readonly number[]
  /** Of the surfaces that are found by a part alone. */
  readonly parts?: readonly PartOfWord[] | undefined
}

/** How a word of the query was understood. */
export interface MatchedWord {
  readonly word: string
  /**
   * The best match: `exact`: the word occurs; `stem`: other forms of it do; `spelling`: another spelling
   * does; `joined`: it occurs written as one word with its neighbours; `compound`: its parts occur in
   * sequence; `part`: words that it is a part of do, such as `Gartenstuhl` for `Stuhl`; `unit`: the same measure in another
   * notation occurs; `prefix`: words that begin with it do; `typo`: similar words do; `synonym`: its synonyms do; `stop`: it is
   * a stop word, or one that only asks for something, and was ignored; `none`: nothing.
   */
  readonly kind: ExpansionKind | 'stop' | 'none'
  /**
   * The words searched for, the likeliest first, in lower case as most of the documents write them (`rasenmäher`); with `visible`
   * without accents, since documents that are not there write them, too.
   */
  readonly surfaces: readonly string[]
  /** Of those that it is only a part of: where it stands in them, in UTF-16 units. */
  readonly parts?: readonly PartOfWord[]
  /** Their inverse document frequency, 0 if nothing matches. */
  readonly idf: number
  /** The word that was probably meant, if it was corrected: for a "did you mean". */
  readonly suggestion?: string
}

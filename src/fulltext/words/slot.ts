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

/** A surface that is matched by a part of it, and where that is in it: UTF-16 units from `from` up to `to`. */
export interface PartOfWord {
  readonly surface: string
  readonly from: number
  readonly to: number
}

/** A term or family that may stand for a word, with its weight: above 0, at most 1. */
export interface Expansion {
  readonly kind: ExpansionKind
  readonly term: number
  readonly weight: number
  /** For several consecutive words, of which `term` is the first. */
  readonly standing?: Standing
}

/** A distinct word of the query with everything that may stand for it, all of which shares one idf. */
export interface Slot {
  readonly word: string
  readonly kind: ExpansionKind
  /** How often it occurs in the query. */
  readonly occurrences: number
  readonly idf: number
  /** The share of its weight that counts: less than 1 for function words beside enough others. */
  readonly share: number
  /** The alternatives that make a document match; the best one that it has counts. */
  readonly cover: readonly Expansion[]
  /** Added where the word occurs as typed, which the cover also matches. */
  readonly exact: Expansion | undefined
  /** All surfaces that it matches, the likeliest first. */
  readonly surfaces: readonly number[]
  /** Those of the surfaces that are only matched by a part. */
  readonly parts?: readonly PartOfWord[] | undefined
}

/** How a word of the query was understood. */
export interface MatchedWord {
  readonly word: string
  /**
   * The best match. `exact`: the word occurs. `stem`: other forms of it occur. `spelling`: another spelling
   * occurs. `joined`: it occurs written as one word with adjacent words of the query. `compound`: its parts occur in
   * sequence. `part`: words that contain it as a part occur, such as `Gartenstuhl` for `Stuhl`. `unit`: the same measure
   * occurs in another notation. `prefix`: words that begin with it occur. `typo`: similar words occur. `synonym`: its synonyms
   * occur. `stop`: it was ignored, as a stop word or as a word that only asks for something. `none`: nothing matches.
   */
  readonly kind: ExpansionKind | 'stop' | 'none'
  /**
   * The words searched for, the likeliest first, in lower case as most of the documents write them (`rasenmäher`); with
   * `visible`, without accents, since the spelling may be that of hidden documents.
   */
  readonly surfaces: readonly string[]
  /** Where the word is in those of the surfaces of which it is only a part, in UTF-16 units. */
  readonly parts?: readonly PartOfWord[]
  /** Their inverse document frequency, 0 if nothing matches. */
  readonly idf: number
  /** The word that was probably meant, for a "did you mean". */
  readonly suggestion?: string
}

/** Told what is read of the terms of an index while an answer is found, so that it is known for how long the answer holds. */
export interface TermReader {
  /** The number of documents that have the term; of a family, its members too. */
  counted(term: number): void
  /** No term has a text with this hash: see `TermTable.textHash`. */
  missed(hash: number): void
  /** All terms within this many edits of the text. */
  soughtNear(text: Uint16Array, most: number): void
  /** All terms that begin with the text, or end with it, with their numbers of documents. */
  soughtBegun(text: string): void
  soughtEnded(text: string): void
  /** Something else, which any write may change. */
  readMore(): void
}

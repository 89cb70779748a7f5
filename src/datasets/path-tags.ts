import type { FindlingError } from '../errors.ts'

/** A tag that a path has led to although it is written in another way. */
export interface OtherSpelling {
  readonly given: string
  readonly tag: string
}

/** What became of the paths of one document. */
export type PlacedPaths =
  | { readonly ids: readonly string[]; readonly spellings: readonly OtherSpelling[] }
  | FindlingError

/** Finds the tags that paths of names lead to, and makes those that are missing. */
export interface PathTags {
  /** How many tags have been made. */
  readonly made: number
  /** The tags of several documents, each with its paths. */
  place(documents: readonly (readonly string[])[]): Promise<PlacedPaths[]>
}

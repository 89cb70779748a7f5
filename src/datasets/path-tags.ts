import type { FindlingError } from '../errors.ts'

/** A tag that a path led to although its name is spelt differently. */
export interface OtherSpelling {
  readonly given: string
  readonly tag: string
}

/** What became of the paths of one document. */
export type PlacedPaths =
  | { readonly ids: readonly string[]; readonly spellings: readonly OtherSpelling[] }
  | FindlingError

/** Finds the tags that paths of names lead to, and creates missing ones. */
export interface PathTags {
  /** How many tags have been created. */
  readonly made: number
  /** The tags of several documents, given the paths of each. */
  place(documents: readonly (readonly string[])[]): Promise<PlacedPaths[]>
}

/** A document with the texts of its fields and the tag it has. */
export interface Labelled {
  readonly texts: readonly string[]
  readonly tag: string
}

export interface ClassifyCollection {
  readonly train: readonly Labelled[]
  readonly test: readonly Labelled[]
}

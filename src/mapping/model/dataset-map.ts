/** A document or tag on a map. */
export interface DatasetMapPoint {
  /** Of the document, or of the tag. */
  id: string
  /** -1 to 1. */
  x: number
  y: number
  /** The first tag of a document; null where it has none. Not there for tags. */
  tagId?: string | null
}

/** What a part of a map is about. */
export interface DatasetMapLabel {
  x: number
  y: number
  /** Its most typical words, most typical first; at most 3. */
  words: string[]
  /** Points of this part. */
  points: number
}

/** Documents or tags in the plane: those that are near each other have similar words. */
export interface DatasetMap {
  dataset: string
  /** When it was begun, in milliseconds since 1970. */
  at: number
  of: 'documents' | 'tags'
  /** Documents that were looked at. */
  documents: number
  /** In the order of the documents; tags in the order in which documents name them. Without those that have no words in common with others. */
  points: DatasetMapPoint[]
  /** Of most points first. */
  labels: DatasetMapLabel[]
}

/** A document or tag on a map. */
export interface DatasetMapPoint {
  /** Id of the document or tag. */
  id: string
  /** -1 to 1. */
  x: number
  y: number
  /** The first tag of a document; null if it has none. Absent for tags. */
  tagId?: string | null
}

/** The topic of a part of a map. */
export interface DatasetMapLabel {
  x: number
  y: number
  /** Its most typical words, most typical first, in their most frequent spelling; at most 3. */
  words: string[]
  /** Number of points in this part. */
  points: number
}

/** Documents or tags as points in the plane: neighbouring points have similar words. */
export interface DatasetMap {
  dataset: string
  /** When the job started, in milliseconds since 1970. */
  at: number
  of: 'documents' | 'tags'
  /** Number of documents that were examined. */
  documents: number
  /**
   * In the order of the documents; tags in the order in which documents name them. Points without words in common with others are
   * left out.
   */
  points: DatasetMapPoint[]
  /** Those with the most points first. */
  labels: DatasetMapLabel[]
}

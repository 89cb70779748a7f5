import type { TextRange } from './title-words.ts'

/** A completion of the typed text. */
export interface Completion {
  /**
   * The title, the name of the tag, or, in lower case, a text that was searched for; titles are cut to their first 200 characters.
   * If several titles share at least the first half of their words, this common beginning comes first.
   */
  text: string
  kind: 'title' | 'tag' | 'query'
  /** Id of a tag. */
  id?: string
  /** For titles: the number of documents with exactly this title. */
  count?: number
  /** The parts of `text` that were typed, as `text.slice(start, end)`: in order, without overlap. */
  ranges: TextRange[]
  /** Whether a typed word was corrected by one edit. */
  corrected: boolean
}

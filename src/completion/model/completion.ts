import type { TextRange } from './title-words.ts'

/** A completion of the typed text. */
export interface Completion {
  /**
   * The title, the name of the tag, or a text that was searched for, in lower case; of a title longer than 200 characters its first 200. Of titles that differ only
   * behind at least half of their words, first what they begin with.
   */
  text: string
  kind: 'title' | 'tag' | 'query'
  /** Of a tag. */
  id?: string
  /** Of a title: how many documents have exactly this one. */
  count?: number
  /** The parts of `text` that were typed, as `text.slice(start, end)`: in order and apart. */
  ranges: TextRange[]
  /** Whether a typed word was corrected by one edit. */
  corrected: boolean
}

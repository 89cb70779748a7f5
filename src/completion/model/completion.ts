import type { TextRange } from './title-words.ts'

/** What the beginning that somebody typed may become. */
export interface Completion {
  /**
   * The title, or the name of the tag; of a title longer than 200 characters its first 200. Of titles that differ only
   * behind at least half of their words, first what they begin with.
   */
  text: string
  kind: 'title' | 'tag'
  /** Of a tag. */
  id?: string
  /** Of a title: how many documents have this very one. */
  count?: number
  /** The parts of `text` that were typed, as `text.slice(start, end)`: in order and apart. */
  ranges: TextRange[]
  /** Whether some typed word is taken for another by one edit. */
  corrected: boolean
}

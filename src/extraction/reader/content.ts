/** The content of a file. */
export interface ExtractedFile {
  /** Every line ends in \n, including the last; table cells are separated by tabs or, if they hold paragraphs in HTML, by lines. */
  text: string
  title: string | null
  author: string | null
  /** When the file was last saved or, failing that, created, as ISO 8601; for a mail, when it was sent. */
  date: string | null
  /** As in the file. */
  keywords: string | null
  /** The media type, as `application/pdf`. */
  contentType: string
  /** The charset of a plain text, table, page or RTF file, such as `UTF-8` or `windows-1250`; else null. */
  charset: string | null
  /** Two letters of ISO 639-1; null if the text is too short to tell. */
  language: string | null
  /** Size of the file in bytes. */
  length: number
}

/** What the reader of a format finds. */
export type Content = Omit<ExtractedFile, 'language' | 'length'>

/** A date of a file as ISO 8601; null if the text is not a date. */
export function isoDate(text: string | null | undefined): string | null {
  const trimmed = text?.trim().slice(0, 100)
  if (!trimmed) return null
  // Without a time zone: UTC, regardless of the machine's zone.
  const isLocal = /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(trimmed)
  const time = Date.parse(isLocal ? `${trimmed}Z` : trimmed)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

interface ForwardShape {
  readonly fields: number
  readonly documents: number
  readonly postings: number
  /** Number of words in all documents and fields. */
  readonly tokens: number
}

export function forwardBytes({ documents, tokens, postings, fields }: ForwardShape): number {
  return 4 * (documents + 1 + tokens) + postings * fields
}

/** A token is the id of a surface with marks in the bits above it. */
export const SURFACE = 2 ** 29 - 1

/** Marks the first word of a text that follows another text in the field or the previous one: no phrase spans both. */
export const BEGINS_TEXT = 2 ** 30

/** Marks a word in an aside of the first field, the title: it does not name the product itself. */
export const ASIDE = 2 ** 29

/** Marks the frequency in the title of a term that occurs there only in asides. */
export const ASIDE_ALONE = 0x80

/** Maximum number of occurrences of a term in the title that are counted. */
export const MOST_IN_TITLE = 0x7f

/** The words of documents in order, with their marks: those of one are `tokens[starts[document]..starts[document + 1])`. */
export interface DocumentTokens {
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
}

/**
 * The words of each document in order, field by field, as ids of surfaces, and how often each term occurs in each field.
 * Queries of one rare word do not need it.
 */
export class ForwardList implements DocumentTokens {
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
  /** Occurrences per posting and field, at most 255; in the first field 127, with a mark. */
  readonly frequencies: Uint8Array
  #titles: DocumentTokens | undefined
  /** Number of titles that were read before they were copied. */
  #titlesRead = 0

  constructor(
    readonly bytes: Uint8Array,
    { documents, tokens, postings, fields }: ForwardShape,
  ) {
    const { buffer, byteOffset } = bytes
    const end = byteOffset + 4 * (documents + 1 + tokens)
    this.starts = new Uint32Array(buffer, byteOffset, documents + 1)
    this.tokens = new Uint32Array(buffer, byteOffset + 4 * (documents + 1), tokens)
    this.frequencies = new Uint8Array(buffer, end, postings * fields)
  }

  get titleBytes(): number {
    return this.#titles ? this.#titles.starts.byteLength + this.#titles.tokens.byteLength : 0
  }

  /**
   * The titles alone, side by side: they fit into a processor's cache, which the texts between them do not. They are copied once
   * as many titles have been read as there are, so that copying at most doubles the work; undefined until then.
   * @param reads number of titles about to be read
   * @param lengths words per document and field
   */
  titles(reads: number, lengths: Uint16Array): DocumentTokens | undefined {
    const documents = this.starts.length - 1
    if (this.#titles) return this.#titles
    this.#titlesRead += reads
    if (this.#titlesRead < documents) return undefined
    this.#titles = titlesOf(this, lengths, lengths.length / documents)
    return this.#titles
  }
}

function titlesOf(all: DocumentTokens, lengths: Uint16Array, fields: number): DocumentTokens {
  const starts = new Uint32Array(all.starts.length)
  for (let document = 0; document < starts.length - 1; document++)
    starts[document + 1] = starts[document]! + lengths[document * fields]!
  const tokens = new Uint32Array(starts.at(-1)!)
  copyTitles(all, starts, tokens)
  return { starts, tokens }
}

function copyTitles(all: DocumentTokens, starts: Uint32Array, tokens: Uint32Array): void {
  for (let document = 0; document < starts.length - 1; document++) {
    let from = all.starts[document]!
    for (let at = starts[document]!; at < starts[document + 1]!; at++) tokens[at] = all.tokens[from++]!
  }
}

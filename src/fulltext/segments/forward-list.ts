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

/**
 * The words of each document in order, field by field, as ids of surfaces, and how often each term occurs in each field.
 * Queries of one rare word do not need it.
 */
export class ForwardList {
  /** The words of a document are `tokens[starts[document]..starts[document + 1])`, with their marks. */
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
  /** Occurrences per posting and field, at most 255; in the first field 127, with a mark. */
  readonly frequencies: Uint8Array

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
}

interface ForwardShape {
  readonly fields: number
  readonly documents: number
  readonly postings: number
  /** Words of all documents and fields. */
  readonly tokens: number
}

export function forwardBytes({ documents, tokens, postings, fields }: ForwardShape): number {
  return 4 * (documents + 1 + tokens) + postings * fields
}

/** A token is a surface's id below some marks. */
export const SURFACE = 2 ** 29 - 1

/** Marks the first word of a text after another, of the same field or of the previous one: nothing runs across. */
export const BEGINS_TEXT = 2 ** 30

/** Marks a word of the first field, the title, that stands aside: what it names is not the thing itself. */
export const ASIDE = 2 ** 29

/** Marks the frequency in the title of a term that stands there aside alone. */
export const ASIDE_ALONE = 0x80

/** The most occurrences of a term in the title that are counted. */
export const MOST_IN_TITLE = 0x7f

/**
 * What stands where: the words of each document in their order, field after field, as ids of surfaces, and how often
 * each term stands in each field. Queries of one rare word do without it.
 */
export class ForwardList {
  /** The words of a document are `tokens[starts[document]..starts[document + 1])`, with their marks. */
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
  /** Occurrences per posting and field, at most 255, in the first field 127 with a mark. */
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

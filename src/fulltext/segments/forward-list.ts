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

/** Marks the first word of a text behind another, of the same field or of the one before: nothing runs across. */
export const BEGINS_TEXT = 2 ** 30

/**
 * What stands where: the words of each document in their order, field after field, as ids of surfaces, and how often
 * each term stands in each field. Most queries of one word do without it.
 */
export class ForwardList {
  /** The words of a document are `tokens[starts[document]..starts[document + 1])`, with their marks. */
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
  /** Occurrences per posting and field, at most 255. */
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

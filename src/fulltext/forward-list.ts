interface ForwardShape {
  readonly documents: number
  /** Words of all documents and fields. */
  readonly tokens: number
}

export function forwardBytes({ documents, tokens }: ForwardShape): number {
  return 4 * (documents + 1 + tokens)
}

/** The words of each document in their order, field after field, as ids of surfaces. */
export class ForwardList {
  /** The words of a document are `tokens[starts[document]..starts[document + 1])`. */
  readonly starts: Uint32Array
  readonly tokens: Uint32Array

  constructor(
    readonly bytes: Uint8Array,
    { documents, tokens }: ForwardShape,
  ) {
    const { buffer, byteOffset } = bytes
    this.starts = new Uint32Array(buffer, byteOffset, documents + 1)
    this.tokens = new Uint32Array(buffer, byteOffset + 4 * (documents + 1), tokens)
  }
}

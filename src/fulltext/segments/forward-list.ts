interface ForwardShape {
  readonly fields: number
  readonly documents: number
  readonly terms: number
  readonly postings: number
  /** Number of words in all documents and fields. */
  readonly tokens: number
  /** Number of followers. */
  readonly followers: number
}

export function forwardBytes(shape: ForwardShape): number {
  const { documents, tokens, followers, postings, fields } = shape
  return 4 * (documents + 1 + tokens + startsOfFollowers(shape) + followers) + postings * fields
}

/** None in a language in which they are not used. */
const startsOfFollowers = ({ terms, followers }: ForwardShape): number => (followers > 0 ? terms + 1 : 0)

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

/** Instead of a following surface, where a title or one of its texts ends. */
export const NO_FOLLOWER = 2 ** 32 - 1

/**
 * The words of each document in order, field by field, as ids of surfaces, how often each term occurs in each field, and what
 * follows it in titles. Queries of one rare word do not need it.
 */
export class ForwardList {
  /** The words of a document, with their marks, are `tokens[starts[document]..starts[document + 1])`. */
  readonly starts: Uint32Array
  readonly tokens: Uint32Array
  /** The followers of a term are `followers[followerStarts[place]..followerStarts[place + 1])`. */
  readonly followerStarts: Uint32Array
  /** One for each posting whose document has the term in its title, in their order: the surface right after its first occurrence there. */
  readonly followers: Uint32Array
  /** Occurrences per posting and field, at most 255; in the first field 127, with a mark. */
  readonly frequencies: Uint8Array

  constructor(
    readonly bytes: Uint8Array,
    shape: ForwardShape,
  ) {
    const { documents, tokens, postings, fields } = shape
    const { buffer } = bytes
    let at = bytes.byteOffset
    const take = (length: number) => {
      at += 4 * length
      return new Uint32Array(buffer, at - 4 * length, length)
    }
    this.starts = take(documents + 1)
    this.tokens = take(tokens)
    this.followerStarts = take(startsOfFollowers(shape))
    this.followers = take(shape.followers)
    this.frequencies = new Uint8Array(buffer, at, postings * fields)
  }
}

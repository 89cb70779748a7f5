export const lineFeed = 10
export const carriageReturn = 13
const quote = 34

/**
 * Turns the carriage returns with which some programs end lines into line feeds, if the first line of a CSV ends with one. Both
 * are one byte, so positions stay. Lines that end with two of them and a line feed are left to the parser.
 */
export class LineEnds {
  /** Undefined until the end of the first line. */
  #areReturns: boolean | undefined
  #isQuoted = false
  /** How many returns the bytes so far end with, of which the next byte tells what they are: 0 to 2. */
  #held = 0

  take(bytes: Buffer): Buffer {
    if (this.#areReturns !== undefined) return this.#areReturns ? withFeeds(bytes) : bytes
    const all = this.#held > 0 ? Buffer.concat([this.end(), bytes]) : bytes
    const at = this.#firstEnd(all)
    if (at === all.length) return all
    const [first, second, third] = all.subarray(at)
    if (first === carriageReturn && (second ?? carriageReturn) === carriageReturn && third === undefined) {
      this.#held = all.length - at
      return all.subarray(0, at)
    }
    const isTwice = second === carriageReturn && third === lineFeed
    this.#areReturns = first === carriageReturn && second !== lineFeed && !isTwice
    return this.#areReturns ? Buffer.concat([all.subarray(0, at), withFeeds(all.subarray(at))]) : all
  }

  /** What has been held back. */
  end(): Buffer {
    const held = Buffer.alloc(this.#held, carriageReturn)
    this.#held = 0
    return held
  }

  /** Where the first line ends, or the length. */
  #firstEnd(bytes: Buffer): number {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === quote) this.#isQuoted = !this.#isQuoted
      if (!this.#isQuoted && (byte === lineFeed || byte === carriageReturn)) return at
    }
    return bytes.length
  }
}

function withFeeds(bytes: Buffer): Buffer {
  const feeds = Buffer.from(bytes)
  for (let at = feeds.indexOf(carriageReturn); at >= 0; at = feeds.indexOf(carriageReturn, at + 1))
    feeds[at] = lineFeed
  return feeds
}

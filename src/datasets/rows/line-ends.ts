export const lineFeed = 10
export const carriageReturn = 13
const quote = 34

/**
 * Turns the carriage returns with which some programs end lines into line feeds, if the first line of a CSV ends with one. Both
 * are one byte, so positions stay.
 */
export class LineEnds {
  /** Undefined until the end of the first line. */
  #areReturns: boolean | undefined
  #isQuoted = false
  /** Whether the last byte so far was a return, of which the next byte tells what it is. */
  #isOpen = false

  take(bytes: Buffer): Buffer {
    if (this.#areReturns !== undefined) return this.#areReturns ? withFeeds(bytes) : bytes
    const all = this.#isOpen ? Buffer.concat([this.end(), bytes]) : bytes
    const at = this.#firstEnd(all)
    if (at === all.length) return all
    this.#isOpen = all[at] === carriageReturn && at + 1 === all.length
    if (this.#isOpen) return all.subarray(0, at)
    this.#areReturns = all[at] === carriageReturn && all[at + 1] !== lineFeed
    return this.#areReturns ? Buffer.concat([all.subarray(0, at), withFeeds(all.subarray(at))]) : all
  }

  /** What has been held back. */
  end(): Buffer {
    const held = Buffer.from(this.#isOpen ? [carriageReturn] : [])
    this.#isOpen = false
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

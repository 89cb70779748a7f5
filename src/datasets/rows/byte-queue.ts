/** Bytes that have come in and are not yet used up; joins parts only where a piece spans them. */
export class ByteQueue {
  readonly #parts: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(part: Buffer): void {
    this.#parts.push(part)
    this.#length += part.length
  }

  /** Removes the first `length` bytes and returns them. */
  take(count: number): Buffer {
    const taken: Buffer[] = []
    let missing = count
    while (missing > 0) {
      const part = this.#parts.shift()!
      if (part.length > missing) this.#parts.unshift(part.subarray(missing))
      taken.push(part.subarray(0, missing))
      missing -= Math.min(missing, part.length)
    }
    this.#length -= count
    return taken.length === 1 ? taken[0]! : Buffer.concat(taken)
  }
}

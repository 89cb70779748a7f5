/** Reads what LevelDB writes one after the other: whole numbers of seven bits a byte, and texts behind their length. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at: number
  readonly #end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end
  }

  /** RangeError where the bytes end before, or the number is not a safe one. */
  number(): number {
    let value = 0
    for (let unit = 1; ; unit *= 128) {
      const byte = this.byte()
      value += (byte & 127) * unit
      if (!Number.isSafeInteger(value)) throw new RangeError('the number is too large')
      if (byte < 128) return value
    }
  }

  byte(): number {
    if (this.isAtEnd) throw new RangeError('the bytes end too early')
    return this.#bytes[this.#at++]!
  }

  bytes(length: number): Uint8Array {
    if (length > this.#end - this.#at) throw new RangeError('the bytes end too early')
    const from = this.#at
    this.#at += length
    return this.#bytes.subarray(from, this.#at)
  }

  text(): Uint8Array {
    return this.bytes(this.number())
  }
}

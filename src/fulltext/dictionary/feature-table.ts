/** Numbers 32-bit hashes from 0 in order of arrival: open addressing, with each number next to its hash. */
export class FeatureTable {
  size = 0
  /** Pairs of a hash and its number + 1; 0 for an empty slot. */
  #slots: Int32Array
  #mask: number
  readonly #seed: number

  /** `seed` only affects how long lookups of hashes take that were chosen to collide. */
  constructor(expected = 512, seed = Math.trunc(Math.random() * 2 ** 32)) {
    const places = 2 ** Math.ceil(Math.log2(Math.max(16, expected * 1.5)))
    this.#slots = new Int32Array(2 * places)
    this.#mask = places - 1
    this.#seed = seed | 0
  }

  get bytes(): number {
    return this.#slots.byteLength
  }

  /** The number of a hash; -1 if it has none. */
  find(hash: number): number {
    return this.#slots[this.#placeOf(hash) + 1]! - 1
  }

  /** The number of a hash; a new hash gets the previous `size`. */
  intern(hash: number): number {
    const place = this.#placeOf(hash)
    const known = this.#slots[place + 1]!
    if (known > 0) return known - 1
    this.#slots[place] = hash
    this.#slots[place + 1] = ++this.size
    if (this.size * 1.5 > this.#mask) this.#grow()
    return this.size - 1
  }

  #placeOf(hash: number): number {
    const slots = this.#slots
    const mask = this.#mask
    let slot = Math.imul(hash ^ this.#seed, 0x9e3779b1)
    slot = (slot ^ (slot >>> 15)) & mask
    for (;;) {
      const place = 2 * slot
      if (slots[place + 1] === 0 || slots[place] === (hash | 0)) return place
      slot = (slot + 1) & mask
    }
  }

  #grow(): void {
    const slots = this.#slots
    this.#slots = new Int32Array(2 * slots.length)
    this.#mask = slots.length - 1
    for (let place = 0; place < slots.length; place += 2) {
      if (slots[place + 1] === 0) continue
      const to = this.#placeOf(slots[place]!)
      this.#slots[to] = slots[place]!
      this.#slots[to + 1] = slots[place + 1]!
    }
  }
}

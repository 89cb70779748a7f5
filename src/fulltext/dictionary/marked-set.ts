import { grown } from '../../arrays/grow.ts'

/** A set of whole numbers, listed in order of arrival; clearing it takes as long as filling it did. */
export class MarkedSet {
  size = 0
  /** The members are `members[0..size)`. */
  members = new Uint32Array(64)
  readonly #marks: Uint32Array

  /** For numbers below `limit`. */
  constructor(readonly limit: number) {
    this.#marks = new Uint32Array(Math.ceil(limit / 32))
  }

  get bytes(): number {
    return this.members.byteLength + this.#marks.byteLength
  }

  add(member: number): void {
    const marks = this.#marks
    const marked = marks[member >>> 5]!
    const bit = 1 << (member & 31)
    if ((marked & bit) !== 0) return
    marks[member >>> 5] = marked | bit
    if (this.size === this.members.length) this.members = grown(this.members, this.size + 1)
    this.members[this.size++] = member
  }

  clear(): void {
    for (let i = 0; i < this.size; i++) this.#marks[this.members[i]! >>> 5] = 0
    this.size = 0
  }
}

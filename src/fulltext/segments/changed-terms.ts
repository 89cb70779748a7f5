import { grown } from '../../arrays/grow.ts'

/** Number of changes that are remembered in order, at first and at most; powers of two. */
const [FEWEST, MOST] = [2 ** 8, 2 ** 14]

/** Which terms are in more or fewer documents than before, since some moment. A moment is a number of changes. */
export class ChangedTerms {
  /** Number of changes so far. */
  moment = 0
  /** By term: the moment of its last change, in 32 bits. */
  #moments = new Uint32Array(1 << 10)
  #latest = new Uint32Array(FEWEST)
  /** From this moment on, `#latest` has them all until it is full. */
  #begin = 0

  get bytes(): number {
    return this.#moments.byteLength + this.#latest.byteLength
  }

  makeRoom(terms: number): void {
    this.#moments = grown(this.#moments, terms)
  }

  add(term: number): void {
    const { length } = this.#latest
    if (length < MOST && this.moment - this.#begin === length) {
      this.#latest = new Uint32Array(2 * length)
      this.#begin = this.moment
    }
    this.moment++
    this.#moments[term] = this.moment
    this.#latest[this.moment & (this.#latest.length - 1)] = term
  }

  /** Whether it is still known which terms have changed since. */
  reachBack(moment: number): boolean {
    return moment >= this.#begin && this.moment - moment <= this.#latest.length
  }

  /** Whether the term has changed since a moment that is still known. */
  include(term: number, since: number): boolean {
    const age = this.moment - (this.#moments[term] ?? 0)
    return age >>> 0 < this.moment - since
  }

  /** Whether any of the terms that have changed since a moment that is still known is like this; a term may be asked for twice. */
  some(since: number, isLike: (term: number) => boolean): boolean {
    for (let moment = since + 1; moment <= this.moment; moment++)
      if (isLike(this.#latest[moment & (this.#latest.length - 1)]!)) return true
    return false
  }
}

import { grown } from '../../arrays/grow.ts'
import type { Slot } from '../words/slot.ts'

/** Later places of a query are not distinguished. */
export const MAX_PLACES = 31

/** A power of two: few surfaces are marked, and this small table alone rules out most others. */
const FILTER = 1024

/** For the current query: at which of its places a surface may stand, as a bit set. */
export class WordPlaces {
  #places = new Uint32Array(1 << 10)
  readonly #marked: number[] = []
  readonly #filter = new Uint8Array(FILTER)

  get bytes(): number {
    return this.#places.byteLength
  }

  of(surface: number): number {
    return this.#filter[surface & (FILTER - 1)] === 0 ? 0 : this.#places[surface]!
  }

  /** Replaces the marks of the previous query. */
  mark(sequence: readonly (Slot | undefined)[], terms: number): void {
    for (const surface of this.#marked) {
      this.#places[surface] = 0
      this.#filter[surface & (FILTER - 1)] = 0
    }
    this.#marked.length = 0
    this.#places = grown(this.#places, terms)
    const places = Math.min(sequence.length, MAX_PLACES)
    for (let place = 0; place < places; place++) this.#markAt(place, sequence[place]?.surfaces ?? NONE)
  }

  #markAt(place: number, surfaces: readonly number[]): void {
    for (const surface of surfaces) {
      this.#places[surface]! |= 1 << place
      this.#filter[surface & (FILTER - 1)] = 1
      this.#marked.push(surface)
    }
  }
}

const NONE: readonly number[] = []

import type { LiveSegment } from '../segments/live-segment.ts'
import { ones } from '../segments/segment.ts'
import { MAX_PLACES, type WordPlaces } from './word-places.ts'

// Chosen among .1 to .4 on product search and abstracts: nDCG +.01 on products, nothing lost on abstracts.
const NEIGHBOURS = 0.3
const COMPLETE = 0.15
/** The most that a score is multiplied with. */
export const MOST_BONUS = 1 + NEIGHBOURS + COMPLETE

/**
 * What a document's score is multiplied with for how the words of the query stand in its first field, the title:
 * up to +.3 for the share of neighbours in the query that are neighbours there, +.15 when all of its words are there.
 */
export class TitleBonus {
  readonly #places: WordPlaces
  readonly #words: number
  readonly #pairs: number
  readonly #all: number

  /** For a query of so many words, two or more, which `places` knows. */
  constructor(places: WordPlaces, words: number) {
    this.#places = places
    this.#words = Math.min(words, MAX_PLACES)
    this.#all = ~(-1 << this.#words)
    this.#pairs = this.#all >>> 1
  }

  /**
   * 0 where there is no bonus, because no two neighbours of the query are in the title: mostly found out without a look
   * at it. Has no branches, because several are asked for one after the other and none need wait for its memory.
   */
  isPossible({ segment }: LiveSegment, document: number): number {
    const { marks } = this.#places
    const titles = segment.titleMarks()
    const one = titles[2 * document]!
    const two = titles[2 * document + 1]!
    let seen = 0
    for (let place = 0; place < this.#words; place++)
      seen |= isSet((one & marks[2 * place]!) | (two & marks[2 * place + 1]!)) << place
    return isSet(seen & (seen << 1))
  }

  of({ segment }: LiveSegment, document: number): number {
    const { starts, tokens } = segment.forward!
    const start = starts[document]!
    const end = start + segment.lengths[document * segment.shape.fields]!
    let before = 0
    let seen = 0
    let neighbours = 0
    for (let at = start; at < end; at++) {
      const here = this.#places.of(tokens[at]!)
      seen |= here
      neighbours |= (before << 1) & here
      before = here
    }
    const share = ones((neighbours >>> 1) & this.#pairs) / (this.#words - 1)
    return 1 + NEIGHBOURS * share + (seen === this.#all ? COMPLETE : 0)
  }
}

const isSet = (bits: number): number => (bits | -bits) >>> 31

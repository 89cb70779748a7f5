import { Index } from 'flexsearch'

/** More words would take too long to reindex in one go. */
export const BLOCK_WORDS = 8192

/** Longer keys cost far more memory, and comparing the few words of one key less than a look-up. */
const keyLength = 2
/** Number of dead words at which the block is reindexed. */
const deadAllowed = BLOCK_WORDS / 4

/** Up to 8192 words, numbered from 0, of which flexsearch gives those that may begin as somebody types. */
export class WordBlock {
  #index = emptyIndex()
  #dead = 0

  add(number: number, word: string): void {
    this.#index.add(number, word)
  }

  /** Visits the number of every word that begins so, of others too, and of dead words. */
  visit(beginning: string, visit: (number: number) => void): void {
    for (const number of this.#index.search(beginning, { limit: BLOCK_WORDS })) visit(Number(number))
  }

  /**
   * Tells that a word is dead; flexsearch would have to look through all of the index to take it out. True when
   * it is time for renew().
   */
  bury(): boolean {
    return ++this.#dead >= deadAllowed
  }

  /** Indexes the words that live; the numbers of all others are free from now on. */
  renew(living: Iterable<[number: number, word: string]>): void {
    this.#index = emptyIndex()
    this.#dead = 0
    for (const [number, word] of living) this.add(number, word)
  }
}

function emptyIndex(): Index {
  return new Index({ tokenize: 'forward', resolution: 1, encode: word => [word.slice(0, keyLength)] })
}

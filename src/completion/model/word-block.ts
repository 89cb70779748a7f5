import { Index } from 'flexsearch'

/** Reindexing more words in one go would take too long. */
export const BLOCK_WORDS = 8192

/** Longer keys take far more memory, and comparing the few words of one key is cheaper than a look-up. */
const keyLength = 2
/** Number of dead words at which the block should be reindexed. */
const deadAllowed = BLOCK_WORDS / 4

/** Up to 8192 words, numbered from 0, in a flexsearch index that finds those that may begin with the typed text. */
export class WordBlock {
  #index = emptyIndex()
  #dead = 0

  add(number: number, word: string): void {
    this.#index.add(number, word)
  }

  /** Visits the numbers of all words with this beginning, and possibly of others and of dead words. */
  visit(beginning: string, visit: (number: number) => void): void {
    for (const number of this.#index.search(beginning, { limit: BLOCK_WORDS })) visit(Number(number))
  }

  /**
   * Counts a dead word, which stays in flexsearch, since removing it would take a scan of the whole index. Returns true when
   * it is time for renew().
   */
  bury(): boolean {
    return ++this.#dead >= deadAllowed
  }

  /** Indexes the living words only; the numbers of all others become free. */
  renew(living: Iterable<[number: number, word: string]>): void {
    this.#index = emptyIndex()
    this.#dead = 0
    for (const [number, word] of living) this.add(number, word)
  }
}

function emptyIndex(): Index {
  return new Index({ tokenize: 'forward', resolution: 1, encode: word => [word.slice(0, keyLength)] })
}

/** Words in their order: for each place the terms that are accepted there. */
export interface FoundPhrase {
  readonly words: readonly ReadonlySet<string>[]
  /** Other words that may stand between the first and the last one, all gaps together. */
  readonly slop: number
}

/**
 * Finds the occurrences of one phrase in the tokens of one text: the shortest stretches that hold its words in
 * order, none within another. For each word it keeps the latest start of a stretch that has come so far.
 */
export class PhraseWindows {
  readonly #positions: Int32Array
  readonly #starts: Int32Array
  readonly #longest: number
  #reported = -1

  constructor({ words, slop }: FoundPhrase) {
    this.#positions = new Int32Array(words.length).fill(-1)
    this.#starts = new Int32Array(words.length)
    this.#longest = words.length + slop
  }

  /**
   * The token at `position`, which begins at the offset `start`, is accepted as this word of the phrase. A token
   * that fits several words must come as the latest of them first: it stands for one of them only.
   * @returns the offset at which the phrase begins that ends with this token, or -1
   */
  meet(word: number, position: number, start: number): number {
    const first = word === 0 ? position : this.#positions[word - 1]!
    if (first < 0) return -1
    this.#positions[word] = first
    this.#starts[word] = word === 0 ? start : this.#starts[word - 1]!
    const complete = word === this.#positions.length - 1 && position - first < this.#longest
    if (!complete || first <= this.#reported) return -1
    this.#reported = first
    return this.#starts[word]
  }
}

import { lowered } from './fold.ts'

const number = /\p{N}/u
const letter = /^\p{L}/u
const space = /\s/

/** Lower-case forms of units below this are cached in a table. */
const TABLE_END = 0x3000
/** For units whose lower case is not a single letter independent of context. */
const NOT_ALONE = 1
/** Its lower case depends on its position. */
const SIGMA = 0x3a3

/**
 * The spelling in a text of a word whose term is folded: in lower case, otherwise as people read it. Undefined for words with a
 * digit, such as numbers and measures, and those without a letter, such as the inch sign. @param most maximum number of units
 */
export function writtenForm(text: string, most: number): string | undefined {
  const form = lowered(text)
  return form.length <= most && isWord(form) ? form : undefined
}

const isWord = (form: string): boolean => letter.test(form) && !number.test(form) && !space.test(form)

/** The spelling of the word being scanned, if it differs from the term; valid until the next word. */
export class WrittenWord {
  readonly units: Uint16Array
  length = 0
  /** By unit; 0 if not computed yet. */
  readonly #letters = new Uint16Array(TABLE_END)

  /** @param most maximum number of units in a word: a longer one has no spelling */
  constructor(most: number) {
    this.units = new Uint16Array(most)
  }

  /** For the letters `units[start..end)` of the text, each of which folds to one unit of the term. */
  ofLetters(
    text: string,
    units: Uint16Array,
    start: number,
    end: number,
    term: Uint16Array,
  ): this | undefined {
    const length = end - start
    if (length > this.units.length) return undefined
    let differs = 0
    for (let i = 0; i < length; i++) {
      const lower = this.#letterOf(units[start + i]!)
      if (lower === NOT_ALONE) return this.of(lowered(text.slice(start, end)), term, length)
      this.units[i] = lower
      differs |= lower ^ term[i]!
    }
    this.length = length
    return differs === 0 ? undefined : this
  }

  /** For a word as it is in a text, except for case, and its term `term[0..length)`. */
  of(form: string, term: Uint16Array, length: number): this | undefined {
    if (form.length > this.units.length) return undefined
    let isSame = form.length === length
    for (let i = 0; i < form.length; i++) {
      this.units[i] = form.charCodeAt(i)
      isSame &&= this.units[i] === term[i]
    }
    this.length = form.length
    return isSame || !isWord(form) ? undefined : this
  }

  #letterOf(unit: number): number {
    // Hangul syllables have no case.
    if (unit >= TABLE_END) return unit
    const known = this.#letters[unit]!
    return known === 0 ? this.#learn(unit) : known
  }

  #learn(unit: number): number {
    const lower = lowered(String.fromCharCode(unit))
    const isAlone = unit !== SIGMA && lower.length === 1 && letter.test(lower)
    const learnt = isAlone ? lower.charCodeAt(0) : NOT_ALONE
    this.#letters[unit] = learnt
    return learnt
  }
}

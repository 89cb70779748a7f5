import { lowered } from './fold.ts'

const number = /\p{N}/u
const letter = /^\p{L}/u
const space = /\s/

/** Units below this are looked up: what a unit is in lower case, once it was asked for. */
const TABLE_END = 0x3000
/** Of a unit that is no letter of its own in lower case, whatever stands beside it. */
const NOT_ALONE = 1
/** What it is in lower case depends on where it stands. */
const SIGMA = 0x3a3

/**
 * How a text writes a word that is known folded: as people read it, in lower case. What has a digit, as numbers and measures
 * have, or no letter, as the sign of inches, is written as it is known. @param most units
 */
export function writtenForm(text: string, most: number): string | undefined {
  const form = lowered(text)
  return form.length <= most && isWord(form) ? form : undefined
}

const isWord = (form: string): boolean => letter.test(form) && !number.test(form) && !space.test(form)

/** How a text writes the word that is being scanned, where that is not how it is known; held until the next one. */
export class WrittenWord {
  readonly units: Uint16Array
  length = 0
  /** By unit, 0 until it is asked for. */
  readonly #letters = new Uint16Array(TABLE_END)

  /** @param most units of a word: a longer one has no written form */
  constructor(most: number) {
    this.units = new Uint16Array(most)
  }

  /** Of the letters `units[start..end)` of the text, of which each folds to one unit of the term. */
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

  /** Of a word as it stands in a text, but for case, and the term `term[0..length)` that it is known as. */
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
    // Hangul syllables are what they are.
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

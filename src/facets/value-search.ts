import type { Analyzer } from '../analysis/analyzer.ts'
import { areUnitsWithin } from '../fulltext/dictionary/edit-distance.ts'
import { unitsOf } from '../fulltext/dictionary/term-table.ts'

/** A word of the search text. */
interface SearchedWord {
  readonly text: string
  readonly units: Uint16Array
  /** Whether it also matches as a prefix. */
  readonly isOpen: boolean
  readonly edits: number
}

/** Number of values after which other tasks may run. */
const AT_ONCE = 128

/** Finds values by their words, as people type them. */
export class ValueSearch {
  readonly #analyzer: Analyzer
  readonly #words: readonly SearchedWord[]

  constructor(text: string, analyzer: Analyzer) {
    this.#analyzer = analyzer
    const words = analyzer.tokens(text)
    const isOpen = !/\s$/.test(text)
    this.#words = words.map((word, i) => ({
      text: word,
      units: unitsOf(word),
      isOpen: isOpen && i === words.length - 1,
      edits: editsOf(word),
    }))
  }

  /** The values that have all words; if there are none, those that have similar words. Piece by piece. */
  *found(values: readonly number[], textOf: (value: number) => string): Generator<void, number[]> {
    const exact = yield* this.#having(values, textOf, (word, { text, isOpen }) =>
      isOpen ? word.startsWith(text) : word === text,
    )
    return exact.length > 0 ? exact : yield* this.#having(values, textOf, isLike)
  }

  *#having(
    values: readonly number[],
    textOf: (value: number) => string,
    fits: (word: string, searched: SearchedWord) => boolean,
  ): Generator<void, number[]> {
    const having: number[] = []
    for (const [i, value] of values.entries()) {
      if (i % AT_ONCE === 0) yield
      const words = this.#analyzer.tokens(textOf(value))
      if (this.#words.every(searched => words.some(word => fits(word, searched)))) having.push(value)
    }
    return having
  }
}

/** As in a search: no typos in numbers, codes and the shortest words, two in long words. */
function editsOf(word: string): number {
  if (word.length < 3 || /\p{N}/u.test(word)) return 0
  return word.length < 6 ? 1 : 2
}

function isLike(word: string, { units, isOpen, edits }: SearchedWord): boolean {
  const meant = unitsOf(word)
  const typed = units.length
  if (areUnitsWithin(units, 0, typed, meant, 0, meant.length, edits)) return true
  if (!isOpen) return false
  const longest = Math.min(meant.length - 1, typed + edits)
  for (let length = Math.max(1, typed - edits); length <= longest; length++)
    if (areUnitsWithin(units, 0, typed, meant, 0, length, edits)) return true
  return false
}

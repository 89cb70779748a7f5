import { TypedWord } from '../../src/fulltext/dictionary/edit-distance.ts'
import { unitsOf } from '../../src/fulltext/dictionary/term-table.ts'

/** As `TypedWord.cost`, for a single comparison. */
export function typingCost(typed: string, meant: string): number {
  const word = new TypedWord()
  word.set(typed)
  return word.cost(unitsOf(meant), 0, meant.length)
}

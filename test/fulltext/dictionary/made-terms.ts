import { type TermTable, unitsOf } from '../../../src/fulltext/dictionary/term-table.ts'

/** A linear congruential sequence of 32-bit numbers (Numerical Recipes). */
export function sequence(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state
  }
}

/** A word of `shortest` letters or up to seven more. */
export function madeWord(next: () => number, letters: readonly string[], shortest: number): string {
  const length = shortest + (next() >>> 29)
  return Array.from({ length }, () => letters[(next() >>> 16) % letters.length]).join('')
}

export function intern(terms: TermTable, term: string): number {
  return terms.intern(unitsOf(term), term.length)
}

export function allTerms(terms: TermTable): number[] {
  return Array.from({ length: terms.size }, (_, term) => term)
}

import { isCorrectable } from './beginning.ts'
import type { Lexicon } from './lexicon.ts'

/** The words, by number, that a typed word may stand for. */
export interface Candidates {
  readonly exact: readonly number[]
  /** Words with a prefix that is one edit away from the typed word. */
  readonly corrected: readonly number[]
  readonly all: readonly number[]
}

/**
 * The candidates of each typed word: first without corrections; then, with typo tolerance, with corrections of the words that
 * begin no known word, and finally of all words. Skips a stage in which some word has no candidates.
 */
export function* increasinglyTolerant(
  lexicon: Lexicon,
  typed: readonly string[],
  typoTolerance: 0 | 1,
): Generator<readonly Candidates[]> {
  const exact = typed.map((word): Candidates => {
    const words = lexicon.begunAs(word)
    return { exact: words, corrected: [], all: words }
  })
  if (exact.every(isSome)) yield exact
  if (typoTolerance === 0) return
  const correct = (candidates: Candidates, i: number) => withCorrections(lexicon, typed[i]!, candidates)
  const known = exact.map((candidates, i) => (isSome(candidates) ? candidates : correct(candidates, i)))
  if (!known.every(isSome)) return
  if (!exact.every(isSome)) yield known
  yield known.map((candidates, i) => (isSome(exact[i]!) ? correct(candidates, i) : candidates))
}

const isSome = ({ all }: Candidates): boolean => all.length > 0

function withCorrections(lexicon: Lexicon, typed: string, { exact }: Candidates): Candidates {
  const corrected = isCorrectable(typed) ? lexicon.begunNear(typed) : []
  return { exact, corrected, all: [...exact, ...corrected] }
}

import { isCorrectable } from './beginning.ts'
import type { Lexicon } from './lexicon.ts'

/** The words, by number, that a typed word may become. */
export interface Candidates {
  readonly exact: readonly number[]
  /** Those of which a beginning is one edit from what was typed. */
  readonly corrected: readonly number[]
  readonly all: readonly number[]
}

/**
 * The candidates of each typed word, first without corrections; with typo tolerance then with those of words that
 * begin no known word, at last with those of all. Left out is where a word has none.
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

import { both, either, known, type Mask, opposite } from './mask.ts'

/**
 * What is known of a segment's documents without reading them: those that surely match, and those that may. The second set
 * includes the first; if every document is decided, both are the same.
 */
export interface Verdict {
  readonly sure: Mask
  readonly maybe: Mask
}

export const allMatch: Verdict = { sure: 'all', maybe: 'all' }
export const noneMatch: Verdict = { sure: 'none', maybe: 'none' }
/** Only the documents themselves can tell. */
export const unknown: Verdict = { sure: 'none', maybe: 'all' }

export const certain = (mask: Mask): Verdict => ({ sure: mask, maybe: mask })

export const possible = (mask: Mask): Verdict => ({ sure: 'none', maybe: mask })

const isCertain = ({ sure, maybe }: Verdict): boolean => sure === maybe

export function everyOf(one: Verdict, other: Verdict): Verdict {
  const maybe = known(both(one.maybe, other.maybe))
  if (maybe === 'none' || (isCertain(one) && isCertain(other))) return certain(maybe)
  return { sure: both(one.sure, other.sure), maybe }
}

export function anyOf(one: Verdict, other: Verdict): Verdict {
  const sure = either(one.sure, other.sure)
  if (isCertain(one) && isCertain(other)) return certain(sure)
  return sure === 'all' ? allMatch : { sure, maybe: either(one.maybe, other.maybe) }
}

/** @param documents number of documents in the segment */
export function noneOf(verdict: Verdict, documents: number): Verdict {
  const sure = opposite(verdict.maybe, documents)
  return isCertain(verdict) ? certain(sure) : { sure, maybe: opposite(verdict.sure, documents) }
}

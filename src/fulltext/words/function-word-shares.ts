import type { ResolvedQuery } from './resolve-words.ts'
import type { Slot } from './slot.ts'

// Function words count in full beside three other words, half beside four, next to nothing from five on: on abstracts,
// where queries are sentences, nDCG +.009, on products, where they are short, as before.
const NONE_AT = 5
const LESS_FROM = 3

/** What matches scores: a document is found by its function words, too. */
const LEAST_SHARE = 0.001

/** The query with its function words weighing the less, the more other words there are. */
export function withShares(resolved: ResolvedQuery, functionWords: ReadonlySet<string>): ResolvedQuery {
  const others = contentOf(resolved.slots, functionWords)
  if (others.length <= LESS_FROM || others.length === resolved.slots.length) return resolved
  const left = (NONE_AT - others.length) / (NONE_AT - LESS_FROM)
  const share = Math.max(LEAST_SHARE, left)
  const content = new Set(others)
  const weighed = new Map(resolved.slots.map(slot => [slot, content.has(slot) ? slot : { ...slot, share }]))
  return {
    ...resolved,
    slots: [...weighed.values()],
    sequence: resolved.sequence.map(slot => slot && weighed.get(slot)),
  }
}

/** The slots that are no function words. What may be the beginning of another word is none. */
export function contentOf(slots: readonly Slot[], functionWords: ReadonlySet<string>): Slot[] {
  const isBeginning = ({ cover }: Slot) => cover.some(({ kind }) => kind === 'prefix')
  return slots.filter(slot => !functionWords.has(slot.word) || isBeginning(slot))
}

import type { Completion } from './completions.ts'
import { placedWordsOf } from './title-words.ts'

/** Titles that begin with these words, and go on differently. */
interface Copies {
  readonly words: readonly string[]
  /** How many of them all have. */
  shared: number
  readonly members: Completion[]
}

/** Fewer words in common say nothing. */
const LEAST_SHARED = 2

/**
 * Of titles that have at least half of their words in common at the beginning, as those of one product in five colours,
 * that beginning, at the place of the best of them; they themselves come last. What was typed must all be in it.
 * @param completions best first
 */
export function withCommonParts(completions: readonly Completion[], limit: number): Completion[] {
  const groups: Copies[] = []
  for (const completion of completions) {
    const words = placedWordsOf(completion.text).map(({ word }) => word)
    const group = groups.find(known => sharedWith(known, words) > 0)
    if (group) group.shared = sharedWith(group, words)
    if (group) group.members.push(completion)
    else groups.push({ words, shared: words.length, members: [completion] })
  }
  const parts = groups.map(commonPart)
  const first = new Set(parts)
  return [...parts, ...completions.filter(one => !first.has(one))].slice(0, limit)
}

/** How many words all of a group and one more title have in common at the beginning; 0 where they are no near copies. */
function sharedWith({ words, shared }: Copies, others: readonly string[]): number {
  let common = 0
  while (common < shared && words[common] === others[common]) common++
  return common >= LEAST_SHARED && 2 * common >= Math.max(words.length, others.length) ? common : 0
}

/** The beginning that all have, as the best of them writes it, or that one itself. */
function commonPart({ shared, members }: Copies): Completion {
  const [best] = members
  const { text, ranges, kind, corrected } = best!
  const end = placedWordsOf(text)[shared - 1]!.end
  if (members.length === 1 || ranges.some(range => range.end > end)) return best!
  const whole = members.find(member => member.text.length === end && text.startsWith(member.text))
  return whole ?? { text: text.slice(0, end), kind, ranges, corrected }
}

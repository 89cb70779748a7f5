import type { Completion } from './completion.ts'

/** Titles that begin with these words, and go on differently. */
interface Copies {
  readonly words: readonly string[]
  /** How many of them all have. */
  shared: number
  /** Their places among all, ascending. */
  readonly members: number[]
}

/** Titles as they are shown, and how many of them are no near copies of those before. */
export interface Spread {
  readonly completions: Completion[]
  readonly different: number
}

/** Fewer words in common say nothing. */
const LEAST_SHARED = 2

const word = /[^\s,;:|/()"]+/g

/**
 * Of titles that have at least half of their words in common at the beginning, as those of one product in five colours,
 * that beginning, at the place of the best of them; they themselves come last. What was typed must all be in it.
 * @param titles best first
 * @param completionOf the completion of the title at a place, which takes longer than to compare it
 */
export function withCommonParts(
  titles: readonly string[],
  limit: number,
  completionOf: (place: number) => Completion,
): Spread {
  const groups: Copies[] = []
  for (const [place, title] of titles.entries()) {
    const words = title.toLowerCase().match(word) ?? []
    const group = groups.find(known => sharedWith(known, words) > 0)
    if (group) group.shared = sharedWith(group, words)
    if (group) group.members.push(place)
    else groups.push({ words, shared: words.length, members: [place] })
  }
  const completions: Completion[] = []
  const shown = new Set<number>()
  for (const group of groups.slice(0, limit)) {
    const place =
      group.members.find(member => titles[member] === commonText(titles, group)) ?? group.members[0]!
    const completion = commonPart(completionOf(place), commonText(titles, group))
    if (completion.count !== undefined) shown.add(place)
    completions.push(completion)
  }
  for (let place = 0; place < titles.length && completions.length < limit; place++)
    if (!shown.has(place)) completions.push(completionOf(place))
  return { completions, different: groups.length }
}

/** How many words all of a group and one more title have in common at the beginning; 0 where they are no near copies. */
function sharedWith({ words, shared }: Copies, others: readonly string[]): number {
  let common = 0
  while (common < shared && words[common] === others[common]) common++
  return common >= LEAST_SHARED && 2 * common >= Math.max(words.length, others.length) ? common : 0
}

/** The beginning that all have, as the best of them writes it; the whole of one that has no copies. */
function commonText(titles: readonly string[], { shared, members }: Copies): string {
  const title = titles[members[0]!]!
  if (members.length === 1) return title
  let end = 0
  for (const { index, 0: text } of [...title.matchAll(word)].slice(0, shared)) end = index + text.length
  return closed(title.slice(0, title[end] === '"' || title[end] === ')' ? end + 1 : end))
}

/** Without a bracket or quote that is not closed, and what is after it. */
function closed(text: string): string {
  const bracket = text.lastIndexOf('(')
  const ends = [
    ...(bracket > text.lastIndexOf(')') ? [bracket] : []),
    ...(text.split('"').length % 2 === 0 ? [text.lastIndexOf('"')] : []),
  ]
  return ends.length > 0 ? text.slice(0, Math.min(...ends)).trimEnd() : text
}

/** No document has it as its title, unless it is the title itself. */
function commonPart(completion: Completion, text: string): Completion {
  const { kind, ranges, corrected } = completion
  const isTyped = ranges.every(({ end }) => end <= text.length)
  const isPart = text.length < completion.text.length && (text.match(word)?.length ?? 0) >= LEAST_SHARED
  return isTyped && isPart ? { text, kind, ranges, corrected } : completion
}

import type { Completion } from './completion.ts'

/** Titles that begin with the same words, and continue differently. */
interface Copies {
  readonly words: readonly string[]
  /** Number of leading words that all have. */
  shared: number
  /** Their positions among all titles, ascending. */
  readonly members: number[]
}

/** Completions in the order shown, and how many groups of near copies the titles form. */
export interface Spread {
  readonly completions: Completion[]
  readonly different: number
}

/** Fewer words in common mean nothing. */
const LEAST_SHARED = 2

const word = /[^\s,;:|/()"]+/g

/**
 * Replaces titles that have at least half of their words in common at the beginning, such as those of one product in five
 * colours, with that beginning, at the position of the best of them; the titles themselves come last. All of the typed text
 * must be in the beginning.
 * @param titles best first
 * @param completionOf returns the completion of the title at a position, which takes longer than comparing titles
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

/** How many leading words a group and one more title have in common; 0 if they are not near copies. */
function sharedWith({ words, shared }: Copies, others: readonly string[]): number {
  let common = 0
  while (common < shared && words[common] === others[common]) common++
  return common >= LEAST_SHARED && 2 * common >= Math.max(words.length, others.length) ? common : 0
}

/** The common beginning of a group, as spelled in its best title; the whole title if it has no copies. */
function commonText(titles: readonly string[], { shared, members }: Copies): string {
  const title = titles[members[0]!]!
  if (members.length === 1) return title
  let end = 0
  for (const { index, 0: text } of [...title.matchAll(word)].slice(0, shared)) end = index + text.length
  return closed(title.slice(0, title[end] === '"' || title[end] === ')' ? end + 1 : end))
}

/** Cuts the text before a bracket or quote that is not closed. */
function closed(text: string): string {
  const bracket = text.lastIndexOf('(')
  const ends = [
    ...(bracket > text.lastIndexOf(')') ? [bracket] : []),
    ...(text.split('"').length % 2 === 0 ? [text.lastIndexOf('"')] : []),
  ]
  return ends.length > 0 ? text.slice(0, Math.min(...ends)).trimEnd() : text
}

/** Has no document count, unless it is a whole title. */
function commonPart(completion: Completion, text: string): Completion {
  const { kind, ranges, corrected } = completion
  const isTyped = ranges.every(({ end }) => end <= text.length)
  const isPart = text.length < completion.text.length && (text.match(word)?.length ?? 0) >= LEAST_SHARED
  return isTyped && isPart ? { text, kind, ranges, corrected } : completion
}

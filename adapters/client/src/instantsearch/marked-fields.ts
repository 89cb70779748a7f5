import type { FieldHighlight } from '../api/models.ts'
import { wordStarts } from './words-of.ts'

/** A text of a hit with marks around the matches. */
export interface MarkedText {
  readonly value: string
  readonly matchLevel: 'none' | 'partial' | 'full'
  readonly matchedWords?: readonly string[]
  readonly fullyHighlighted?: boolean
}

/** The same for all fields of a hit, in the structure of the document. */
export type Marked = MarkedText | readonly Marked[] | { readonly [name: string]: Marked }

export interface Marking {
  readonly highlights: Readonly<Record<string, readonly FieldHighlight[]>>
  readonly marks: readonly [before: string, behind: string]
  /** How many words were asked for. */
  readonly words: number
  readonly onlyMarked: boolean
}

type Range = FieldHighlight['ranges'][number]

/** The marked texts of the wanted fields of a document. */
export function markedFields(
  document: object,
  wants: (path: string) => boolean,
  marking: Marking,
  write: (text: string, ranges: readonly Range[], path: string) => string,
): { [name: string]: Marked } {
  // Texts of lists are numbered along the path of names.
  const seen = new Map<string, number>()

  const ofText = (whole: string, path: string): MarkedText => {
    const item = seen.get(path) ?? 0
    seen.set(path, item + 1)
    // Fields may be named as members that every object has, such as `constructor`.
    const own = Object.hasOwn(marking.highlights, path) ? marking.highlights[path]! : []
    const found = own.find(one => one.item === undefined || one.item === item)
    const { text, ranges } = found ? textAndRanges(whole, found) : { text: whole, ranges: [] }
    return { value: write(text, ranges, path), ...levelOf(text, ranges, marking.words) }
  }

  const ofValue = (value: unknown, path: string): Marked | undefined => {
    if (Array.isArray(value)) {
      const all = value.flatMap(one => ofValue(one, path) ?? [])
      if (all.length === 0) return undefined
      return marking.onlyMarked ? all.filter(isMarked) : all
    }
    if (typeof value === 'object' && value !== null) return ofMembers(value, `${path}.`)
    if (!wants(path)) return undefined
    if (typeof value === 'string') return ofText(value, path)
    return value === null ? undefined : { value: String(value), matchLevel: 'none', matchedWords: [] }
  }

  const ofMembers = (object: object, prefix: string): { [name: string]: Marked } | undefined => {
    const members = Object.entries(object).flatMap(([name, value]): [string, Marked][] => {
      const marked = ofValue(value, prefix + name)
      return marked === undefined ? [] : [[name, marked]]
    })
    // Unlike an assignment, this makes `__proto__` an ordinary member.
    return members.length > 0 || prefix === '' ? Object.fromEntries(members) : undefined
  }

  return ofMembers(document, '') ?? {}
}

/** A highlight is of the text that a browser shows: of a text with HTML, it is no passage. */
function textAndRanges(
  own: string,
  { text, start: from, ranges }: FieldHighlight,
): { text: string; ranges: readonly Range[] } {
  if (!own.startsWith(text, from)) return { text, ranges }
  return { text: own, ranges: ranges.map(({ start, end }) => ({ start: start + from, end: end + from })) }
}

const isMarked = (marked: Marked): boolean =>
  Array.isArray(marked) ? marked.some(isMarked) : !('matchLevel' in marked) || marked.matchLevel !== 'none'

function levelOf(text: string, ranges: readonly Range[], words: number): Omit<MarkedText, 'value'> {
  const matchedWords = [...new Set(ranges.map(({ start, end }) => text.slice(start, end).toLowerCase()))]
  if (matchedWords.length === 0) return { matchLevel: 'none', matchedWords }
  const marked = ranges.reduce((sum, { start, end }) => sum + end - start, 0)
  return {
    matchLevel: matchedWords.length >= words ? 'full' : 'partial',
    matchedWords,
    fullyHighlighted: marked === text.length,
  }
}

/**
 * A text with marks around ranges, which are in order; those that touch are marked as one, as the parts of an emoji are. Nothing is
 * escaped, because InstantSearch does that.
 */
export function withMarks(
  text: string,
  ranges: readonly Range[],
  [before, behind]: readonly [string, string],
): string {
  let marked = ''
  let at = 0
  for (const [i, { start, end }] of ranges.entries()) {
    if (i === 0 || start > at) marked += (i > 0 ? behind : '') + text.slice(at, start) + before
    marked += text.slice(start, end)
    at = end
  }
  return marked + (ranges.length > 0 ? behind : '') + text.slice(at)
}

const space = /\s/u

/** The passage with the given number of words that has most matches, with marks, and an ellipsis where the text is cut. */
export function snippetOf(
  text: string,
  ranges: readonly Range[],
  words: number,
  marks: readonly [string, string],
  ellipsis: string,
): string {
  const starts = wordStarts(text)
  if (starts.length <= words) return withMarks(text, ranges, marks)
  const first = bestWindow(starts, ranges, words)
  const from = first === 0 ? 0 : starts[first]!
  const last = first + words
  const to = last >= starts.length ? text.length : trimmedEnd(text, starts[last]!)
  const within = ranges
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ start, end }) => ({ start: start - from, end: end - from }))
  const cut = withMarks(text.slice(from, to), within, marks)
  return (from > 0 ? ellipsis : '') + cut + (to < text.length ? ellipsis : '')
}

/** The first word of the window with most ranges; of several, the earliest. */
function bestWindow(starts: readonly number[], ranges: readonly Range[], words: number): number {
  let best = { first: 0, held: 0 }
  let [from, to] = [0, 0]
  for (let first = 0; first + words <= starts.length && to < ranges.length; first++) {
    const end = starts[first + words] ?? Number.POSITIVE_INFINITY
    while (from < ranges.length && ranges[from]!.start < starts[first]!) from++
    while (to < ranges.length && ranges[to]!.end <= end) to++
    if (to - from > best.held) best = { first, held: to - from }
  }
  return best.first
}

function trimmedEnd(text: string, end: number): number {
  while (end > 0 && space.test(text[end - 1]!)) end--
  return end
}

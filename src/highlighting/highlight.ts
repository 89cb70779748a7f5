import type { WordFinder } from './word-finder.ts'

/** UTF-16 offsets: `text.slice(start, end)` is the match, in whole letters with their diacritics. */
export interface HighlightRange {
  start: number
  end: number
}

export interface HighlightOptions {
  /** Maximum number of ranges; the rest of the text is not examined. Default 1,000. */
  mostRanges?: number
}

/** Default maximum number of ranges per text. */
export const MOST_RANGES = 1000

/**
 * Where the words and phrases stand in the text, in their order, none overlapping: one range for each word, one
 * from the first to the last word of a phrase, one for pairs of Han or kana that overlap.
 */
export function highlight(
  text: string,
  finder: WordFinder,
  { mostRanges = MOST_RANGES }: HighlightOptions = {},
): HighlightRange[] {
  const ranges: HighlightRange[] = []
  finder.find(text, (start, end) => {
    addRange(ranges, start, end)
    return ranges.length <= mostRanges
  })
  return ranges.slice(0, mostRanges)
}

/** The texts before and after each match. */
export type Marks = readonly [before: string, behind: string]

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The text as HTML, its own characters escaped, with marks around the ranges; ranges that touch are marked as one. */
export function marked(text: string, ranges: readonly HighlightRange[], [before, behind]: Marks): string {
  let html = ''
  let at = 0
  for (const [i, { start, end }] of ranges.entries()) {
    if (i === 0 || start > at) html += escaped(text.slice(at, start)) + before
    html += escaped(text.slice(start, end))
    if (ranges[i + 1]?.start !== end) html += behind
    at = end
  }
  return html + escaped(text.slice(at))
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, char => escapes[char]!)
}

/** Adds a range that ends no earlier than all before. Ranges that share a unit become one. */
export function addRange(ranges: HighlightRange[], start: number, end: number): void {
  let from = start
  for (let last = ranges.at(-1); last !== undefined && last.end > start; last = ranges.at(-1)) {
    from = Math.min(from, last.start)
    ranges.pop()
  }
  ranges.push({ start: from, end })
}

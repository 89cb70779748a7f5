import type { WordFinder } from './word-finder.ts'

/** UTF-16 offsets: `text.slice(start, end)` is what was found, in whole letters with their marks. */
export interface HighlightRange {
  start: number
  end: number
}

export interface HighlightOptions {
  /** The text beyond so many ranges is not looked at. Default 1,000. */
  mostRanges?: number
}

/** Ranges given for one text at most, unless other is asked for. */
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

/** Adds a range that ends no earlier than all before. Ranges that share a unit become one. */
export function addRange(ranges: HighlightRange[], start: number, end: number): void {
  let from = start
  for (let last = ranges.at(-1); last !== undefined && last.end > start; last = ranges.at(-1)) {
    from = Math.min(from, last.start)
    ranges.pop()
  }
  ranges.push({ start: from, end })
}

import { addRange, type HighlightRange, highlight, MOST_RANGES } from './highlight.ts'
import { lastWordEnd, passageAround } from './passage-borders.ts'
import type { WordFinder } from './word-finder.ts'

export interface SnippetOptions {
  /** UTF-16 units of the passage at most. Default 200. */
  length?: number
}

/** A passage of a text. */
export interface Snippet {
  text: string
  /** Offset of the passage in the whole text. */
  start: number
  /** The matches, as offsets in the passage. */
  ranges: HighlightRange[]
  /** Whether there is text before the passage. */
  before: boolean
  /** Whether there is text after it. */
  after: boolean
}

interface FoundRange extends HighlightRange {
  readonly key: number
}

/** The part of a text that is searched for passages: texts say earlier what they are about. */
const MOST_UNITS = 1_000_000

/**
 * The best passage of a text: the one that holds the most of what was found, rare words and phrases counting
 * more and each only once; the earliest of equals. The beginning of the text when nothing was found in it.
 */
export function snippet(text: string, finder: WordFinder, { length = 200 }: SnippetOptions = {}): Snippet {
  if (text.length <= length) {
    return { text, start: 0, ranges: highlight(text, finder), before: false, after: false }
  }
  const findings = findIn(text, finder)
  const { start, end } = passageAround(text, bestCore(text, findings, finder, length), length)
  const ranges = rangesWithin({ start, end }, findings).slice(0, MOST_RANGES)
  return { text: text.slice(start, end), start, ranges, before: start > 0, after: end < text.length }
}

function findIn(text: string, finder: WordFinder): FoundRange[] {
  const limit = text.length > MOST_UNITS ? lastWordEnd(text, MOST_UNITS, MOST_UNITS - 1000) : text.length
  const findings: FoundRange[] = []
  finder.find(text.slice(0, limit), (start, end, key) => {
    findings.push({ start, end, key })
    return true
  })
  return findings
}

/** What the passage is to hold: the best findings that fit, a part of the first where none does, or nothing. */
function bestCore(text: string, findings: FoundRange[], finder: WordFinder, length: number): HighlightRange {
  const fitting = findings.filter(({ start, end }) => end - start <= length)
  if (fitting.length > 0) return heaviestWindow(fitting, finder.weights, length)
  const start = findings[0]?.start
  return start === undefined ? { start: 0, end: 0 } : { start, end: lastWordEnd(text, start + length, start) }
}

/** Slides a window over findings, which come in the order of their ends and all fit into it. */
function heaviestWindow(findings: FoundRange[], weights: readonly number[], length: number): HighlightRange {
  const byStart = findings.toSorted((a, b) => a.start - b.start)
  const counts = new Uint32Array(weights.length)
  let best = { start: 0, end: 0, weight: -1 }
  let weight = 0
  let first = 0
  for (const { end, key } of findings) {
    for (; byStart[first]!.start < end - length; first++) {
      const left = byStart[first]!.key
      if (--counts[left]! === 0) weight -= weights[left]!
    }
    if (counts[key]!++ === 0) weight += weights[key]!
    // Sums that were added and taken away again differ in their last digits.
    if (weight > best.weight + 1e-9) best = { start: byStart[first]!.start, end, weight }
  }
  return best
}

function rangesWithin(passage: HighlightRange, findings: FoundRange[]): HighlightRange[] {
  const ranges: HighlightRange[] = []
  for (const { start, end } of findings) {
    if (end > passage.start && start < passage.end) addRange(ranges, start, end)
  }
  return ranges.map(({ start, end }) => ({
    start: Math.max(start, passage.start) - passage.start,
    end: Math.min(end, passage.end) - passage.start,
  }))
}

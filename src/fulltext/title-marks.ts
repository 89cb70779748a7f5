import type { Segment } from './segment.ts'

/** Titles of more words have all marks: there would be few that they lack. */
const MARKED_WORDS = 32

/** One of 32 bits for a surface. */
export function markOf(surface: number): number {
  return 1 << (Math.imul(surface, 0x9e3779b1) >>> 27)
}

/**
 * By document the marks of the words of its first field, the title: what one lacks tells that a word does not stand
 * there without a way to the title itself (Bloom, "Space/time trade-offs in hash coding with allowable errors",
 * 1970). Needs the forward list.
 */
export function titleMarks({ shape, lengths, forward }: Segment): Int32Array {
  const { starts, tokens } = forward!
  const marks = new Int32Array(shape.documents)
  for (let document = 0; document < marks.length; document++) {
    const start = starts[document]!
    const length = lengths[document * shape.fields]!
    let title = length > MARKED_WORDS ? -1 : 0
    for (let at = start; title !== -1 && at < start + length; at++) title |= markOf(tokens[at]!)
    marks[document] = title
  }
  return marks
}

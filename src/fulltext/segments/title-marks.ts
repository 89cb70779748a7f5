import type { Segment } from './segment.ts'

/** Titles of more words have all marks: there would be few that they lack. */
const MARKED_WORDS = 32

/** Sets the mark of a surface, one of the 64 bits at `place`. */
export function setMark(marks: Int32Array, place: number, surface: number): void {
  const bit = Math.imul(surface, 0x9e3779b1) >>> 26
  marks[2 * place + (bit >>> 5)]! |= 1 << bit
}

/**
 * By document the marks of the words of its first field, the title: what one lacks tells that a word does not stand
 * there without a way to the title itself (Bloom, "Space/time trade-offs in hash coding with allowable errors",
 * 1970). Needs the forward list.
 */
export function titleMarks({ shape, lengths, forward }: Segment): Int32Array {
  const { starts, tokens } = forward!
  const marks = new Int32Array(2 * shape.documents)
  for (let document = 0; document < shape.documents; document++) {
    const start = starts[document]!
    const length = lengths[document * shape.fields]!
    if (length > MARKED_WORDS) marks.fill(-1, 2 * document, 2 * document + 2)
    else for (let at = start; at < start + length; at++) setMark(marks, document, tokens[at]!)
  }
  return marks
}

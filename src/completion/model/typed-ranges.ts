import { correctedLength, isCorrectable, typedLength } from './beginning.ts'
import { endOfBeginning, placedWordsOf, type TextRange } from './title-words.ts'

/** A word of a title that begins with a typed word. */
interface Fit {
  place: number
  /** Number of units of the word that were typed. */
  length: number
}

/** The parts of a text that were typed: the prefixes of words that match the typed words, in order and without overlap. */
export function typedRanges(text: string, typed: readonly string[], corrects: boolean): TextRange[] {
  const words = placedWordsOf(text)
  const terms = words.map(({ word }) => word)
  const ranges = chosen(typed.map(word => fitsOf(word, terms, corrects))).map(({ place, length }) => {
    const { start } = words[place]!
    return { start, end: endOfBeginning(text, words[place]!, length) }
  })
  return joined(ranges)
}

/** Words that begin as typed; if there are none, those with a prefix one edit away. */
function fitsOf(typed: string, words: readonly string[], corrects: boolean): Fit[] {
  const fits = (lengthOf: (typed: string, word: string) => number) =>
    words.map((word, place) => ({ place, length: lengthOf(typed, word) })).filter(({ length }) => length > 0)
  const exact = fits(typedLength)
  return exact.length === 0 && corrects && isCorrectable(typed) ? fits(correctedLength) : exact
}

/** One word for each typed word: in the order typed if possible, otherwise the first of each. */
function chosen(fits: readonly Fit[][]): Fit[] {
  const inOrder: Fit[] = []
  for (const some of fits) {
    const next = some.find(({ place }) => place > (inOrder.at(-1)?.place ?? -1))
    if (!next) return fits.flatMap(([first]) => first ?? [])
    inOrder.push(next)
  }
  return inOrder
}

function joined(ranges: TextRange[]): TextRange[] {
  const apart: TextRange[] = []
  for (const { start, end } of ranges.sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = apart.at(-1)
    if (last && start <= last.end) last.end = Math.max(last.end, end)
    else apart.push({ start, end })
  }
  return apart
}

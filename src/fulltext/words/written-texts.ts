import { fold } from '../../analysis/fold.ts'
import { foldOrigins } from '../../analysis/fold-origins.ts'
import type { TermCounts } from '../dictionary/term-counts.ts'
import type { Vocabulary } from '../dictionary/vocabulary.ts'
import type { KnownWords, Meaning } from './meaning.ts'
import type { MatchedWord, PartOfWord, Slot } from './slot.ts'

/** How a word of the query was understood, in folded terms. */
export interface UnderstoodWord extends MatchedWord {
  /** What is shown instead, if documents spell some of them differently. */
  readonly written?: Pick<MatchedWord, 'surfaces' | 'parts' | 'suggestion'>
}

/** A surface in the spelling of most documents. */
export const writtenText = (surface: number, { forms, terms }: Vocabulary, frequencies: TermCounts): string =>
  forms.of(surface, frequencies.of(surface)) ?? terms.term(surface)

/**
 * Undefined if documents spell everything like the terms, or if some documents are hidden.
 * @param texts of the surfaces
 */
export function writtenAs(
  { surfaces, parts }: Slot,
  { suggestion }: Meaning,
  texts: readonly string[],
  known: KnownWords,
): UnderstoodWord['written'] {
  const written = writtenTexts(surfaces, texts, known)
  const meant = suggestion === undefined ? undefined : known.dictionary.vocabulary.terms.term(suggestion)
  const told = suggestion === undefined ? undefined : shownSurface(suggestion, known)
  if (written === texts && told === meant) return undefined
  const shown = [...written]
  const placed = parts?.map(part => {
    const at = texts.indexOf(part.surface)
    const own = placedIn(part, shown[at] ?? part.surface)
    if (at >= 0) shown[at] = own.surface
    return own
  })
  return {
    surfaces: shown,
    ...(placed && { parts: placed }),
    ...(told !== undefined && { suggestion: told }),
  }
}

/** Cached like `textsOf`; the same array if nothing differs. */
function writtenTexts(
  surfaces: readonly number[],
  texts: readonly string[],
  known: KnownWords,
): readonly string[] {
  const { dictionary, written } = known
  if (!written || dictionary.vocabulary.forms.size === 0) return texts
  const kept = written.get(surfaces)
  if (kept) return kept
  const forms = surfaces.map(surface => shownSurface(surface, known))
  const found = forms.some((form, i) => form !== texts[i]) ? forms : texts
  written.set(surfaces, found)
  return found
}

/** In the spelling of most documents; unchanged if some documents are hidden. */
export function shownSurface(surface: number, { dictionary, segments, written }: KnownWords): string {
  const { vocabulary } = dictionary
  return written ? writtenText(surface, vocabulary, segments.frequencies) : vocabulary.terms.term(surface)
}

/** Where the part is in the written word; unchanged if that has more than other letters, such as an apostrophe. */
function placedIn(part: PartOfWord, written: string): PartOfWord {
  const { surface, from, to } = part
  if (written === surface || fold(written) !== surface) return part
  const { starts, ends } = foldOrigins(written, surface)
  return Object.freeze({ surface: written, from: starts[from]!, to: ends[to - 1]! })
}

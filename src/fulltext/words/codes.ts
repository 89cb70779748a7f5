import { type Alternative, alternativeOf, type Words } from './meaning.ts'

/** Contains both letters and digits: a model, a part, a size. Typos in such words are not guessed like in others. */
export const isCode = (word: string): boolean => /\p{N}/u.test(word) && /\p{L}/u.test(word)

export const isNumber = (word: string): boolean => /^\p{N}[\p{N}./-]*$/u.test(word)

/** Shorter codes are prefixes of too many others. */
const LEAST_BEGINNING = 5
const MAX_BEGUN = 16
/** Lower than the code itself in any notation. */
const BEGUN_WEIGHT = 0.4

/** The runs of letters and of digits in a code; empty if there are too many, because then it is not a code. */
export function bordersOf(code: string): string[] {
  const parts = code.match(/\p{N}+|[^\p{N}]+/gu) ?? []
  return parts.length <= 4 ? parts : []
}

/** The most frequent codes with this one as a prefix. */
export function codesBegunBy(code: string, known: Words): Alternative[] {
  if (code.length < LEAST_BEGINNING) return []
  const { prefixes, vocabulary } = known.dictionary
  const { terms } = vocabulary
  return prefixes
    .best(code, MAX_BEGUN, known.segments.frequencies)
    .filter(term => !vocabulary.isFamily(term) && terms.length(term) > code.length)
    .map(term => alternativeOf('prefix', term, BEGUN_WEIGHT, known))
}

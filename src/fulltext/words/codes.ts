import { type Alternative, alternativeOf, type Words } from './meaning.ts'

/** Letters and digits together: a model, a part, a size. Such words are never guessed at like others. */
export const isCode = (word: string): boolean => /\p{N}/u.test(word) && /\p{L}/u.test(word)

export const isNumber = (word: string): boolean => /^\p{N}[\p{N}./-]*$/u.test(word)

/** Shorter codes begin too many others. */
const LEAST_BEGINNING = 5
const MAX_BEGUN = 16
/** Ranked after the code itself, however it is written. */
const BEGUN_WEIGHT = 0.4

/** The runs of letters and of digits of a code; of a longer list nothing, because it is no code any more. */
export function bordersOf(code: string): string[] {
  const parts = code.match(/\p{N}+|[^\p{N}]+/gu) ?? []
  return parts.length <= 4 ? parts : []
}

/** The most frequent codes that begin with this one. */
export function codesBegunBy(code: string, known: Words): Alternative[] {
  if (code.length < LEAST_BEGINNING) return []
  const { prefixes, vocabulary } = known.dictionary
  const { terms } = vocabulary
  return prefixes
    .best(code, MAX_BEGUN, known.segments.frequencies)
    .filter(term => !vocabulary.isFamily(term) && terms.length(term) > code.length)
    .map(term => alternativeOf('prefix', term, BEGUN_WEIGHT, known))
}

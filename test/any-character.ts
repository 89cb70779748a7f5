import fc from 'fast-check'

const SURROGATES = 0xd800
const BEHIND_SURROGATES = 0xe000
const BETWEEN = BEHIND_SURROGATES - SURROGATES

/**
 * Every character, as the unit "binary" of `fc.string()` has them. That one makes a map of all of them: a second in each
 * process, and a million texts that each garbage collection looks at from then on.
 */
export const anyCharacter = fc
  .nat(0x10ffff - BETWEEN)
  .map(at => String.fromCodePoint(at < SURROGATES ? at : at + BETWEEN), placeOf)

/** By this, fast-check makes words that often do harm, such as "__proto__". */
function placeOf(character: unknown): number {
  const code = typeof character === 'string' ? character.codePointAt(0) : undefined
  const isOne = code !== undefined && String.fromCodePoint(code) === character
  if (!isOne || (code >= SURROGATES && code < BEHIND_SURROGATES)) throw new Error('It is not one character.')
  return code < SURROGATES ? code : code - BETWEEN
}

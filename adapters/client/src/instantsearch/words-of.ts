type Part = readonly [text: string, start: number]

const matches = (text: string, pattern: RegExp): Part[] =>
  Array.from(text.matchAll(pattern), ({ 0: part, index }) => [part, index])

/**
 * The words of a text and the signs between them, in order. Some browsers got a segmenter in 2024: without it, a text without
 * spaces is one word.
 */
export const partsOf = (text: string): Part[] =>
  'Segmenter' in Intl
    ? Array.from(
        new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text),
        ({ segment, index }) => [segment, index],
      )
    : matches(text, /[\p{L}\p{N}\p{M}]+|\S/gu)

const unspaced = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u

/** Where words begin: behind spaces, and where a script is written without them, as its readers divide the text. */
export const wordStarts = (text: string): number[] =>
  (unspaced.test(text)
    ? partsOf(text).filter(([part]) => /[\p{L}\p{N}]/u.test(part))
    : matches(text, /\S+/g)
  ).map(([, start]) => start)

// NFKD would turn these into letters ("Kindle™" into "kindletm"); they say nothing about the word.
const tradeMarks = /[™℠]/g
const latinMarks = /[\u0300-\u036f]+/g
// Canonical ordering is quadratic in a run of marks; UAX #15 (stream-safe text) allows 30, no language needs more.
const excessMarks = /(\p{M}{30})\p{M}+/gu

/**
 * What a text is compared by: compatibility forms resolved, Latin, Greek and Cyrillic accents dropped, lower
 * case, `ß` as `ss`, one sigma. Marks that carry meaning elsewhere (Devanagari, Thai, kana) stay.
 */
export function fold(text: string): string {
  return text
    .replace(tradeMarks, ' ')
    .replace(excessMarks, '$1')
    .normalize('NFKD')
    .replace(latinMarks, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ς', 'σ')
}

/** What XML does not allow, not even escaped; half of a pair of surrogates among it. */
const forbidden = /(?![\t\n\r])\p{Cc}|[\ufffe\uffff]|\p{Surrogate}/gu

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** As text or the value of an attribute, in SVG and HTML. */
export const escaped = (text: string): string =>
  text.replace(forbidden, '\ufffd').replace(/[&<>"']/g, sign => escapes[sign]!)

const wide =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{Emoji_Presentation}\u3000-\u303f\u30fb-\u30ff\uff01-\uff60\uffe0-\uffe6]/u

/** Width of a character in letters: those of Chinese, Japanese and Korean, and emoji, are twice as wide. */
const widthOfOne = (character: string): number => (wide.test(character) ? 2 : 1)

/** Width of a text in letters; marks take no room. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text.replace(/\p{M}/gu, '')) width += widthOfOne(character)
  return width
}

/** The beginning of a text that is too wide to be shown in so many letters. */
export function shortened(text: string, most: number): string {
  let width = 0
  // Where the text is cut if it is too wide: an ellipsis follows.
  let cut = 0
  let at = 0
  for (const character of text) {
    width += widthOfOne(character)
    if (width > most) return `${text.slice(0, cut).trimEnd()}…`
    at += character.length
    if (width < most) cut = at
  }
  return text
}

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

/** The beginning of a text that is too long to be shown, by characters. */
export function shortened(text: string, most: number): string {
  // A character takes two units at most.
  const characters = Array.from(text.slice(0, 2 * most + 2))
  return characters.length > most
    ? `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`
    : text
}

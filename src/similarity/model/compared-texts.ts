import type { SimilarDocument } from './aspects.ts'

/** What a field holds: a text, a list of texts, or nothing. */
export type SaidInField = string | readonly string[] | undefined

/**
 * Maximum length, in UTF-16 units, of a text that names the document as its title does: a brand, a model number, a color. From
 * 30 on, short descriptions are mistaken for names, and precision drops in a catalogue that has such.
 */
const SHORT = 24
/** Maximum total length of short texts: a document with more of them is a table. */
const MOST_SHORT = 200

/**
 * The compared parts of a document. Short texts of other fields count as words of the title, since shops put brand and
 * model number in either. Decided for each text alone: the form of a document must not depend on other documents.
 */
export function comparedTexts(
  title: SaidInField,
  others: readonly SaidInField[],
): Pick<SimilarDocument, 'title' | 'body'> {
  const names = [joined(title)]
  const rest: string[] = []
  let left = MOST_SHORT
  for (const text of others) {
    if (typeof text === 'string' && text.length <= Math.min(SHORT, left)) {
      names.push(text)
      left -= text.length
    } else rest.push(joined(text))
  }
  return { title: names.filter(Boolean).join('\n'), body: rest.join('\n') }
}

const joined = (text: SaidInField): string => (typeof text === 'string' ? text : (text ?? []).join('\n'))

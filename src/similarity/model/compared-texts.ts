import type { SimilarDocument } from './aspects.ts'

/** What a field holds: a text, a list of texts, or nothing. */
export type SaidInField = string | readonly string[] | undefined

/**
 * A text of at most so many units names the document as its title does: a brand, a model number, a colour. From 30 on, short
 * descriptions are taken for names, and fewer duplicates of a catalogue that has such are right.
 */
const SHORT = 24
/** So many units of short texts at most: a document with more of them is a table. */
const MOST_SHORT = 200

/**
 * What is compared of a document: short texts of other fields count like words of the title, since shops write brand and
 * model number in either. Decided for each text alone: what is said of a document must not depend on others.
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

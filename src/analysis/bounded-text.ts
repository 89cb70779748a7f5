import * as z from 'zod'

/** Maximum number of UTF-16 units to which one is expanded by compatibility decomposition (UAX #15, section 14: U+FDFA). */
const MOST_WRITTEN_OUT = 18

/** Whether a text is within a limit of UTF-16 units with its ligatures expanded, as an analyzer reads them. */
export function isWrittenWithin(text: string, most: number): boolean {
  if (text.length > most) return false
  return text.length * MOST_WRITTEN_OUT <= most || text.normalize('NFKC').length <= most
}

/** A text within a limit of UTF-16 units, with its ligatures expanded. */
export const boundedText = (most: number) =>
  z
    .string()
    .max(most, { abort: true })
    .refine(text => isWrittenWithin(text, most), {
      error: `at most ${most} characters, ligatures written out`,
    })

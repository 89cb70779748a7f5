import * as z from 'zod'

/** What `dataset.suggest()` takes, all of it optional. */
export interface SuggestOptions {
  /** Maximum number of suggestions, 0 to 100. Default 3. */
  limit?: number
  /**
   * How many times likelier than the typed text a suggestion must be, 0 to 10,000. Default 2; with 0, less likely
   * suggestions are returned too.
   */
  confidence?: number
  /**
   * Maximum number of words that may be changed, 0 to 10,000. Below 1, a share of all words, at least one; from 1 on, a
   * number. Default 4.
   */
  maximumErrors?: number
}

export const suggestOptions = z.strictObject({
  limit: z.int().min(0).max(100).default(3),
  confidence: z.number().min(0).max(10_000).default(2),
  maximumErrors: z.number().min(0).max(10_000).default(4),
  visible: z.unknown().optional(),
})

export type CheckedSuggestOptions = Omit<z.output<typeof suggestOptions>, 'visible'>

import type { Hit, SearchAnswer } from 'findling'
import * as z from 'zod'
import { pascal, raw, toWire } from './casing.ts'
import { content } from './rules.ts'

/** A search without a service. */
export const SearchRequest = z
  .object({
    Text: z.string(),
    Limit: z.int().min(0).max(10_000).default(10),
    Offset: z.int().min(0).max(1_000_000).default(0),
    Operator: z.enum(['Or', 'And']).default('Or'),
    TypoTolerance: z
      .int()
      .min(0)
      .max(2)
      .default(2)
      .describe('Most edits by which a word that no document has may differ from one that is meant'),
    Documents: z.boolean().default(true).describe('False: ids and scores only'),
  })
  .meta({ id: 'SearchRequest' })

export const SearchResult = z
  .object({
    Hits: z.array(z.object({ Id: z.string(), Score: z.number(), Document: content.optional() })),
    Words: z
      .array(
        z.object({
          Word: z.string(),
          Kind: z.enum(['Exact', 'Stem', 'Typo', 'None']),
          Surfaces: z.array(z.string()),
        }),
      )
      .describe('What each word of the text was taken for'),
  })
  .meta({ id: 'SearchResult' })

type Found = Omit<SearchAnswer<never>, 'hits'> & {
  hits: readonly (Omit<Hit<never>, 'document'> & { document?: object })[]
}

export function searchResult({ hits, words }: Found): unknown {
  return toWire({
    hits: hits.map(({ document, ...hit }) => (document ? { ...hit, document: raw(document) } : hit)),
    words: words.map(({ kind, ...word }) => ({ ...word, kind: pascal(kind) })),
  })
}

export const CompletionRequest = z
  .object({ Text: z.string(), Limit: z.int().min(1).max(1000).default(10) })
  .meta({ id: 'CompletionRequest' })

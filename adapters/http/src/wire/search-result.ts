import type { Hit, SearchAnswer } from 'findling'
import * as z from 'zod'
import { identifiedMembers } from '../analytics/answering.ts'
import { Stretch } from '../http/stretch.ts'
import { pascal, raw, toWire } from './casing.ts'
import { Facet, facetsModel } from './facets.ts'
import { content } from './rules.ts'

const kinds = [
  'Exact',
  'Stem',
  'Spelling',
  'Joined',
  'Compound',
  'Part',
  'Unit',
  'Prefix',
  'Typo',
  'Synonym',
] as const

const FieldHighlight = z
  .object({
    Text: z.string().describe('The text, or its best passage'),
    Start: z.int().describe('Where the passage begins in the text'),
    Ranges: z
      .array(z.object({ Start: z.int(), End: z.int() }))
      .describe('The matches, in UTF-16 units of the passage'),
    Before: z.boolean().describe('There is more text before the passage'),
    After: z.boolean().describe('There is more text after the passage'),
    Item: z.int().optional().describe('In a list of texts, the position of this one, from 0'),
    Html: z.string().optional().describe('If Marks were asked for: the text as escaped HTML, with the marks'),
  })
  .meta({ id: 'FieldHighlight' })

export const hitHighlights = z
  .record(z.string(), z.array(FieldHighlight))
  .describe('If asked for: what was found, by field')

const WordExplanation = z
  .object({
    Word: z.string(),
    Occurrences: z.int().describe('How often the word occurs in the query'),
    Idf: z.number(),
    Share: z
      .number()
      .describe(
        'For a function word among other words, the fraction of its weight that remains; otherwise 1',
      ),
    Score: z.number(),
    Expansions: z
      .array(
        z.object({
          Kind: z.enum(kinds),
          Surfaces: z.array(z.string()).describe('The forms of it that occur in the document'),
          Weight: z.number(),
          Impact: z.number().describe('The saturated frequency over all fields, 0 to 1'),
          Score: z.number(),
          Aside: z
            .boolean()
            .describe(
              'Whether it occurs in the first field only after words such as `for`; this reduces the impact by a fifth',
            ),
          HeadFactor: z
            .number()
            .describe(
              'Factor of the impact, .7 to 1: less if the query is a single word and the first field has it before a word that rarely occurs elsewhere (`laptop sleeve`)',
            ),
          Fields: z
            .array(z.object({ Field: z.string(), Occurrences: z.int(), Length: z.int() }))
            .describe('The fields in which it occurs, how often, and how many words each of them has'),
        }),
      )
      .describe(
        'What was found for the word; the score of each is Occurrences x Idf x Share x Weight x Impact',
      ),
  })
  .meta({ id: 'WordExplanation' })

export const HitExplanation = z
  .object({
    Score: z.number(),
    Words: z.array(WordExplanation),
    TitleFactor: z
      .number()
      .describe('The bonus for the positions of the words of the query in the first field'),
    NegationFactor: z
      .number()
      .describe('The bonus for lacking what the query does not want, such as what follows `without`'),
    CategoryFactor: z.number().describe('The bonus for a tag that the text is likely about, 1 to 1.25'),
    TopicFactor: z.number().describe('The bonus for being about the same topics as the best hits'),
    Signals: z.array(z.object({ Field: z.string(), Factor: z.number() })),
  })
  .meta({ id: 'HitExplanation' })

export const SearchResult = z
  .object({
    Hits: z.array(
      z.object({
        Id: z.string(),
        Score: z.number(),
        Document: content.optional(),
        Highlights: hitHighlights.optional(),
        Group: z
          .object({ Value: z.union([z.string(), z.number(), z.boolean()]), Documents: z.int() })
          .optional()
          .describe(
            'With GroupBy: the value of this document, and the number of matching documents with that value',
          ),
        Distance: z
          .number()
          .optional()
          .describe(
            'If Sort begins with a distance: how many meters the document is away; absent if it has no point',
          ),
        Similarity: z
          .number()
          .optional()
          .describe(
            'With Vector: the cosine between it and the vector of the document, -1 to 1; absent if the document has none',
          ),
        Pinned: z.literal(true).optional().describe('True if the document was pinned to its position'),
        Explanation: HitExplanation.optional().describe(
          'If asked for. The score is the sum over all words, times every factor',
        ),
      }),
    ),
    Words: z
      .array(
        z.object({
          Word: z.string(),
          Kind: z
            .enum([...kinds, 'Stop', 'None'])
            .describe(
              'Exact: it occurs. Stem: other forms of it. Spelling: another spelling. Joined: it and its neighbours as one ' +
                'word. Compound: the words that it is made of. Part: words that it is a part of. Unit: the same measure. Prefix: words that begin with it. ' +
                'Typo: similar words. Synonym: its synonyms. Stop: it is a stop word and ignored. None: nothing was found',
            ),
          Surfaces: z.array(z.string()),
          Parts: z
            .array(z.object({ Surface: z.string(), From: z.int(), To: z.int() }))
            .optional()
            .describe('Where it occurs within the surfaces that it is a part of, in UTF-16 units'),
          Suggestion: z.string().optional().describe('What was probably meant instead'),
          Idf: z.number().describe('How rare, and thus how significant, the word is; 0 if nothing was found'),
        }),
      )
      .describe('How each word of the text was understood'),
    Total: z
      .object({ Count: z.int(), Exact: z.boolean() })
      .describe('Number of documents found on all pages; an estimate unless Exact'),
    ...identifiedMembers,
    Truncated: z
      .boolean()
      .describe('True if the text exceeded 65,536 characters or 1,024 words, beyond which it is ignored'),
    Relaxed: z
      .array(z.string())
      .optional()
      .describe('Words that were dropped because nothing matched with them; absent if there were none'),
    Categories: z
      .array(
        z.object({
          Tag: z.string().describe('The id of the tag'),
          Path: z
            .array(z.string())
            .describe('The names of the tags above it, from the root down, and its own'),
          Probability: z.number(),
        }),
      )
      .optional()
      .describe('Up to three tags that the text is probably about, likeliest first; absent if none is known'),
    Facets: z
      .record(z.string(), Facet)
      .optional()
      .describe('If asked for: facets by field; with a cursor, on the first page only'),
    Cursor: z
      .string()
      .nullable()
      .optional()
      .describe('If asked for: the cursor of the next page; null if there is none'),
  })
  .meta({ id: 'SearchResult' })

export const MultiSearchResult = z
  .object({ Results: z.array(SearchResult).describe('One result for each search, in the same order') })
  .meta({ id: 'MultiSearchResult' })

type Found = Omit<SearchAnswer<never>, 'hits'> & { hits: readonly FoundHit[] }
type FoundHit = Omit<Hit<never>, 'document'> & { document?: object }

/** Converts the hits in short stretches, as they may be many or long. */
export async function searchResult(
  { hits, words, facets, queryId: _, ...found }: Found,
  stretch = new Stretch(),
): Promise<z.output<typeof SearchResult>> {
  const shown: unknown[] = []
  for (const hit of hits) {
    if (stretch.isOver) await stretch.pause()
    shown.push(toWire(hitModel(hit)))
  }
  return toWire({
    hits: raw(shown),
    words: words.map(word => ({ ...word, kind: pascal(word.kind) })),
    ...found,
    ...(facets && { facets: raw(facetsModel(facets)) }),
  }) as z.output<typeof SearchResult> // the raw parts fit: documents are objects, hits and highlights are made here
}

/** Converts one after the other. */
export async function searchResults(found: readonly Found[]): Promise<z.output<typeof SearchResult>[]> {
  const stretch = new Stretch()
  const results: z.output<typeof SearchResult>[] = []
  for (const one of found) results.push(await searchResult(one, stretch))
  return results
}

function hitModel({ document, highlights, explanation, ...hit }: FoundHit) {
  return {
    ...hit,
    ...(document && { document: raw(document) }),
    ...(highlights && { highlights: raw(highlightsModel(highlights)) }),
    ...(explanation && { explanation: explanationModel(explanation) }),
  }
}

/** Field names are content and stay as they are. */
export function highlightsModel(
  highlights: NonNullable<FoundHit['highlights']>,
): z.output<typeof hitHighlights> {
  return Object.fromEntries(Object.entries(highlights).map(([field, found]) => [field, toWire(found)]))
}

export function explanationModel<Explained extends NonNullable<FoundHit['explanation']>>({
  words,
  ...explanation
}: Explained) {
  const named = words.map(word => ({
    ...word,
    expansions: word.expansions.map(expansion => ({ ...expansion, kind: pascal(expansion.kind) })),
  }))
  return { ...explanation, words: named }
}

import type { DuplicateGroup, SimilarHit, SimilarOptions, SimilarTo, TypicalWord } from 'findling'
import { duplicatesOptions, similarOptions as engine, keywordsOptions } from 'findling/schemas'
import * as z from 'zod'
import { identifiedMembers } from '../analytics/answering.ts'
import { askedMembers } from '../analytics/asking.ts'
import { fromWire, toWire } from './casing.ts'
import { counted, derived } from './derived.ts'
import type { Origins } from './origins.ts'
import { content, requiredText } from './rules.ts'

export const SimilarRequest = z
  .strictObject({
    Text: z.string().max(100_000).optional(),
    Id: requiredText.optional().describe('Id of a document of the dataset'),
    Document: content.optional().describe('A document, which need not be in the dataset'),
    ...derived(counted(engine), {
      Count: 'At most 50 with Diversity',
      Least: 'Minimum score',
    }),
    Filter: z.string().optional().describe('A query string'),
    Exclude: z.array(requiredText).max(100_000).optional().describe('Ids of documents to leave out'),
    ...derived(engine, {
      Diversity: 'How much similarity to the documents before it counts against a document',
      Explain: 'Shows what both documents have in common; not available for a Text',
    }),
    ...askedMembers,
  })
  .refine(({ Text, Id, Document }) => [Text, Id, Document].filter(one => one !== undefined).length === 1, {
    error: 'one of Text, Id and Document',
  })
  .meta({ id: 'SimilarRequest' })

export const SimilarResult = z
  .object({
    Hits: z.array(
      z.object({
        Id: z.string(),
        Score: z.number().describe('Above 0, up to 1'),
        Document: content,
        Shared: z
          .array(z.object({ Aspect: z.string(), Text: z.string(), Part: z.number() }))
          .optional()
          .describe('What both documents have in common, and what each part adds to the score'),
      }),
    ),
    ...identifiedMembers,
  })
  .meta({ id: 'SimilarResult' })

export const KeywordsRequest = z
  .strictObject({
    ...derived(counted(keywordsOptions), {
      TagId: '',
      Count: '',
      Text: 'Only words of this text',
      Strict: 'Only words with at least the mean score',
    }),
  })
  .meta({ id: 'KeywordsRequest' })

export const KeywordsResult = z
  .object({
    Keywords: z.array(
      z.object({
        Text: z.string().describe('A word, or two neighbouring words'),
        Score: z.number(),
        InTag: z.int().describe('Number of documents of the tag that contain it'),
        InAll: z.int(),
      }),
    ),
  })
  .meta({ id: 'KeywordsResult' })

export const DuplicatesRequest = z
  .strictObject(derived(duplicatesOptions, { Threshold: 'Minimum similarity of two duplicates' }))
  .meta({ id: 'DuplicatesRequest' })

export const similarOrigins: Origins = { to: 'Text', 'to.id': 'Id', 'to.document': { content: 'Document' } }

export function similarTo({ Text, Id, Document }: z.output<typeof SimilarRequest>): SimilarTo {
  if (Text !== undefined) return Text
  return Id === undefined ? { document: Document! } : { id: Id } // one of the two is given
}

export function similarOptions(request: z.output<typeof SimilarRequest>): SimilarOptions<object> {
  const {
    Text: _,
    Id: __,
    Document: ___,
    User: _u,
    Tags: _t,
    Analytics: _a,
    Count: limit,
    ...options
  } = request
  return { ...fromWire(options), limit }
}

export const similarResult = (hits: readonly SimilarHit<object>[]): z.output<typeof SimilarResult> => ({
  Hits: hits.map(({ id, score, document, shared }) => ({
    Id: id,
    Score: score,
    Document: document as Record<string, unknown>,
    ...(shared && { Shared: shared.map(one => toWire(one)) }),
  })),
})

export const keywordsResult = (words: readonly TypicalWord[]): z.output<typeof KeywordsResult> => ({
  Keywords: words.map(one => toWire(one)),
})

/** Groups as one JSON list, written as they arrive. */
export async function* duplicatesFile(groups: AsyncIterable<DuplicateGroup>): AsyncGenerator<string> {
  let before = '['
  for await (const { ids, score, pairs, shared } of groups) {
    const pair = ({ ids: both, score: alike }: DuplicateGroup['pairs'][number]) => ({
      Ids: both,
      Score: alike,
    })
    yield `${before}\n${JSON.stringify({ Ids: ids, Score: score, Pairs: pairs.map(pair), Shared: shared })}`
    before = ','
  }
  yield before === '[' ? '[]' : '\n]'
}

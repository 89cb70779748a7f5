import * as z from 'zod'
import type { DatasetState } from '../../datasets/state.ts'

/** Which documents a search is about. Both given: both must hold. */
export interface SearchFilter {
  /** A query string. */
  query?: string | undefined
  /** Documents that have any of these tags; an empty list is no restriction. */
  tags?: readonly string[] | undefined
}

/** Documents that match count more. */
export interface SearchWeight {
  /** A query string. */
  query: string
  /** 0 to 10,000: is added to the score. */
  value: number
}

/** How corrected phrases are found. */
export interface CorrectionSettings {
  /** At most so many, up to 10,000; 0: none are looked for. */
  count?: number | undefined
  /** How many times likelier than the text itself a phrase must be, 0 to 10,000. */
  confidence?: number | undefined
  /** How many words may be corrected: below 1 a share of all, rounded and at least one, from 1 a number. */
  maxErrors?: number | undefined
}

/** How documents are found, and what is shown of them. */
export interface SearchPartSettings {
  /** `match`: by the words of the text; `query`: the text is a query string. */
  type?: 'match' | 'query' | undefined
  /** `or`: one word is enough; `and`: every word must match, in any field. */
  operator?: 'or' | 'and' | undefined
  /**
   * How many edits a word that no document has may be off; `auto`: none up to 2 letters, 1 up to 5, else 2. With 0, other
   * forms of the words do not count either.
   */
  typoTolerance?: 'auto' | 0 | 1 | 2 | undefined
  /** Kept for clients of the REST API, to whom it is shown again: frequent words count little by themselves. */
  cutOffFrequency?: number | undefined
  /** Documents at most, up to 10,000; 0: no search. */
  limit?: number | undefined
  /** The interpreted fields to search, `title^2` counting twice as much as otherwise. */
  fields?: readonly string[] | undefined
  /** The fields that are shown, dotted paths among them; `*` for all. */
  responseFields?: readonly string[] | undefined
  filter?: SearchFilter | null | undefined
  /** `false` in a request: without the filter of the activation. */
  useDefaultFilter?: boolean | undefined
  weights?: readonly SearchWeight[] | null | undefined
  /** `false` in a request: without the weights of the activation. */
  useDefaultWeights?: boolean | undefined
  /** By a field with one value, those without one last; else by score. */
  order?: { field: string; direction?: 'asc' | 'desc' | undefined } | null | undefined
}

/** Which service recommends tags for the text. */
export interface ClassifierPartSettings {
  /** Id or alias of an active service that recommends tags. */
  id: string
  /** At most so many tags, up to 10,000. Default 3. */
  count?: number | undefined
}

/** How a search service answers: given when it is activated, and for single requests. All of it may be left out. */
export interface SearchServiceSettings {
  corrections?: CorrectionSettings | undefined
  search?: SearchPartSettings | undefined
  /** null: no tags are recommended. */
  classifier?: ClassifierPartSettings | null | undefined
}

const limitNumber = z.number().min(0).max(10_000)
const count = z.int().min(0).max(10_000)
const names = z.array(z.string().min(1).max(1000)).min(1).max(1000)

const filter = z.strictObject({
  query: z.string().optional(),
  tags: z.array(z.string()).max(10_000).optional(),
})

export const givenSettings = {
  corrections: z
    .strictObject({
      count: count.optional(),
      confidence: limitNumber.optional(),
      maxErrors: limitNumber.optional(),
    })
    .optional(),
  search: z
    .strictObject({
      type: z.enum(['match', 'query']).optional(),
      operator: z.enum(['or', 'and']).optional(),
      typoTolerance: z.literal(['auto', 0, 1, 2]).optional(),
      cutOffFrequency: limitNumber.optional(),
      limit: count.optional(),
      fields: names.optional(),
      responseFields: names.optional(),
      filter: filter.nullable().optional(),
      useDefaultFilter: z.boolean().optional(),
      weights: z
        .array(z.strictObject({ query: z.string(), value: limitNumber }))
        .max(100)
        .nullable()
        .optional(),
      useDefaultWeights: z.boolean().optional(),
      order: z
        .strictObject({ field: z.string(), direction: z.enum(['asc', 'desc']).default('asc') })
        .nullable()
        .optional(),
    })
    .optional(),
  classifier: z
    .strictObject({ id: z.string(), count: count.default(3) })
    .nullable()
    .optional(),
}

const given = z.strictObject(givenSettings)
export type GivenSettings = z.output<typeof given>

type Complete<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> }
type GivenSearch = NonNullable<GivenSettings['search']>

/** With nothing left out. */
export interface Activation {
  corrections: Complete<NonNullable<GivenSettings['corrections']>>
  search: Complete<GivenSearch>
  classifier: NonNullable<GivenSettings['classifier']> | null
}

/** What preparing recommends. */
export function recommendedFor({ settings }: Pick<DatasetState, 'settings'>): Activation {
  const { interpretedFields, idField, tagField } = settings
  return {
    corrections: { count: 3, confidence: 2, maxErrors: 0.5 },
    search: {
      type: 'match',
      operator: 'or',
      typoTolerance: 'auto',
      cutOffFrequency: 0.001,
      limit: 3,
      fields: [...interpretedFields],
      responseFields: [...new Set([...interpretedFields, idField, tagField])],
      filter: null,
      useDefaultFilter: true,
      weights: null,
      useDefaultWeights: true,
      order: null,
    },
    classifier: null,
  }
}

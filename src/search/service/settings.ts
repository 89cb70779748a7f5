import * as z from 'zod'
import type { DatasetState } from '../../datasets/state.ts'
import { type FacetOptions, facetList } from '../../facets/facet-options.ts'
import { type HighlightOption, highlightOption } from '../../highlighting/document-highlights.ts'
import { type TypoOptions, typoOptions } from '../read.ts'

/** Which documents a search covers. If both are given, both must hold. */
export interface SearchFilter {
  /** A query string. */
  query?: string | undefined
  /** Documents that have any of these tags; an empty list is no restriction. */
  tags?: readonly string[] | undefined
}

/** Documents that match rank higher. */
export interface SearchWeight {
  /** A query string. */
  query: string
  /** 0 to 10,000: added to the score. */
  value: number
}

/** How corrected phrases are found. */
export interface CorrectionSettings {
  /** Maximum number of phrases, up to 10,000; 0: none. */
  count?: number | undefined
  /** How many times likelier than the typed text a phrase must be, 0 to 10,000. */
  confidence?: number | undefined
  /** Maximum number of corrected words: below 1 a share of all words, rounded and at least one; from 1 on a number. */
  maxErrors?: number | undefined
}

/** How documents are found, and what is shown of them. */
export interface SearchPartSettings {
  /**
   * `match`: by the words of the text, as `dataset.search` does. `query`: the text is a query string, and the dataset's
   * search settings (synonyms, curations, `groupBy`) do not apply.
   */
  type?: 'match' | 'query' | undefined
  /** `or`: one word is enough; `and`: every word must match, in any field. */
  operator?: 'or' | 'and' | undefined
  /**
   * Maximum edit distance for a query word that no document contains; `auto`: 0 up to 2 letters, 1 up to 5, else 2. With
   * 0, other forms of the words and synonyms do not match either. An object is read as by `dataset.search`: other forms
   * match whatever its `edits`.
   */
  typoTolerance?: 'auto' | 0 | 1 | 2 | TypoOptions | undefined
  /** Accepted for clients of the REST API and returned to them, without effect: frequent words weigh little anyway. */
  cutOffFrequency?: number | undefined
  /** Maximum number of documents, up to 10,000, or 1,000 with `highlight` or `explain`; 0: no search, unless there are facets. */
  limit?: number | undefined
  /**
   * The fields to search; `title^2` doubles the weight of a field. Default: all fields that are interpreted at the time.
   * Other fields have no index of their words, so they are read from the documents, which takes longer: there, words match
   * only as typed, a match adds the boost (1 by default) to the score, and `explain` is refused; `curations`, `groupBy`
   * and `relax` of the dataset do not apply then.
   */
  fields?: readonly string[] | undefined
  /** The fields to show, as dotted paths; `*` for all. Default: the searched ones, id and tag. */
  responseFields?: readonly string[] | undefined
  filter?: SearchFilter | null | undefined
  /** `false` in a request: ignores the filter of the activation. */
  useDefaultFilter?: boolean | undefined
  weights?: readonly SearchWeight[] | null | undefined
  /** `false` in a request: ignores the weights of the activation. */
  useDefaultWeights?: boolean | undefined
  /** Orders by a field with a single value, documents without one last; otherwise by score. */
  order?: { field: string; direction?: 'asc' | 'desc' | undefined } | null | undefined
  /**
   * Fields whose values are counted over all matching documents, as for `dataset.search`; an empty list: none.
   * Default: none.
   */
  facets?: readonly (string | FacetOptions)[] | undefined
  /**
   * Shows where in each document the words were found; for a query string, its words, phrases and prefixes (`lam*`).
   * Default false.
   */
  highlight?: HighlightOption | undefined
  /** Explains the score of each hit; not with type `query`, nor with fields that are not interpreted. Default false. */
  explain?: boolean | undefined
}

/** Which service recommends tags for the text. */
export interface ClassifierPartSettings {
  /** Id or alias of an active service that recommends tags. */
  id: string
  /** Maximum number of tags, up to 10,000; 0: none. Default 3; in a request, that of the activation. */
  count?: number | undefined
  /**
   * Boost for documents whose tags are likely for the text, 0 to 10: unless an order is set, the scores of the 100 best
   * are multiplied by 1 + this value x the probability of their tags. This needs a service
   * whose scores are probabilities, such as a `classifier`. Default 0; in a request, that of the activation.
   */
  categoryBoost?: number | undefined
}

/** How a search service answers: set on activation, and for single requests. Every member is optional. */
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

const parts = {
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
      typoTolerance: z.union([z.literal(['auto', 0, 1, 2]), typoOptions]).optional(),
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
      facets: facetList.optional(),
      highlight: highlightOption.optional(),
      explain: z.boolean().optional(),
    })
    .optional(),
}

/** How many tags are recommended by default. */
export const usualTags = 3
const classifier = z.strictObject({
  id: z.string(),
  count: count.optional(),
  categoryBoost: z.number().min(0).max(10).optional(),
})

export const activateSettings = {
  ...parts,
  classifier: classifier
    .extend({ count: count.default(usualTags) })
    .nullable()
    .optional(),
}

/** As an exported model says them: complete, except for what the dataset decides or answers may lack. */
export const exportedSettings = {
  prepared: z.object({}),
  recommended: z.object({
    corrections: parts.corrections.unwrap().required(),
    search: parts.search.unwrap().required({
      type: true,
      operator: true,
      typoTolerance: true,
      cutOffFrequency: true,
      limit: true,
      filter: true,
      useDefaultFilter: true,
      weights: true,
      useDefaultWeights: true,
      order: true,
    }),
    classifier: activateSettings.classifier.unwrap(),
  }),
}

/** Members that are not given keep the activation's value, the number of tags included. */
export const givenSettings = z.strictObject({ ...parts, classifier: classifier.nullable().optional() })
export type GivenSettings = z.output<typeof givenSettings>

type Complete<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> }
type GivenSearch = NonNullable<GivenSettings['search']>
/** Parts of an answer that are returned only if requested. */
type Extras = 'facets' | 'highlight' | 'explain'
/** By default, these follow the dataset's current settings. */
type Fields = 'fields' | 'responseFields'

/** Complete settings, except for what answers may lack and what follows the dataset. */
export interface Activation {
  corrections: Complete<NonNullable<GivenSettings['corrections']>>
  search: Complete<Omit<GivenSearch, Extras | Fields>> & Pick<GivenSearch, Extras | Fields>
  classifier: { id: string; count: number; categoryBoost?: number | undefined } | null
}

/** The fields to search and those to show, defaults included. */
export function fieldsFor(
  { fields, responseFields }: Pick<GivenSearch, Fields>,
  { settings }: Pick<DatasetState, 'settings'>,
): Complete<Pick<GivenSearch, Fields>> {
  const { interpretedFields, idField, tagField } = settings
  return {
    fields: fields ?? [...interpretedFields],
    responseFields: responseFields ?? [...new Set([...interpretedFields, idField, tagField])],
  }
}

/** The settings that preparing recommends. */
export function recommended(): Activation {
  return {
    corrections: { count: 3, confidence: 2, maxErrors: 0.5 },
    search: {
      type: 'match',
      operator: 'or',
      typoTolerance: 'auto',
      cutOffFrequency: 0.001,
      limit: 3,
      filter: null,
      useDefaultFilter: true,
      weights: null,
      useDefaultWeights: true,
      order: null,
    },
    classifier: null,
  }
}

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

/** Documents that match count more. */
export interface SearchWeight {
  /** A query string. */
  query: string
  /** 0 to 10,000: is added to the score. */
  value: number
}

/** How corrected phrases are found. */
export interface CorrectionSettings {
  /** Maximum number of phrases, up to 10,000; 0: none. */
  count?: number | undefined
  /** How many times likelier than the text itself a phrase must be, 0 to 10,000. */
  confidence?: number | undefined
  /** How many words may be corrected: below 1 a share of all, rounded and at least one, from 1 a number. */
  maxErrors?: number | undefined
}

/** How documents are found, and what is shown of them. */
export interface SearchPartSettings {
  /**
   * `match`: by the words of the text, as `dataset.search` does; `query`: the text is a query string, for which the search
   * settings of the dataset (synonyms, curations, `groupBy`) do not count.
   */
  type?: 'match' | 'query' | undefined
  /** `or`: one word is enough; `and`: every word must match, in any field. */
  operator?: 'or' | 'and' | undefined
  /**
   * Maximum edit distance for a query word that no document contains; `auto`: none up to 2 letters, 1 up to 5, else 2. With
   * 0, other forms of the words and synonyms do not count either. An object is what `dataset.search` takes: other forms
   * count whatever its edits.
   */
  typoTolerance?: 'auto' | 0 | 1 | 2 | TypoOptions | undefined
  /** Kept for clients of the REST API, to whom it is shown again: frequent words count little by themselves. */
  cutOffFrequency?: number | undefined
  /** Documents at most, up to 10,000, with `highlight` or `explain` 1,000; 0: no search, unless there are facets. */
  limit?: number | undefined
  /**
   * The fields to search, `title^2` counting twice as much as otherwise. Default: all interpreted ones there are then. Of
   * others, which take longer as they have no index of their words, documents tell what they hold: words count there as they
   * are typed, a match adds the boost (1) to the score, and `explain` is refused. `curations`, `groupBy`
   * and `relax` of the dataset do not count then.
   */
  fields?: readonly string[] | undefined
  /** The fields that are shown, dotted paths among them; `*` for all. Default: the searched ones, id and tag. */
  responseFields?: readonly string[] | undefined
  filter?: SearchFilter | null | undefined
  /** `false` in a request: without the filter of the activation. */
  useDefaultFilter?: boolean | undefined
  weights?: readonly SearchWeight[] | null | undefined
  /** `false` in a request: without the weights of the activation. */
  useDefaultWeights?: boolean | undefined
  /** By a field with one value, those without one last; else by score. */
  order?: { field: string; direction?: 'asc' | 'desc' | undefined } | null | undefined
  /**
   * Fields of which the values of all documents that match are counted, as for `dataset.search`; an empty list: none.
   * Default: none.
   */
  facets?: readonly (string | FacetOptions)[] | undefined
  /**
   * Shows where in each document the words were found; of a query string, its words, phrases and beginnings (`lam*`).
   * Default false.
   */
  highlight?: HighlightOption | undefined
  /** Explains the score of each hit; not with the type `query`, nor with fields that are not interpreted. Default false. */
  explain?: boolean | undefined
}

/** Which service recommends tags for the text. */
export interface ClassifierPartSettings {
  /** Id or alias of an active service that recommends tags. */
  id: string
  /** Maximum number of tags, up to 10,000; 0: none. Default 3, in a request that of the activation. */
  count?: number | undefined
  /**
   * Boost for documents whose tags are likely for the text, 0 to 10: the scores of the 100 best,
   * if there is no order, are multiplied by 1 + this x the probability of their tags, so this
   * needs a service whose scores are probabilities, such as a `classifier`. Default 0, in a request that of the activation.
   */
  categoryBoost?: number | undefined
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

/** How many tags are recommended where nobody says. */
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

/** What is not given stays as it is activated, the number of tags included. */
export const givenSettings = z.strictObject({ ...parts, classifier: classifier.nullable().optional() })
export type GivenSettings = z.output<typeof givenSettings>

type Complete<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> }
type GivenSearch = NonNullable<GivenSettings['search']>
/** What answers have only where it is asked for. */
type Extras = 'facets' | 'highlight' | 'explain'
/** Where nobody chooses them, they are those of the dataset as it is then. */
type Fields = 'fields' | 'responseFields'

/** With nothing left out but what answers may go without, and what follows the dataset. */
export interface Activation {
  corrections: Complete<NonNullable<GivenSettings['corrections']>>
  search: Complete<Omit<GivenSearch, Extras | Fields>> & Pick<GivenSearch, Extras | Fields>
  classifier: { id: string; count: number; categoryBoost?: number | undefined } | null
}

/** The fields to search and those to show, which nobody has to choose. */
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

/** What preparing recommends. */
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

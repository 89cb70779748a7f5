import type { Facet as CountedFacet, FacetOptions } from 'findling'
import { facetOptions as engine } from 'findling/schemas'
import * as z from 'zod'
import { camel, fromWire, pascal, toWire } from './casing.ts'
import { derived } from './derived.ts'

const mostFacets = 100

const bound = z.union([z.number(), z.string()])

/** One requested facet. */
const FacetRequest = z
  .strictObject(
    derived(engine, {
      Field: 'A field with numbers, dates, booleans or texts of up to 128 characters, or the tag field',
      Limit: 'Maximum number of values; 0: they are not counted',
      Sort: 'Count: the values with the most documents first. Significance: only values that are more frequent than among all documents, those that chance explains least first',
      Least: 'Only values that at least this many of the documents found have',
      Search:
        'Only values with these words, the last of which is matched as a prefix; typos are tolerated if no value has them',
      MergeSpellings:
        'Texts that differ only in case and spaces count as one value, under the most frequent spelling. Default false',
      TagsBelow: 'The count of a tag includes the documents of the tags below it',
      Parent: 'Only tags directly below this one; null: those at the top',
      Ranges: 'Counts numbers or dates in ranges of your own: From is inclusive, To is exclusive',
      Histogram: 'Counts numbers or dates in this many bars of equal width',
      Disjunctive: 'Counts as if nothing had been selected in this field: conditions on it alone are ignored',
    }),
  )
  .meta({ id: 'FacetRequest' })

export const facetRequests = z
  .array(z.union([z.string(), FacetRequest]))
  .max(mostFacets)
  .describe('Fields whose values are counted over all documents found, each as a name or with settings')

export const Facet = z
  .object({
    Values: z
      .array(
        z.object({
          Value: z
            .union([z.string(), z.number(), z.boolean()])
            .describe('For dates ISO text in UTC; for tags their id'),
          Count: z.int().describe('Documents with this value'),
          Name: z.string().optional().describe('Name of the tag'),
          Spellings: z
            .array(z.string())
            .optional()
            .describe('With MergeSpellings: the first 100 spellings, if there are several'),
          InAll: z
            .int()
            .optional()
            .describe('Sorted by Significance: how many of all documents have this value'),
          Score: z
            .number()
            .optional()
            .describe(
              'Sorted by Significance: the root of the log-likelihood ratio; chance rarely gives more than 3',
            ),
        }),
      )
      .describe('In the requested order; ties are sorted by value'),
    Distinct: z.int().describe('Number of different values, including those beyond the limit'),
    Stats: z
      .object({ Min: bound, Max: bound, Avg: bound, Sum: z.number().optional(), Count: z.int() })
      .optional()
      .describe(
        'Statistics of all numbers or dates, if there are any; dates have no Sum, nor have numbers whose Sum is too large',
      ),
    Ranges: z
      .array(
        z.object({
          Name: z.string().optional(),
          From: bound.optional(),
          To: bound.optional(),
          Count: z.int(),
        }),
      )
      .optional()
      .describe('If asked for: the ranges of the request, in the same order'),
    Histogram: z
      .array(z.object({ From: bound, To: bound, Count: z.int() }))
      .optional()
      .describe('If asked for: bars from the minimum to the maximum; To is inclusive for the last bar only'),
    Exact: z.boolean().describe('False if some texts were too long to be counted'),
  })
  .meta({ id: 'Facet' })

export function facetOptions(facets: z.output<typeof facetRequests>): (string | FacetOptions)[] {
  return facets.map(facet => {
    if (typeof facet === 'string') return facet
    const { Sort, ...others } = facet
    return { ...fromWire(others), sort: camel(Sort) }
  })
}

/** The facets as requested. */
export function facetsAsked(facets: readonly (string | FacetOptions)[]): z.output<typeof facetRequests> {
  // They were validated by the same schema when they were given.
  return facets.map(facet =>
    typeof facet === 'string' ? facet : toWire({ ...facet, sort: pascal(facet.sort ?? 'count') }),
  ) as z.output<typeof facetRequests>
}

/** Field names are content and stay as they are. */
export function facetsModel(facets: Record<string, CountedFacet>): Record<string, z.output<typeof Facet>> {
  // Histogram bars have both bounds.
  return Object.fromEntries(
    Object.entries(facets).map(([field, facet]) => [field, toWire(facet) as z.output<typeof Facet>]),
  )
}

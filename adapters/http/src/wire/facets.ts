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
      Field: 'Numbers, dates, truths, texts of up to 128 characters, or the field of tags',
      Limit: 'Values at most; 0: they are not counted',
      Sort: 'Count: those that most documents have first',
      Search: 'Only values with words like these, the last of which may be the beginning of one',
      MergeSpellings:
        'Texts that differ in case and spaces only are one value, the most frequent of them. Default false',
      TagsBelow: 'A tag counts documents of the tags below it too',
      Parent: 'Only tags directly below this one; null: those at the top',
      Ranges: 'Numbers or dates by bounds of your own: From belongs to a range, To does not',
      Histogram: 'Numbers or dates in so many bars of the same width',
      Disjunctive: 'Counts as if nothing of this field had been chosen: conditions on it alone are left out',
    }),
  )
  .meta({ id: 'FacetRequest' })

export const facetRequests = z
  .array(z.union([z.string(), FacetRequest]))
  .max(mostFacets)
  .describe('Fields whose values are counted over all documents that are found, or settings for each')

export const Facet = z
  .object({
    Values: z
      .array(
        z.object({
          Value: z
            .union([z.string(), z.number(), z.boolean()])
            .describe('A date as ISO text in UTC; of tags their id'),
          Count: z.int().describe('Documents that have it'),
          Name: z.string().optional().describe('That of a tag'),
          Spellings: z
            .array(z.string())
            .optional()
            .describe('With MergeSpellings: the first 100 of a text that has several'),
        }),
      )
      .describe('In the order that was asked for, equal ones by value'),
    Distinct: z.int().describe('How many different values there are, also beyond the limit'),
    Stats: z
      .object({ Min: bound, Max: bound, Avg: bound, Sum: z.number().optional(), Count: z.int() })
      .optional()
      .describe('Of all numbers or dates, if there are any; dates have no Sum'),
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
      .describe('If asked for: those of the request, in its order'),
    Histogram: z
      .array(z.object({ From: bound, To: bound, Count: z.int() }))
      .optional()
      .describe('If asked for: from the least to the greatest value; To belongs to the last bar only'),
    Exact: z.boolean().describe('False where some texts are too long to be counted'),
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

import * as z from 'zod'
import type { FilterFields } from '../filters/filter-fields.ts'
import { invalid, problem } from '../input.ts'
import { isOpaque, knownFields, type QueryField } from '../query/fields.ts'

/** What to count for one field. */
export interface FacetOptions {
  /** Dotted path of a field of numbers, dates, booleans or texts of up to 128 characters; or the tag field. */
  field: string
  /** Maximum number of values returned, up to 10,000; 0: values are not counted. Default 10. */
  limit?: number
  /**
   * `count` (default): most documents first. `value`: in ascending order. `significance`: only values that are more frequent among
   * the matching documents than among all, those that chance explains least first; each has its `score`, and how many documents
   * have it `inAll`.
   */
  sort?: 'count' | 'value' | 'significance'
  /** Returns only values that at least this many of the matching documents have, from 1. Default 1. */
  least?: number
  /**
   * Returns only values with these words, the last of which is matched as a prefix. If no value has them, typos are
   * tolerated.
   */
  search?: string
  /**
   * `true`: texts that differ only in case and spaces, such as `Bosch` and `BOSCH `, count as one value, shown in
   * its most frequent spelling; `spellings` lists them (at most 100), for a filter with `in`. Default false.
   */
  mergeSpellings?: boolean
  /** Default true: a tag also counts documents of the tags below it. */
  tagsBelow?: boolean
  /** Only tags directly below this one; null: those without a parent. Default: all tags. */
  parent?: string | null
  /** Ranges of numbers or dates, at most 100: `from` is included, `to` is not. */
  ranges?: readonly FacetRangeOptions[]
  /** Counts numbers or dates in this many bars of equal width, at most 100. */
  histogram?: number
  /**
   * `true`: counts as if no value of this field had been selected, for lists with multiple selection.
   * Ignores filter conditions that ask for this field only and are joined to the others by AND; for the tag field,
   * also the option `tags`. Default false.
   */
  disjunctive?: boolean
}

/** A range of numbers or dates. */
export interface FacetRangeOptions {
  /** Returned with the answer. */
  name?: string
  /** A number, or a date as in a filter: `2024-05` is the first of May. Default: no bound. */
  from?: number | string
  to?: number | string
}

const mostFacets = 100
const mostRanges = 100

const bound = z.union([z.number(), z.string()])
const range = z.strictObject({ name: z.string().optional(), from: bound.optional(), to: bound.optional() })
export const facetOptions = z.strictObject({
  field: z.string(),
  limit: z.int().min(0).max(10_000).default(10),
  sort: z.enum(['count', 'value', 'significance']).default('count'),
  least: z.int().min(1).max(1_000_000_000).default(1),
  search: z.string().max(200).optional(),
  mergeSpellings: z.boolean().default(false),
  tagsBelow: z.boolean().default(true),
  parent: z.string().nullable().optional(),
  ranges: z.array(range).min(1).max(mostRanges).optional(),
  histogram: z.int().min(1).max(mostRanges).optional(),
  disjunctive: z.boolean().default(false),
})

const plain = facetOptions.omit({ field: true }).parse({})

/** A field name, or a field with options. */
const facet = z.union([z.string().transform(field => ({ ...plain, field })), facetOptions])
export const facetList = z.array(facet).max(mostFacets)

/** A checked request, with every name in it known. Bounds of dates are milliseconds since 1970. */
export type FacetPlan = Omit<z.output<typeof facetOptions>, 'ranges'> & {
  readonly kind: 'tags' | 'dates' | 'others'
  readonly ranges: readonly PlannedRange[] | undefined
}

export interface PlannedRange {
  readonly name: string | undefined
  readonly from: number | undefined
  readonly to: number | undefined
}

/** @throws FindlingError INVALID_ARGUMENT for an unknown field, or one whose values cannot be counted */
export function facetPlans(
  facets: readonly z.output<typeof facetOptions>[],
  fields: FilterFields,
): FacetPlan[] {
  const seen = new Set<string>()
  return facets.map((facet, i) => {
    const { field } = facet
    const refuse = (member: string, received: unknown, expected: string) =>
      invalid('INVALID_ARGUMENT', 'options', [problem(`facets[${i}]${member}`, received, expected)])
    const isTag = field !== '' && field === fields.tagField
    const known = fields.query.find(field)
    if (!known && !isTag) throw refuse('', field, knownFields(field, fields.query))
    if (field === fields.idField || known?.type === 'object' || isOpaque(known?.type))
      throw refuse('', field, 'a field of numbers, dates, booleans, texts or tags')
    if (seen.has(field)) throw refuse('', field, 'each field once')
    seen.add(field)
    const kind = isTag ? 'tags' : known?.type === 'date' ? 'dates' : 'others'
    const ranges = facet.ranges?.map((given, r): PlannedRange => {
      const read = (name: 'from' | 'to') => {
        const value = given[name]
        if (value === undefined) return undefined
        const number = boundOf(value, known)
        if (number !== undefined) return number
        throw refuse(`.ranges[${r}].${name}`, value, boundRule(known))
      }
      return { name: given.name, from: read('from'), to: read('to') }
    })
    return { ...facet, kind, ranges }
  })
}

function boundRule(field: QueryField | undefined): string {
  if (field?.type === 'date') return 'a date'
  return field?.type === 'number'
    ? 'a number'
    : 'a number; a date needs a field that a schema declares as dates'
}

function boundOf(value: number | string, field: QueryField | undefined): number | undefined {
  if (field?.type !== 'date') return typeof value === 'number' ? value : undefined
  return field.moment?.(String(value), false)
}

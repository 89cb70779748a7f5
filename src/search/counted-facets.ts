import type * as z from 'zod'
import type { Facet } from '../facets/facet.ts'
import { type FacetPlan, type facetList, facetPlans } from '../facets/facet-options.ts'
import { Facets } from '../facets/facets.ts'
import type { Filter, FilterCondition } from '../filters/filter.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import type { MatchSet } from '../fulltext/matching/match-set.ts'
import { printQuery } from '../query/print.ts'
import { withoutField } from '../query/without-field.ts'
import { type ConditionContext, filterFor, type Preparation } from './condition.ts'

type Counting = Generator<void, Record<string, Facet>>

/** What facets need of a search, and what they make of its matches. */
export interface CountedFacets {
  /** The filter of the search, then those of disjunctive facets, which ignore the conditions on their own field. */
  readonly filters: readonly (Filter | undefined)[]
  readonly preparations: readonly Preparation[]
  /**
   * Undefined where no facets were asked for. Begun while the index is at rest; the counting may continue, piece by piece,
   * after the index has changed.
   * @param sets what each of the filters lets through, as far as it matches
   */
  count(whole: FulltextIndex, sets: readonly MatchSet[]): Counting | undefined
}

/** @throws FindlingError INVALID_ARGUMENT */
export async function countedFacets(
  asked: z.output<typeof facetList> | undefined,
  condition: FilterCondition,
  context: ConditionContext,
  fields: FilterFields,
): Promise<CountedFacets> {
  const filter = filterFor(condition, fields, context)
  if (!asked) return { filters: [filter], preparations: [], count: () => undefined }
  const plans = facetPlans(asked, fields)
  const isTagged = plans.some(({ kind }) => kind === 'tags')
  const facets = new Facets(plans, fields, isTagged ? await context.tags.tree.current() : undefined)
  const filters = [filter]
  const places = new Map<string, number>()
  const placeOf = (plan: FacetPlan): number => {
    if (!plan.disjunctive) return 0
    const rest = {
      query: withoutField(condition.query, plan.field),
      tags: plan.kind === 'tags' ? undefined : condition.tags,
    }
    if (places.size === 0) places.set(keyOf(condition), 0)
    const key = keyOf(rest)
    const known = places.get(key)
    if (known !== undefined) return known
    const place = filters.push(filterFor(rest, fields, context)) - 1
    places.set(key, place)
    return place
  }
  const byPlan = new Map(plans.map(plan => [plan, placeOf(plan)]))
  return {
    filters,
    preparations: [
      {
        prepare: whole => (facets.prepare(whole.state) ? undefined : { documents: [] }),
        learn: () => undefined,
      },
    ],
    count: (whole, sets) => facets.count(whole.state, plan => sets[byPlan.get(plan)!]!),
  }
}

const keyOf = ({ query, tags }: FilterCondition): string => `${tags !== undefined} ${printQuery(query)}`

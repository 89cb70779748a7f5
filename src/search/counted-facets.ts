import type * as z from 'zod'
import type { Facet } from '../facets/facet.ts'
import { type FacetPlan, type facetList, facetPlans } from '../facets/facet-options.ts'
import { Facets, type WholeSet } from '../facets/facets.ts'
import type { Filter, FilterCondition } from '../filters/filter.ts'
import type { FilterFields } from '../filters/filter-fields.ts'
import type { FulltextIndex } from '../fulltext/fulltext-index.ts'
import { MatchSet } from '../fulltext/matching/match-set.ts'
import type { Selection } from '../fulltext/matching/selection.ts'
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
   * @param all what they are compared with for their significance, such as what is visible; undefined: all documents
   */
  count(whole: FulltextIndex, sets: readonly MatchSet[], all: Selection | undefined): Counting | undefined
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
  const comparesWithAll = plans.some(({ sort }) => sort === 'significance')
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
    count: ({ state }, sets, all) => {
      const others = comparesWithAll ? wholeSet(state, all) : undefined
      return facets.count(state, plan => ({
        matching: sets[byPlan.get(plan)!]!,
        all: plan.sort === 'significance' ? others : undefined,
      }))
    },
  }
}

function wholeSet({ segments }: FulltextIndex['state'], all: Selection | undefined): WholeSet {
  const set = MatchSet.selected([...segments], all)
  return all ? { set } : { set, state: segments.map(({ segment, size }) => ({ segment, size })) }
}

const keyOf = ({ query, tags }: FilterCondition): string => `${tags !== undefined} ${printQuery(query)}`

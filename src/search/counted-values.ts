import type { Facet } from '../facets/facet.ts'
import { type FacetOptions, facetOptions } from '../facets/facet-options.ts'
import { MatchSet } from '../fulltext/matching/match-set.ts'
import type { Deadline } from '../scheduling/deadline.ts'
import { inStretches } from '../scheduling/stretch.ts'
import { askFiltered, filterFields, filterFor, readCondition } from './condition.ts'
import { countedFacets } from './counted-facets.ts'
import type { Searchable } from './search.ts'

/**
 * The values of one field in the documents that match a filter, without the documents.
 * @param among a filter for the documents that they are compared with for their significance; undefined: all
 */
export async function countedValues(
  dataset: Searchable,
  { filter, among }: { readonly filter: unknown; readonly among?: unknown },
  facet: FacetOptions,
  deadline: Deadline | undefined,
): Promise<Facet> {
  const { state, index, documents } = dataset
  const fields = filterFields(state)
  const condition = await readCondition({ filter }, dataset, fields, { deadline })
  const others = filterFor(
    await readCondition({ filter: among }, dataset, fields, { deadline }),
    fields,
    dataset,
  )
  const { filters, preparations, count } = await countedFacets(
    [facetOptions.parse(facet)],
    condition,
    dataset,
    fields,
  )
  const counting = await askFiltered(
    { index, documents, deadline },
    [others, ...filters],
    (whole, [all, ...selections]) => {
      const segments = [...whole.state.segments]
      const sets = selections.map(selection => MatchSet.selected(segments, selection))
      return count(whole, sets, all)
    },
    preparations,
  )
  const facets = await inStretches(counting!, deadline, documents.store.turn) // one was asked for
  return facets[facet.field]!
}
